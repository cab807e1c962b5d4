package index

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"hermes/core"
	"hermes/core/home"
)

// Index searches the transcripts of one home. It is safe for concurrent use, and several programs may use
// the same home.
type Index struct {
	home    home.Home
	engine  engine
	syncing sync.Mutex            // one feed at a time; guards known
	known   map[string]checkpoint // as the last Sync left them; replaced, never changed
}

// New returns the index of h. It touches nothing; the index is made when it is first used.
func New(h home.Home) *Index {
	return &Index{home: h, engine: engine{dir: filepath.Join(h.Index(), "messages")}}
}

// Close gives the engine's lock back.
func (x *Index) Close() error { return x.engine.close() }

// Rebuild throws the index away and makes it anew from the transcripts.
func (x *Index) Rebuild(ctx context.Context, report func(Progress)) (Progress, error) {
	x.engine.drop("")
	return x.Sync(ctx, report)
}

// transcript is one session file.
type transcript struct {
	id, path string
	size     int64
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
		out = append(out, transcript{id: id, path: filepath.Join(x.home.Sessions(), e.Name()), size: fi.Size()})
	}
	return out, nil
}
