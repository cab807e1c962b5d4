package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hermes/core"
	"hermes/core/home"
)

// place makes a home with the given files; "" leaves a file out.
func place(t *testing.T, config, env string) home.Home {
	t.Helper()
	h := home.At(t.TempDir())
	for path, text := range map[string]string{h.Config(): config, h.Env(): env} {
		if text == "" {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestLoad_whenEmpty(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "# only a comment\n", "---\n", "\ufeff", "null\n", "{}\n"} {
		cfg, problems := Load(place(t, text, ""))
		if diff := cmp.Diff(Default(), cfg, cmpopts.IgnoreUnexported(Secrets{})); diff != "" || len(problems) > 0 {
			t.Errorf("%q: %s %v", text, diff, problems)
		}
	}
	if _, problems := Load(home.At(filepath.Join(t.TempDir(), "missing"))); len(problems) > 0 {
		t.Errorf("missing home: %v", problems)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	cfg, problems := Load(place(t, `
model:
  default: gpt-5-mini
  context_length: "128_000"
providers:
  home: {base_url: http://localhost:8080/v1, key_env: HOME_KEY}
toolsets: terminal
terminal:
  timeout: 60
  env_passthrough: [A, B]
approvals: &ask
  mode: off
  deny:
    - "*curl*"
memory:
  memory_enabled: no
  memory_char_limit: 3000.0
prices:
  gpt-4.1: {input: 2, output: 8.5}
keys:
  quit: [ctrl+q, ctrl+x q]
display:
  mouse: true
skills:
  config: {wiki: {path: ~/wiki, depth: 3}}
`, "OPENAI_API_KEY=sk-1\n"))
	want := Default()
	want.Model = Model{Default: "gpt-5-mini", ContextLength: 128_000}
	want.Providers = map[string]Provider{"home": {BaseURL: "http://localhost:8080/v1", KeyEnv: "HOME_KEY"}}
	want.Toolsets = []string{"terminal"}
	want.Terminal = Terminal{Timeout: 60, EnvPassthrough: []string{"A", "B"}}
	want.Approvals.Mode, want.Approvals.Deny = "off", []string{"*curl*"}
	want.Memory.Enabled, want.Memory.CharLimit = false, 3000
	want.Prices = map[string]Price{"gpt-4.1": {Input: 2, Output: 8.5}}
	want.Keys = map[string][]string{"quit": {"ctrl+q", "ctrl+x q"}}
	want.Display.Mouse = "on"
	want.Skills.Config = map[string]any{"wiki": map[string]any{"path": "~/wiki", "depth": 3}}
	if diff := cmp.Diff(want, cfg, cmpopts.IgnoreUnexported(Secrets{})); diff != "" {
		t.Error(diff)
	}
	if len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	if v, ok := cfg.Secrets.Lookup("OPENAI_API_KEY"); !ok || v != "sk-1" {
		t.Errorf("secret %q", v)
	}
}

func TestLoad_shortModel(t *testing.T) {
	t.Parallel()
	cfg, problems := Load(place(t, "model: some/model\n", ""))
	if cfg.Model.Default != "some/model" || len(problems) > 0 {
		t.Errorf("%q %v", cfg.Model.Default, problems)
	}
}

func TestLoad_problems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		level core.Level
		want  string
	}{
		"tab":           {"a: 1\nmemory:\n\tnudge_interval: 3\n", core.LevelError, "config.yaml:3: "},
		"tab later":     {"a: 1\nmemory:\n  x: 1\n\tnudge_interval: 3\n", core.LevelError, "config.yaml:4: "},
		"not a mapping": {"- a\n- b\n", core.LevelError, "config.yaml:1: "},
		"wrong kind":    {"memory:\n  nudge_interval: often\n", core.LevelWarn, "config.yaml:2: memory.nudge_interval: must be a whole number; using 10"},
		"too small":     {"agent: {max_turns: 0}\n", core.LevelWarn, "config.yaml:1: agent.max_turns: must be at least 1; using 90"},
		"not a word":    {"approvals:\n  mode: never\n", core.LevelWarn, "config.yaml:2: approvals.mode: must be manual, smart or off; using manual"},
		"no theme":      {"display: {theme: solarized}\n", core.LevelWarn, "config.yaml:1: display.theme: must be auto, dark, light, contrast, 16 or plain; using auto"},
		"section":       {"memory: 3\n", core.LevelWarn, "config.yaml:1: memory: must be a section"},
		"mapping":       {"agent:\n  max_turns: {a: 1}\n", core.LevelWarn, "config.yaml:2: agent.max_turns: must be a single integer; using 90"},
		"twice":         {"agent: {max_turns: 3}\nagent: {max_turns: 4}\n", core.LevelWarn, "config.yaml:1: agent: is set again"},
		"unknown":       {"agent:\n  max_turns: 9\n  personality: calm\n", core.LevelInfo, "config.yaml:3: agent.personality: is not a setting of hermes"},
		"nested list":   {"toolsets: [[a]]\n", core.LevelWarn, "config.yaml:1: toolsets: must be a list of single values; using nothing"},
		"not utf-8":     {"a: \xff\n", core.LevelError, "config.yaml: is not UTF-8"},
	} {
		h := place(t, c.text, "")
		_, problems := Load(h)
		if len(problems) != 1 || problems[0].Level != c.level || !strings.HasPrefix(problems[0].String(), c.want) {
			t.Errorf("%s: %v", name, problems)
		}
		if c.level == core.LevelWarn && problems[0].Remedy == "" {
			t.Errorf("%s: no remedy", name)
		}
		if got := content(t, h.Config()); got != c.text {
			t.Errorf("%s: file changed to %q", name, got)
		}
	}
}

func TestLoad_suggestsNearKeys(t *testing.T) {
	t.Parallel()
	_, problems := Load(place(t, "memory:\n  nudge_intervall: 3\n", ""))
	if len(problems) != 1 || problems[0].Remedy != "Did you mean memory.nudge_interval?" {
		t.Errorf("%v", problems)
	}
}

func TestLoad_mergeKeys(t *testing.T) {
	t.Parallel()
	cfg, problems := Load(place(t, "x: &x {max_turns: 5}\nagent:\n  <<: *x\n", ""))
	if cfg.Agent.MaxTurns != 5 || len(problems) != 1 || problems[0].Key != "x" {
		t.Errorf("%d %v", cfg.Agent.MaxTurns, problems)
	}
}

func TestLoad_looseEnv(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	h := place(t, "", "A=1\nnonsense\n")
	if err := os.Chmod(h.Env(), 0o644); err != nil {
		t.Fatal(err)
	}
	_, problems := Load(h)
	if len(problems) != 2 || problems[0].Remedy == "" || problems[1].Line != 2 {
		t.Errorf("%v", problems)
	}
	if err := Open(h).SetEnv(t.Context(), "B", "2"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(h.Env()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
}

// TestKeys holds the table and the struct together: every key can be loaded, and the defaults agree.
func TestKeys(t *testing.T) {
	t.Parallel()
	h := place(t, "", "")
	store := Open(h)
	for _, k := range Keys() {
		if k.Doc == "" {
			t.Errorf("%s has no doc", k.Path)
		}
		path := strings.ReplaceAll(k.Path, "*", "some")
		value := map[Kind]string{KindString: "word", KindInt: "7", KindFloat: "0.5", KindBool: "true", KindList: "a, b", KindAny: "x"}[k.Kind]
		if len(k.Oneof) > 0 {
			value = k.Oneof[0]
		}
		if err := store.Set(t.Context(), path, value); err != nil {
			t.Errorf("set %s: %v", path, err)
		}
		if k.Default == "" {
			continue
		}
		before, _ := Load(place(t, "", ""))
		after, problems := Load(place(t, nest(k.Path, k.Default), ""))
		if diff := cmp.Diff(before, after, cmpopts.IgnoreUnexported(Secrets{})); diff != "" || len(problems) > 0 {
			t.Errorf("%s: the table's default differs from Default: %s %v", k.Path, diff, problems)
		}
	}
	if _, problems := Load(h); len(problems) > 0 {
		t.Errorf("problems with own writing: %v\n%s", problems, content(t, h.Config()))
	}
}

func nest(path, value string) string {
	out := ""
	parts := strings.Split(path, ".")
	for i, p := range parts {
		out += strings.Repeat("  ", i) + p + ":"
		if i < len(parts)-1 {
			out += "\n"
		}
	}
	return out + fmt.Sprintf(" %q\n", value)
}

func TestSecrets_neverPrinted(t *testing.T) {
	t.Parallel()
	cfg, _ := Load(place(t, "", "OPENAI_API_KEY=sk-verysecret\n"))
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if out := fmt.Sprintf(format, cfg); strings.Contains(out, "verysecret") {
			t.Errorf("%s prints the secret: %s", format, out)
		}
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "(empty)", "short": "****", "sk-1234567890abcdef": "sk-1…cdef"} {
		if got := Mask(in); got != want {
			t.Errorf("Mask(%q) = %q", in, got)
		}
	}
	for name, want := range map[string]bool{
		"OPENAI_API_KEY": true, "GITHUB_TOKEN": true, "AWS_SECRET_ACCESS_KEY": true, "DB_PASSWORD": true, "api_key": true,
		"PATH": false, "KEYBOARD": false, "KEY": false, "search_key_env": false, "max_input_tokens": false, "MONKEY": false,
	} {
		if got := LooksSecret(name); got != want {
			t.Errorf("LooksSecret(%s) = %v", name, got)
		}
	}
}
