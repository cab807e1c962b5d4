package skill

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/core/ledger"
	"hermes/skills"
	"hermes/skills/guard"
)

// What real people wrote passes through every door: it is listed, read page by page to the last byte, written
// anew by the agent with its files, patched, rolled back, archived and brought back unchanged.
// HERMES_SKILL_CORPUS names the collection.
func TestTools_collection(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("HERMES_SKILL_CORPUS")
	if dir == "" {
		t.Skip("HERMES_SKILL_CORPUS names no collection")
	}
	read := newRig(t, func(o *skills.Options, _ *Options) { o.External = []string{dir} })
	list, err := read.lib.Entries(t.Context())
	if err != nil || len(list) == 0 {
		t.Fatal(len(list), err)
	}
	index, err := read.lib.Index(t.Context(), skills.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	if a := read.call(t, List, args()); a.Count != len(index.Lines) {
		t.Errorf("listed %d of %d", a.Count, len(index.Lines))
	}
	write := newRig(t, func(o *skills.Options, _ *Options) {
		o.Guard = skills.Scanned(guard.New(guard.Options{}), guard.AgentCreated)
	})
	marked := 0
	for _, e := range list {
		if whole, ok := read.readAll(t, e.Rel); ok {
			if strings.HasPrefix(whole, "[Warning by hermes") {
				marked++
				t.Logf("%s: %.140s", e.Rel, whole)
			} else if data, err := os.ReadFile(e.Path); err != nil || whole != string(data) {
				t.Errorf("%s is not read as it is: %v", e.Rel, err)
			}
			for _, f := range skills.Files(e.Folder) {
				if a := read.call(t, View, args("name", e.Rel, "file_path", f)); !a.OK {
					t.Errorf("%s %s: %s", e.Rel, f, a.Error)
				}
			}
		}
		write.life(t, e)
	}
	for _, a := range write.asked {
		t.Logf("asked about %s: %.120s", a.Subject, strings.Join(a.Reasons[1:], "; "))
	}
	t.Logf("%d skills, %d marked as steering the agent, %d asked about", len(list), marked, len(write.asked))
	if marked*20 > len(list) {
		t.Errorf("%d of %d honest skills are marked", marked, len(list))
	}
}

// readAll is a SKILL.md as the agent reads it, page by page; false when it is for another system.
func (r *rig) readAll(t *testing.T, name string) (string, bool) {
	t.Helper()
	var b strings.Builder
	for at := 0; ; {
		a := r.call(t, View, args("name", name, "offset", at))
		if !a.OK {
			if a.Ready != "unsupported" {
				t.Errorf("%s at %d: %s", name, at, a.Error)
			}
			return "", false
		}
		b.WriteString(a.Content)
		if at = a.Next; at == 0 {
			return b.String(), true
		}
	}
}

// life takes a skill of another library through all that can be done to it.
func (r *rig) life(t *testing.T, e skills.Entry) {
	t.Helper()
	text := func(p string) string {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	begin := text(e.Path)
	a := r.call(t, Manage, args("action", "create", "name", e.Dir, "category", "real", "content", begin))
	if !a.OK {
		t.Errorf("%s: create: %s", e.Rel, a.Error)
		return
	}
	for _, f := range skills.Files(e.Folder) {
		if body := text(filepath.Join(e.Folder, f)); body != "" {
			if a := r.call(t, Manage, args("action", "write_file", "name", e.Dir, "file_path", f, "file_content", body)); !a.OK {
				t.Logf("%s: %s: %s", e.Rel, f, a.Error)
			}
		}
	}
	m, err := r.lib.Find(t.Context(), e.Dir)
	if err != nil {
		t.Error(err)
		return
	}
	before, files := text(m.Path), skills.Files(m.Folder)
	_, body, _ := strings.Cut(strings.TrimPrefix(before, "---"), "\n---")
	line := ""
	for l := range strings.Lines(body) {
		if l = strings.TrimRight(l, "\n"); len(l) > 12 && strings.Count(before, l) == 1 {
			line = l
			break
		}
	}
	if a := r.call(t, Manage, args("action", "patch", "name", e.Dir, "old_string", line, "new_string", line+" 茶")); !a.OK || strings.Replace(before, line, line+" 茶", 1) != text(m.Path) {
		t.Errorf("%s: patch of %q: %s", e.Rel, line, a.Error)
	}
	you := ledger.Change{Actor: ledger.You}
	h, err := r.lib.History(t.Context(), e.Dir)
	if err != nil || len(h) < 2 {
		t.Errorf("%s: %d changes, %v", e.Rel, len(h), err)
		return
	}
	if _, _, err := r.lib.Rollback(t.Context(), you, e.Dir, h[1].ID); err != nil || text(m.Path) != before {
		t.Errorf("%s: rollback: %v", e.Rel, err)
	}
	if a := r.call(t, Manage, args("action", "delete", "name", e.Dir)); !a.OK {
		t.Errorf("%s: delete: %s", e.Rel, a.Error)
	}
	if _, err := os.Stat(m.Folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", e.Rel, err)
	}
	back, err := r.lib.Restore(t.Context(), you, e.Dir)
	if err != nil || back.Rel != "real/"+e.Dir || text(back.Path) != before || strings.Join(skills.Files(back.Folder), " ") != strings.Join(files, " ") {
		t.Errorf("%s: restore: %v", e.Rel, err)
	}
}
