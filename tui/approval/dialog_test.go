package approval_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes/core"
	"hermes/tui/approval"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

func TestDialog_waitsForQuiet(t *testing.T) {
	t.Parallel()
	t0 := time.Unix(0, 0)
	d := approval.New(core.Approval{ID: "a1", Rule: "git push"}, t0)
	d.View(theme.New(theme.Dark), 80, 24, t0) // read
	at := func(ms int) time.Time { return t0.Add(time.Duration(ms) * time.Millisecond) }
	for _, step := range []struct {
		ms   int
		key  string
		want core.Decision
	}{{100, "a", ""}, {300, "a", ""}, {650, "o", ""}, {1049, "o", ""}, {1449, "x", ""}, {1450, "s", core.DecideSession}} {
		got, ok := d.Key(step.key, at(step.ms))
		if ok != (step.want != "") || (ok && got != step.want) {
			t.Errorf("%q at %d ms: %q %v, want %q", step.key, step.ms, got, ok, step.want)
		}
	}
}

func TestDialog_keys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		key, rule string
		want      core.Decision
	}{
		{"o", "r", core.DecideOnce},
		{"s", "r", core.DecideSession},
		{"a", "r", core.DecideAlways},
		{"d", "r", core.DecideDeny},
		{"esc", "r", core.DecideDeny},
		{"enter", "r", ""},
		{"y", "r", ""},
		{"s", "", ""},
		{"a", "", ""},
		{"o", "", core.DecideOnce},
	} {
		d := approval.New(core.Approval{Rule: tc.rule}, time.Unix(0, 0))
		d.View(theme.New(theme.Dark), 80, 24, time.Unix(9, 0))
		got, ok := d.Key(tc.key, time.Unix(9, 0))
		if !ok {
			got = ""
		}
		if got != tc.want {
			t.Errorf("%q with rule %q: %q, want %q", tc.key, tc.rule, got, tc.want)
		}
	}
}

// What the reasons are about stands out, and nothing of the command is lost or changed by it.
func TestDialog_marks(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Plain)
	subject := "echo 東京 && rm -rf build\nls\x1b[2J"
	at := strings.Index(subject, "rm -rf build")
	d := approval.New(core.Approval{Tool: "terminal", Agent: "scout", Subject: subject, Marks: []core.Span{{Start: at, End: at + 12}, {Start: 3, End: 1}, {Start: 5, End: 999}}}, time.Unix(0, 0))
	box := strings.Join(d.View(st, 80, 24, time.Unix(9, 0)), "\n")
	if !strings.Contains(box, "\x1b[1;4;4mr") || strings.Contains(box, "\x1b[1;4;4me") { // underlined rune by rune
		t.Errorf("not marked: %q", box)
	}
	plain := ansi.Strip(box)
	for _, want := range []string{"echo 東京 && rm -rf build", "ls␛[2J", "scout asks: allow terminal?"} {
		if !strings.Contains(plain, want) {
			t.Errorf("%q is missing:\n%s", want, plain)
		}
	}
	tuitest.Fits(t, box, 80, 24)
}

// What the question is about is in sight at once, however much stands before it.
func TestDialog_dangerFirst(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Plain)
	for name, gap := range map[string]string{"lines": strings.Repeat("\n", 30), "blanks": strings.Repeat(" ", 4000), "words": strings.Repeat("echo harmless\n", 60)} {
		subject := "echo a > w3" + gap + "rm -rf ../elsewhere"
		at := strings.Index(subject, "rm -rf")
		a := core.Approval{Tool: "terminal", Folder: "/p", Subject: subject, Marks: []core.Span{{Start: at, End: len(subject)}}, Reasons: []string{"deletes"}, Rule: "rm -rf ../elsewhere"}
		for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 12}} {
			d := approval.New(a, time.Unix(0, 0))
			box := ansi.Strip(strings.Join(d.View(st, size[0], size[1], time.Unix(9, 0)), "\n"))
			if !strings.Contains(box, "rm -rf ../elsewhere") || !strings.Contains(box, "! deletes") {
				t.Errorf("%s, %v:\n%s", name, size, box)
			}
		}
	}
}

func TestDialog_fits(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Dark)
	a := core.Approval{
		Tool: "terminal\x1b[2J", Subject: "echo 東京 \x1b[1A\x1b[2K && rm -rf ~\r" + strings.Repeat(" very long", 60),
		Reasons: []string{"writes outside the working folder 東京"}, Rule: "rm -rf ~", Folder: "/home/ed/東京",
		Diff: "--- a\n+++ b\n" + strings.Repeat("+line 東京\u202e\n", 60),
	}
	for _, size := range [][2]int{{40, 12}, {60, 20}, {80, 24}, {120, 40}, {200, 60}, {41, 13}} {
		d := approval.New(a, time.Unix(0, 0))
		for range 4 {
			box := d.View(st, size[0], size[1], time.Unix(9, 0))
			tuitest.Fits(t, strings.Join(box, "\n"), size[0], size[1])
			if !strings.Contains(strings.Join(box, "\n"), "deny") {
				t.Errorf("%v: the keys are not visible", size)
			}
			d.Key("pgdown", time.Unix(9, 0))
		}
	}
	box := strings.Join(approval.New(a, time.Unix(0, 0)).View(st, 120, 40, time.Unix(9, 0)), "\n")
	if !strings.Contains(box, "␛[1A") || !strings.Contains(box, "␍") {
		t.Error("control characters are not shown")
	}
}

// What "always" would remember must have been on the screen.
func TestDialog_ruleIsReadFirst(t *testing.T) {
	t.Parallel()
	st, at := theme.New(theme.Dark), time.Unix(9, 0)
	d := approval.New(core.Approval{Tool: "terminal", Subject: strings.Repeat("long words ", 60), Rule: "git push origin"}, time.Unix(0, 0))
	screen := func() string { return ansi.Strip(strings.Join(d.View(st, 40, 12, at), "\n")) }
	if strings.Contains(screen(), "git push") {
		t.Fatal("the rule is in sight; this tests nothing")
	}
	if got, answered := d.Key("a", at); answered {
		t.Errorf("stored unread: %v", got)
	}
	if !strings.Contains(screen(), "git push origin") {
		t.Errorf("the key does not show the rule:\n%s", screen())
	}
	if got, answered := d.Key("a", at); !answered || got != core.DecideAlways {
		t.Errorf("%v %v", got, answered)
	}
}
