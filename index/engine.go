package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/analyzer/custom"      // the analyser that only splits
	_ "github.com/blevesearch/bleve/v2/analysis/tokenizer/whitespace" // at blanks: terms are made by us
	"github.com/blevesearch/bleve/v2/mapping"

	"hermes/core"
	"hermes/core/home"
)

// Version is the form of the documents. An index of another version is rebuilt. History:
//
//	1  fields t (terms), s (session), r (role), n (tool), d (time), o (offset in the transcript); r, d and o
//	   are stored, so that results are ranked without reading transcripts
//	2  fields t, s, r, n; nothing is stored: offset, time and kind are in the name of the document
//	3  calls and results that are JSON are indexed without its escapes
const Version = 3

const (
	leaseIdle = 250 * time.Millisecond // how long the engine's lock is kept after the last use
	leaseWait = 300 * time.Millisecond // how long it is waited for
)

// engine opens the Bleve index on demand and gives it back soon, so that several programs can share it.
type engine struct {
	dir string

	mu     sync.Mutex
	idx    bleve.Index
	leases int64 // how often it was opened
	users  int
	idle   *time.Timer
	reason string // why the index was made anew, until somebody asks
}

// meta is what the index says of itself, beside the checkpoints.
type meta struct {
	Version  int                   `json:"version"`
	Sessions map[string]checkpoint `json:"sessions"`
}

// checkpoint is how far a transcript is indexed.
type checkpoint struct {
	Offset int64  `json:"offset"`         // bytes read, up to a line end
	Head   string `json:"head"`           // hash of the file's start: another file under the same name is noticed
	Tail   string `json:"tail"`           // hash of what stands before Offset: a file that was rewritten is noticed
	Base   int64  `json:"base,omitempty"` // where the part of a fork begins that is its own
	// What a result says of the session.
	Title    string    `json:"title,omitempty"`
	TitleDoc string    `json:"title_doc,omitempty"` // the document that holds it
	First    string    `json:"first,omitempty"`     // what the person said first
	Started  time.Time `json:"started,omitzero"`
}

const metaKey = "hermes"

// with runs fn over the open index. An index that cannot be had in time is CodeBusy; one that is damaged or
// of another version is made anew, empty, and the reason is kept. Panics of the engine become errors, and
// the index is made anew.
func (e *engine) with(ctx context.Context, fn func(bleve.Index) error) (err error) {
	idx, err := e.lease(ctx)
	if err != nil {
		return err
	}
	defer e.release()
	// A file cut short under its mapping is a fault, which would end the program.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = &core.Error{Op: "search index", Subject: e.dir, Err: fmt.Errorf("the engine panicked: %v", p), Hint: "it is rebuilt: hermes sessions reindex"}
			e.drop("the engine panicked")
		}
	}()
	return fn(idx)
}

func (e *engine) lease(ctx context.Context) (bleve.Index, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if e.idle != nil {
		e.idle.Stop()
	}
	if e.idx != nil && e.users == 0 && e.gone() {
		_ = e.idx.Close() // its files were deleted
		e.idx = nil
	}
	if e.idx == nil {
		idx, err := e.open()
		if err != nil {
			return nil, err
		}
		e.idx = idx
		e.leases++
	}
	e.users++
	return e.idx, nil
}

// gone tells whether somebody deleted the index while it was open.
func (e *engine) gone() bool {
	_, err := os.Stat(filepath.Join(e.dir, "store", "root.bolt"))
	return errors.Is(err, os.ErrNotExist)
}

// serial names the lease that is held: 0 when none is, never the same number twice.
func (e *engine) serial() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.idx == nil {
		return 0
	}
	return e.leases
}

func (e *engine) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.users--
	if e.users == 0 && e.idx != nil {
		e.idle = time.AfterFunc(leaseIdle, func() { _ = e.close() }) // whoever opens next meets the error
	}
}

// close gives the engine's lock back when nobody uses the index.
func (e *engine) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.users > 0 || e.idx == nil {
		return nil
	}
	err := e.idx.Close()
	e.idx = nil
	return err
}

// open opens the index or makes it anew. The caller holds mu.
func (e *engine) open() (bleve.Index, error) {
	if _, err := os.Stat(e.dir); errors.Is(err, os.ErrNotExist) {
		return e.create()
	}
	idx, err := openSafe(e.dir)
	switch {
	case err == nil:
	case strings.Contains(err.Error(), "timeout"):
		return nil, &core.Error{Code: core.CodeBusy, Op: "open search index", Subject: e.dir, Err: errors.New("another program uses it"), Hint: "try again in a moment"}
	case errors.Is(err, os.ErrPermission):
		return nil, &core.Error{Op: "open search index", Subject: e.dir, Err: err, Hint: "make the folder writable; search goes through the transcripts meanwhile"}
	default:
		return e.renew("the search index was damaged (" + err.Error() + ")")
	}
	m, err := readMeta(idx)
	if err != nil || m.Version != Version {
		return e.renew(fmt.Sprintf("the search index had format %d, this program uses %d", m.Version, Version), idx.Close())
	}
	return idx, nil
}

// openSafe opens an index; a panic on damaged files is an error.
func openSafe(dir string) (idx bleve.Index, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the engine panicked: %v", p)
		}
	}()
	return bleve.OpenUsing(dir, map[string]any{"bolt_timeout": leaseWait.String()})
}

// renew puts an empty index in the place of one that cannot be used. Transcripts are the truth; nothing is lost.
func (e *engine) renew(reason string, _ ...error) (bleve.Index, error) {
	if err := os.RemoveAll(e.dir); err != nil {
		return nil, &core.Error{Op: "remove damaged search index", Subject: e.dir, Err: err, Hint: "remove the folder by hand"}
	}
	e.reason = reason
	return e.create()
}

func (e *engine) create() (bleve.Index, error) {
	if err := home.EnsureDir(filepath.Dir(e.dir)); err != nil {
		return nil, err
	}
	idx, err := bleve.NewUsing(e.dir, newMapping(), "scorch", "scorch", map[string]any{"bolt_timeout": leaseWait.String()})
	if err != nil {
		return nil, &core.Error{Op: "make search index", Subject: e.dir, Err: err, Hint: "check the free space and the permissions of the home"}
	}
	if err := writeMeta(idx, meta{Version: Version, Sessions: map[string]checkpoint{}}); err != nil {
		return nil, errors.Join(err, idx.Close())
	}
	return idx, os.Chmod(e.dir, home.DirMode)
}

// drop throws the index away; the next use makes it anew.
func (e *engine) drop(reason string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.idx != nil {
		func() {
			defer func() { _ = recover() }() // a broken engine may break again while it closes
			_ = e.idx.Close()
		}()
		e.idx = nil
	}
	_ = os.RemoveAll(e.dir) // what is left is met, and named, when it is opened
	e.reason = reason
}

// takeReason tells, once, why the index was made anew.
func (e *engine) takeReason() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.reason
	e.reason = ""
	return r
}

func readMeta(idx bleve.Index) (meta, error) {
	m := meta{Sessions: map[string]checkpoint{}}
	b, err := idx.GetInternal([]byte(metaKey))
	if err != nil || len(b) == 0 {
		return m, errors.Join(err, errors.New("no checkpoints"))
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, fmt.Errorf("read checkpoints: %w", err)
	}
	return m, nil
}

func writeMeta(idx bleve.Index, m meta) error {
	b, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode checkpoints: %w", err)
	}
	return idx.SetInternal([]byte(metaKey), b)
}

// newMapping describes the documents: terms without positions and without stored text.
func newMapping() mapping.IndexMapping {
	m := bleve.NewIndexMapping()
	_ = m.AddCustomAnalyzer("terms", map[string]any{"type": "custom", "tokenizer": "whitespace"}) // constants
	field := func(f *mapping.FieldMapping, analyzer string) *mapping.FieldMapping {
		f.Analyzer, f.Store, f.IncludeInAll, f.IncludeTermVectors, f.DocValues = analyzer, false, false, false, false
		return f
	}
	doc := bleve.NewDocumentStaticMapping()
	doc.AddFieldMappingsAt("t", field(bleve.NewTextFieldMapping(), "terms"))
	for _, name := range []string{"s", "r", "n"} {
		doc.AddFieldMappingsAt(name, field(bleve.NewTextFieldMapping(), "keyword"))
	}
	m.DefaultMapping = doc
	return m
}
