package composer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"hermes/tui/cell"
	"hermes/tui/composer"
	"hermes/tui/tuitest"
)

func plain(s string) string { return s }

func typed(e *composer.Editor, names ...string) {
	for _, n := range names {
		e.Update(tuitest.Key(n))
	}
}

func column(e *composer.Editor) int {
	_, x, _ := e.View(plain)
	return x
}

// OPEN-TU-01: the cursor counts cells, one grapheme a step.
func TestEditor_wideCharacters(t *testing.T) {
	t.Parallel()
	e := composer.New()
	e.SetSize(78, 5)
	typed(e, "東", "京", "t", "o", "w", "e", "r", "北")
	if got := column(e); got != 11 {
		t.Errorf("cursor at %d, want 11", got)
	}
	for _, step := range []struct {
		key  string
		want int
	}{{"home", 0}, {"end", 11}, {"left", 9}, {"left", 8}, {"backspace", 7}, {"ctrl+a", 0}, {"right", 2}, {"right", 4}, {"delete", 4}} {
		typed(e, step.key)
		if got := column(e); got != step.want {
			t.Errorf("after %s: cursor at %d, want %d", step.key, got, step.want)
		}
	}
	if got, want := e.Text(), "東京owr北"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	e.Reset()
	e.Update(tea.KeyPressMsg{Code: tea.KeyExtended, Text: "한강 ferry 渡し舟"})
	if got := column(e); got != 17 {
		t.Errorf("input method text: cursor at %d, want 17", got)
	}
}

// OPEN-TU-01: no wide character is split and no line is too wide, whatever the width.
func TestEditor_wrapping(t *testing.T) {
	t.Parallel()
	for w := 1; w < 30; w++ {
		e := composer.New()
		e.SetSize(w, 50)
		e.Insert("東京tower北 a\u0301e 👨‍👩‍👧 x\nlast\tline 渡し舟")
		for i := 0; ; i++ {
			lines, x, y := e.View(plain)
			for _, l := range lines {
				if cell.Width(l) > w {
					t.Fatalf("width %d: line %q", w, l)
				}
			}
			if x < 0 || x >= w || y < 0 || y >= len(lines) {
				t.Fatalf("width %d: cursor %d,%d in %d lines", w, x, y, len(lines))
			}
			if i == 40 {
				break
			}
			typed(e, "left")
		}
	}
}

func TestEditor_readline(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, start, keys, want string }{
		{"kill to end and yank", "hello world", "ctrl+a ctrl+k ctrl+y ctrl+y", "hello worldhello world"},
		{"kill to start", "hello world", "alt+b ctrl+u", "world"},
		{"kill word back", "one two", "ctrl+w", "one "},
		{"kill word forward", "one two", "ctrl+a alt+d", " two"},
		{"word moves", "one two three", "ctrl+a alt+f alt+f X", "one twoX three"},
		{"char moves", "abc", "ctrl+b ctrl+b X ctrl+f Y", "aXbYc"},
		{"delete forward", "abc", "ctrl+a ctrl+d", "bc"},
		{"transpose", "ab", "ctrl+t", "ba"},
		{"newline keys", "a", "ctrl+j b alt+enter c shift+enter d", "a\nb\nc\nd"},
		{"backslash enter", `a\`, "enter b", "a\nb"},
		{"home is of the line", "one\ntwo", "home X", "one\nXtwo"},
		{"kill at line end joins", "one\ntwo", "up end ctrl+k", "onetwo"},
		{"up keeps the column", "abcd\nxy\nefgh", "up up X", "abcdX\nxy\nefgh"},
		{"undo", "abc", "ctrl+w ctrl+_", "abc"},
		{"undo typing at once", "", "a b c ctrl+_", ""},
		{"word of wide text", "abc東京", "ctrl+w", "abc"},
		{"combining joins", "e", "\u0301 backspace", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := composer.New()
			e.SetSize(40, 10)
			e.SetText(tc.start)
			typed(e, strings.Fields(tc.keys)...)
			if diff := cmp.Diff(tc.want, e.Text()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// OPEN-TU-03: a paste submits nothing, loses nothing and leaves no control bytes.
func TestEditor_paste(t *testing.T) {
	t.Parallel()
	big := strings.Repeat(strings.Repeat("x", 99)+"\n", 10_000)
	for _, tc := range []struct{ name, in, want string }{
		{"crlf", "a\r\nb\r\nc", "a\nb\nc"},
		{"lone cr", "a\rb\rc", "a\nb\nc"},
		{"ends in newline", "a\nb\n", "a\nb\n"},
		{"10,000 lines, 1 MB", big, big},
		{"escape bytes", "a\x1b[201~b\x1b[Ac\x00d\te", "a[201~b[Acd\te"},
		{"one line of 200,000", strings.Repeat("東y", 100_000), strings.Repeat("東y", 100_000)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := composer.New()
			e.SetSize(40, 10)
			if got := e.Update(tea.PasteMsg{Content: tc.in}); got != composer.Edited {
				t.Fatalf("outcome %v", got)
			}
			start := time.Now()
			typed(e, "!")
			e.View(plain)
			if d := time.Since(start); d > time.Second {
				t.Errorf("next key took %v", d)
			}
			if e.Text() != tc.want+"!" {
				t.Errorf("text differs: %.60q", e.Text())
			}
			e.AddHistory(e.Text())
			e.Reset()
			typed(e, "up")
			if e.Text() != tc.want+"!" {
				t.Errorf("history differs: %.60q", e.Text())
			}
		})
	}
}

func TestEditor_chip(t *testing.T) {
	t.Parallel()
	e := composer.New()
	e.SetSize(60, 10)
	e.Insert("see ")
	text := strings.Repeat("line\n", 1234)
	e.Paste(text)
	lines, x, _ := e.View(plain)
	if want := "see [paste 1: 1,234 lines]"; lines[0] != want || x != len(want) {
		t.Errorf("%q, cursor %d", lines[0], x)
	}
	e.Unfold()
	if e.Text() != "see "+text || e.Rows() != 10 {
		t.Error("unfold lost text")
	}
	typed(e, "ctrl+_", "backspace")
	if e.Text() != "see " {
		t.Errorf("backspace left %q", e.Text())
	}
}

func TestEditor_history(t *testing.T) {
	t.Parallel()
	e := composer.New()
	e.SetSize(40, 10)
	e.SetHistory([]string{"first", "second\nline"})
	e.Insert("draft")
	var got []string
	for _, k := range []string{"up", "up", "up", "up", "down", "down", "down"} {
		typed(e, k)
		got = append(got, e.Text())
	}
	want := []string{"second\nline", "second\nline", "first", "first", "second\nline", "draft", "draft"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestField(t *testing.T) {
	t.Parallel()
	f := composer.NewField("", true)
	f.Update(tea.PasteMsg{Content: " sk-secret\n"})
	line, x := f.View(20)
	if line != strings.Repeat("•", 9) || x != 9 || f.Text() != "sk-secret" {
		t.Errorf("%q %d %q", line, x, f.Text())
	}
	f = composer.NewField("東京tower北", false)
	for w := 1; w < 14; w++ {
		for range 9 {
			line, x := f.View(w)
			if cell.Width(line) > w || x >= w {
				t.Errorf("width %d: %q cursor %d", w, line, x)
			}
			f.Update(tuitest.Key("left"))
		}
		f.Update(tuitest.Key("end"))
	}
	if got := f.Update(tuitest.Key("enter")); got != composer.Submit {
		t.Errorf("enter gives %v", got)
	}
}

func FuzzEditor(f *testing.F) {
	f.Add("東京tower北", "left backspace ctrl+w ctrl+y ctrl+_ up down", 3)
	f.Add("a\r\nb\x1b[A", "ctrl+k ctrl+u alt+b alt+f ctrl+t", 12)
	f.Fuzz(func(t *testing.T, text, keys string, w int) {
		e := composer.New()
		e.SetSize(w%80, 5)
		e.Paste(text)
		for k := range strings.FieldsSeq(keys) {
			e.Update(tuitest.Key(k))
			lines, x, y := e.View(plain)
			if y < 0 || y >= len(lines) || x < 0 || x >= max(w%80, 1) {
				t.Fatal(fmt.Sprint(lines, x, y))
			}
		}
	})
}

func TestReadline(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, keys, want string }{
		{"cuts join", "one two three", "ctrl+w ctrl+w ctrl+y", "one two three"},
		{"cuts on both sides join", "one two three", "alt+b ctrl+k ctrl+w ctrl+y", "one two three"},
		{"cuts apart do not", "one two three", "ctrl+w left right ctrl+w ctrl+y", "one two "},
		{"the cut before", "one two three", "ctrl+w left right ctrl+w ctrl+y alt+y", "one three"},
		{"around the ring", "one two three", "ctrl+w left right ctrl+w ctrl+y alt+y alt+y", "one two "},
		{"alt+y needs a yank", "one two", "ctrl+w alt+y", "one "},
		{"nothing was cut", "one", "ctrl+y alt+y", "one"},
		{"last word", "see ", "alt+.", "see 東京"},
		{"last word of the one before", "see ", "alt+. alt+.", "see here"},
		{"no more words", "see ", "alt+. alt+. alt+. alt+.", "see here"},
		{"capitals", "straße und weg", "home alt+u alt+u", "STRASSE UND weg"},
		{"small", "ONE TWO", "home alt+l", "one TWO"},
		{"a capital", "oNE tWO", "home alt+c alt+c", "One Two"},
		{"swap words", "one two", "alt+t", "two one"},
		{"swap words in the middle", "one, 東京 three", "home alt+f alt+t", "東京, one three"},
		{"nothing to swap", "one", "alt+t", "one"},
		{"undo one at a time", "one two", "ctrl+w ctrl+y ctrl+_ ctrl+_", "one two"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := composer.New()
			e.SetSize(40, 5)
			e.SetHistory([]string{"look here", "", "go to 東京"})
			e.SetText(tc.text)
			for k := range strings.FieldsSeq(tc.keys) {
				e.Update(tuitest.Key(k))
			}
			want := tc.want
			if want == "STRASSE UND weg" {
				want = strings.ToUpper("straße und") + " weg"
			}
			if got := e.Text(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
