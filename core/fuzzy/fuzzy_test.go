package fuzzy

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/quick"
)

func TestReplace(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, content, old, new string
		all                     bool
		want                    string
		count                   int
		strategy                string
	}{
		{"exact", "a b c", "b", "x", false, "a x c", 1, Exact},
		{"exact is literal", "sep = \"\\n\"\n", `"\n"`, `"\r\n"`, false, "sep = \"\\r\\n\"\n", 1, Exact},
		{"aaaa (OPEN-FZ-04)", "aaaa", "aa", "b", true, "bb", 2, Exact},
		{"blank kept behind (OPEN-FZ-01)", "set   port 8080 now\n", "set port", "use port", false, "use port 8080 now\n", 1, WhitespaceNormalized},
		{"blanks kept behind (OPEN-FZ-01)", "set   port   8080\n", "set port", "use port", false, "use port   8080\n", 1, WhitespaceNormalized},
		{"escapes (OPEN-FZ-02)", "step one\nstep two\nstep three\n", `step one\nstep two`, `step A\nstep B`, false, "step A\nstep B\nstep three\n", 1, EscapeNormalized},
		{"windows do not overlap (OPEN-FZ-04)", "  x\n  x\n  x\n", "x\nx", "y", true, "  y\n  x\n", 1, LineTrimmed},
		{"crlf (OPEN-FZ-05)", "one\r\ntwo\r\nthree\r\n", "two\nthree", "two\n2b\nthree", false, "one\r\ntwo\r\n2b\r\nthree\r\n", 1, Exact},
		{"mixed ends (OPEN-FZ-05)", "a\r\nb\nc\rd\r\n", "b", "B", false, "a\r\nB\nc\rd\r\n", 1, Exact},
		{"mixed ends, several lines", "a\r\nb\nc\r\nd\n", "a\nb\nc", "a\nx\nc", false, "a\r\nx\nc\r\nd\n", 1, Exact},
		{"bom stays", "\ufeffone\r\ntwo", "one\ntwo", "1\ntwo", false, "\ufeff1\r\ntwo", 1, Exact},
		{"no final newline stays", "a\nb", "b", "c", false, "a\nc", 1, Exact},
		{"indentation carried", "func f() {\n\t\tif x {\n\t\t\ty()\n\t\t}\n}\n", "if x {\n\ty()\n}", "if x {\n\tz()\n}", false, "func f() {\n\t\tif x {\n\t\t\tz()\n\t\t}\n}\n", 1, LineTrimmed},
		{"shared lines keep their bytes", "    a  \n    b\n", "a\nb", "a\nc", false, "    a  \n    c\n", 1, LineTrimmed},
		{"typographic quotes kept", "He said “one two” — ok\n", `"one two" -- ok`, `"one three" -- ok`, false, "He said “one three” — ok\n", 1, UnicodeNormalized},
		{"no-break space kept", "a\u00a0b c", "a b c", "a b d", false, "a\u00a0b d", 1, UnicodeNormalized},
		{"quotes inside a block", "begin\n  say('hi')\nend\n", "begin\n  say(\"hi\")\nend", "begin\n  say(\"ho\")\nend", false, "begin\n  say(\"ho\")\nend\n", 1, BlockAnchor},
		{"delete a line", "a\nb\nc\n", "b\n", "", false, "a\nc\n", 1, Exact},
		{"delete the tolerant line", "a\n  b\nc\n", "\tb\n", "", false, "a\nc\n", 1, LineTrimmed},
		{"cjk", "第一步：取数据\n第二步：写入\n", "第二步：写入", "第二步：校验", false, "第一步：取数据\n第二步：校验\n", 1, Exact},
		{"invalid utf-8 outside", "\xff\nb \xfe\n", "b", "c", false, "\xff\nc \xfe\n", 1, Exact},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := Replace(tt.content, tt.old, tt.new, tt.all)
			if err != nil {
				t.Fatal(err)
			}
			if r.Content != tt.want || r.Count != tt.count || r.Strategy != tt.strategy {
				t.Errorf("got %q, %d, %s\nwant %q, %d, %s", r.Content, r.Count, r.Strategy, tt.want, tt.count, tt.strategy)
			}
			if r.Exact != (tt.strategy == Exact) {
				t.Errorf("exact = %v", r.Exact)
			}
			checkRegions(t, tt.content, r)
		})
	}
}

func TestReplace_refuses(t *testing.T) {
	t.Parallel()
	block := "begin backup\n  audit_log(\"nightly\")\nend backup\n"
	tests := []struct {
		name, content, old, new string
		all                     bool
		kind                    Kind
		say                     string
	}{
		{"empty", "a", "", "b", false, EmptyOld, "empty"},
		{"white space", "a b", " \n", "b", false, EmptyOld, "empty"},
		{"identical", "a", "a", "a", false, Identical, "same"},
		{"two places", "x=1\ny\nx=1\n", "x=1", "x=2", false, Ambiguous, "   3| x=1"},
		{"middle differs (OPEN-FZ-03 A)", block, "begin backup\n  validate(token)\nend backup", "begin backup\n  validate(key)\nend backup", false, NotFound, "   1| begin backup"},
		{"middle nearly fits (OPEN-FZ-03 B)", "begin\nring bell 2\nend\n", "begin\nring bell 9\nend", "begin\nring bell 10\nend", false, NotFound, "nearest"},
		{"a similar line", "hello world\n", "hallo world", "bye", false, NotFound, "hello world"},
		{"number in a long block", "a1\nb\nc\nd\nline 2\nf\ng\n", "a1\nb\nc\nd\nline 9\nf\ng", "x", false, NotFound, ""},
		{"quote drift", "say('it is')  ok\n", `say(\'it is\') ok`, `say(\'it was\') ok`, false, NotFound, ""},
		{"only white space differs", "a:\n\tdef  f():\n", "def f(): x", "y", false, NotFound, "nearest"},
		{"already applied", "timeout = 30 # seconds\n", "timeout = 10", "timeout = 30 # seconds", false, NotFound, "already"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := Replace(tt.content, tt.old, tt.new, tt.all)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("replaced: %+v", r)
			}
			if e.Kind != tt.kind || !strings.Contains(e.Msg, tt.say) {
				t.Errorf("kind %d, %q", e.Kind, e.Msg)
			}
		})
	}
}

// Signs that the model's escaping went wrong stop a tolerant match.
func TestReplace_escapingGoneWrong(t *testing.T) {
	t.Parallel()
	frame := "def start():\n    prepare_everything()\n%s\n    finish_everything()\n    report()\n"
	for name, tt := range map[string]struct{ file, sent, say string }{
		"doubled backslashes": {`    open_log("C:\\\\logs\\\\service-of-the-day.txt", mode)`, `    open_log("C:\\\\\\\\logs\\\\\\\\service-of-the-day.txt", mode)`, "doubled"},
		"quote drift":         {`    say('it is a longer line of text here', mode)`, `    say(\'it is a longer line of text here\', mode)`, "plain quote"},
	} {
		old := fmt.Sprintf(frame, tt.sent)
		_, err := Replace(fmt.Sprintf(frame, tt.file), old, strings.Replace(old, "report", "report2", 1), false)
		var e *Error
		if !errors.As(err, &e) || e.Kind != Refused || !strings.Contains(e.Msg, tt.say) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReplace_looseMatchIsSaid(t *testing.T) {
	t.Parallel()
	content := "func load() {\n\topen()\n\t// reads the configuration file\n\tread()\n\tparse()\n\tclose()\n}\n"
	old := "func load() {\n\topen()\n\t// reads the configuration files\n\tread()\n\tparse()\n\tclose()\n}"
	r, err := Replace(content, old, strings.Replace(old, "parse()", "parse2()", 1), false)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Loose || r.Exact || r.Strategy != ContextAware || !strings.Contains(r.Content, "configuration file\n") || !strings.Contains(r.Content, "parse2()") {
		t.Errorf("%+v", r)
	}
	if _, err := Replace(content+content, old, "x", true); err == nil {
		t.Error("two loose places are replaced at once")
	}
}

func checkRegions(t *testing.T, content string, r Result) {
	t.Helper()
	if err := regionsHold(content, r); err != nil {
		t.Error(err)
	}
}

// regionsHold checks that the regions are in order, do not overlap, and that what is outside them is in
// the new content byte for byte.
func regionsHold(content string, r Result) error {
	if len(r.Regions) != r.Count {
		return fmt.Errorf("%d regions for %d replacements", len(r.Regions), r.Count)
	}
	at, rest := 0, r.Content
	for i, g := range r.Regions {
		if g.Start < at || g.End < g.Start || g.End > len(content) {
			return fmt.Errorf("region %d is [%d,%d) after %d", i, g.Start, g.End, at)
		}
		outside := content[at:g.Start]
		j := strings.Index(rest, outside)
		if i == 0 && !strings.HasPrefix(rest, outside) || j < 0 {
			return fmt.Errorf("bytes before region %d changed: %q is not in %q", i, outside, rest)
		}
		rest = rest[j+len(outside):]
		at = g.End
	}
	if !strings.HasSuffix(rest, content[at:]) {
		return fmt.Errorf("bytes after the last region changed: %q, %q", content[at:], rest)
	}
	return nil
}

// soup makes texts in which the strategies meet: repeated short lines with odd white space and line ends.
func soup(r *rand.Rand, n int) string {
	words := []string{"x", "y", "  x", "\tx", "x ", "if a {", "}", "“q”", `"q"`, "a  b", "a b", "", "汉字", `\n`, "it's"}
	ends := []string{"\n", "\n", "\n", "\r\n", "\r"}
	var b strings.Builder
	for range n {
		b.WriteString(words[r.IntN(len(words))] + ends[r.IntN(len(ends))])
	}
	return b.String()
}

func TestReplace_properties(t *testing.T) {
	t.Parallel()
	check := func(seed uint64) bool {
		r := rand.New(rand.NewPCG(seed, 1))
		content := soup(r, r.IntN(12))
		if r.IntN(4) == 0 {
			content = "\ufeff" + content
		}
		old, new := soup(r, 1+r.IntN(3)), soup(r, r.IntN(3))
		if r.IntN(2) == 0 {
			old, new = strings.TrimRight(old, "\r\n"), strings.TrimRight(new, "\r\n")
		}
		got, err := Replace(content, old, new, r.IntN(2) == 0)
		if err != nil {
			return true
		}
		if err := regionsHold(content, got); err != nil {
			t.Logf("seed %d: Replace(%q, %q, %q) = %+v: %v", seed, content, old, new, got, err)
			return false
		}
		return strings.HasPrefix(got.Content, "\ufeff") == strings.HasPrefix(content, "\ufeff")
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 20_000}); err != nil {
		t.Error(err)
	}
}

func FuzzReplace(f *testing.F) {
	f.Add("set   port 8080\r\nx\n", "set port", "use port", true)
	f.Add("\ufeffa\n“b”\n", "a\n\"b\"", "c", false)
	f.Add("begin\n a\nend\n", "begin\nb\nend", "x", true)
	f.Fuzz(func(t *testing.T, content, old, new string, all bool) {
		r, err := Replace(content, old, new, all)
		if err != nil {
			return
		}
		checkRegions(t, content, r)
		if !all && r.Count != 1 {
			t.Errorf("%d replacements", r.Count)
		}
	})
}

// The figures of the issue: a file of 120 KB and a pattern of 15 lines.
func BenchmarkReplace(b *testing.B) {
	var c strings.Builder
	for i := 0; c.Len() < 120_000; i++ {
		fmt.Fprintf(&c, "\tresult%d, err := compute(ctx, input%d, options{retries: %d})\n", i, i*7, i%5)
	}
	content := c.String()
	lines := strings.SplitAfter(content, "\n")
	mid := len(lines) / 2
	exact := strings.Join(lines[mid:mid+15], "")
	for name, old := range map[string]string{
		"exact":      exact,
		"whitespace": strings.ReplaceAll(exact, "\t", "  "),
		"not found":  strings.ReplaceAll(exact, "compute", "calculate"),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := Replace(content, old, "x\n", false)
				if (err != nil) != (name == "not found") {
					b.Fatal(err)
				}
			}
		})
	}
}
