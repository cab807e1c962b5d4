package app

import (
	"context"
	"errors"
	"os"
)

// feedIndex brings the search index up to date in the background, one run at a time: at the start of a session
// it picks up what others wrote, after a turn what was just said. A search would do it as well, later.
func (s *Session) feedIndex(ctx context.Context) {
	if _, err := os.Stat(s.app.Home.Sessions()); err != nil || !s.feeding.CompareAndSwap(false, true) {
		return
	}
	s.fed.Go(func() {
		defer s.feeding.Store(false)
		if _, err := s.app.Index.Sync(ctx, nil); err != nil && !errors.Is(err, context.Canceled) {
			s.app.Log.Warn("feed the search index", "err", err)
		}
	})
}

// waitFed waits for the end of that, or of ctx.
func (s *Session) waitFed(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		s.fed.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
