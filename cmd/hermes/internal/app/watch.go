package app

import (
	"context"
	"os"
	"sync"
	"time"

	"hermes/core/ledger"
	"hermes/core/memory"
)

// watchEvery is how often an open screen looks whether the files of memory changed: two calls of stat, which cost
// nothing that could be measured.
const watchEvery = time.Second

// stamp is what a changed file cannot keep.
type stamp struct {
	size int64
	time time.Time
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// stamps are the files of memory as this program wrote them last.
type stamps struct {
	mu    sync.Mutex
	files map[memory.Target]stamp
}

// wrote hears of each change of the ledger.
func (a *App) wrote(e ledger.Entry) {
	a.own.mu.Lock()
	defer a.own.mu.Unlock()
	for _, t := range memory.Targets() {
		if e.Actor != ledger.Outside && e.About(t.Subject()) {
			if a.own.files == nil {
				a.own.files = map[memory.Target]stamp{}
			}
			a.own.files[t] = stampOf(a.Memory.Path(t))
		}
	}
}

// is tells whether t looks as this program left it.
func (s *stamps) is(t memory.Target, now stamp) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	own, ok := s.files[t]
	return ok && own == now
}

// watchMemory tells the screen of changes that others make: an editor, another hermes, a sync tool. It ends with
// ctx.
func (s *Session) watchMemory(ctx context.Context) {
	store := s.app.memoryStore(s.learned)
	seen := map[memory.Target]stamp{}
	for _, t := range memory.Targets() {
		seen[t] = stampOf(s.app.Memory.Path(t))
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, t := range memory.Targets() {
			if now := stampOf(s.app.Memory.Path(t)); now != seen[t] {
				if seen[t] = now; !s.app.own.is(t, now) { // else it was told already
					store.Tell(t)
				}
			}
		}
	}
}
