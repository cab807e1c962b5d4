package keys_test

import (
	"strings"
	"testing"

	"hermes/tui/keys"
)

func TestConflicts(t *testing.T) {
	t.Parallel()
	table := keys.Table{
		{ID: "a", Scope: keys.Composer, Keys: []string{"enter"}},
		{ID: "b", Scope: keys.Transcript, Keys: []string{"enter"}},
		{ID: "c", Scope: keys.Anywhere, Keys: []string{"ctrl+l"}, Slash: "/c"},
		{ID: "d", Scope: keys.Prefix, Keys: []string{"ctrl+l"}},
	}
	if got := table.Conflicts(); len(got) != 0 {
		t.Errorf("no conflict expected, got %v", got)
	}
	table = append(table,
		keys.Binding{ID: "e", Scope: keys.List, Keys: []string{"ctrl+l"}},
		keys.Binding{ID: "a", Scope: keys.Prefix, Slash: "/c"})
	if got := table.Conflicts(); len(got) != 3 {
		t.Errorf("key, id and command conflict expected, got %v", got)
	}
}

func TestLabel(t *testing.T) {
	t.Parallel()
	b := keys.Binding{Scope: keys.Prefix, Keys: []string{"n", "ctrl+e"}}
	if got, want := b.Label(), "Ctrl+X n, Ctrl+X Ctrl+E"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for in, want := range map[string]string{"pgup": "PgUp", "?": "?", "alt+enter": "Alt+Enter", "j": "j", "shift+tab": "Shift+Tab"} {
		if got := keys.Name(in); got != want {
			t.Errorf("Name(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFindAndComplete(t *testing.T) {
	t.Parallel()
	table := keys.Table{
		{ID: "new", Scope: keys.Prefix, Keys: []string{"n"}, Slash: "/new", Help: "start a session"},
		{ID: "note", Scope: keys.Composer, Keys: []string{"ctrl+a"}, Note: true},
	}
	if _, ok := table.Find(keys.Composer, "ctrl+a"); ok {
		t.Error("a note must not be found")
	}
	if b, ok := table.Find(keys.Prefix, "n"); !ok || b.ID != "new" {
		t.Error("n not found")
	}
	if got := table.Complete("/n"); len(got) != 1 {
		t.Errorf("got %v", got)
	}
	if !strings.Contains(table.Markdown(), "| prefix | `Ctrl+X n` | `/new` | start a session | new |") {
		t.Error(table.Markdown())
	}
}
