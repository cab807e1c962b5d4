package file

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxSights bounds what is remembered of one session.
const maxSights = 1_000

// Seen remembers what the agent of each session knows of files: what it read, which lines of it, and the
// content it wrote. Whole-file writes, patches and repeated reads are checked against it. It is safe for
// concurrent use.
type Seen struct {
	mu       sync.Mutex
	sessions map[string]*sights
}

// NewSeen returns an empty memory.
func NewSeen() *Seen { return &Seen{sessions: map[string]*sights{}} }

type sights struct {
	files map[string]*sight
	clock int // rises with every use, for forgetting the oldest
}

// sight is what a session knows of one file. It holds for the content with that hash only.
type sight struct {
	hash  string
	size  int64
	mtime time.Time
	lines []lineRange // seen, sorted, apart from each other
	total int         // lines of the file
	full  bool        // every character was seen, or the agent wrote it
	views map[lineRange]bool
	fails int // patches in a row that did not fit
	used  int
}

// lineRange is lines first to last, or as a view: offset and limit.
type lineRange struct{ first, last int }

func (s *Seen) at(session, path string) *sight {
	in := s.sessions[session]
	if in == nil {
		in = &sights{files: map[string]*sight{}}
		s.sessions[session] = in
	}
	in.clock++
	f := in.files[path]
	if f == nil {
		f = &sight{}
		if len(in.files) >= maxSights {
			in.forgetOldest()
		}
		in.files[path] = f
	}
	f.used = in.clock
	return f
}

func (in *sights) forgetOldest() {
	oldest := ""
	for p, f := range in.files {
		if oldest == "" || f.used < in.files[oldest].used {
			oldest = p
		}
	}
	delete(in.files, oldest)
}

// find returns what is known without noting anything.
func (s *Seen) find(session, path string) *sight {
	if in := s.sessions[session]; in != nil {
		return in.files[path]
	}
	return nil
}

// Forget lets the next read of path answer in full: what was shown is no longer in front of the model.
// path "" means every file of the session (after a compaction). What may be overwritten stays known.
func (s *Seen) Forget(session, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.sessions[session]
	if in == nil {
		return
	}
	for p, f := range in.files {
		if path == "" || p == path {
			f.views = nil
		}
	}
}

// Known notes that the whole of a file is before the model though read_file did not show it, such as a
// file the person attached. data is what was shown.
func (s *Seen) Known(session, path string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.at(session, path)
	*f = sight{hash: digest(data), size: int64(len(data)), mtime: time.Now(), full: true, used: f.used}
}

// glimpse is one finished read.
type glimpse struct {
	hash  string // of the whole file; "" when it was not read to its end
	info  fs.FileInfo
	view  lineRange // offset and limit as asked for
	shown lineRange // lines that were shown
	total int
	cut   bool // a line was too long to show whole
}

// read notes g. repeated says that the same view of the same content was shown before.
func (s *Seen) read(session, path string, g glimpse) (repeated bool) {
	if g.hash == "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.at(session, path)
	if f.hash != g.hash {
		*f = sight{hash: g.hash, used: f.used, fails: f.fails}
	}
	f.size, f.mtime, f.total = g.info.Size(), g.info.ModTime(), g.total
	if f.views[g.view] {
		return true
	}
	if f.views == nil {
		f.views = map[lineRange]bool{}
	}
	f.views[g.view] = true
	if g.cut {
		return false
	}
	f.lines = joinRanges(append(f.lines, g.shown))
	f.full = f.full || g.total == 0 || (len(f.lines) == 1 && f.lines[0].first <= 1 && f.lines[0].last >= g.total)
	return false
}

// joinRanges sorts ranges and merges those that touch.
func joinRanges(in []lineRange) []lineRange {
	slices.SortFunc(in, func(a, b lineRange) int { return cmp.Compare(a.first, b.first) })
	out := in[:0]
	for _, r := range in {
		if n := len(out); n > 0 && r.first <= out[n-1].last+1 {
			out[n-1].last = max(out[n-1].last, r.last)
			continue
		}
		out = append(out, r)
	}
	return out
}

// wrote notes that the agent changed a file. After a whole-file write it knows the file; after an edit
// it knows it when it knew it before.
func (s *Seen) wrote(session string, c *change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.remove {
		if in := s.sessions[session]; in != nil {
			delete(in.files, c.path)
		}
		return
	}
	f := s.at(session, c.path)
	knew := c.whole || !c.exists || (f.full && f.hash == digest(c.old))
	*f = sight{hash: digest(c.data), size: int64(len(c.data)), mtime: time.Now(), full: knew, used: f.used}
}

// overwrite says why c must not replace the file that is there, "" when it may.
func (s *Seen) overwrite(session string, c *change) string {
	if !c.exists || len(c.old) == 0 || string(c.old) == string(c.data) {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.find(session, c.path)
	switch {
	case f == nil || f.hash == "":
		return "the file exists and was not read in this session. Read all of it with read_file first, or change a part of it with patch"
	case f.hash != digest(c.old):
		return fmt.Sprintf("the file changed since it was last read or written here (at %s, %d bytes then, %d now). Read it again first, so that the change is not lost",
			f.mtime.Format("15:04:05"), f.size, len(c.old))
	case !f.full:
		return "only " + f.known() + " of the file were read. Read the rest first, or change a part of it with patch"
	}
	return ""
}

// known words the lines that were seen.
func (f *sight) known() string {
	if len(f.lines) == 0 {
		return "parts"
	}
	var parts []string
	for _, r := range f.lines[:min(len(f.lines), 5)] {
		parts = append(parts, fmt.Sprintf("%d-%d", r.first, r.last))
	}
	out := "lines " + strings.Join(parts, ", ")
	if f.total > 0 {
		out += fmt.Sprintf(" of %d", f.total)
	}
	return out
}

// changed tells whether the file the session knew is another one now.
func (s *Seen) changed(session string, c *change) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.find(session, c.path)
	return f != nil && f.hash != "" && f.hash != digest(c.old)
}

// failed counts patches of path that did not fit, in a row.
func (s *Seen) failed(session, path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.at(session, path)
	f.fails++
	return f.fails
}
