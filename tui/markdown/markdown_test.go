package markdown_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"hermes/tui/cell"
	"hermes/tui/markdown"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

const sample = "# Deploy 部署\n\nI'll build the **image** first with `docker build`,\nthen push it to the 東京 registry where the cluster can pull it from: 服务器在东京，请稍等。\n\n" +
	"Setext\n---\n\n- first item that is long enough to wrap at narrow widths\n- second\n  - nested item\n\n  a paragraph of the second\n- [x] done\n\n1. one\n2. two\n\n" +
	"> quoted text that goes on for a while and wraps\n> 引用\n\n```go\nfunc main() {\n\tfmt.Println(\"東京\")\n}\n```\nafter code\n" +
	"| name | 値 |\n|---|---:|\n| tower | 東京タワー |\n| x | a longer cell that needs room |\n\n***\nsee [docs](https://example.com/a) \x1b[31mred\x1b[m\x1b]0;owned\x07 end\n\n~~~\nopen fence"

func draw(d *markdown.Doc, r *markdown.Renderer, w int) string {
	head, tail := d.Lines(r, w)
	return strings.Join(append(append([]string(nil), head...), tail...), "\n")
}

func TestDoc_golden(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		kind theme.Kind
		w    int
	}{{"dark-60", theme.Dark, 60}, {"plain-30", theme.Plain, 30}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := markdown.NewRenderer(theme.New(tc.kind))
			tuitest.Golden(t, tc.name, draw(markdown.NewDoc(sample, true), r, tc.w))
		})
	}
}

func TestDoc_fitsEveryWidth(t *testing.T) {
	t.Parallel()
	r := markdown.NewRenderer(theme.New(theme.Light))
	d := markdown.NewDoc(sample, true)
	for w := 2; w < 130; w++ {
		tuitest.Fits(t, draw(d, r, w), w, 1000)
	}
}

// However the text arrives, the result is the same as from one piece, and no step overflows.
func TestDoc_streamedEqualsWhole(t *testing.T) {
	t.Parallel()
	r := markdown.NewRenderer(theme.New(theme.Dark))
	want := draw(markdown.NewDoc(sample, true), r, 50)
	for _, step := range []int{1, 2, 7, 40} {
		d := markdown.NewDoc("", false)
		for i := 0; i < len(sample); i += step {
			d.Append(sample[i:min(i+step, len(sample))])
			tuitest.Fits(t, ansi.Strip(draw(d, r, 50)), 50, 1000)
		}
		d.Close()
		if diff := cmp.Diff(want, draw(d, r, 50)); diff != "" {
			t.Errorf("step %d: %s", step, diff)
		}
		if d.Raw() != sample {
			t.Error("raw text changed")
		}
	}
}

// An open fence stands where the closed one will: closing it moves nothing.
func TestDoc_fenceDoesNotJump(t *testing.T) {
	t.Parallel()
	r := markdown.NewRenderer(theme.New(theme.Dark))
	d := markdown.NewDoc("text\n```go\nfunc a() {}\n\nvar x = 1\n", false)
	open := ansi.Strip(draw(d, r, 40))
	d.Append("``")
	if got := ansi.Strip(draw(d, r, 40)); got != open {
		t.Errorf("half a fence shows:\n%s", got)
	}
	d.Append("`\n")
	if diff := cmp.Diff(open, ansi.Strip(draw(d, r, 40))); diff != "" {
		t.Error(diff)
	}
}

func TestDoc_noSequences(t *testing.T) {
	t.Parallel()
	r := markdown.NewRenderer(theme.New(theme.Dark))
	out := draw(markdown.NewDoc("[a](http://x/\x1b]52;c;aGk=\x07) \x1b[2J\u009b2J &#27;[31m &#x9b;5m\n\n    code &#27;\n", true), r, 60)
	tuitest.OnlyStyles(t, out)
	if strings.Contains(ansi.Strip(out), "\x1b") {
		t.Errorf("escape left in %q", out)
	}
}

// The lines of a file flow to the width there is; those of a chat stay. Lists, breaks and code keep theirs in both.
func TestRenderer_flow(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Plain)
	const text = "Builds an image\nand pushes it.\n\n- one\n  more\n- two\n\nhard  \nbreak\n\n中文的\n行\n\n- a\n  - b\n    c\n  ```\n  x\n  y\n  ```\n\n```\na\nb\n```\n"
	flat := func(r *markdown.Renderer) []string {
		var out []string
		for l := range strings.Lines(ansi.Strip(draw(markdown.NewDoc(text, true), r, 60))) {
			if l = strings.TrimSpace(l); l != "" {
				out = append(out, l)
			}
		}
		return out
	}
	if d := cmp.Diff([]string{"Builds an image and pushes it.", "• one more", "• two", "hard", "break", "中文的行", "• a", "• b c", "x", "y", "a", "b"}, flat(markdown.NewFlowing(st))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"Builds an image", "and pushes it.", "• one", "more", "• two", "hard", "break", "中文的", "行", "• a", "• b", "c", "x", "y", "a", "b"}, flat(markdown.NewRenderer(st))); d != "" {
		t.Error(d)
	}
}

func FuzzDoc(f *testing.F) {
	f.Add(sample, 20, 3)
	f.Add("- a\n\n\n  b\n```\n", 5, 1)
	f.Add("a|b\n-|-\n|||\n", 9, 2)
	r := markdown.NewRenderer(theme.New(theme.Dark))
	f.Fuzz(func(t *testing.T, text string, w, step int) {
		w, step = abs(w)%100+2, abs(step)%50+1
		d := markdown.NewDoc("", false)
		for i := 0; i < len(text); i += step {
			d.Append(text[i:min(i+step, len(text))])
			for _, l := range strings.Split(draw(d, r, w), "\n") {
				if cell.Width(l) > w {
					t.Fatalf("%q is wider than %d", l, w)
				}
			}
		}
		d.Close()
		if diff := cmp.Diff(draw(markdown.NewDoc(text, true), r, w), draw(d, r, w)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

// OPEN-TU-05: the cost of a delta must not grow with the answer.
func BenchmarkDelta(b *testing.B) {
	piece := "word 東京 and `code` more plain text here"
	for _, tc := range []struct {
		name   string
		before int
	}{{"at start", 10}, {"after 100 KB", 2500}} {
		b.Run(tc.name, func(b *testing.B) {
			r := markdown.NewRenderer(theme.New(theme.Dark))
			d := markdown.NewDoc("", false)
			for i := range tc.before {
				d.Append(piece)
				if i%20 == 19 {
					d.Append("\n\n")
				}
			}
			d.Append("\n\n")
			d.Lines(r, 80)
			i := 0
			for b.Loop() {
				d.Append(piece)
				if i++; i%20 == 19 {
					d.Append("\n\n")
				}
				d.Lines(r, 80)
			}
		})
	}
}
