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
	batchDocs = 400
	batchSize = 2 << 20 // bytes of text
	headBytes = 512
)

// Progress tells how far the index is. It is complete when Done equals Sessions.
type Progress struct {
	Done, Sessions int
	Messages       int // indexed in this run
}

// Sync brings the index up to date with the transcripts: new messages are added, deleted sessions leave,
// files that were replaced are read anew. It stops when ctx ends; what was done stays. report may be nil.
func (x *Index) Sync(ctx context.Context, report func(Progress)) (Progress, error) {
	x.syncing.Lock()
	defer x.syncing.Unlock()
	files, err := x.transcripts()
	if err != nil {
		return Progress{}, err
	}
	p := Progress{Sessions: len(files)}
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
			if report != nil {
				report(p)
			}
		}
		x.known = f.meta.Sessions
		return f.flush()
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
}

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
	if known && (cp.Offset > t.size || !strings.HasPrefix(head, cp.Head[:min(len(cp.Head), len(head))]) && cp.Head != head) {
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
	f.about = cp
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
		f.meta.Sessions[t.id] = f.about
		f.dirty = true
		if f.batch != nil && (f.batch.Size() >= batchDocs || f.size >= batchSize) {
			if err := f.flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
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
		return 1, f.add(session+"/title", doc{Session: session, Role: roleTitle, Text: l.Title, Time: l.Time, Offset: offset})
	case core.RecordDiscard:
		f.start().Delete(session + "/" + l.Target)
	case core.RecordMessage:
		if f.about.First == "" && l.Message.Role == core.RoleUser {
			f.about.First = firstLine(l.Message.Display())
		}
		if f.copied(l.Time) {
			return 0, nil
		}
		return 1, f.add(session+"/"+l.Message.ID, docOf(session, offset, *l.Message, l.Time))
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
	out := text.Neutralise(cut(m.Display(), limit))
	for _, c := range m.ToolCalls {
		out += "\n" + c.Name + " " + cut(c.Arguments, resultCap)
	}
	return out
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

func (f *feeder) add(id string, d doc) error {
	var b strings.Builder
	terms(d.Text, func(t string) { b.WriteString(t + " ") })
	f.size += b.Len()
	return f.start().Index(id, map[string]any{
		"t": b.String(), "s": d.Session, "r": d.Role, "n": d.Tool, "d": float64(d.Time.Unix()), "o": float64(d.Offset),
	})
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
