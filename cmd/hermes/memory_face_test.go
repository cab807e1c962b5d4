//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// remember writes a file of memory as an editor would.
func (w world) remember(t *testing.T, name, body string) {
	t.Helper()
	dir := filepath.Join(w.home, "memories")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
}

// One store that cannot be read or is switched off takes the other nowhere down, and every face says so.
func TestCommand_memoryBadStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.remember(t, "MEMORY.md", "caf\xe9")
	w.remember(t, "USER.md", "Lives in Oslo, \x1b[31mred\x07end\n§\nmind the \x00 byte")
	o := w.hermes(t, "", "memory", "list")
	for _, want := range []string{"MEMORY.md  ! MEMORY.md cannot be read", "2 entries", "␛[31mred␇end", "␀"} {
		if !strings.Contains(o.out, want) || o.code != 0 {
			t.Errorf("no %q in %+v", want, o)
		}
	}
	o = w.hermes(t, "", "memory", "check")
	for _, want := range []string{"MEMORY.md  unreadable", "U+001B", "U+0000"} {
		if !strings.Contains(o.out, want) || o.code != 5 {
			t.Errorf("no %q in %+v", want, o)
		}
	}
	w.config(t, "memory: {memory_enabled: false}\n")
	if o := w.hermes(t, "", "memory", "list"); o.code != 0 || strings.Contains(o.out, "MEMORY.md") || !strings.Contains(o.out, "USER.md") {
		t.Errorf("%+v", o)
	}
	w.remember(t, "USER.md", strings.Repeat("a", 1000)+"\n§\n"+strings.Repeat("b", 1000))
	if o := w.hermes(t, "", "memory", "check"); o.code != 5 || !strings.Contains(o.out, "over-limit: 2,003/1,375") {
		t.Errorf("%+v", o)
	}
	if o := w.hermes(t, "", "memory", "list"); !strings.Contains(o.out, "145% — 2,003/1,375") {
		t.Errorf("%+v", o)
	}
}

// What is wrong with the words of a command is said in the person's words, with a code that tells it.
func TestCommand_memoryRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, kind := range []string{"memory", "ledger"} {
		args := map[string][]string{"memory": {"memory", "history"}, "ledger": {"ledger", "log"}}[kind]
		if o := w.hermes(t, "", args...); o.code != 0 || strings.TrimSpace(o.out) == "" {
			t.Errorf("%v: %+v", args, o)
		}
	}
	w.remember(t, "MEMORY.md", "red tea\n§\ngreen tea")
	for _, c := range []struct {
		code int
		say  string
		args []string
	}{
		{2, "which entry", []string{"memory", "replace", "memory", "", "x"}},
		{2, "which entry", []string{"memory", "remove", "memory", ""}},
		{2, "green tea", []string{"memory", "remove", "memory", "tea"}},
		{3, `contains "milk"`, []string{"memory", "remove", "memory", "milk"}},
		{3, "no such entry", []string{"memory", "history", "0123456789ab"}},
		{1, "2,200", []string{"memory", "add", "memory", strings.Repeat("漢", 2300)}},
	} {
		o := w.hermes(t, "", c.args...)
		if o.code != c.code || !strings.Contains(o.err, c.say) || strings.Contains(o.err, "old_text") || strings.Contains(o.err, "operations") {
			t.Errorf("%v: %+v", c.args[:2], o)
		}
	}
	if o := w.hermes(t, "", "memory", "add", "memory", strings.Repeat("漢", 2300), "--json"); !strings.Contains(o.out, `"code":"full"`) {
		t.Errorf("%+v", o)
	}
}

// An undo that touches other entries only keeps what came later, without a flag, and says so.
func TestCommand_undoBesideLaterChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, s := range []string{"Lives in Oslo", "Drinks 龙井 tea"} {
		if o := w.hermes(t, "", "memory", "add", "user", s); o.code != 0 {
			t.Fatalf("%+v", o)
		}
	}
	var log struct{ Changes []struct{ ID string } }
	w.object(t, &log, 0, "ledger", "log", "memory:", "--json")
	if o := w.hermes(t, "", "ledger", "undo", log.Changes[1].ID); o.code != 0 || !strings.Contains(o.out, "later changes beside it were kept") {
		t.Errorf("%+v", o)
	}
	if got := w.read(t, "memories", "USER.md"); got != "Drinks 龙井 tea" {
		t.Errorf("USER.md = %q", got)
	}
	w.object(t, &log, 0, "ledger", "log", "memory:", "--json")
	if o := w.hermes(t, "", "ledger", "undo", log.Changes[0].ID); o.code != 0 || strings.Contains(o.out, "beside") {
		t.Errorf("%+v", o) // nothing came after it
	}
}

// What a clean-up wrote is taken back in the view itself, also when it was left and opened again.
func TestE2E_takeCleanUpBack(t *testing.T) {
	t.Parallel()
	_, env := model(t, "rules:\n  - {reply: {text: the answer}}\n")
	w := newWorld(t, env...)
	const before = "Lives in Oslo\n§\nDrinks 龙井 tea"
	w.remember(t, "USER.md", before)
	x := w.start(t, 120, 40)
	x.see("29/1,375")
	for _, leave := range []bool{false, true} {
		x.keys("\x18m")
		x.see("Memory clean-up", "Drinks 龙井 tea")
		x.keys("lgd")
		x.see("1 change not written")
		x.keys("w")
		x.see("write this as one change?")
		x.keys("y")
		x.see("u takes it back")
		x.gone("Lives in Oslo")
		if got := w.read(t, "memories", "USER.md"); got != "Drinks 龙井 tea" {
			t.Errorf("USER.md = %q", got)
		}
		if leave {
			x.keys("\x1b")
			x.gone("Memory clean-up")
			x.keys("\x18m")
			x.see("Memory clean-up", "Drinks 龙井 tea")
		}
		x.keys("u")
		x.see("taken back", "Lives in Oslo")
		if got := w.read(t, "memories", "USER.md"); got != before {
			t.Errorf("USER.md = %q", got)
		}
		x.keys("\x1b")
		x.gone("Memory clean-up")
	}
	x.keys(ctrlC + ctrlC)
	x.exits(0)
}

// A change that others make is seen within moments, in the pane and in the clean-up, without a key.
func TestE2E_memoryChangesElsewhere(t *testing.T) {
	t.Parallel()
	_, env := model(t, "rules:\n  - {reply: {text: the answer}}\n")
	w := newWorld(t, env...)
	w.remember(t, "USER.md", "Lives in Oslo")
	x := w.start(t, 120, 40)
	x.see("Lives in Oslo")
	w.remember(t, "USER.md", "Lives in Oslo\n§\nDrinks 龙井 tea")
	x.see("29/1,375")
	if o := w.hermes(t, "", "memory", "add", "memory", "The port is 8080"); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	x.see("16/2,200", "3 entries")
	x.keys("\x18m")
	x.see("Memory clean-up")
	w.remember(t, "MEMORY.md", "The port is 9090")
	x.see("The port is 9090")
	w.remember(t, "MEMORY.md", "caf\xe9")
	x.see("MEMORY.md cannot be read", "Drinks 龙井 tea")
	x.keys("\x1b")
	x.see("⚠ cannot be read")
	x.keys(ctrlC + ctrlC)
	x.exits(0)
}
