package index

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hermes/core"
	"hermes/core/home"
)

// Index searches the transcripts of one home. It is safe for concurrent use, and several programs may use
// the same home.
type Index struct {
	home   home.Home
	engine engine
	stats  stats
	turn   chan struct{} // holds a token while nobody feeds; who has it owns seen
	seen   sight
	known  atomic.Pointer[map[string]checkpoint] // as the last Sync left them; never changed
	fed    atomic.Pointer[Progress]              // of the Sync that runs; nil when none does

	building  sync.WaitGroup // the build in the background
	mu        sync.Mutex     // guards what follows
	stopBuild context.CancelFunc
	closed    bool
}

// New returns the index of h. It touches nothing; the index is made when it is first used.
func New(h home.Home) *Index {
	x := &Index{home: h, engine: engine{dir: filepath.Join(h.Index(), "messages")}, turn: make(chan struct{}, 1)}
	x.turn <- struct{}{}
	return x
}

// Close ends a build that runs in the background and gives the engine's lock back. The index may be used
// again, without builds in the background.
func (x *Index) Close() error {
	x.mu.Lock()
	x.closed = true
	if x.stopBuild != nil {
		x.stopBuild()
	}
	x.mu.Unlock()
	x.building.Wait()
	return x.engine.close()
}

// Rebuild throws the index away and makes it anew from the transcripts.
func (x *Index) Rebuild(ctx context.Context, report func(Progress)) (Progress, error) {
	x.engine.drop("")
	return x.Sync(ctx, report)
}

// untouched tells that nothing was ever said and no index made: looking for something is no reason to write one.
// The transcripts are listed only when there is no index: a search that finds one does not pay for it.
func (x *Index) untouched() bool {
	if !x.engine.gone() {
		return false
	}
	files, err := x.transcripts()
	return err == nil && len(files) == 0
}

// transcript is one session file.
type transcript struct {
	id, path string
	size     int64
	mod      time.Time
}

// transcripts lists the session files.
func (x *Index) transcripts() ([]transcript, error) {
	entries, err := os.ReadDir(x.home.Sessions())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &core.Error{Op: "list sessions", Subject: x.home.Sessions(), Err: err, Hint: "check the permissions of the home"}
	}
	var out []transcript
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".jsonl")
		fi, err := e.Info()
		if !ok || err != nil || !fi.Mode().IsRegular() {
			continue
		}
		out = append(out, transcript{id: id, path: filepath.Join(x.home.Sessions(), e.Name()), size: fi.Size(), mod: fi.ModTime()})
	}
	return out, nil
}
