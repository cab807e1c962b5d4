package app

import (
	"context"
	"os"
	"time"

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
				seen[t] = now
				store.Tell(t)
			}
		}
	}
}
