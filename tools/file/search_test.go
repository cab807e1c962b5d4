package file

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/home"
	"hermes/tools"
)

// tree fills a desk with a small project.
func tree(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	for name, content := range map[string]string{
		"work/.git/config":        "needle\n",
		"work/.git/info/exclude":  "private.txt\n",
		"work/.gitignore":         "*.log\n/build/\nnode_modules\n!keep.log\ndocs/**/*.tmp\n# c\n\\#odd\n{x}.go\n",
		"work/main.go":            "package main\n// needle one\nfunc main() {}\n",
		"work/a.log":              "needle\n",
		"work/keep.log":           "needle kept\n",
		"work/private.txt":        "needle\n",
		"work/build/out.txt":      "needle\n",
		"work/sub/build/out.txt":  "needle in sub build\n",
		"work/node_modules/x.js":  "needle\n",
		"work/sub/.gitignore":     "*.txt\n!build/\n!build/out.txt\n",
		"work/sub/secret.txt":     "needle\n",
		"work/sub/code.py":        "x = 1\nneedle\nneedle again\n",
		"work/docs/a/b/c.tmp":     "needle\n",
		"work/docs/guide.md":      "no\n\nneedle\n",
		"work/bin.dat":            "needle\x00\n",
		"work/utf16.txt":          "\xff\xfen\x00e\x00e\x00d\x00l\x00e\x00\n\x00",
		"work/x.go":               "needle braces\n",
		"work/.github/ci.yml":     "needle hidden\n",
		"work/with space/f 1.txt": "needle\r\n",
	} {
		d.put(name, content)
	}
	return d
}

func TestSearch_content(t *testing.T) {
	t.Parallel()
	d := tree(t)
	res := d.call("search_files", map[string]any{"pattern": "needle"})
	want := `.github/ci.yml:1: needle hidden
docs/guide.md:3: needle
keep.log:1: needle kept
main.go:2: // needle one
sub/build/out.txt:1: needle in sub build
sub/code.py:2: needle
sub/code.py:3: needle again
utf16.txt:1: needle
with space/f 1.txt:1: needle
x.go:1: needle braces
[10 matches]`
	if !res.OK || res.Content != want || res.Detail.Summary != "10 matches in 9 files" {
		t.Errorf("%s\n%s", res.Detail.Summary, cmp.Diff(want, res.Content))
	}
	for range 5 {
		if again := d.call("search_files", map[string]any{"pattern": "needle"}); again.Content != res.Content {
			t.Fatal("the order changes")
		}
	}
}

func TestSearch_variants(t *testing.T) {
	t.Parallel()
	d := tree(t)
	for name, c := range map[string]struct {
		args map[string]any
		want string
	}{
		"glob":         {map[string]any{"pattern": "needle", "file_glob": "*.py"}, "sub/code.py:2: needle\nsub/code.py:3: needle again\n[2 matches]"},
		"glob, path":   {map[string]any{"pattern": "needle", "file_glob": "sub/**/*.txt"}, "sub/build/out.txt:1: needle in sub build\n[1 match]"},
		"below a path": {map[string]any{"pattern": "needle", "path": "sub"}, "sub/build/out.txt:1: needle in sub build\nsub/code.py:2: needle\nsub/code.py:3: needle again\n[3 matches]"},
		"ignored path": {map[string]any{"pattern": "needle", "path": "sub", "file_glob": "secret*"}, "[nothing found]"},
		"one file":     {map[string]any{"pattern": "^needle$", "path": "sub/code.py"}, "sub/code.py:2: needle\n[1 match]"},
		"page":         {map[string]any{"pattern": "needle", "limit": 2, "offset": 5}, "sub/code.py:2: needle\nsub/code.py:3: needle again\n[6-7 of 10 matches; continue with offset 7 or narrow the search]"},
		"files only":   {map[string]any{"pattern": "needle", "path": "sub", "output_mode": "files_only"}, "sub/build/out.txt\nsub/code.py\n[2 files]"},
		"count":        {map[string]any{"pattern": "needle", "path": "sub", "output_mode": "count"}, "sub/build/out.txt: 1\nsub/code.py: 2\n[2 files]"},
		"context":      {map[string]any{"pattern": "one", "path": "main.go", "context": 1}, "main.go-1- package main\nmain.go:2: // needle one\nmain.go-3- func main() {}\n[1 match]"},
		"no case":      {map[string]any{"pattern": "(?i)NEEDLE ONE"}, "main.go:2: // needle one\n[1 match]"},
		"nothing":      {map[string]any{"pattern": "haystack"}, "[nothing found]"},
		"names":        {map[string]any{"pattern": "*.go", "target": "files"}, "main.go\nx.go\n[2 files]"},
		"names, deep":  {map[string]any{"pattern": "sub/**", "target": "files"}, "sub/.gitignore\nsub/build/out.txt\nsub/code.py\n[3 files]"},
		"names, limit": {map[string]any{"pattern": "*", "target": "files", "limit": 1, "offset": 1}, ".gitignore\n[2-2 of 12 files; continue with offset 2 or narrow the search]"},
		"names, {}":    {map[string]any{"pattern": "*.{md,yml}", "target": "files"}, ".github/ci.yml\ndocs/guide.md\n[2 files]"},
	} {
		res := d.call("search_files", c.args)
		if !res.OK || res.Content != c.want {
			t.Errorf("%s: %s", name, cmp.Diff(c.want, res.Content))
		}
	}
	for pattern, want := range map[string]string{"(": "missing closing )", "(?=x)": "lookaround"} {
		if res := d.call("search_files", map[string]any{"pattern": pattern}); res.OK || !strings.Contains(res.Content, want) {
			t.Errorf("%s: %s", pattern, res.Content)
		}
	}
	if res := d.call("search_files", map[string]any{"pattern": "x", "path": "nowhere"}); res.OK {
		t.Errorf("%+v", res)
	}
}

func TestSearch_contextGaps(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var b strings.Builder
	for i := 1; i <= 12; i++ {
		word := "line"
		if i == 2 || i == 4 || i == 10 {
			word = "hit"
		}
		fmt.Fprintf(&b, "%s%d\n", word, i)
	}
	d.put("work/f", b.String())
	res := d.call("search_files", map[string]any{"pattern": "hit", "context": 1})
	want := "f-1- line1\nf:2: hit2\nf-3- line3\nf:4: hit4\nf-5- line5\n--\nf-9- line9\nf:10: hit10\nf-11- line11\n[3 matches]"
	if res.Content != want {
		t.Error(cmp.Diff(want, res.Content))
	}
}

func TestSearch_oddTrees(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("work/a/f.txt", "needle")
	d.put("work/long.txt", strings.Repeat("x", 5000)+"needle"+strings.Repeat("é", 5000)+"\n")
	d.link("..", "work/a/up")
	d.link("f.txt", "work/a/copy.txt")
	d.put("outside/f.txt", "needle outside")
	d.link("../outside", "work/away")
	if err := os.Mkdir(filepath.Join(d.root, "closed"), 0o000); err != nil {
		t.Fatal(err)
	}
	res := d.call("search_files", map[string]any{"pattern": "needle"})
	lines := strings.Split(res.Content, "\n")
	if len(lines) != 3 || lines[0] != "a/f.txt:1: needle" || !strings.Contains(lines[1], "needle") || len([]rune(lines[1])) > 450 {
		t.Errorf("%s", res.Content)
	}
}

func TestIgnore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rules string
		yes   []string // a trailing slash marks folders
		no    []string
	}{
		"name":      {"foo", []string{"foo", "a/foo", "foo/"}, []string{"food", "a/food"}},
		"anchored":  {"/foo", []string{"foo"}, []string{"a/foo"}},
		"middle":    {"a/foo", []string{"a/foo"}, []string{"b/a/foo", "foo"}},
		"folder":    {"foo/", []string{"foo/", "a/foo/"}, []string{"foo"}},
		"star":      {"*.o", []string{"x.o", "a/x.o"}, []string{"x.oo"}},
		"two stars": {"a/**/b", []string{"a/b", "a/x/b", "a/x/y/b"}, []string{"b", "c/a/b"}},
		"leading":   {"**/b", []string{"b", "a/b"}, []string{"bb"}},
		"trailing":  {"a/**", []string{"a/x", "a/x/y"}, []string{"b/a"}},
		"negated":   {"*.o\n!keep.o", []string{"x.o"}, []string{"keep.o"}},
		"order":     {"!keep.o\n*.o", []string{"keep.o"}, nil},
		"comment":   {"# foo\n\\#bar", []string{"#bar"}, []string{"# foo", "foo"}},
		"spaces":    {"foo   \nbar\\ ", []string{"foo", "bar "}, []string{"foo   "}},
		"crlf":      {"foo\r\nbar\r\n", []string{"foo", "bar"}, nil},
		"set":       {"[ab].c", []string{"a.c", "b.c"}, []string{"c.c"}},
		"braces":    {"{a,b}", []string{"{a,b}"}, []string{"a", "b"}},
		"one level": {"a/*", []string{"a/x"}, []string{"a/x/y"}},
	} {
		rules := parseIgnore(c.rules, "")
		for want, list := range map[bool][]string{true: c.yes, false: c.no} {
			for _, p := range list {
				rel, dir := strings.CutSuffix(p, "/")
				if got := ignored(rules, rel, dir); got != want {
					t.Errorf("%s: %q ignores %q: %v", name, c.rules, p, got)
				}
			}
		}
	}
}

func FuzzIgnore(f *testing.F) {
	for _, s := range []string{"*.o", "!a/**/b/", "\\", "[", "[!", "{a", "\\#", "/", "**", "a\\ ", "\xff"} {
		f.Add(s, "a/b/c")
	}
	f.Fuzz(func(t *testing.T, rules, rel string) {
		for _, r := range parseIgnore(rules, "a") {
			if r.matches(rel, true) && !strings.HasPrefix(rel, "a/") {
				t.Errorf("%+v speaks about %q", r, rel)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "a\r\nb", "\xff\xfea", "\xfe\xff\x00", "\xef\xbb\xbf", "\x00", "a\xff\n", "\xff\xfe\x00\xd8"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(p, data, 0o600); err != nil {
			t.Fatal(err)
		}
		o, err := openText(p, false)
		if err != nil {
			t.Fatal(err)
		}
		defer o.close()
		for range len(data) + 2 {
			if _, _, err := o.line(16); err != nil {
				return
			}
		}
		t.Error("more lines than bytes")
	})
}

func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	for i := range 500 {
		p := filepath.Join(dir, fmt.Sprintf("d%d/f%d.go", i%20, i))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(strings.Repeat("func something() error { return nil }\n", 300)), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	w, err := tools.NewWorkdir(dir)
	if err != nil {
		b.Fatal(err)
	}
	s := &Search{Options{Workdir: w, Policy: tools.NewPolicy(home.At(filepath.Join(dir, "none")), dir)}}
	for b.Loop() {
		res := s.Run(b.Context(), core.ToolRun{Arguments: []byte(`{"pattern":"nothing like this"}`)})
		if !res.OK {
			b.Fatal(res.Content)
		}
	}
}

// FuzzMatcher compares the shortcuts with matching every line.
func FuzzMatcher(f *testing.F) {
	for _, p := range []string{
		"a+bc", "(?i)KeLvin", "foo|ba[rz]", "^x.*y$", `\bw\w+`, "(ab){2,}c?", `\Aone`, `end\z`, "(?i)straße", "[a-c]d", "a|b|", "x{0,2}", `(?s)a.b`, "é", `\r`, "(?m)^b$", `a\nb`, "(?i:AB)cd|xy", "\ufeffa",
	} {
		f.Add(p, "one abc\nKELVIN kelvin \u212Aelvin\r\nfoobar\nxy\nend\n")
		f.Add(p, "\ufeffa\r\nb\rc\n\nstraSSE\nababc\xffd")
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, pattern, content string) {
		m, err := newMatcher(pattern)
		if err != nil || len(pattern) > 200 {
			return
		}
		p := filepath.Join(dir, fmt.Sprintf("%x", digest([]byte(pattern+"\x00"+content)))[:16])
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.Remove(p) }()
		for _, around := range []int{0, 1} {
			got := m.grep(t.Context(), &buffers{}, found{path: p}, around)
			want := m.stream(t.Context(), found{path: p}, around)
			if got.count != want.count || fmt.Sprint(got.rows) != fmt.Sprint(want.rows) {
				t.Errorf("%q in %q, %d around: %v, line by line %v (need %q)", pattern, content, around, got.rows, want.rows, m.need)
			}
		}
	})
}

// TestPolicy_freeNames checks the walk's shortcut against the judgement of every single name.
func TestPolicy_freeNames(t *testing.T) {
	t.Parallel()
	p := tools.Policy{Home: home.At("/u/.hermes"), Root: "/u/work", User: "/u"}
	for _, dir := range []string{"/", "/u", "/u/work", "/u/work/sub", "/u/.hermes", "/u/.hermes/skills", "/u/.ssh", "/u/.config/gh", "/u/work/gcloud", "/etc", "/etc/ssl", "/proc/1", "/u/.aws", "/u/.kube"} {
		free := p.FreeNames(dir)
		for _, name := range []string{"a.go", ".netrc", "_netrc", "id_rsa", "ID_RSA", "credentials", "config", "config.json", "hosts.yml", "shadow", "environ", "key", ".env", "application_default_credentials.json", ".hermes"} {
			if a, why := p.Read(filepath.Join(dir, name), ""); free != nil && free(name) && a != tools.ActionAllow {
				t.Errorf("%s/%s is not free: %s", dir, name, why)
			}
		}
	}
}

func TestTaint(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	w, err := tools.NewWorkdir(d.root)
	if err != nil {
		t.Fatal(err)
	}
	d.reg = tools.New(tools.Options{Home: d.home}, New(Options{
		Workdir: w, Policy: tools.NewPolicy(d.home, d.root), Trusted: func(p string) bool { return home.Within(d.root, p) },
	})...)
	mine, theirs := d.put("work/f", "needle\n"), d.put("outside/f", "needle\n")
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"read_file", map[string]any{"path": mine}, ""},
		{"read_file", map[string]any{"path": theirs}, "file: " + theirs},
		{"search_files", map[string]any{"pattern": "needle"}, ""},
		{"search_files", map[string]any{"pattern": "needle", "path": ".."}, "file: " + theirs},
		{"search_files", map[string]any{"pattern": "nothing", "path": ".."}, ""},
	} {
		if res := d.call(c.tool, c.args); res.Detail == nil || res.Detail.Taint != c.want {
			t.Errorf("%s %v: %+v", c.tool, c.args, res.Detail)
		}
	}
}
