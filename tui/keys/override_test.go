package keys

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Sequence{
		"Ctrl+G": {Key: "ctrl+g"}, "ctrl+x g": {Leader: true, Key: "g"}, "Ctrl+X  G": {Leader: true, Key: "G"},
		"Alt+Up": {Key: "alt+up"}, "shift+g": {Key: "G"}, "Shift+Tab": {Key: "shift+tab"}, "PgDn": {Key: "pgdown"},
		"F5": {Key: "f5"}, "+": {Key: "+"}, "ctrl++": {Key: "ctrl++"}, "東": {Key: "東"}, "alt+shift+X": {Key: "alt+shift+x"},
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q: %+v %v", text, got, err)
		}
	}
	for _, text := range []string{"", "hyper+x", "ctrl+nope", "a b c", "ctrl+a b"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"Ctrl+X g", "+", "ctrl+", "東", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		seq, err := Parse(s)
		if err != nil {
			return
		}
		text := seq.Key
		if seq.Leader {
			text = Leader + " " + text
		}
		if again, err := Parse(text); err != nil || again != seq {
			t.Fatalf("%q is %+v, read again %+v %v", s, seq, again, err)
		}
	})
}

func TestOverride(t *testing.T) {
	t.Parallel()
	table := func() Table {
		return Table{
			{ID: "app.cancel", Scope: Anywhere, Keys: []string{"ctrl+c"}},
			{ID: "session.new", Scope: Prefix, Keys: []string{"n"}, Help: "new"},
			{ID: "session.list", Scope: Prefix, Keys: []string{"s"}, Help: "list"},
			{ID: "composer.search", Scope: Composer, Keys: []string{"ctrl+r"}, Help: "search"},
			{ID: "composer.send", Scope: Composer, Keys: []string{"enter"}, Note: true},
			{ID: "read.down", Scope: Transcript, Keys: []string{"j"}, Help: "down"},
		}
	}
	for _, tc := range []struct {
		name     string
		want     map[string][]string
		reach    map[string]string // "scope key" to the id it reaches
		problems []string
	}{
		{"moves", map[string][]string{"session.new": {"Ctrl+X m"}}, map[string]string{"prefix m": "session.new", "prefix n": ""}, nil},
		{"takes away", map[string][]string{"session.new": {}}, map[string]string{"prefix n": ""}, nil},
		{"without the leader", map[string][]string{"session.list": {"ctrl+x s", "Ctrl+S"}}, map[string]string{"prefix s": "session.list", "anywhere ctrl+s": "session.list"}, nil},
		{"takes from another", map[string][]string{"session.new": {"ctrl+x s"}}, map[string]string{"prefix s": "session.new"}, []string{"no longer means"}},
		{"takes from another scope", map[string][]string{"session.new": {"ctrl+r"}}, map[string]string{"anywhere ctrl+r": "session.new", "composer ctrl+r": ""}, []string{"composer.search"}},
		{"twice", map[string][]string{"session.list": {"ctrl+x q"}, "session.new": {"ctrl+x q"}}, map[string]string{"prefix q": "session.list", "prefix n": "session.new"}, []string{"configured for session.list"}},
		{"unknown", map[string][]string{"nope": {"ctrl+x q"}}, nil, []string{"no such action; the end of /help lists them"}},
		{"nearly", map[string][]string{"session.pick": {"ctrl+x q"}}, nil, []string{"no such action; there are session.new, session.list"}},
		{"fixed", map[string][]string{"session.new": {"ctrl+c"}, "app.cancel": {"ctrl+q"}, "composer.send": {"ctrl+s"}}, map[string]string{"anywhere ctrl+c": "app.cancel", "prefix n": "session.new"}, []string{"fixed", "fixed", "cannot be given"}},
		{"types", map[string][]string{"composer.search": {"s"}, "read.down": {"n"}}, map[string]string{"composer ctrl+r": "composer.search", "transcript n": "read.down", "transcript j": ""}, []string{"types text"}},
		{"no key", map[string][]string{"read.down": {"hyper+n"}}, map[string]string{"transcript j": "read.down"}, []string{"not a key"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			before := table()
			got, problems := before.Override(tc.want)
			if diff := cmp.Diff(table(), before); diff != "" {
				t.Errorf("the table given was changed: %s", diff)
			}
			for at, id := range tc.reach {
				scope, key, _ := strings.Cut(at, " ")
				b, _ := got.Find(Scope(scope), key)
				if b.Target() != id {
					t.Errorf("%s reaches %q, want %q", at, b.Target(), id)
				}
			}
			if len(problems) != len(tc.problems) {
				t.Fatalf("problems %q", problems)
			}
			for i, p := range tc.problems {
				if !strings.Contains(strings.Join(problems, "\n"), p) {
					t.Errorf("problem %d: no %q in %q", i, p, problems)
				}
			}
			if c := got.Conflicts(); len(c) > 0 {
				t.Errorf("conflicts %q", c)
			}
		})
	}
}
