//go:build !windows

package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes/cmd/hermes/internal/app"
	"hermes/core/provider/scripted"
)

// BenchmarkTurnStart is the time from sending a message to its request at the server, with a review that waits
// for its (slow) model, and without one. The server is on this machine, so that the review steps aside.
//
//	go test ./cmd/hermes -run '^$' -bench TurnStart -benchtime 40x
func BenchmarkTurnStart(b *testing.B) {
	for _, c := range []struct {
		name  string
		every string
	}{{"alone", "0"}, {"beside a review", "1"}} {
		b.Run(c.name, func(b *testing.B) {
			sc, err := scripted.Load("model.yaml", []byte(`
rules:
  - {when: {user: "[Review."}, reply: {first_delay: 30s, text: "Nothing to save."}}
  - {reply: {text: "the answer"}}
`))
			if err != nil {
				b.Fatal(err)
			}
			asked, reviewed := make(chan time.Time, 10), make(chan struct{}, 10)
			srv, err := scripted.Start(b.Context(), sc, scripted.Options{OnRequest: func(r scripted.Request) {
				if strings.HasPrefix(r.User(), "[Review.") {
					reviewed <- struct{}{}
				} else {
					asked <- time.Now()
				}
			}})
			if err != nil {
				b.Fatal(err)
			}
			defer srv.Close() //nolint:errcheck // a benchmark
			w := world{home: filepath.Join(b.TempDir(), "home")}
			if err := writeConfig(w.home, "memory: {nudge_interval: "+c.every+"}\nskills: {creation_nudge_interval: 0}\n"); err != nil {
				b.Fatal(err)
			}
			a, err := app.Open(app.Options{Home: w.home, Dir: b.TempDir(), Version: "bench", Getenv: func(name string) string {
				return map[string]string{"OPENAI_BASE_URL": srv.URL(), "HERMES_MODEL": "scripted"}[name]
			}})
			if err != nil {
				b.Fatal(err)
			}
			s, err := a.OpenSession(b.Context(), app.SessionOptions{Unattended: true})
			if err != nil {
				b.Fatal(err)
			}
			go func() {
				for {
					if _, ok := s.Feed.Next(context.WithoutCancel(b.Context())); !ok {
						return
					}
				}
			}()
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				if err := s.Conversation.Send("hello"); err != nil {
					b.Fatal(err)
				}
				took = append(took, (<-asked).Sub(start))
				s.Conversation.Wait(b.Context())
				if c.every == "1" {
					<-reviewed // it is under way again before the next turn
				}
			}
			start := time.Now()
			if err := s.Close(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(time.Since(start).Microseconds())/1000, "quit-ms")
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}
