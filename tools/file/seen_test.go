package file

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/core"
	"hermes/tools"
)

func (d *desk) write(path, content string) core.ToolResult {
	return d.call("write_file", map[string]any{"path": path, "content": content})
}

func (d *desk) read(path string, offset, limit int) core.ToolResult {
	args := map[string]any{"path": path}
	if offset > 0 {
		args["offset"] = offset
	}
	if limit > 0 {
		args["limit"] = limit
	}
	return d.call("read_file", args)
}

func TestSeen_readBeforeOverwrite(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	long := strings.Repeat("line\n", 30)
	d.put("work/f", long)
	if res := d.write("f", "x"); res.OK || !strings.Contains(res.Content, "was not read in this session") || d.get("work/f") != long {
		t.Errorf("unread: %+v", res)
	}
	d.read("f", 1, 10)
	d.read("f", 21, 10)
	if res := d.write("f", "x"); res.OK || !strings.Contains(res.Content, "only lines 1-10, 21-30 of 30") {
		t.Errorf("read in part: %+v", res)
	}
	d.read("f", 11, 10)
	if res := d.write("f", "new\n"); !res.OK {
		t.Errorf("read page by page: %+v", res)
	}
	if res := d.write("f", "newer\n"); !res.OK {
		t.Errorf("what was just written is known: %+v", res)
	}
	d.put("work/f", "theirs\n")
	if res := d.write("f", "mine\n"); res.OK || !strings.Contains(res.Content, "changed since") || d.get("work/f") != "theirs\n" {
		t.Errorf("stale: %+v", res)
	}
	d.read("f", 0, 0)
	if res := d.write("f", "mine\n"); !res.OK {
		t.Errorf("read again: %+v", res)
	}
	d.put("work/wide", strings.Repeat("w", MaxLine+1))
	d.read("wide", 0, 0)
	if res := d.write("wide", "x"); res.OK {
		t.Errorf("a line was cut in what was read: %+v", res)
	}
	d.put("work/empty", "")
	if res := d.write("empty", "x"); !res.OK {
		t.Errorf("an empty file holds nothing to lose: %+v", res)
	}
	d.put("work/same", "x")
	if res := d.write("same", "x"); !res.OK {
		t.Errorf("the same content: %+v", res)
	}
	other := d.reg.Run(t.Context(), core.ToolCall{ID: "c", Name: "write_file", Arguments: `{"path":"f","content":"x"}`}, core.ToolRun{SessionID: "s2"})
	if other.OK {
		t.Errorf("another session read it, not this one: %+v", other)
	}
}

func TestSeen_patch(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("work/f", "a\nb\n")
	if res := d.replace("f", "a", "A"); !res.OK || strings.Contains(res.Content, "had changed") {
		t.Errorf("%+v", res)
	}
	if res := d.write("f", "x"); res.OK {
		t.Errorf("a patched file is not a read one: %+v", res)
	}
	d.read("f", 0, 0)
	if res := d.replace("f", "A", "B"); !res.OK || strings.Contains(res.Content, "had changed") {
		t.Errorf("%+v", res)
	}
	if res := d.write("f", "a\nb\n"); !res.OK {
		t.Errorf("known, patched, still known: %+v", res)
	}
	d.put("work/f", "a\nb\nc\n")
	if res := d.replace("f", "c", "C"); !res.OK || !strings.Contains(res.Content, "f had changed since") {
		t.Errorf("%+v", res)
	}
	for i := range 4 {
		if res := d.replace("f", "nowhere to be found", "x"); strings.Contains(res.Content, "in a row") != (i >= 2) {
			t.Errorf("failure %d: %s", i, res.Content)
		}
	}
	d.replace("f", "C", "D")
	if res := d.replace("f", "nowhere to be found", "x"); strings.Contains(res.Content, "in a row") {
		t.Errorf("a success starts anew: %s", res.Content)
	}
}

func TestSeen_repeats(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.put("work/f", strings.Repeat("some words\n", 100))
	first := d.read("f", 0, 0)
	again := d.read("f", 0, 0)
	if !again.OK || len(again.Content) > 200 || !strings.Contains(again.Content, "lines 1-100") {
		t.Errorf("%+v", again)
	}
	if res := d.write("g", again.Content); res.OK || !strings.Contains(res.Content, "notice") {
		t.Errorf("the notice was written: %+v", res)
	}
	if res := d.read("f", 1, 50); len(res.Content) < 500 {
		t.Errorf("another page: %s", res.Content)
	}
	if err := os.Chtimes(p, d.now(), d.now()); err != nil {
		t.Fatal(err)
	}
	if res := d.read("f", 0, 0); len(res.Content) > 200 {
		t.Error("touched, not changed")
	}
	d.put("work/f", strings.Repeat("some wordz\n", 100))
	if res := d.read("f", 0, 0); len(res.Content) != len(first.Content) {
		t.Errorf("changed: %.200s", res.Content)
	}
	d.reg.Forget("s1", filepath.Join(d.root, "f"))
	if res := d.read("f", 0, 0); len(res.Content) != len(first.Content) {
		t.Errorf("forgotten: %.200s", res.Content)
	}
	d.put("work/short", "a\n")
	d.read("short", 0, 0)
	if res := d.read("short", 0, 0); !strings.Contains(res.Content, "1|a") {
		t.Errorf("a short text is shorter than the notice: %s", res.Content)
	}
}

func TestSeen_known(t *testing.T) {
	t.Parallel()
	s := NewSeen()
	c := &change{path: "/f", old: []byte("a"), exists: true, data: []byte("b")}
	if s.overwrite("s", c) == "" {
		t.Error("unread")
	}
	s.Known("s", "/f", []byte("a"))
	if why := s.overwrite("s", c); why != "" {
		t.Error(why)
	}
	s.Known("s", "/f", []byte("other"))
	if s.overwrite("s", c) == "" {
		t.Error("stale")
	}
}

func TestSeen_bounded(t *testing.T) {
	t.Parallel()
	s := NewSeen()
	for i := range maxSights + 50 {
		s.wrote("s", &change{path: fmt.Sprint(i), data: []byte("x")})
	}
	if n := len(s.sessions["s"].files); n > maxSights {
		t.Errorf("%d files remembered", n)
	}
	if s.find("s", fmt.Sprint(maxSights+49)) == nil || s.find("s", "0") != nil {
		t.Error("the wrong ones were forgotten")
	}
}

func TestWrite_sensitive(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := tools.NewPolicy(d.home, d.root)
	for path, want := range map[string]tools.Action{
		"/etc/passwd": tools.ActionDeny, "/boot/x": tools.ActionDeny, "/usr/lib/systemd/system/x.service": tools.ActionDeny, "/private/etc/hosts": tools.ActionDeny,
		"/var/run/docker.sock": tools.ActionDeny, "/run/docker.sock": tools.ActionDeny, "/tmp/x": tools.ActionAsk, filepath.Join(d.root, "etc/x"): tools.ActionAllow,
		filepath.Join(d.top, "u/.ssh/config"): tools.ActionAsk, filepath.Join(d.root, ".env"): tools.ActionAsk,
	} {
		if got, why := p.Write(path); got != want {
			t.Errorf("%s: %d %s, want %d", path, got, why, want)
		}
	}
	p.Root = "/etc/nginx"
	if got, _ := p.Write("/etc/nginx/x.conf"); got != tools.ActionAsk {
		t.Errorf("working folder in /etc: %d", got)
	}
	for _, path := range []string{"f.docx", "f.XLSX", "db.sqlite-wal"} {
		if res := d.write(path, "text"); res.OK || !res.Detail.Denied {
			t.Errorf("%s: %+v", path, res)
		}
	}
	d.put("work/f.pdf", "%PDF-1.4\n")
	if res := d.write("f.pdf", "text"); res.OK || !strings.Contains(res.Content, "not text") {
		t.Errorf("over a PDF: %+v", res)
	}
	if res := d.write("new.pdf", "text"); !res.OK {
		t.Errorf("a new one: %+v", res)
	}
}
