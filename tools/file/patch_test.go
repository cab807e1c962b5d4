package file

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
)

func (d *desk) replace(path, old, new string) core.ToolResult {
	return d.call("patch", map[string]any{"path": path, "old_string": old, "new_string": new})
}

func (d *desk) patch(lines ...string) core.ToolResult {
	body := "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
	return d.call("patch", map[string]any{"mode": "patch", "patch": body})
}

// TestOpenFZ is the cases OPEN-FZ-01 to 05 through the tool.
func TestOpenFZ_tool(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, c := range map[string]struct{ file, old, new, want, says string }{
		"01 blank kept":   {"set   port 8080 now\n", "set port", "use port", "use port 8080 now\n", "whitespace_normalized"},
		"02 escapes":      {"step one\nstep two\nstep three\n", `step one\nstep two`, `step A\nstep B`, "step A\nstep B\nstep three\n", "escape_normalized"},
		"02 literal":      {"sep = \"\\n\"\n", `"\n"`, `"\t"`, "sep = \"\\t\"\n", "+1 -1"},
		"03 middle":       {"begin backup\n  audit_log(\"nightly\")\nend backup\n", "begin backup\n  validate(token)\nend backup", "begin backup\n  validate(key)\nend backup", "", "nearest places"},
		"05 crlf":         {"one\r\ntwo\r\nthree\r\n", "two\nthree", "two\n2b\nthree", "one\r\ntwo\r\n2b\r\nthree\r\n", "+1 -0"},
		"05 mixed":        {"a\r\nb\nc\rd\r\n", "b", "B", "a\r\nB\nc\rd\r\n", "+1 -1"},
		"bom":             {"\ufeffone\r\ntwo", "two", "2", "\ufeffone\r\n2", "+1 -1"},
		"utf-16":          {"\xff\xfea\x00\n\x00b\x00", "b", "é", "\xff\xfea\x00\n\x00\xe9\x00", "+1 -1"},
		"latin-1 outside": {"caf\xe9\nb\n", "b", "c", "caf\xe9\nc\n", "+1 -1"},
		"twice":           {"a\na\n", "a", "b", "", "2 places"},
		"applied":         {"def renamed(x):\n", "def before(x):", "def renamed(x):", "", "applied already"},
		"empty":           {"a\n", " ", "b", "", "empty or only white space"},
		"binary":          {"a\x00b", "a", "b", "", "not text"},
	} {
		d.put("work/f", c.file)
		res := d.replace("f", c.old, c.new)
		want := c.want
		if want == "" {
			want = c.file
		}
		if res.OK != (c.want != "") || d.get("work/f") != want || !strings.Contains(res.Content, c.says) {
			t.Errorf("%s: %q\n%s", name, d.get("work/f"), res.Content)
		}
	}
	d.put("work/f", "aaaa")
	res := d.call("patch", map[string]any{"path": "f", "old_string": "aa", "new_string": "b", "replace_all": true})
	if !res.OK || d.get("work/f") != "bb" || !strings.Contains(res.Content, "2 replacements") {
		t.Errorf("04: %q %s", d.get("work/f"), res.Content)
	}
}

func TestPatch_body(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("work/a.go", "package a\n\nfunc one() {\n\tx()\n}\n\nfunc two() {\n\tx()\n}\n")
	d.put("work/b.txt", "first\r\nlast")
	d.put("work/old.sh", "#!/bin/sh\necho hi\n")
	d.put("work/gone.txt", "bye\n")
	if err := os.Chmod(filepath.Join(d.root, "old.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	res := d.patch(
		"*** Update File: a.go", "@@ func two() {", "-\tx()", "+\ty()", "+\tz()", "@@", " package a", "+", "+import \"fmt\"", "",
		"*** Update File: b.txt", " first", "-last", "+middle", "+end",
		"*** Add File: new/c.txt", "+one", "+", "+two",
		"*** Update File: old.sh", "*** Move to: bin/new.sh", "@@", " #!/bin/sh", "-echo hi", "+echo ho",
		"*** Delete File: gone.txt")
	if !res.OK {
		t.Fatal(res.Content)
	}
	for f, want := range map[string]string{
		"a.go": "package a\n\nimport \"fmt\"\n\nfunc one() {\n\tx()\n}\n\nfunc two() {\n\ty()\n\tz()\n}\n", "b.txt": "first\r\nmiddle\r\nend",
		"new/c.txt": "one\n\ntwo\n", "bin/new.sh": "#!/bin/sh\necho ho\n",
	} {
		if diff := cmp.Diff(want, d.get("work/"+f)); diff != "" {
			t.Errorf("%s: %s", f, diff)
		}
	}
	for _, f := range []string{"old.sh", "gone.txt"} {
		if _, err := os.Lstat(filepath.Join(d.root, f)); err == nil {
			t.Errorf("%s is still there", f)
		}
	}
	if info, err := os.Stat(filepath.Join(d.root, "bin/new.sh")); err != nil || (runtime.GOOS != "windows" && info.Mode().Perm() != 0o750) {
		t.Errorf("%v %v", info, err)
	}
	for _, want := range []string{"--- a.go\n+++ a.go\n", "+++ new/c.txt\n", "--- old.sh\n+++ bin/new.sh\n", "--- gone.txt\n+++ /dev/null\n"} {
		if !strings.Contains(res.Detail.Diff, want) {
			t.Errorf("no %q in the diff:\n%s", want, res.Detail.Diff)
		}
	}
	if want := "Patched bin/new.sh: moved from old.sh."; !strings.Contains(res.Content, want) || len(d.asks) > 0 {
		t.Errorf("%s, asked %v", res.Content, d.asks)
	}
}

// TestPatch_nothing is everything that must leave all files as they are.
func TestPatch_nothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	good := []string{"*** Update File: ok.txt", "-a", "+b"}
	d.link("twice.txt", "work/link.txt")
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"wrong context":      {[]string{"*** Update File: twice.txt", " nothing", "-like", "+this"}, "hunk at line 6"},
		"ambiguous":          {[]string{"*** Update File: twice.txt", "-x", "+y"}, "fits in 2 places"},
		"no such anchor":     {[]string{"*** Update File: twice.txt", "@@ func nowhere()", "-x", "+y"}, `no line "func nowhere()"`},
		"only before anchor": {[]string{"*** Update File: twice.txt", "@@ end", "-first", "+y"}, "not found"},
		"same place":         {[]string{"*** Update File: twice.txt", " first", "-x", "+y", "@@", " first", "-x", "+z"}, "change the same place"},
		"adds nowhere":       {[]string{"*** Update File: twice.txt", "@@", "+y"}, "does not say where"},
		"exists":             {[]string{"*** Add File: twice.txt", "+y"}, "exists already"},
		"missing":            {[]string{"*** Delete File: twic.txt"}, "There is no file"},
		"move onto":          {[]string{"*** Update File: twice.txt", "*** Move to: other.txt"}, "cannot be moved there"},
		"delete a link":      {[]string{"*** Delete File: link.txt"}, "is a link"},
		"named twice":        {[]string{"*** Delete File: twice.txt", "*** Update File: link.txt", " first", "-x", "+y"}, "named twice"},
		"changes nothing":    {[]string{"*** Update File: twice.txt", " first"}, "changes nothing"},
		"part of a line":     {[]string{"*** Update File: twice.txt", "-irst", "+y"}, "give whole lines"},
		"marked":             {[]string{"*** Update File: twice.txt", "-first", "+key [redacted:K]"}, "[redacted] mark"},
		"numbered":           {[]string{"*** Add File: n.txt", "+     1|a", "+     2|b", "+     3|c"}, "line numbers"},
		"office":             {[]string{"*** Add File: n.docx", "+a"}, "office document"},
		"hermes' home":       {[]string{"*** Add File: ../u/.hermes/memories/MEMORY.md", "+a"}, "hermes' own home"},
		"delete in home":     {[]string{"*** Delete File: ../u/.hermes/config.yaml"}, "hermes' own home"},
		"move into home":     {[]string{"*** Update File: twice.txt", "*** Move to: ../u/.hermes/skills/x"}, "hermes' own home"},
	} {
		d.put("work/ok.txt", "a\n")
		d.put("work/twice.txt", "first\nx\nsecond\nx\nend\n")
		d.put("work/other.txt", "o\n")
		d.put("u/.hermes/config.yaml", "c\n")
		res := d.patch(append(append([]string{}, good...), c.lines...)...)
		if res.OK || !strings.Contains(res.Content, c.want) {
			t.Errorf("%s: %s", name, res.Content)
		}
		got := d.get("work/ok.txt") + d.get("work/twice.txt") + d.get("work/other.txt") + d.get("u/.hermes/config.yaml")
		if want := "a\nfirst\nx\nsecond\nx\nend\no\nc\n"; got != want {
			t.Errorf("%s wrote: %s", name, cmp.Diff(want, got))
		}
	}
}

func TestPatch_parser(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"":                                   `must be "*** Begin Patch"`,
		"*** Begin Patch\n":                  "cut off",
		"*** Begin Patch\n*** End Patch":     "names no file",
		"*** Begin Patch\nhello":             `line 2 of the patch: expected "*** Update File`,
		"*** Begin Patch\n*** Add File: a\n": "cut off",
		"*** Begin Patch\n*** Add File: a\nb\n*** End Patch":                           `line 3 of the patch: every line of an added file`,
		"*** Begin Patch\n*** Update File: a\n*** End Patch":                           "has no hunk",
		"*** Begin Patch\n*** Update File: a\nfoo\n*** End Patch":                      "line 3 of the patch: a line of an update",
		"*** Begin Patch\n*** Update File: a\n-x\n*** End Patch\nmore":                 "nothing may follow",
		"*** Begin Patch\n*** Update File: a\n*** Move to: \n-x\n*** End Patch":        "needs a path",
		"*** Begin Patch\n*** Update File: a\n*** End of File\n*** End Patch":          "without a hunk",
		"*** Begin Patch\n*** Update File: a\n-x\n*** Delete File: \n*** End Patch\n":  "expected",
		"*** Begin Patch\n" + strings.Repeat("*** Delete File: a\n", maxPatchFiles+2):  "more than 200 files",
		"*** Begin Patch\n*** Update File: a\n" + strings.Repeat("x", maxPatchBytes+1): "larger than 4 MB",
	} {
		if _, err := parsePatch(src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v", src, err)
		}
	}
	got, err := parsePatch("\r\n*** Begin Patch\r\n*** Update File:  a b.txt \r\n*** Move to: c\r\n@@ class A:\r\n@@ def f\r\n x\r\n\r\n-y\r\n\\ No newline at end of file\r\n*** End of File\r\n\r\n*** End Patch  \r\n")
	want := []section{{
		path: "a b.txt", to: "c", line: 3,
		hunks: []hunk{{anchors: []string{"class A:", "def f"}, lines: []patchLine{{' ', "x"}, {' ', ""}, {'-', "y"}}, eof: true, line: 5}},
	}}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestPatch_places(t *testing.T) {
	t.Parallel()
	content := "class A:\n    def f(self):\n        pass\n\nclass B:\n    def f(self):\n        pass\n"
	for name, c := range map[string]struct {
		patch, want, note string
	}{
		"nested anchors":   {"@@ class B:\n@@ def f(self):\n-        pass\n+        return 1\n", strings.Replace(content, "B:\n    def f(self):\n        pass", "B:\n    def f(self):\n        return 1", 1), ""},
		"relative indent":  {" pass\n+    x = 1\n*** End of File\n", content + "            x = 1\n", "line_trimmed"},
		"eof decides":      {"         pass\n+    x = 1\n*** End of File\n", content + "    x = 1\n", ""},
		"append":           {"@@\n+done\n*** End of File\n", content + "done\n", ""},
		"behind an anchor": {"@@ class B:\n+    \"doc\"\n", strings.Replace(content, "class B:\n", "class B:\n    \"doc\"\n", 1), ""},
		"indentation":      {" class B:\n def f(self):\n-pass\n+return 2\n", strings.Replace(content, "B:\n    def f(self):\n        pass", "B:\n    def f(self):\n        return 2", 1), "line_trimmed"},
		"line numbers":     {"@@ -5,2 +5,2 @@ class Z\n class B:\n-    def f(self):\n+    def g(self):\n", strings.Replace(content, "B:\n    def f", "B:\n    def g", 1), ""},
		"two hunks":        {"@@\n-class A:\n+class C:\n@@\n-class B:\n+class D:\n", strings.NewReplacer("A:", "C:", "B:", "D:").Replace(content), ""},
	} {
		s, err := parsePatch("*** Begin Patch\n*** Update File: a\n" + c.patch + "*** End Patch")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, notes, err := applyHunks(content, s[0].hunks)
		if c.want == "" {
			if err == nil {
				t.Errorf("%s: applied: %s", name, got)
			}
			continue
		}
		if err != nil || got != c.want || (len(notes) > 0) != (c.note != "") || !strings.Contains(strings.Join(notes, ""), c.note) {
			t.Errorf("%s: %v %v\n%s", name, err, notes, cmp.Diff(c.want, got))
		}
	}
}

func TestPatch_policy(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("work/a.txt", "a\n")
	d.put("work/AGENTS.md", "rules\n")
	d.put("outside/o.txt", "o\n")
	d.put("u/.netrc", "machine x password topsecret\n")
	res := d.patch("*** Update File: a.txt", "-a", "+b", "*** Delete File: ../outside/o.txt", "*** Add File: ../outside/n.txt", "+n")
	if !res.Detail.Denied || len(d.asks) != 1 || len(d.asks[0].Reasons) != 2 || !strings.Contains(d.asks[0].Diff, "-o\n") || d.get("work/a.txt") != "a\n" {
		t.Errorf("%+v %+v", res, d.asks)
	}
	if d.asks = nil; !d.patch("*** Update File: AGENTS.md", "-rules", "+none").Detail.Denied || len(d.asks) != 1 || d.asks[0].Rule != "" {
		t.Errorf("instruction file: %+v", d.asks)
	}
	if res := d.replace("../u/.netrc", "machine y", "z"); res.OK || strings.Contains(res.Content, "topsecret") {
		t.Errorf("the help shows a protected file: %s", res.Content)
	}
	d.say = core.DecideOnce
	if res = d.patch("*** Update File: a.txt", "*** Move to: ../outside/m.txt"); !res.OK || d.get("outside/m.txt") != "a\n" {
		t.Errorf("%+v", res)
	}
}

// TestPatch_rollsBack makes the second write fail.
func TestPatch_rollsBack(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("folder permissions do not bind here")
	}
	d := newDesk(t)
	d.put("work/a.txt", "a\n")
	d.put("work/locked/b.txt", "b\n")
	if err := os.Chmod(filepath.Join(d.root, "locked"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(d.root, "locked"), 0o755) })
	res := d.patch("*** Add File: new.txt", "+n", "*** Update File: a.txt", "-a", "+A", "*** Update File: locked/b.txt", "-b", "+B")
	_, err := os.Stat(filepath.Join(d.root, "new.txt"))
	if res.OK || d.get("work/a.txt") != "a\n" || err == nil {
		t.Errorf("half a patch stayed: %v, %s", err, res.Content)
	}
}

func FuzzPatchBody(f *testing.F) {
	for _, s := range []string{
		"*** Update File: a\n@@ x\n-a\n+b\n c\n*** End of File\n", "*** Add File: a\n+x\n\n+y\n", "*** Delete File: a\n", "*** Update File: a\n*** Move to: b\n",
		"*** Update File: a\n@@ -1,2 +1,3 @@ f\n+x\n-y\n", "*** Update File: a\n\n\n@@\n@@ \n \n+\n",
	} {
		f.Add(s, "a\nb\r\nc")
	}
	f.Fuzz(func(t *testing.T, src, content string) {
		sections, err := parsePatch("*** Begin Patch\n" + src + "*** End Patch")
		if err != nil {
			return
		}
		again, err := parsePatch(written(sections))
		if strings.Contains(src, "\r") {
			return // a CR at the end of a line is taken for half of its break
		}
		if err != nil || stripped(again) != stripped(sections) {
			t.Errorf("read again differs: %v\n%s\n%s", err, stripped(sections), stripped(again))
		}
		for _, s := range sections {
			out, _, err := applyHunks(content, s.hunks)
			if err == nil && len(s.hunks) > 0 && !kept(content, out, s.hunks) {
				t.Errorf("lines were lost: %q → %q by %s", content, out, stripped(sections))
			}
		}
	})
}

// kept checks that no more bytes went than the hunks take away.
func kept(before, after string, hunks []hunk) bool {
	gone := 0
	for _, h := range hunks {
		gone += 2*len(h.text('+')) + 2*strings.Count(before, "\r\n") + 16
	}
	return len(after) >= len(before)-gone
}

// written prints sections as a patch.
func written(list []section) string {
	var b strings.Builder
	b.WriteString("*** Begin Patch\n")
	for _, s := range list {
		switch s.op {
		case opAdd:
			b.WriteString("*** Add File: " + s.path + "\n")
			for l := range strings.Lines(s.content) {
				b.WriteString("+" + l)
			}
		case opDelete:
			b.WriteString("*** Delete File: " + s.path + "\n")
		case opUpdate:
			b.WriteString("*** Update File: " + s.path + "\n")
			if s.to != "" {
				b.WriteString("*** Move to: " + s.to + "\n")
			}
		}
		for _, h := range s.hunks {
			b.WriteString("@@\n")
			for _, a := range h.anchors {
				b.WriteString("@@ " + a + "\n")
			}
			for _, l := range h.lines {
				b.WriteString(string(l.op) + l.text + "\n")
			}
			if h.eof {
				b.WriteString("*** End of File\n")
			}
		}
	}
	return b.String() + "*** End Patch\n"
}

// stripped is sections without where they stood.
func stripped(list []section) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%d %q %q %q", s.op, s.path, s.to, s.content)
		for _, h := range s.hunks {
			fmt.Fprintf(&b, " [%q %q %v]", h.anchors, h.lines, h.eof)
		}
	}
	return b.String()
}

// TestPatch_large bounds the time of many hunks over a long file.
func TestPatch_large(t *testing.T) {
	t.Parallel()
	var content, patch strings.Builder
	patch.WriteString("*** Begin Patch\n*** Update File: f\n")
	for i := range 100_000 {
		fmt.Fprintf(&content, "line %d\n\tsame\n", i)
		if i%50 == 0 {
			fmt.Fprintf(&patch, "@@\n line %d\n-same\n+other\n", i)
		}
	}
	patch.WriteString("*** End Patch\n")
	s, err := parsePatch(patch.String())
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	out, notes, err := applyHunks(content.String(), s[0].hunks)
	if took := time.Since(start); err != nil || len(notes) != 2_000 || strings.Count(out, "\tother\n") != 2_000 || took > 5*time.Second {
		t.Errorf("%v, %d notes, %s", err, len(notes), took)
	} else {
		t.Logf("%d hunks over %d bytes in %s", len(s[0].hunks), content.Len(), took)
	}
}
