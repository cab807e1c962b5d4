//go:build !windows

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes/cmd/hermes/internal/app"
)

// Text without end, more tokens than allowed, a day's budget spent: each review is stopped with its reason, the
// answer stands.
func TestE2E_reviewIsBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, config, reply, reason string }{
		{"floods", "", `{chunk: 4000, text: "` + strings.Repeat("no end of words ", 6000) + `"}`, "text without end"},
		{"token budget", "review: {max_input_tokens: 5}\n", `{tool_calls: [{name: skills_list}]}`, "5 are allowed"},
		{"asks for everything at once", "", `{tool_calls: [` + strings.Repeat(`{name: terminal, arguments: {command: ls}}, `, 59) + `{name: terminal}]}`, "it asked for 40 calls"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, env := model(t, `
rules:
  - {when: {user: "[Review."}, reply: `+c.reply+`}
  - {reply: {text: "the answer"}}
`)
			w := newWorld(t, env...)
			w.config(t, c.config+"memory: {nudge_interval: 1}\n")
			if o := w.hermes(t, "", "run", "hello"); o.code != 0 || strings.TrimSpace(o.out) != "the answer" {
				t.Fatalf("%+v", o)
			}
			l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json"))
			if len(l.Reviews) != 1 || l.Reviews[0].State != "failed" || !strings.Contains(l.Reviews[0].Error, c.reason) {
				t.Errorf("%+v", l.Reviews)
			}
		})
	}
}

// Learning has a price of its own and a limit a day; reached, it waits and says so.
func TestE2E_reviewCostsAreCapped(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
rules:
  - {when: {user: "[Review."}, reply: {text: "Nothing to save."}}
  - {reply: {text: "the answer"}}
`)
	w := newWorld(t, env...)
	w.config(t, "memory: {nudge_interval: 1}\nreview: {max_cost_per_day: 0.0001}\nprices: {scripted: {input: 1000, cached: 1000, output: 1000}}\n")
	for range 2 {
		if o := w.hermes(t, "", "run", "hello"); o.code != 0 {
			t.Fatalf("%+v", o)
		}
	}
	o := w.hermes(t, "", "run", "hello")
	l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json"))
	if !strings.Contains(o.err, "waits until tomorrow") || len(l.Reviews) != 1 || l.Counters.Unreviewed < 2 {
		t.Errorf("%+v %+v", o, l)
	}
	if o := w.hermes(t, "", "reviews", "run"); o.code != 0 { // asked for, it runs
		t.Errorf("%+v", o)
	}
}

// Ctrl+C skips the wait for a review: the answer was printed, the run has worked.
func TestE2E_reviewWaitIsSkipped(t *testing.T) {
	t.Parallel()
	srv, env := model(t, `
rules:
  - {when: {user: "[Review."}, reply: {fault: {stall: true}}}
  - {reply: {text: "the answer"}}
`)
	w := newWorld(t, env...)
	w.config(t, "memory: {nudge_interval: 1}\n")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary(t), "run", "hello")
	cmd.Env, cmd.Dir = w.env, w.dir
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the review waits", func() bool { return len(srv.Requests()) == 2 })
	start := time.Now()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || strings.TrimSpace(out.String()) != "the answer" {
		t.Errorf("%v %q", err, out.String())
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
	l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json"))
	if len(l.Reviews) != 1 || l.Reviews[0].State != "cancelled" || l.Reviews[0].Error != "it was interrupted" {
		t.Errorf("%+v", l.Reviews)
	}
}

// A review that takes longer than the run waits for says that, not that a person closed something.
func TestE2E_reviewWaitIsOver(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
rules:
  - {when: {user: "[Review."}, reply: {fault: {stall: true}}}
  - {reply: {text: "the answer"}}
`)
	w := newWorld(t, env...)
	w.config(t, "memory: {nudge_interval: 1}\nreview: {wait_seconds: 1}\n")
	if o := w.hermes(t, "", "run", "hello"); o.code != 0 || !strings.Contains(o.err, "left unfinished") {
		t.Fatalf("%+v", o)
	}
	l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json"))
	if len(l.Reviews) != 1 || !strings.Contains(l.Reviews[0].Error, "longer than 1s (review.wait_seconds)") {
		t.Errorf("%+v", l.Reviews)
	}
}

// Another model reviews on a digest; a folder nobody trusts makes every lesson a proposal.
func TestE2E_reviewByAnotherModelAndTaint(t *testing.T) {
	t.Parallel()
	srv, env := model(t, `
models: [scripted, reviewer]
rules:
  - when: {model: reviewer}
    turns:
      - {tool_calls: [{name: memory, arguments: {action: add, target: memory, content: "The port is 8080"}}]}
      - {text: "Kept the port."}
  - {when: {user: look, turn: 0}, reply: {tool_calls: [{name: read_file, arguments: {path: notes.md}}]}}
  - {reply: {text: "the answer"}}
`)
	w := newWorld(t, env...)
	if err := os.WriteFile(filepath.Join(w.dir, "notes.md"), []byte("port 8080\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.config(t, "memory: {nudge_interval: 1}\nauxiliary: {background_review: {model: reviewer}}\n")
	if o := w.hermes(t, "", "run", "look at the notes"); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json"))
	if len(l.Proposals) != 1 || l.Proposals[0].Held != "tainted" || w.read(t, "memories", "MEMORY.md") != "" {
		t.Errorf("%+v", l)
	}
	reviewed := 0
	for _, r := range srv.Requests() {
		if r.Model == "reviewer" {
			reviewed++
		}
	}
	if reviewed != 2 {
		t.Errorf("%d requests to the reviewer", reviewed)
	}
}

// While one review works the next trigger waits, one deep: two more turns make one more review, of the newer
// conversation.
func TestE2E_reviewQueue(t *testing.T) {
	t.Parallel()
	srv, env := model(t, `
rules:
  - {when: {user: "[Review."}, reply: {first_delay: 400ms, text: "Nothing to save."}}
  - {reply: {text: "the answer"}}
`)
	w := newWorld(t, env...)
	w.config(t, "memory: {nudge_interval: 1}\nskills: {creation_nudge_interval: 0}\n")
	vars := map[string]string{}
	for _, kv := range w.env {
		k, v, _ := strings.Cut(kv, "=")
		vars[k] = v
	}
	a, err := app.Open(app.Options{Home: w.home, Dir: w.dir, Version: "test", Getenv: func(k string) string { return vars[k] }})
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.OpenSession(t.Context(), app.SessionOptions{Unattended: true})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			if _, ok := s.Feed.Next(context.WithoutCancel(t.Context())); !ok {
				return
			}
		}
	}()
	for _, text := range []string{"one", "two", "three"} {
		if err := s.Conversation.Send(text); err != nil {
			t.Fatal(err)
		}
		s.Conversation.Wait(t.Context())
	}
	if !s.WaitReviews(t.Context()) {
		t.Fatal("they do not end")
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, _, err := a.Reviews.List(0)
	if err != nil || len(list) != 2 || list[0].State != "nothing" || list[1].State != "nothing" {
		t.Fatalf("%+v %v", list, err)
	}
	rs := srv.Requests()
	if last := rs[len(rs)-1]; !strings.HasPrefix(last.User(), "[Review.") || !strings.Contains(string(last.Body), "three") {
		t.Errorf("the last review is not of the newer conversation: %.300s", last.Body)
	}
}

// The pane shows the reviews of other programs on the same home, too.
func TestE2E_reviewsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
rules:
  - {when: {user: "[Review."}, reply: {text: "Nothing to save."}}
  - {reply: {text: "the answer"}}
`)
	w := newWorld(t, env...)
	w.config(t, "memory: {nudge_interval: 2}\nskills: {creation_nudge_interval: 0}\n")
	x := w.start(t, 120, 40)
	x.see("Next review in 2 turns")
	for range 2 {
		if o := w.hermes(t, "", "run", "hello"); o.code != 0 {
			t.Fatalf("%+v", o)
		}
	}
	x.keys("\x185") // looking at the pane reads it again
	x.see("#1 memory nothing to save")
	x.keys(ctrlC + ctrlC)
	x.exits(0)
}
