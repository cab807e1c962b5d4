package index

import (
	"context"
	"os"
	"slices"
	"time"
)

// Of catching up before a search.
const (
	syncPatience = 2 * time.Second        // how long a search waits for the index to catch up
	turnPatience = 300 * time.Millisecond // how long it waits for another feed of this program
	sightAge     = time.Second            // a new message is found this much later, at the latest
	hotFiles     = 8                      // transcripts whose size is looked at on every search
	clockGrain   = 50 * time.Millisecond  // file times may be this coarse
)

// sight is what the last complete Sync saw. While it is young and the folder and the transcripts in use
// look the same, a search does without another Sync: looking at every transcript costs milliseconds.
type sight struct {
	at    time.Time
	lease int64     // of the engine: while it is held no other program can have changed the index
	dir   time.Time // when the folder of the transcripts changed
	hot   []transcript
}

// see remembers what a Sync that began at saw.
func (x *Index) see(at time.Time, files []transcript) {
	hot := slices.Clone(files)
	slices.SortFunc(hot, func(a, b transcript) int { return b.mod.Compare(a.mod) })
	x.seen = sight{at: at, lease: x.engine.serial(), hot: hot[:min(len(hot), hotFiles)]}
	if fi, err := os.Stat(x.home.Sessions()); err == nil {
		x.seen.dir = fi.ModTime()
	}
}

// current tells whether the index needs no Sync for a search now.
func (x *Index) current() bool {
	s := &x.seen
	if time.Since(s.at) > sightAge || s.lease == 0 || s.lease != x.engine.serial() || x.engine.gone() {
		return false
	}
	fi, err := os.Stat(x.home.Sessions())
	if err != nil || !fi.ModTime().Equal(s.dir) || s.at.Sub(s.dir) < clockGrain {
		return false
	}
	for _, f := range s.hot {
		if fi, err := os.Stat(f.path); err != nil || fi.Size() != f.size || !fi.ModTime().Equal(f.mod) {
			return false
		}
	}
	return true
}

// take waits for the turn to feed.
func (x *Index) take(ctx context.Context) error {
	select {
	case <-x.turn:
		return nil
	default:
	}
	select {
	case <-x.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// catchUp brings the index up to date for a search, if that takes no longer than a person waits. When it
// does, the rest is done in the background and the error is context.DeadlineExceeded.
func (x *Index) catchUp(ctx context.Context) (Progress, error) {
	short, cancel := context.WithTimeout(ctx, turnPatience)
	err := x.take(short)
	cancel()
	if err != nil {
		if p := x.fed.Load(); p != nil {
			return *p, err
		}
		return Progress{}, err
	}
	if x.current() {
		x.turn <- struct{}{}
		return Progress{}, nil
	}
	patient, cancel := context.WithTimeout(ctx, syncPatience)
	defer cancel()
	p, err := x.sync(patient, nil)
	x.turn <- struct{}{}
	if patient.Err() != nil && ctx.Err() == nil {
		x.buildBehind(ctx)
	}
	return p, err
}

// buildBehind goes on with the build when nobody waits for it, until it is complete or Close.
func (x *Index) buildBehind(ctx context.Context) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed || x.stopBuild != nil {
		return
	}
	ctx, x.stopBuild = context.WithCancel(context.WithoutCancel(ctx))
	x.building.Go(func() {
		_, _ = x.Sync(ctx, nil) // the next search meets the error
		x.mu.Lock()
		defer x.mu.Unlock()
		x.stopBuild()
		x.stopBuild = nil
	})
}
