package file

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/home"
	"hermes/tools"
)

// desk is a working folder with the toolset behind a registry, and a hermes home beside it.
type desk struct {
	t    *testing.T
	top  string
	root string
	home home.Home
	reg  *tools.Registry
	asks []core.Approval
	say  core.Decision
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	top, err := home.ResolvePath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, top: top, root: filepath.Join(top, "work"), home: home.At(filepath.Join(top, "u/.hermes")), say: core.DecideDeny}
	for _, dir := range []string{d.root, d.home.Memories(), d.home.SessionFiles("s1"), filepath.Join(top, "outside")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w, err := tools.NewWorkdir(d.root)
	if err != nil {
		t.Fatal(err)
	}
	d.reg = tools.New(tools.Options{
		Home: d.home,
		Approver: core.ApproverFunc(func(_ context.Context, a core.Approval) (core.Decision, string) {
			d.asks = append(d.asks, a)
			return d.say, ""
		}),
	}, New(Options{Workdir: w, Policy: tools.NewPolicy(d.home, d.root)})...)
	return d
}

func (*desk) now() time.Time { return time.Now().Add(time.Hour) }

func (d *desk) put(name, content string) string {
	d.t.Helper()
	p := filepath.Join(d.top, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		d.t.Fatal(err)
	}
	return p
}

func (d *desk) get(name string) string {
	d.t.Helper()
	b, err := os.ReadFile(filepath.Join(d.top, name))
	if err != nil {
		d.t.Error(err)
	}
	return string(b)
}

func (d *desk) link(target, name string) {
	d.t.Helper()
	if err := os.Symlink(target, filepath.Join(d.top, name)); err != nil {
		d.t.Skipf("no links: %v", err)
	}
}

func (d *desk) call(tool string, args map[string]any) core.ToolResult {
	d.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.reg.Run(d.t.Context(), core.ToolCall{ID: "c1", Name: tool, Arguments: string(raw)}, core.ToolRun{SessionID: "s1"})
}

func TestSpecs_stable(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, s := range d.reg.Specs() {
		if len(s.Description) < 100 || strings.Contains(s.Description, "\r") || !json.Valid(s.Parameters) {
			t.Errorf("%s: %q", s.Name, s.Description)
		}
	}
	if diff := cmp.Diff(d.reg.Specs(), newDesk(t).reg.Specs()); diff != "" {
		t.Error(diff)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	long := strings.Repeat("é", 3000)
	many := strings.Repeat("x\n", 2500)
	for name, c := range map[string]struct {
		content string
		args    map[string]any
		want    string
	}{
		"plain":           {"a\nb\n", nil, "     1|a\n     2|b\n"},
		"no final break":  {"a\nb", nil, "     1|a\n     2|b\n"},
		"crlf":            {"a\r\nb\r\n", nil, "     1|a\n     2|b\n[line ends are CR LF; write_file keeps them]"},
		"bom":             {"\ufeffa\n", nil, "     1|a\n[the file is UTF-8 with BOM]"},
		"utf-16":          {"\xff\xfea\x00\n\x00\xe9\x00\n\x00", nil, "     1|a\n     2|é\n[the file is UTF-16LE]"},
		"utf-16, big end": {"\xfe\xff\x00a\x00\n", nil, "     1|a\n[the file is UTF-16BE]"},
		"latin-1":         {"caf\xe9\n", nil, "     1|caf\uFFFD\n"},
		"page":            {"a\nb\nc\nd\n", map[string]any{"offset": 2, "limit": 2}, "     2|b\n     3|c\n[lines 2-3 of 4; continue with offset 4, or find the place with search_files]"},
		"last page":       {"a\nb\nc\n", map[string]any{"offset": 3}, "     3|c\n[lines 3-3 of 3]"},
		"empty":           {"", nil, "work/f is empty."},
		"line cut":        {"a\n" + long + "\n", nil, "     1|a\n     2|" + strings.Repeat("é", 2000) + " [... about 1,000 more characters on this line]\n"},
		"many":            {many, map[string]any{"limit": 2000, "offset": 1}, ""},
	} {
		d.put("work/f", c.content)
		args := map[string]any{"path": "f"}
		for k, v := range c.args {
			args[k] = v
		}
		res := d.call("read_file", args)
		want := strings.ReplaceAll(c.want, "work/f is", "f is")
		if c.want == "" {
			if !strings.HasSuffix(res.Content, "  2000|x\n[lines 1-2000 of 2,500; continue with offset 2001, or find the place with search_files]") {
				t.Errorf("%s: ends %q", name, res.Content[len(res.Content)-120:])
			}
			continue
		}
		if !res.OK || res.Content != want {
			t.Errorf("%s: %s", name, cmp.Diff(want, res.Content))
		}
	}
}

func TestRead_limits(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("work/wide", strings.Repeat(strings.Repeat("y", 1500)+"\n", 200))
	res := d.call("read_file", map[string]any{"path": "wide"})
	if n := len(res.Content); !res.OK || n > MaxRead+300 || n < MaxRead-2000 || !strings.Contains(res.Content, "limit of 100,000 characters is reached; continue with offset 67") {
		t.Errorf("%d bytes, ends %q", n, res.Content[n-150:])
	}
	if res.Detail.Spill != "" {
		t.Error("a read was spilled")
	}
	// A line without end must not be loaded.
	f, err := os.Create(filepath.Join(d.root, "huge"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("start"); err != nil {
		t.Fatal(err)
	}
	chunk := []byte(strings.Repeat("z", 1<<20))
	for range 80 {
		if _, err := f.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res = d.call("read_file", map[string]any{"path": "huge"})
	runtime.ReadMemStats(&after)
	if !res.OK || len(res.Content) > 3000 || !strings.HasPrefix(res.Content, "     1|startzz") {
		t.Errorf("%.100q", res.Content)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 32<<20 {
		t.Errorf("allocated %d bytes for an 80 MB line", grown)
	}
}

func TestRead_whatIsNoText(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("work/x.png", "\x89PNG\r\n\x1a\n\x00\x00\x00")
	d.put("work/x.bin", "ab\x00cd")
	d.put("work/dir/a.txt", "")
	d.put("work/dir/b/c.txt", "")
	d.put("work/Readme.md", "")
	for args, want := range map[string]string{
		"x.png": "is not text: image/png, 11 bytes", "x.bin": "is not text: binary data, 5 bytes", "dir": "2 entries:\na.txt\nb/\n",
		"README.txt": "Did you mean Readme.md?", "no/such": "folder does not exist", "": "path is empty",
	} {
		if res := d.call("read_file", map[string]any{"path": args}); !strings.Contains(res.Content, want) {
			t.Errorf("%s: %s", args, res.Content)
		}
	}
	if res := d.call("read_file", map[string]any{"path": "dir/a.txt", "offset": 9}); !strings.Contains(res.Content, "is empty") {
		t.Errorf("%s", res.Content)
	}
	d.put("work/two", "a\nb\n")
	if res := d.call("read_file", map[string]any{"path": "two", "offset": 9}); res.OK || !strings.Contains(res.Content, "only 2 lines") {
		t.Errorf("%s", res.Content)
	}
}

func TestRead_protected(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("u/.hermes/.env", "KEY=topsecret")
	d.put("u/.hermes/memories/MEMORY.md", "topsecret")
	d.put("u/.hermes/sessions/s1.files/c.txt", "spilled")
	d.put("u/.hermes/sessions/s2.files/c.txt", "topsecret")
	d.put("u/.ssh/id_rsa", "topsecret")
	d.put("u/.netrc", "topsecret")
	d.link("../u/.hermes/.env", "work/innocent")
	d.link("../u/.hermes", "work/folder")
	for _, p := range []string{
		filepath.Join(d.home.Dir(), ".env"), "../u/.hermes/memories/MEMORY.md", "innocent", "folder/.env", "folder/../.hermes/.env", "folder",
		"../u/.hermes/sessions/s2.files/c.txt", "../u/.ssh/id_rsa", "../u/.netrc",
	} {
		res := d.call("read_file", map[string]any{"path": p})
		if res.OK || strings.Contains(res.Content, "topsecret") || !res.Detail.Denied {
			t.Errorf("%s: %+v", p, res)
		}
	}
	if len(d.asks) != 1 || !strings.HasSuffix(d.asks[0].Subject, ".netrc") {
		t.Errorf("asked %+v", d.asks)
	}
	if res := d.call("read_file", map[string]any{"path": "../u/.hermes/sessions/s1.files/c.txt"}); !res.OK {
		t.Errorf("own spill: %+v", res)
	}
	d.say = core.DecideOnce
	if res := d.call("read_file", map[string]any{"path": "../u/.netrc"}); !res.OK {
		t.Errorf("after a yes: %+v", res)
	}
	if res := d.call("search_files", map[string]any{"pattern": "topsecret", "path": ".."}); strings.Contains(res.Content, "topsecret") || !strings.Contains(res.Content, "nothing found") {
		t.Errorf("search shows protected files: %s", res.Content)
	}
	if res := d.call("search_files", map[string]any{"pattern": "x", "path": "folder"}); !res.Detail.Denied {
		t.Errorf("search in the home: %+v", res)
	}
}

func TestRead_pipe(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no named pipes in the file system")
	}
	d := newDesk(t)
	if err := mkfifo(filepath.Join(d.root, "pipe")); err != nil {
		t.Skip(err)
	}
	for _, tool := range []string{"read_file", "write_file"} {
		args := map[string]any{"path": "pipe"}
		if tool == "write_file" {
			args["content"] = "x"
		}
		if res := d.call(tool, args); res.OK || !strings.Contains(res.Content, "regular file") {
			t.Errorf("%s: %+v", tool, res)
		}
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	res := d.call("write_file", map[string]any{"path": "new/deep/f.txt", "content": "a\nb\n"})
	if !res.OK || res.Content != "Wrote new/deep/f.txt: created, 2 lines." || d.get("work/new/deep/f.txt") != "a\nb\n" {
		t.Errorf("%+v", res)
	}
	if want := "--- /dev/null\n+++ new/deep/f.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n"; res.Detail.Diff != want {
		t.Errorf("diff %s", cmp.Diff(want, res.Detail.Diff))
	}
	res = d.call("write_file", map[string]any{"path": "new/deep/f.txt", "content": "a\nc\nd\n"})
	if res.Content != "Wrote new/deep/f.txt: +2 -1, now 3 lines." || !strings.Contains(res.Detail.Diff, "-b\n+c\n+d\n") {
		t.Errorf("%+v\n%s", res, res.Detail.Diff)
	}
	if res = d.call("write_file", map[string]any{"path": "new/deep/f.txt", "content": "a\nc\nd\n"}); !res.OK || !strings.Contains(res.Content, "already holds") {
		t.Errorf("%+v", res)
	}
	if len(d.asks) > 0 {
		t.Errorf("asked %+v", d.asks)
	}
}

func TestWrite_keepsForm(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, c := range map[string]struct{ old, content, want string }{
		"crlf":             {"a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"},
		"crlf sent":        {"a\r\n", "a\r\nb\r\n", "a\r\nb\r\n"},
		"mixed stays mine": {"a\r\nb\n", "a\nb\n", "a\nb\n"},
		"bom":              {"\ufeffa\n", "b\n", "\ufeffb\n"},
		"utf-16":           {"\xff\xfea\x00", "é", "\xff\xfe\xe9\x00"},
		"empty":            {"", "x", "x"},
	} {
		d.put("work/f", c.old)
		d.call("read_file", map[string]any{"path": "f"})
		if res := d.call("write_file", map[string]any{"path": "f", "content": c.content}); !res.OK || d.get("work/f") != c.want {
			t.Errorf("%s: %q, %+v", name, d.get("work/f"), res)
		}
	}
	p := d.put("work/run.sh", "old")
	if err := os.Chmod(p, 0o755); err != nil {
		t.Fatal(err)
	}
	d.link("run.sh", "work/link.sh")
	d.call("read_file", map[string]any{"path": "run.sh"})
	if res := d.call("write_file", map[string]any{"path": "link.sh", "content": "new"}); !res.OK || d.get("work/run.sh") != "new" {
		t.Errorf("%+v", res)
	}
	info, err := os.Stat(p)
	l, lerr := os.Lstat(filepath.Join(d.root, "link.sh"))
	if err != nil || lerr != nil || (runtime.GOOS != "windows" && info.Mode().Perm() != 0o755) || l.Mode()&os.ModeSymlink == 0 {
		t.Errorf("mode %v, link %v", info.Mode(), l.Mode())
	}
}

// TestOpenTF02_policy is the policy part of case OPEN-TF-02: the resolved path is judged.
func TestOpenTF02_policy(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("outside/real", "old")
	d.put("work/AGENTS.md", "old")
	d.put("u/.hermes/config.yaml", "old")
	d.put("u/.ssh/id_rsa", "old")
	d.link("../outside/real", "work/inside")
	d.link("../outside", "work/dir")
	d.link("../outside/missing", "work/dangling")
	d.link("AGENTS.md", "work/notes.md")
	d.link("loop", "work/loop")
	d.link("../u/.hermes/config.yaml", "work/conf")
	for path, asks := range map[string]int{
		"inside": 1, "dir/new": 1, "dangling": 1, "../outside/x": 1, "AGENTS.md": 1, "notes.md": 1, "sub/CLAUDE.md": 1, ".env": 1, ".git/hooks/x": 1,
		"conf": 0, "../u/.hermes/memories/MEMORY.md": 0, "../u/.ssh/id_rsa": 0, "loop": 0,
	} {
		d.call("read_file", map[string]any{"path": path})
		d.asks = nil
		res := d.call("write_file", map[string]any{"path": path, "content": "new"})
		if res.OK || len(d.asks) != asks {
			t.Errorf("%s: asked %d times, %+v", path, len(d.asks), res)
		}
		if asks > 0 && (d.asks[0].Diff == "" || d.asks[0].Subject == "" || len(d.asks[0].Reasons) == 0) {
			t.Errorf("%s: %+v", path, d.asks[0])
		}
	}
	for _, f := range []string{"outside/real", "work/AGENTS.md", "u/.hermes/config.yaml", "u/.ssh/id_rsa"} {
		if d.get(f) != "old" {
			t.Errorf("%s was written", f)
		}
	}
	d.say, d.asks = core.DecideOnce, nil
	if res := d.call("write_file", map[string]any{"path": "inside", "content": "new"}); !res.OK || d.get("outside/real") != "new" {
		t.Errorf("after a yes: %+v", res)
	}
	d.say, d.asks = core.DecideSession, nil
	for range 2 { // instruction files ask every time
		d.call("write_file", map[string]any{"path": "AGENTS.md", "content": "new"})
	}
	if len(d.asks) != 2 || d.asks[0].Rule != "" {
		t.Errorf("instruction file: %+v", d.asks)
	}
}

func TestWrite_refused(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("work/bin", "a\x00b")
	for name, c := range map[string]struct{ path, content, want string }{
		"mark":    {"f", "key: [redacted:API_KEY]\n", "[redacted] mark"},
		"numbers": {"f", "     1|a\n     2|b\n     3|c\n", "line numbers"},
		"binary":  {"bin", "text", "is not text"},
		"folder":  {".", "text", "is a folder"},
	} {
		if res := d.call("write_file", map[string]any{"path": c.path, "content": c.content}); res.OK || !strings.Contains(res.Content, c.want) {
			t.Errorf("%s: %+v", name, res)
		}
	}
	if _, err := os.Stat(filepath.Join(d.root, "f")); err == nil {
		t.Error("f was written")
	}
}

func TestWrite_whenChangedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, meddle := range map[string]func(*desk){
		"content": func(d *desk) { d.put("outside/f", "theirs") },
		"link":    func(d *desk) { _ = os.Remove(filepath.Join(d.top, "outside/f")); d.link("../work/other", "outside/f") },
		"removed": func(d *desk) { _ = os.Remove(filepath.Join(d.top, "outside/f")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.put("outside/f", "old")
			w, err := tools.NewWorkdir(d.root)
			if err != nil {
				t.Fatal(err)
			}
			reg := tools.New(tools.Options{Approver: core.ApproverFunc(func(context.Context, core.Approval) (core.Decision, string) {
				meddle(d)
				return core.DecideOnce, ""
			})}, New(Options{Workdir: w, Policy: tools.NewPolicy(d.home, d.root)})...)
			reg.Run(t.Context(), core.ToolCall{ID: "r", Name: "read_file", Arguments: `{"path":"../outside/f"}`}, core.ToolRun{})
			res := reg.Run(t.Context(), core.ToolCall{ID: "c", Name: "write_file", Arguments: `{"path":"../outside/f","content":"new"}`}, core.ToolRun{})
			if res.OK {
				t.Errorf("written over a change: %+v", res)
			}
		})
	}
}
