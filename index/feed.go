package index

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"hermes/core"
	"hermes/core/text"
)

// What of a message is indexed, in code points: all of what people and models say within reason, the head
// of tool results.
const (
	textCap   = 200_000
	resultCap = 16_000
	batchDocs = 2_000
	batchSize = 8 << 20 // bytes of text
	headBytes = 512
	tailBytes = 256
)

// Progress tells how far the index is. It is complete when Done equals Sessions.
type Progress struct {
	Done, Sessions int
	Messages       int // indexed in this run
}

// Sync brings the index up to date with the transcripts: new messages are added, deleted sessions leave,
// files that were replaced are read anew. It stops when ctx ends; what was done stays. report may be nil.
func (x *Index) Sync(ctx context.Context, report func(Progress)) (Progress, error) {
	if err := x.take(ctx); err != nil {
		return Progress{}, err
	}
	defer func() { x.turn <- struct{}{} }()
	return x.sync(ctx, report)
}

// sync is Sync for who has the turn.
func (x *Index) sync(ctx context.Context, report func(Progress)) (Progress, error) {
	began := time.Now()
	x.seen = sight{}
	files, err := x.transcripts()
	if err != nil {
		return Progress{}, err
	}
	p := Progress{Sessions: len(files)}
	if len(files) == 0 && x.engine.gone() {
		return p, nil
	}
	defer x.fed.Store(nil)
	err = x.engine.with(ctx, func(idx bleve.Index) error {
		m, err := readMeta(idx)
		if err != nil {
			return err
		}
		f := feeder{idx: idx, meta: m}
		if err := f.forget(files); err != nil {
			return err
		}
		for _, file := range files {
			if ctx.Err() != nil {
				break
			}
			n, err := f.session(ctx, file)
			if err != nil {
				return err
			}
			p.Messages += n
			p.Done++
			now := p
			x.fed.Store(&now)
			if report != nil {
				report(p)
			}
		}
		err = f.flush()
		if err == nil && ctx.Err() == nil {
			x.known.Store(&f.meta.Sessions)
			x.see(began, files)
		}
		return err
	})
	if err == nil {
		err = ctx.Err()
	}
	return p, err
}

// feeder adds messages in batches.
type feeder struct {
	idx   bleve.Index
	meta  meta
	batch *bleve.Batch
	size  int
	dirty bool
	about checkpoint // of the session being read
	path  string     // of its transcript
	said  []said     // what of it this run added, in order; from: where that begins
	from  int64
	read  int64 // where this run began to read
}

// said is a message in the index.
type said struct{ message, doc string }

// forget removes the sessions that are gone.
func (f *feeder) forget(files []transcript) error {
	there := make(map[string]bool, len(files))
	for _, t := range files {
		there[t.id] = true
	}
	for id := range f.meta.Sessions {
		if !there[id] {
			if err := f.remove(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// remove takes all documents of a session out.
func (f *feeder) remove(id string) error {
	if err := f.flush(); err != nil {
		return err
	}
	q := query.NewTermQuery(id)
	q.SetField("s")
	for {
		req := bleve.NewSearchRequestOptions(q, 1000, 0, false)
		res, err := f.idx.Search(req)
		if err != nil {
			return fmt.Errorf("find documents of %s: %w", id, err)
		}
		if len(res.Hits) == 0 {
			break
		}
		b := f.idx.NewBatch()
		for _, h := range res.Hits {
			b.Delete(h.ID)
		}
		if err := f.idx.Batch(b); err != nil {
			return fmt.Errorf("remove documents of %s: %w", id, err)
		}
	}
	delete(f.meta.Sessions, id)
	f.dirty = true
	return nil
}

// session reads what is new of a transcript.
func (f *feeder) session(ctx context.Context, t transcript) (int, error) {
	cp, known := f.meta.Sessions[t.id]
	if known && cp.Offset == t.size {
		return 0, nil
	}
	file, err := os.Open(t.path)
	if err != nil {
		return 0, nil // deleted meanwhile; the next run forgets it
	}
	defer file.Close() //nolint:errcheck // read only
	head := headOf(file)
	if known && (cp.Offset > t.size || cp.Head != head || cp.Tail != tailOf(file, cp.Offset)) {
		if err := f.remove(t.id); err != nil {
			return 0, err
		}
		known = false
	}
	if !known {
		cp = checkpoint{Head: head}
	}
	if _, err := file.Seek(cp.Offset, io.SeekStart); err != nil {
		return 0, fmt.Errorf("read %s: %w", t.path, err)
	}
	f.about, f.path, f.said, f.from, f.read = cp, t.path, nil, cp.Offset, cp.Offset
	n := 0
	br := bufio.NewReaderSize(file, 256<<10)
	for ctx.Err() == nil {
		line, err := br.ReadBytes('\n')
		if err != nil { // a line without its end is still being written
			break
		}
		added, err := f.line(t.id, f.about.Offset, line)
		if err != nil {
			return n, err
		}
		n += added
		f.about.Offset += int64(len(line))
		if f.batch != nil && (f.batch.Size() >= batchDocs || f.size >= batchSize) {
			f.settle(t.id, file)
			if err := f.flush(); err != nil {
				return n, err
			}
		}
	}
	f.settle(t.id, file)
	return n, nil
}

// settle keeps how far the session is read.
func (f *feeder) settle(id string, file *os.File) {
	if f.about.Offset != f.read {
		f.about.Tail = tailOf(file, f.about.Offset)
		f.meta.Sessions[id] = f.about
		f.dirty = true
	}
}

// tailOf is a hash of what stands before an offset.
func tailOf(f *os.File, offset int64) string {
	b := make([]byte, min(tailBytes, offset))
	n, _ := f.ReadAt(b, offset-int64(len(b))) // a file that was cut since has another tail
	sum := sha256.Sum256(b[:n])
	return hex.EncodeToString(sum[:8])
}

// headOf is a hash of the file's first bytes.
func headOf(f *os.File) string {
	b := make([]byte, headBytes)
	n, _ := f.ReadAt(b, 0) // a short file has a short head
	line, _, _ := bytes.Cut(b[:n], []byte("\n"))
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:8])
}

// line is what the index needs of a transcript line: a record, or the header of a fork.
type line struct {
	core.Record
	Created time.Time `json:"created"`
	Parent  *struct {
		Session string `json:"session"`
	} `json:"parent"`
}

// line indexes one line of a transcript; lines that are no record are skipped.
func (f *feeder) line(session string, offset int64, b []byte) (int, error) {
	l, ok := decode(b)
	if !ok {
		return 0, nil
	}
	switch l.Type {
	case "session":
		f.about.Started = l.Created
		if l.Parent != nil {
			f.about.Base = l.Created.UnixNano()
		}
	case core.RecordTitle:
		f.about.Title = l.Title
		if f.about.TitleDoc != "" {
			f.start().Delete(f.about.TitleDoc)
		}
		d := doc{Session: session, Role: roleTitle, Text: l.Title, Time: l.Time, Offset: offset}
		f.about.TitleDoc = d.name()
		return 1, f.add(d)
	case core.RecordDiscard, core.RecordUndo:
		return 0, f.void(session, l.Record)
	case core.RecordMessage:
		if f.about.First == "" && l.Message.Role == core.RoleUser {
			f.about.First = firstLine(l.Message.Display())
		}
		if f.copied(l.Time) {
			return 0, nil
		}
		d := docOf(session, offset, *l.Message, l.Time)
		f.said = append(f.said, said{l.Message.ID, d.name()})
		return 1, f.add(d)
	default:
	}
	return 0, nil
}

func decode(b []byte) (line, bool) {
	var l line
	if json.Unmarshal(bytes.Trim(b, "\x00 \r\n"), &l) != nil {
		return l, false
	}
	if l.Type == core.RecordMessage && (l.Message == nil || l.Message.Role == core.RoleSystem) {
		return l, false
	}
	return l, true
}

// void takes out what a record makes void: the message it names, and all after it when a turn was undone.
func (f *feeder) void(session string, r core.Record) error {
	if f.from > 0 { // said before this run: read it again, once
		earlier, err := f.earlier(session)
		if err != nil {
			return err
		}
		f.said, f.from = append(earlier, f.said...), 0
	}
	i := slices.IndexFunc(f.said, func(s said) bool { return s.message == r.Target })
	if i < 0 || r.Target == "" {
		return nil
	}
	until := i + 1
	if r.Type == core.RecordUndo {
		until = len(f.said)
	}
	for _, s := range f.said[i:until] {
		f.start().Delete(s.doc)
	}
	f.said = slices.Delete(f.said, i, until)
	return nil
}

// earlier lists the messages of the transcript before this run. What of them was made void is listed too;
// to delete it again does no harm.
func (f *feeder) earlier(session string) ([]said, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return nil, nil // deleted meanwhile; the next run forgets it
	}
	defer closeQuiet(file)
	br := bufio.NewReaderSize(io.LimitReader(file, f.from), 256<<10)
	var out []said
	for offset := int64(0); ; {
		b, err := br.ReadBytes('\n')
		if l, ok := decode(b); ok && l.Type == core.RecordMessage {
			d := docOf(session, offset, core.Message{Role: l.Message.Role}, l.Time)
			out = append(out, said{l.Message.ID, d.name()})
		}
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.path, err)
		}
		offset += int64(len(b))
	}
}

// copied tells whether a record of a fork was copied: it is older than the fork and is found in its parent.
func (f *feeder) copied(at time.Time) bool {
	return f.about.Base != 0 && !at.IsZero() && at.UnixNano() < f.about.Base
}

// doc is a document before it becomes terms.
type doc struct {
	Session, Role, Tool, Text string
	Time                      time.Time
	Offset                    int64
}

// name is what the document is called in the index.
func (d *doc) name() string {
	return place{session: d.Session, offset: d.Offset, at: seconds(d.Time), kind: kindOf(d.Role)}.String()
}

// roleTitle is the role of the document that holds a session's title.
const roleTitle = "title"

func docOf(session string, offset int64, m core.Message, at time.Time) doc {
	return doc{Session: session, Role: string(m.Role), Tool: m.ToolName, Text: textOf(m), Time: at, Offset: offset}
}

// textOf is the text of a message as it is searched: what people see, and the calls.
func textOf(m core.Message) string {
	limit := textCap
	if m.Role == core.RoleTool {
		limit = resultCap
	}
	out := cut(m.Display(), limit)
	if m.Role == core.RoleTool && looksLikeJSON(out) {
		out = plain(out)
	}
	for _, c := range m.ToolCalls {
		out += "\n" + c.Name + " " + plain(cut(c.Arguments, resultCap))
	}
	return text.Neutralise(out)
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

func (f *feeder) start() *bleve.Batch {
	if f.batch == nil {
		f.batch, f.size = f.idx.NewBatch(), 0
	}
	return f.batch
}

func (f *feeder) add(d doc) error {
	var b strings.Builder
	b.Grow(2 * len(d.Text))
	terms(d.Text, func(t string) { b.WriteString(t); b.WriteByte(' ') })
	f.size += b.Len()
	return f.start().Index(d.name(), map[string]any{"t": b.String(), "s": d.Session, "r": d.Role, "n": d.Tool})
}

// flush writes the batch with its checkpoints: both are there after a crash, or neither.
func (f *feeder) flush() error {
	if f.batch == nil && !f.dirty {
		return nil
	}
	b, err := json.Marshal(f.meta)
	if err != nil {
		return fmt.Errorf("encode checkpoints: %w", err)
	}
	batch := f.start()
	batch.SetInternal([]byte(metaKey), b)
	if err := f.idx.Batch(batch); err != nil {
		return errors.Join(errors.New("write search index"), err)
	}
	f.batch, f.size, f.dirty = nil, 0, false
	return nil
}
