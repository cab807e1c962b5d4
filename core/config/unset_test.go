package config

import (
	"os"
	"testing"

	"hermes/core"
	"hermes/core/home"
)

func TestUnset(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, path, after string
		had                 bool
		code                core.Code
	}{
		"one of two":           {"memory:\n  nudge_interval: 3 # often\n  memory_enabled: true\n", "memory.nudge_interval", "memory:\n  memory_enabled: true\n", true, ""},
		"the last of two":      {"memory:\n  memory_enabled: true\n  nudge_interval: 3\n\n# colours\ndisplay: {theme: dark}\n", "memory.nudge_interval", "memory:\n  memory_enabled: true\n\n# colours\ndisplay: {theme: dark}\n", true, ""},
		"its section is empty": {"# mine\nmemory:\n  nudge_interval: 3\ndisplay:\n  theme: dark\n", "memory.nudge_interval", "# mine\ndisplay:\n  theme: dark\n", true, ""},
		"a list":               {"toolsets:\n- file\n- web\nagent:\n  max_turns: 9\n", "toolsets", "agent:\n  max_turns: 9\n", true, ""},
		"a whole section":      {"memory:\n  nudge_interval: 3\n  memory_enabled: true\nagent:\n  max_turns: 9\n", "memory", "agent:\n  max_turns: 9\n", true, ""},
		"the only one":         {"agent:\n  max_turns: 9\n", "agent.max_turns", "", true, ""},
		"keys nobody knows":    {"keys:\n  no.such: [x]\n  palette.open: [ctrl+k]\n", "keys.no.such", "keys:\n  palette.open: [ctrl+k]\n", true, ""},
		"another program's":    {"skin: blue\n", "skin", "", true, ""},
		"windows lines":        {"a: 1\r\nagent:\r\n  max_turns: 9\r\nb: 2\r\n", "agent.max_turns", "a: 1\r\nb: 2\r\n", true, ""},
		"not there":            {"a: 1\n", "agent.max_turns", "a: 1\n", false, ""},
		"no such setting":      {"a: 1\n", "agent.max_turn", "a: 1\n", false, core.CodeNotFound},
		"in a flow":            {"agent: {max_turns: 9, x: 1}\n", "agent.max_turns", "agent: {max_turns: 9, x: 1}\n", false, core.CodeConfig},
		"an anchor in use":     {"x: &a\n  y: 1\nz: *a\n", "x", "x: &a\n  y: 1\nz: *a\n", false, core.CodeConfig},
		"merged from elsewhere": {
			"base: &b {max_turns: 9}\nagent:\n  <<: *b\n", "agent.max_turns", "base: &b {max_turns: 9}\nagent:\n  <<: *b\n", false, "",
		},
		"unreadable": {"a: [\n", "agent.max_turns", "a: [\n", false, core.CodeConfig},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := home.At(t.TempDir())
			if err := os.WriteFile(h.Config(), []byte(c.before), 0o600); err != nil {
				t.Fatal(err)
			}
			had, err := Open(h).Unset(t.Context(), c.path)
			if had != c.had || (err != nil || c.code != "") && core.CodeOf(err) != c.code {
				t.Errorf("%v %v", had, err)
			}
			if got, err := os.ReadFile(h.Config()); err != nil || string(got) != c.after {
				t.Errorf("%q, want %q", got, c.after)
			}
		})
	}
	if had, err := Open(home.At(t.TempDir())).Unset(t.Context(), "agent.max_turns"); had || err != nil {
		t.Errorf("no file: %v %v", had, err)
	}
}
