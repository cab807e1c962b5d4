package config

import "testing"

// The names of actions have dots in them; nobody has to quote them.
func TestKeysOfActions(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"keys.pane.next", `keys."pane.next"`} {
		h := place(t, "", "")
		s := Open(h)
		if err := s.Set(t.Context(), path, "[ctrl+x w, f2]"); err != nil {
			t.Fatal(err)
		}
		c, problems := Load(h)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if got := c.Keys["pane.next"]; len(got) != 2 || got[0] != "ctrl+x w" || got[1] != "f2" {
			t.Errorf("%s: %q", path, c.Keys)
		}
		if got, err := s.Get("keys.pane.next"); err != nil || !got.Set {
			t.Errorf("%+v %v", got, err)
		}
	}
}
