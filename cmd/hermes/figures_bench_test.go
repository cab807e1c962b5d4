//go:build !windows

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes/cmd/hermes/internal/app"
	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
	"hermes/core/memory"
	"hermes/core/session"
)

// manySessions fills h with n transcripts of 100 messages, about 400 bytes each.
func manySessions(b *testing.B, h home.Home, n int) {
	b.Helper()
	st := session.NewStore(h)
	s := st.New(b.TempDir(), "x/m", session.Prompt{System: "You are hermes."})
	at := time.Now().Add(-24 * time.Hour)
	add := func(r core.Record) {
		at = at.Add(3 * time.Second)
		r.Time = at
		if err := s.Append(r); err != nil {
			b.Fatal(err)
		}
	}
	words := strings.Repeat("the answer of the cluster was as expected, 一切正常。", 6)
	for turn := range 10 {
		run := fmt.Sprint("r", turn)
		say := func(m core.Message) {
			m.ID = s.NewMessageID()
			ok := m.Role == core.RoleTool
			r := core.Record{Type: core.RecordMessage, RunID: run, Message: &m}
			if ok {
				r.OK, r.TookMS = &ok, 40
			}
			add(r)
		}
		add(core.Record{Type: core.RecordRunStarted, RunID: run, Model: "x/m"})
		say(core.Message{Role: core.RoleUser, Content: "deploy the service to the cluster and say how it went: " + words})
		for call := range 4 {
			c := core.ToolCall{ID: fmt.Sprint("c", turn, "-", call), Name: "terminal", Arguments: `{"command":"kubectl apply -f k8s.yaml"}`}
			say(core.Message{Role: core.RoleAssistant, ToolCalls: []core.ToolCall{c}})
			say(core.Message{Role: core.RoleTool, ToolCallID: c.ID, ToolName: c.Name, Content: words})
		}
		say(core.Message{Role: core.RoleAssistant, Content: words})
		add(core.Record{Type: core.RecordUsage, RunID: run, Model: "x/m", Usage: &core.Usage{Input: core.KnownTokens(9000), Output: core.KnownTokens(300)}})
		add(core.Record{Type: core.RecordRunEnded, RunID: run, Reason: string(core.EndAnswered)})
	}
	id := s.ID()
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile(h.Transcript(id))
	if err != nil {
		b.Fatal(err)
	}
	for i := range n - 1 {
		other := fmt.Sprintf("%s%04d", id[:len(id)-4], i)
		if err := os.WriteFile(h.Transcript(other), bytes.ReplaceAll(text, []byte(id), []byte(other)), 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

func openFor(b *testing.B) *app.App {
	b.Helper()
	a, err := app.Open(app.Options{Home: filepath.Join(b.TempDir(), "home"), Dir: b.TempDir(), Version: "bench", Getenv: func(string) string { return "" }})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = a.Close() })
	return a
}

// BenchmarkInsights counts 1,000 sessions of 100 messages on disk: without a cache, and with it.
//
//	go test ./cmd/hermes -run '^$' -bench '^BenchmarkInsights$' -benchtime 5x
func BenchmarkInsights(b *testing.B) {
	a := openFor(b)
	manySessions(b, a.Home, 1000)
	count := func(b *testing.B) {
		b.Helper()
		r, err := a.Insights(b.Context(), 30)
		if err != nil || r.Sessions != 1000 || r.Messages["user"] != 10_000 {
			b.Fatalf("%+v %v", r, err)
		}
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			if err := os.RemoveAll(a.Home.Insights()); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			count(b)
		}
	})
	b.Run("cached", func(b *testing.B) {
		count(b)
		for b.Loop() {
			count(b)
		}
	})
}

// BenchmarkJourney makes the map of 500 skills and 60 entries of memory from a home on disk: by a program that
// was just started, and by one that runs. Both make sure that no file changed.
//
//	go test ./cmd/hermes -run '^$' -bench '^BenchmarkJourney$' -benchtime 20x
func BenchmarkJourney(b *testing.B) {
	a := openFor(b)
	if err := a.Home.Open(); err != nil {
		b.Fatal(err)
	}
	usage := "{"
	for i := range 500 {
		name := fmt.Sprintf("skill-%03d-%s", i, strings.Fields("deploy docker python kubernetes cluster test review")[i%7])
		dir := filepath.Join(a.Home.Skills(), fmt.Sprint("cat", i%9), name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			b.Fatal(err)
		}
		text := fmt.Sprintf("---\nname: %s\ndescription: Look after the %s of a service.\nmetadata: {hermes: {related_skills: [skill-%03d-x]}}\n---\n# %s\n\n## When to Use\n%s", name, name[10:], i+1, name, strings.Repeat("Read the log, then the next line.\n", 280))
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		usage += fmt.Sprintf("%q:{\"created_by\":\"agent\",\"use_count\":%d},", name, i%5)
	}
	if err := os.WriteFile(filepath.Join(a.Home.Skills(), ".usage.json"), []byte(strings.TrimSuffix(usage, ",")+"}"), 0o600); err != nil {
		b.Fatal(err)
	}
	for i := range 60 {
		if _, err := a.Memory.Do(b.Context(), ledger.Change{Actor: ledger.You}, memory.Memory, memory.Op{Action: memory.Add, Text: fmt.Sprintf("Host %d runs docker", i)}); err != nil {
			b.Fatal(err)
		}
	}
	// What was written in the last two seconds is read again whatever its time stamp says; these are old files.
	old := time.Now().Add(-time.Hour)
	if err := filepath.WalkDir(a.Home.Skills(), func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, old, old))
	}); err != nil {
		b.Fatal(err)
	}
	draw := func(b *testing.B, a *app.App) {
		b.Helper()
		g, notes, err := a.Journey(b.Context())
		if err != nil || len(notes) > 0 || len(g.Nodes) != 560 {
			b.Fatalf("%d nodes, %v %v", len(g.Nodes), notes, err)
		}
	}
	draw(b, a)
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			fresh, err := app.Open(app.Options{Home: a.Home.Dir(), Dir: b.TempDir(), Version: "bench", Getenv: func(string) string { return "" }})
			if err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			draw(b, fresh)
			b.StopTimer()
			if err := fresh.Close(); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	})
	b.Run("warm", func(b *testing.B) {
		for b.Loop() {
			draw(b, a)
		}
	})
}
