package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 10, "short"},
		{"exactly", 7, "exactly"},
		{"too long a line", 10, "too lon..."},
		{"abcdef", 3, "abc"},
		{"abcdef", 0, ""},
		{"abcdef", -1, ""},
		{"日本語日本語", 5, "日本..."},
		{"日本語日本語", 6, "日本語日本語"},
		{"abcde\u0301fghi", 8, "abcd..."}, // not e without its accent
		{"ab👩\u200d💻cdef", 7, "ab..."},
		{"a🇩🇪🇫🇷xyz", 6, "a🇩🇪..."},
	} {
		if got := Cut(c.in, c.n); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestHeadTail(t *testing.T) {
	t.Parallel()
	s := strings.Repeat("a", 3000) + strings.Repeat("é", 3000)
	out, cut := HeadTail(s, 1000)
	if n := Len(out); n != 1000 {
		t.Errorf("%d code points, want 1000", n)
	}
	if !strings.HasPrefix(out, "aaa") || !strings.HasSuffix(out, "ééé") || !strings.Contains(out, Gap(cut)) {
		t.Errorf("head, gap or tail missing: %q", out)
	}
	if kept := Len(out) - Len(Gap(cut)); kept+cut != 6000 {
		t.Errorf("kept %d + cut %d is not 6000", kept, cut)
	}
	for _, limit := range []int{6000, 7000} {
		if out, cut := HeadTail(s, limit); out != s || cut != 0 {
			t.Errorf("cut at limit %d", limit)
		}
	}
	if out, cut := HeadTail("abcdef", 4); out != "abcd" || cut != 2 {
		t.Errorf("small limit: %q, %d", out, cut)
	}
}

func TestThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567"} {
		if got := Thousands(n); got != want {
			t.Errorf("Thousands(%d) = %s", n, got)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	if got := OneLine("  a\tb\n\x1b[31mc\x1b[0m  d\r\n"); got != "a b c d" {
		t.Errorf("OneLine = %q", got)
	}
	if got := FirstLine("\n \n  first here\nsecond", 8); got != "first..." {
		t.Errorf("FirstLine = %q", got)
	}
	if got := Title("\n## **Deploy** the app:\nplease", 40); got != "Deploy** the app" {
		t.Errorf("Title = %q", got)
	}
	if got := CleanUTF8("a\xff\xfeb"); got != "a\uFFFDb" {
		t.Errorf("CleanUTF8 = %q", got)
	}
}

// TestOpenTU04 is the text part of case OPEN-TU-04: nothing that came from content steers a terminal.
func TestOpenTU04(t *testing.T) {
	t.Parallel()
	all := "\x1b[?1049h\x1b[2J\x1b]0;owned\x07\x1b]52;c;aGk=\x07\x1b[?25l10%\r20%\rdone\tx\x1b[1A\x1b[2K"
	for name, c := range map[string]struct{ in, want string }{
		"the whole attack":        {all, "done    x"},
		"plain":                   {"hello\nworld", "hello\nworld"},
		"colours":                 {"\x1b[1;31mred\x1b[0m", "red"},
		"osc with ST":             {"a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb"},
		"dcs and apc":             {"a\x1bPq#0\x1b\\b\x1b_G1\x1b\\c\x1b^pm\x1b\\d\x1bXsos\x1b\\e", "abcde"},
		"unfinished osc":          {"a\x1b]0;never ends\nnext", "a\nnext"},
		"unfinished csi":          {"a\x1b[12", "a"},
		"osc cut by another":      {"\x1b]0;t\x1b[2Jrest", "rest"},
		"c1 csi":                  {"a\u009b2Jb", "ab"},
		"c1 csi as a byte":        {"a\x9b2Jb", "ab"},
		"c1 osc":                  {"a\u009d0;t\u009cb", "ab"},
		"charset escape":          {"a\x1b(0b", "ab"},
		"reset":                   {"a\x1bcb", "ab"},
		"lone escape at the end":  {"a\x1b", "a"},
		"escape before a break":   {"a\x1b\nb", "a\nb"},
		"bel, nul, del":           {"a\x07\x00\x7fb", "ab"},
		"bidi override":           {"a\u202egpj.exe", "agpj.exe"},
		"isolates":                {"\u2066a\u2069", "a"},
		"crlf":                    {"a\r\nb\r\n", "a\nb\n"},
		"cr at the end":           {"a\r", "a"},
		"progress":                {"x\n10%\r100%\nend", "x\n100%\nend"},
		"cr and colour":           {"old\r\x1b[32mnew\x1b[0m", "new"},
		"cr before a tab":         {"old\r\tx", "        x"},
		"backspace":               {"ab\bc\b\b\bd", "d"},
		"backspace at line start": {"a\n\bb", "a\nb"},
		"man page bold":           {"N\bNA\bAME", "NAME"},
		"tabs":                    {"a\tb\tc", "a       b       c"},
		"emoji joiner stays":      {"👩\u200d💻", "👩\u200d💻"},
		"invalid bytes":           {"a\xffb", "a\uFFFDb"},
		"paragraph separator":     {"a\u2029b", "ab"},
		"tags":                    {"a\U000E0041b", "ab"},
		"wide":                    {"日本\x1b[0m語", "日本語"},
	} {
		if got := Neutralise(c.in); got != c.want {
			t.Errorf("%s: Neutralise(%q) = %q, want %q", name, c.in, got, c.want)
		}
	}
}

func TestVisible(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"ls -la":                "ls -la",
		"a\nb":                  "a\nb",
		"\x1b[2Jrm":             "␛[2Jrm",
		"x\u202ey":              "x⟨U+202E⟩y",
		"a\tb\r\x00\x7f":        "a␉b␍␀␡",
		"\u009b2J":              "⟨U+009B⟩2J",
		"zero\u200bwidth":       "zero⟨U+200B⟩width",
		"bad\xffbyte":           "bad⟨0xFF⟩byte",
		"日本語 is fine":           "日本語 is fine",
		"tag\U000E0041 \ufeffb": "tag⟨U+E0041⟩ ⟨U+FEFF⟩b",
	} {
		if diff := cmp.Diff(want, Visible(in)); diff != "" {
			t.Errorf("Visible(%q): %s", in, diff)
		}
	}
}

func TestReadable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"👨\u200d👩\u200d👧":   "👨\u200d👩\u200d👧",
		"❤\ufe0f\u200d🔥":    "❤\ufe0f\u200d🔥",
		"می\u200cخواهم":     "می\u200cخواهم",
		"pass\u200dword":    "pass⟨U+200D⟩word",
		"end\u200c":         "end⟨U+200C⟩",
		"\u200d👧 \u200b":    "⟨U+200D⟩👧 ⟨U+200B⟩",
		"and\x1bred\x07bed": "and␛red␇bed",
	} {
		if diff := cmp.Diff(want, Readable(in)); diff != "" {
			t.Errorf("Readable(%q): %s", in, diff)
		}
	}
	if got := Visible("👨\u200d👩"); got != "👨⟨U+200D⟩👩" {
		t.Errorf("Visible = %q: where a character matters it is shown", got)
	}
}

var seeds = []string{
	"", "plain", "\x1b[2J", "\x1b]0;t\x07", "a\r\tb\b", "\x9b1A", "\u009d0;x\u009c", "\x1b\x1b[[", "\xc2", "\xc2\x1b",
	"\x1bP\x1b\\", "e\u0301", "👩\u200d💻", "\xff\x9b", "a\u202eb", "\x1b\u009b", "\xe2\x1b[0m\x80\xae", "\x1b(\u00e9",
}

func FuzzNeutralise(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := Neutralise(s)
		if !utf8.ValidString(out) {
			t.Errorf("not UTF-8: %q", out)
		}
		for _, r := range out {
			if (r < ' ' && r != '\n') || (r >= 0x7f && r < 0xa0) || hidden(r) {
				t.Errorf("%U survives in %q from %q", r, out, s)
			}
		}
		if again := Neutralise(out); again != out {
			t.Errorf("not idempotent: %q → %q → %q", s, out, again)
		}
		for _, r := range Visible(s) {
			if (r < ' ' && r != '\n') || (r >= 0x7f && r < 0xa0) || hidden(r) {
				t.Errorf("Visible lets %U through from %q", r, s)
			}
		}
	})
}

func FuzzCut(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, i*13)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		s = CleanUTF8(s)
		if got := Cut(s, n); Len(got) > max(n, 0) || !utf8.ValidString(got) {
			t.Errorf("Cut(%q, %d) = %q", s, n, got)
		}
		out, cut := HeadTail(s, n)
		if Len(out) > max(n, 0) || !utf8.ValidString(out) || (cut == 0) != (out == s) {
			t.Errorf("HeadTail(%q, %d) = %q, %d", s, n, out, cut)
		}
	})
}

func BenchmarkNeutralise(b *testing.B) {
	dirty := strings.Repeat("\x1b[32mok\x1b[0m  github.com/x/y\t0.012s\n", 2000)
	b.SetBytes(int64(len(dirty)))
	for b.Loop() {
		Neutralise(dirty)
	}
}
