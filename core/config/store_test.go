package config

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
)

const lively = `# My configuration
model:
  default: "gpt-5"   # the big one
  provider: 'openai'

# approvals:
#   mode: off

personality: &p "yes"        # of another program
other:
  same: *p
  code: 010
  deep: {list: [1, 2, 3], q: "a # b"}
memory:
  # how much it may hold
  memory_char_limit: 2200    # code points
  user_char_limit: "1375"
  note: |
    # not a comment
    memory_char_limit: 1

toolsets:
- terminal
- file   # zero indentation
skills: {disabled: [a, 'b c'], external_dirs: []}
`

// TestOpenCO01 is case OPEN-CO-01: saving one setting must not destroy the rest.
func TestOpenCO01(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"unix":            lively,
		"crlf":            strings.ReplaceAll(lively, "\n", "\r\n"),
		"bom":             "\ufeff" + lively,
		"no final break":  strings.TrimSuffix(lively, "\n"),
		"document marker": "---\n" + lively,
	} {
		h := place(t, text, "")
		if err := os.Chmod(h.Config(), 0o640); err != nil {
			t.Fatal(err)
		}
		s := Open(h)
		if err := s.Set(t.Context(), "memory.memory_char_limit", "2300"); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := strings.Replace(text, "limit: 2200", "limit: 2300", 1)
		if diff := cmp.Diff(want, content(t, h.Config())); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if cfg, _ := Load(h); cfg.Memory.CharLimit != 2300 {
			t.Errorf("%s: loads as %d", name, cfg.Memory.CharLimit)
		}
		if err := s.Set(t.Context(), "memory.memory_char_limit", "2200"); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := content(t, h.Config()); got != text {
			t.Errorf("%s: not the same bytes after setting back:\n%s", name, cmp.Diff(text, got))
		}
		if info, err := os.Stat(h.Config()); err != nil || (runtime.GOOS != "windows" && info.Mode().Perm() != 0o640) {
			t.Errorf("%s: mode %v %v", name, info.Mode(), err)
		}
	}
}

func TestOpenCO01_whenBroken(t *testing.T) {
	t.Parallel()
	const text = "# mine\nmemory:\n  a: 1\n\tmemory_char_limit: 2200\n"
	h := place(t, text, "")
	err := Open(h).Set(t.Context(), "memory.memory_char_limit", "2300")
	if core.CodeOf(err) != core.CodeConfig || !strings.Contains(err.Error(), "config.yaml:4") || core.HintOf(err) == "" {
		t.Errorf("error %v", err)
	}
	if got := content(t, h.Config()); got != text {
		t.Errorf("file changed: %q", got)
	}
	cfg, problems := Load(h)
	if cfg.Memory.CharLimit != 2200 || len(problems) != 1 || problems[0].Line != 4 {
		t.Errorf("%d %v", cfg.Memory.CharLimit, problems)
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, path, value, want string }{
		"missing file":          {"", "memory.nudge_interval", "5", "memory:\n  nudge_interval: 5\n"},
		"only comments":         {"# hi", "memory.nudge_interval", "5", "# hi\nmemory:\n  nudge_interval: 5\n"},
		"new key":               {"memory:\n    a: 1\n    # c\n\nx: 1\n", "memory.nudge_interval", "5", "memory:\n    a: 1\n    nudge_interval: 5\n    # c\n\nx: 1\n"},
		"new key, crlf":         {"memory:\r\n  a: 1\r\nx: 1\r\n", "memory.nudge_interval", "5", "memory:\r\n  a: 1\r\n  nudge_interval: 5\r\nx: 1\r\n"},
		"new key after nested":  {"curator:\n  backup:\n    keep: 3\nx: 1\n", "curator.enabled", "no", "curator:\n  backup:\n    keep: 3\n  enabled: false\nx: 1\n"},
		"new key after literal": {"memory:\n  t: |\n    # x\n\n    y\nx: 1\n", "memory.nudge_interval", "5", "memory:\n  t: |\n    # x\n\n    y\n  nudge_interval: 5\nx: 1\n"},
		"new section":           {"a:\n    b: 1\n", "curator.backup.keep", "3", "a:\n    b: 1\ncurator:\n    backup:\n        keep: 3\n"},
		"no final break":        {"a: 1", "agent.max_turns", "3", "a: 1\nagent:\n  max_turns: 3\n"},
		"empty section":         {"memory:   # later\nx: 1\n", "memory.nudge_interval", "5", "memory:   # later\n  nudge_interval: 5\nx: 1\n"},
		"empty value":           {"model:\n  default:\n  provider: x\n", "model.default", "m", "model:\n  default: m\n  provider: x\n"},
		"empty value, comment":  {"model:\n  default: # none\n", "model.default", "m", "model:\n  default: m # none\n"},
		"flow":                  {"memory: {a: 1, nudge_interval: 9}\n", "memory.nudge_interval", "5", "memory: {a: 1, nudge_interval: 5}\n"},
		"flow, new key":         {"memory: {a: '}'}  # c\n", "memory.nudge_interval", "5", "memory: {a: '}', nudge_interval: 5}  # c\n"},
		"empty flow":            {"memory: {}\n", "memory.nudge_interval", "5", "memory: {nudge_interval: 5}\n"},
		"double quotes stay":    {"model:\n  default: \"a\\\"b\" # c\n", "model.default", "x", "model:\n  default: \"x\" # c\n"},
		"single quotes stay":    {"model:\n  default: 'a''b' # c\n", "model.default", "it's", "model:\n  default: 'it''s' # c\n"},
		"quotes when needed":    {"model:\n  default: a\n", "model.default", "a: b #c", "model:\n  default: \"a: b #c\"\n"},
		"word that means false": {"model:\n  default: a\n", "model.default", "off", "model:\n  default: \"off\"\n"},
		"number as text":        {"model:\n  default: a\n", "model.default", "123", "model:\n  default: \"123\"\n"},
		"address":               {"model:\n  base_url: a\n", "model.base_url", "http://localhost:11434/v1", "model:\n  base_url: http://localhost:11434/v1\n"},
		"alias":                 {"x: &x 3\nagent:\n  max_turns: *x\n", "agent.max_turns", "5", "x: &x 3\nagent:\n  max_turns: 5\n"},
		"alias and comment":     {"x: &x 3\nagent: {max_turns: *x } # c\n", "agent.max_turns", "5", "x: &x 3\nagent: {max_turns: 5 } # c\n"},
		"quoted number":         {"agent:\n  max_turns: \"3\"\n", "agent.max_turns", "5", "agent:\n  max_turns: \"5\"\n"},
		"wide text before":      {"model: {provider: \"日本語é\", default: a}\n", "model.default", "b", "model: {provider: \"日本語é\", default: b}\n"},
		"short model":           {"model: gpt-5 # c\n", "model.default", "x", "model: x # c\n"},
		"short model, more":     {"model: gpt-5 # c\nx: 1\n", "model.provider", "ollama", "model: \n  default: gpt-5\n  provider: ollama # c\nx: 1\n"},
		"dotted name":           {"prices:\n  gpt-4.1: {input: 1}\n", `prices."gpt-4.1".input`, "2", "prices:\n  gpt-4.1: {input: 2}\n"},
		"foreign key":           {"agent:\n  personality: calm\n", "agent.personality", "wild", "agent:\n  personality: wild\n"},
		"block list":            {"toolsets:\n- a\n- b # c\nx: 1\n", "toolsets", "b, d", "toolsets:\n- b # c\n- d\nx: 1\n"},
		"flow list":             {"toolsets: [a, b] # c\n", "toolsets", "[x, 'y z']", "toolsets: [x, \"y z\"] # c\n"},
		"new list":              {"terminal:\n  timeout: 3\n", "terminal.env_passthrough", "A", "terminal:\n  timeout: 3\n  env_passthrough:\n    - A\n"},
		"list from a word":      {"toolsets: a\n", "toolsets", "a, b", "toolsets: [a, b]\n"},
		"empty list":            {"toolsets:\n  - a\nx: 1\n", "toolsets", "", "toolsets:\n  []\nx: 1\n"},
		"last of twice":         {"agent: {max_turns: 1}\nagent: {max_turns: 2}\n", "agent.max_turns", "3", "agent: {max_turns: 1}\nagent: {max_turns: 3}\n"},
	} {
		h := place(t, c.in, "")
		if err := Open(h).Set(t.Context(), c.path, c.value); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, content(t, h.Config())); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestSet_whenRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in, path, value string
		code            core.Code
	}{
		"wrong kind":        {"a: 1\n", "memory.nudge_interval", "often", core.CodeUsage},
		"not a word":        {"a: 1\n", "approvals.mode", "never", core.CodeUsage},
		"unknown":           {"a: 1\n", "memory.nudge", "1", core.CodeNotFound},
		"not a path":        {"a: 1\n", "memory..x", "1", core.CodeUsage},
		"section":           {"model: {default: x}\nagent: {max_turns: 1}\n", "agent", "1", core.CodeNotFound},
		"shared anchor":     {"agent:\n  max_turns: &n 3\nx: *n\n", "agent.max_turns", "5", core.CodeConfig},
		"shared section":    {"x: &x {max_turns: 3}\nagent: *x\n", "agent.max_turns", "5", core.CodeConfig},
		"parent is a value": {"memory: 3\n", "memory.nudge_interval", "5", core.CodeConfig},
		"block text":        {"model:\n  default: |\n    a\n", "model.default", "b", core.CodeConfig},
		"text over lines":   {"model:\n  default: a\n    b\n", "model.default", "c", core.CodeConfig},
		"commented list":    {"toolsets: [a, # why\n  b]\n", "toolsets", "c", core.CodeConfig},
		"not utf-8":         {"a: \xff\n", "agent.max_turns", "5", core.CodeConfig},
	} {
		h := place(t, c.in, "")
		err := Open(h).Set(t.Context(), c.path, c.value)
		if core.CodeOf(err) != c.code || core.HintOf(err) == "" {
			t.Errorf("%s: %v (%s)", name, err, core.HintOf(err))
		}
		if got := content(t, h.Config()); got != c.in {
			t.Errorf("%s: file changed: %q", name, got)
		}
	}
}

func TestAddRemove(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, add, added, remove, removed string }{
		"missing": {"a: 1\n", "git push *", "a: 1\napprovals:\n  allow:\n    - \"git push *\"\n", "git push *", "a: 1\napprovals:\n  allow:\n    []\n"},
		"block": {
			"approvals:\n  allow:\n    - x # why\n    # more\n\n  mode: manual\n", "k",
			"approvals:\n  allow:\n    - x # why\n    - k\n    # more\n\n  mode: manual\n", "x",
			"approvals:\n  allow:\n    - k\n    # more\n\n  mode: manual\n",
		},
		"flow":       {"approvals: {allow: [x]} # c\n", "k", "approvals: {allow: [x, k]} # c\n", "x", "approvals: {allow: [k]} # c\n"},
		"empty flow": {"approvals:\n  allow: []\n", "k", "approvals:\n  allow: [k]\n", "k", "approvals:\n  allow: []\n"},
		"already":    {"approvals:\n  allow: [k]\n", "k", "approvals:\n  allow: [k]\n", "z", "approvals:\n  allow: [k]\n"},
		"null":       {"approvals:\n  allow:\n", "k", "approvals:\n  allow:\n    - k\n", "z", "approvals:\n  allow:\n    - k\n"},
	} {
		h := place(t, c.in, "")
		s := Open(h)
		if err := s.Add(t.Context(), "approvals.allow", c.add); err != nil {
			t.Errorf("%s: add: %v", name, err)
		}
		if diff := cmp.Diff(c.added, content(t, h.Config())); diff != "" {
			t.Errorf("%s: add: %s", name, diff)
		}
		if err := s.Remove(t.Context(), "approvals.allow", c.remove); err != nil {
			t.Errorf("%s: remove: %v", name, err)
		}
		if diff := cmp.Diff(c.removed, content(t, h.Config())); diff != "" {
			t.Errorf("%s: remove: %s", name, diff)
		}
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	s := Open(place(t, lively+"web:\n  api_key: abcdefghijklmnopqrstuvw\nagent:\n  max_turns: lots\nkeys: {quit: [q]}\n", ""))
	for path, want := range map[string]Setting{
		"memory.memory_char_limit": {Value: "2200", Set: true},
		"memory.user_char_limit":   {Value: "1375", Set: true},
		"memory.nudge_interval":    {Value: "10"},
		"agent.max_turns":          {Value: "90"}, // unusable in the file
		"toolsets":                 {Value: "[terminal, file]", Set: true},
		"other.code":               {Value: "010", Set: true},
		"other.same":               {Value: "yes", Set: true},
		"web.api_key":              {Value: "abcd…tuvw", Set: true},
		"web":                      {Value: "api_key: abcd…tuvw", Set: true},
	} {
		got, err := s.Get(path)
		want.Path = path
		if err != nil || got != want {
			t.Errorf("Get(%s) = %+v, %v", path, got, err)
		}
	}
	if _, err := s.Get("memory.nudge_intervl"); core.CodeOf(err) != core.CodeNotFound || !strings.Contains(core.HintOf(err), "nudge_interval") {
		t.Errorf("unknown key: %v", err)
	}
	all, err := s.All()
	if err != nil || len(all) < 50 {
		t.Errorf("All: %d, %v", len(all), err)
	}
	if _, found := find(all, "keys.quit"); !found {
		t.Error("All leaves out keys.quit")
	}
}

func find(all []Setting, path string) (Setting, bool) {
	for _, s := range all {
		if s.Path == path {
			return s, true
		}
	}
	return Setting{}, false
}

func FuzzSet(f *testing.F) {
	for _, text := range []string{lively, strings.ReplaceAll(lively, "\n", "\r\n"), "", "memory:", "memory: {}", "memory: [", "a: &a\n  <<: *a\n"} {
		f.Add([]byte(text), "memory.memory_char_limit", "7")
		f.Add([]byte(text), "model.default", "a # b: 'c'")
		f.Add([]byte(text), "toolsets", "x, y")
	}
	f.Fuzz(func(t *testing.T, data []byte, path, value string) {
		parts, err := splitKey(path)
		if err != nil {
			return
		}
		k, ok := keyTable(Keys()).find(parts)
		if !ok {
			return
		}
		want, err := wanted(k, value)
		if err != nil {
			return
		}
		e := edit{path: parts, kind: k.Kind, want: want}
		out, err := e.apply(data)
		if err != nil {
			return
		}
		before, _ := parseTree(data)
		after, err := parseTree(out)
		if err != nil {
			t.Fatalf("no longer YAML: %v\n%q", err, out)
		}
		if !e.says(after) {
			t.Fatalf("value not there: %q", out)
		}
		if old := lookup(before, parts); k.Kind != KindList && (old == nil || !strings.Contains(old.Value, "#")) &&
			bytes.Count(data, []byte("#")) > bytes.Count(out, []byte("#")) {
			t.Fatalf("a comment is gone: %q → %q", data, out)
		}
	})
}
