package cell_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"hermes/tui/cell"
)

const hostile = "\x1b[?1049h\x1b[2J\x1b]0;owned\x07\x1b]52;c;aGk=\x07\x1b[?25l 10%\r20%\rdone\tx \x1b[1A\x1b[2K"

func TestClean(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"plain", "hello\nworld", "hello\nworld"},
		{"hostile", hostile, "done    x "},
		{"crlf", "a\r\nb\r\n", "a\nb\n"},
		{"carriage return at the end", "50%\r100%\r\n", "100%\n"},
		{"tabs", "a\tb\n\tc", "a       b\n        c"},
		{"tab after wide", "东\tb", "东       b"},
		{"c1", "a\u009b31mb\u009d0;x\u009cc", "abc"},
		{"unterminated osc keeps the next line", "a\x1b]0;title\nb", "a\nb"},
		{"bidi", "a\u202eb", "ab"},
		{"invalid", "a\xffb", "a�b"},
		{"nul", "a\x00b", "ab"},
		{"sgr", "\x1b[31mred\x1b[0m", "red"},
		{"charset", "\x1b(0lqk", "lqk"},
		{"family", "👨‍👩‍👧!", "👨!"},
		{"heart", "❤️.", "❤."},
		{"tone", "👍🏽.", "👍."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := cell.Clean(tc.in); got != tc.want {
				t.Errorf("Clean(%q) = %q, want %q", tc.in, got, tc.want)
			}
		})
	}
}

func TestVisible(t *testing.T) {
	t.Parallel()
	got := cell.Visible("rm\x1b[2K -rf\r\t/ \u202e \u200b\nnext\x00")
	want := "rm␛[2K -rf␍␉/ ⟨U+202E⟩ ⟨U+200B⟩\nnext␀"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, in string
		w        int
		hang     string
		want     []string
	}{
		{"short", "abc", 10, "", []string{"abc"}},
		{"words", "the quick brown fox", 10, "", []string{"the quick", "brown fox"}},
		{"exact edge", "abcde fghij", 5, "", []string{"abcde", "fghij"}},
		{"long word", "abcdefghijkl", 5, "", []string{"abcde", "fghij", "kl"}},
		{"wide", "東京東京", 5, "", []string{"東京", "東京"}},
		{"mixed", "use 東京tower北 now", 9, "", []string{"use 東京", "tower北", "now"}},
		{"closing stays", "東京東。x", 6, "", []string{"東京", "東。x"}},
		{"hang", "- aaa bbb ccc", 7, "  ", []string{"- aaa", "  bbb", "  ccc"}},
		{"no room behind the hang", " 0000", 4, "  ", []string{" 000", "  0"}},
		{"styles", "\x1b[1mab cd\x1b[m", 3, "", []string{"\x1b[1mab\x1b[m", "\x1b[1mcd\x1b[m"}},
		{"too narrow for wide", "東a", 1, "", []string{"?", "a"}},
		{"empty", "", 5, "", []string{""}},
		{"lines", "a\n\nb", 5, "", []string{"a", "", "b"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, cell.Wrap(tc.in, tc.w, tc.hang)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFitAndSides(t *testing.T) {
	t.Parallel()
	for w := range 30 {
		for _, s := range []string{"", "abc", "東京tower北", "\x1b[31m東京tower北東京tower北\x1b[m"} {
			if got := cell.Width(cell.Fit(s, w)); got != w {
				t.Errorf("Fit(%q, %d) is %d wide", s, w, got)
			}
			if got := cell.Width(cell.Sides(s, "right", w, 4)); got != w {
				t.Errorf("Sides(%q, %d) is %d wide", s, w, got)
			}
			if got := cell.Width(cell.TruncateLeft(s, w)); got > w {
				t.Errorf("TruncateLeft(%q, %d) is %d wide", s, w, got)
			}
		}
	}
}

func TestOverlay(t *testing.T) {
	t.Parallel()
	for x := range 14 {
		base := []string{"東京東京東京", "abcdefghijkl"}
		got := cell.Overlay(base, []string{"[..]", "[..]", "[..]"}, x, 0, 12)
		for _, line := range got {
			if cell.Width(line) != 12 {
				t.Errorf("x=%d: %q is %d wide", x, line, cell.Width(line))
			}
			if x < 9 && !strings.Contains(line, "[..]") {
				t.Errorf("x=%d: %q lost the box", x, line)
			}
		}
	}
}

func TestOnlyStyles(t *testing.T) {
	t.Parallel()
	in := "\x1b[31mred\x1b[m \x1b]8;;http://x\x07link\x1b]8;;\x07 \x1b[2J\u009b2Jz\u202e"
	if got, want := cell.OnlyStyles(in), "\x1b[31mred\x1b[m link 2Jz"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{hostile, "a\u202eb", "\x1b]", "\x1b[", "\u009b", "👨‍👩‍👧e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301", "\xff\xfe"} {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, s string, w int) {
		got := cell.Clean(s)
		for _, r := range got {
			if r != '\n' && unicode.IsControl(r) {
				t.Fatalf("control %U in %q", r, got)
			}
		}
		if cell.Clean(got) != got {
			t.Fatalf("not stable: %q then %q", got, cell.Clean(got))
		}
		w = w%100 + 1
		if w < 2 {
			w = 2
		}
		for _, line := range cell.Wrap(got, w, "") {
			if ansi.StringWidth(line) > w {
				t.Fatalf("line %q is wider than %d", line, w)
			}
		}
	})
}

// FuzzWrap: no line is wider than it may be, and nothing but blanks and the hang comes or goes.
func FuzzWrap(f *testing.F) {
	for _, s := range []string{"", " 0000", "use 東京tower北 now", "\x1b[1mab cd\x1b[m", "a\u0301 b", "👩‍👩‍👧 x"} {
		f.Add(s, 4, true)
	}
	f.Fuzz(func(t *testing.T, s string, w int, hanging bool) {
		w, hang := 2+(w%60+60)%60, ""
		if hanging {
			hang = "  "
		}
		s = cell.Clean(s)
		lines := cell.Wrap(s, w, hang)
		for _, line := range lines {
			if n := cell.Width(line); n > w {
				t.Fatalf("%d cells of %d: %q", n, w, line)
			}
		}
		bare := strings.NewReplacer(" ", "", "\n", "")
		if got, want := bare.Replace(ansi.Strip(strings.Join(lines, ""))), bare.Replace(ansi.Strip(s)); got != want && w > 3 {
			t.Fatalf("%q became %q", want, got)
		}
	})
}

func BenchmarkCleanWrap(b *testing.B) {
	s := strings.Repeat("東京 tower \x1b[31m北\x1b[m and plain words\r\n", 1000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		cell.Wrap(cell.Clean(s), 80, "")
	}
}

func BenchmarkOneLongLine(b *testing.B) {
	s := strings.Repeat("東京a\u0301", 50_000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		cell.Wrap(cell.Clean(s), 80, "")
	}
}
