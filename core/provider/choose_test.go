package provider

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/provider/scripted"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	const local, lan = "http://127.0.0.1:9999/v1", "http://10.0.0.5/v1"
	type want struct{ provider, base, model, key, source string }
	openai := "https://api.openai.com/v1"
	router := "https://openrouter.ai/api/v1"
	for name, tc := range map[string]struct {
		in   Inputs
		want want
	}{
		"flags win": {
			Inputs{
				Flags: Pick{Provider: "openai", Model: "gpt-5"}, Config: Pick{Provider: "ollama", Model: "qwen3"},
				Env: env("OPENAI_API_KEY", "k", "HERMES_MODEL", "x"),
			},
			want{"openai", openai, "gpt-5", "k", "--model"},
		},
		"flag names only the model": {
			Inputs{Flags: Pick{Model: "gpt-5"}, Config: Pick{Provider: "openai", Model: "gpt-4o"}, Dotenv: env("OPENAI_API_KEY", "k")},
			want{"openai", openai, "gpt-5", "k", "--model"},
		},
		"flag as provider/model": {
			Inputs{Flags: Pick{Model: "ollama/llama3"}, Config: Pick{Provider: "openai", Model: "gpt-4o"}, Env: env("OPENAI_API_KEY", "k")},
			want{"ollama", "http://127.0.0.1:11434/v1", "llama3", "", "--model"},
		},
		"base url and model from the environment": {
			Inputs{Env: env("OPENAI_BASE_URL", local, "HERMES_MODEL", "vendor/m", "OPENAI_API_KEY", "k"), Config: Pick{Provider: "openai", Model: "gpt-4o"}},
			want{"custom", local, "vendor/m", "k", "HERMES_MODEL"},
		},
		"loopback needs no key": {
			Inputs{Env: env("OPENAI_BASE_URL", local, "HERMES_MODEL", "m")},
			want{"custom", local, "m", "", "HERMES_MODEL"},
		},
		"a weaker model belongs to its own server": {
			Inputs{Env: env("OPENAI_BASE_URL", "http://localhost:11434/v1"), Config: Pick{Provider: "openai", Model: "gpt-4o"}},
			want{"ollama", "http://localhost:11434/v1", "", "", "OPENAI_BASE_URL"},
		},
		"a weaker model without a server is used": {
			Inputs{Env: env("OPENAI_BASE_URL", local), Config: Pick{Model: "mine"}},
			want{"custom", local, "mine", "", "OPENAI_BASE_URL"},
		},
		"the environment's key does not follow the .env's base url": {
			Inputs{Env: env("OPENAI_API_KEY", "real"), Dotenv: env("OPENAI_BASE_URL", local, "HERMES_MODEL", "m")},
			want{"custom", local, "m", "", ".env"},
		},
		"a preset's key does not follow another base url": {
			Inputs{Config: Pick{Provider: "openai", BaseURL: lan, Model: "m"}, Env: env("OPENAI_API_KEY", "real")},
			want{"openai", lan, "m", "", "config.yaml"},
		},
		"unless the config names it for that url": {
			Inputs{
				Config: Pick{Provider: "mine", Model: "m"}, Env: env("MY_KEY", "k", "OPENAI_API_KEY", "real"),
				Providers: map[string]Configured{"mine": {BaseURL: lan, KeyEnv: "MY_KEY"}, "other": {BaseURL: "http://10.0.0.6/v1", KeyEnv: "OPENAI_API_KEY"}},
			},
			want{"mine", lan, "m", "k", "config.yaml"},
		},
		"a configured provider in the model's name": {
			Inputs{Env: env("HERMES_MODEL", "mine/m"), Providers: map[string]Configured{"mine": {BaseURL: lan}}},
			want{"mine", lan, "m", "", "HERMES_MODEL"},
		},
		"config names a preset": {
			Inputs{Config: Pick{Provider: "anthropic"}, Env: env("ANTHROPIC_API_KEY", "a", "OPENAI_API_KEY", "o")},
			want{"anthropic", "https://api.anthropic.com/v1", "", "a", "config.yaml"},
		},
		"vendor/model stays whole below OpenRouter": {
			Inputs{Config: Pick{Provider: "openrouter"}, Env: env("HERMES_MODEL", "anthropic/claude-x", "OPENROUTER_API_KEY", "r", "ANTHROPIC_API_KEY", "a")},
			want{"openrouter", router, "anthropic/claude-x", "r", "HERMES_MODEL"},
		},
		"vendor/model goes to OpenRouter when only its key is there": {
			Inputs{Env: env("HERMES_MODEL", "anthropic/claude-x", "OPENROUTER_API_KEY", "r")},
			want{"openrouter", router, "anthropic/claude-x", "r", "HERMES_MODEL"},
		},
		"vendor/model stays whole on a local server": {
			Inputs{Config: Pick{Provider: "lmstudio"}, Env: env("HERMES_MODEL", "openai/gpt-oss-20b", "OPENAI_API_KEY", "o")},
			want{"lmstudio", "http://127.0.0.1:1234/v1", "openai/gpt-oss-20b", "", "HERMES_MODEL"},
		},
		"vendor/model stays whole on a configured server": {
			Inputs{
				Config: Pick{Provider: "mine", Model: "a"}, Env: env("HERMES_MODEL", "openai/gpt-4o", "OPENAI_API_KEY", "o"),
				Providers: map[string]Configured{"mine": {BaseURL: lan}},
			},
			want{"mine", lan, "openai/gpt-4o", "", "HERMES_MODEL"},
		},
		"a local preset's name is never a vendor": {
			Inputs{Config: Pick{Provider: "openrouter"}, Env: env("HERMES_MODEL", "ollama/llama3", "OPENROUTER_API_KEY", "r")},
			want{"ollama", "http://127.0.0.1:11434/v1", "llama3", "", "HERMES_MODEL"},
		},
		"a flag's base url takes no other server's key": {
			Inputs{Flags: Pick{BaseURL: lan, Model: "m"}, Env: env("OPENAI_API_KEY", "o", "OPENAI_BASE_URL", local)},
			want{"custom", lan, "m", "", "--model"},
		},
		"OpenRouter's own model": {
			Inputs{Config: Pick{Provider: "openrouter", Model: "openrouter/auto"}, Env: env("OPENROUTER_API_KEY", "r")},
			want{"openrouter", router, "openrouter/auto", "r", "config.yaml"},
		},
		"the preset's key for a known base url": {
			Inputs{Env: env("OPENAI_BASE_URL", router, "OPENROUTER_API_KEY", "r", "OPENAI_API_KEY", "o", "HERMES_MODEL", "x/y")},
			want{"openrouter", router, "x/y", "r", "HERMES_MODEL"},
		},
		"key in the .env before the environment's": {
			Inputs{Env: env("OPENAI_API_KEY", "o"), Dotenv: env("DEEPSEEK_API_KEY", "d")},
			want{"deepseek", "https://api.deepseek.com/v1", "deepseek-chat", "d", "DEEPSEEK_API_KEY"},
		},
		"key in the environment": {
			Inputs{Env: env("GOOGLE_API_KEY", "g")},
			want{"gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "gemini-2.5-flash", "g", "GOOGLE_API_KEY"},
		},
		"model with nothing but a key": {
			Inputs{Env: env("HERMES_MODEL", "gpt-4o", "OPENAI_API_KEY", "o")},
			want{"openai", openai, "gpt-4o", "o", "HERMES_MODEL"},
		},
		"local server": {
			Inputs{Local: []Found{{Provider: "ollama", BaseURL: local, Models: []string{"a", "qwen3"}}}},
			want{"ollama", local, "qwen3", "", "local server"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := Choose(tc.in)
			if err != nil {
				t.Fatalf("%v (hint %q)", err, core.HintOf(err))
			}
			o := c.Options
			if got := (want{o.Provider, o.BaseURL, o.Model, o.Key, c.Source}); got != tc.want {
				t.Errorf("got  %+v\nwant %+v", got, tc.want)
			}
			if c.Confirm != (c.Source == "local server") {
				t.Errorf("confirm %v for %s", c.Confirm, c.Source)
			}
		})
	}
}

func TestChoose_needsSetup(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		in    Inputs
		hint  string
		probe bool
	}{
		"nothing":             {Inputs{}, "hermes setup", true},
		"local without model": {Inputs{Local: []Found{{Provider: "vllm", BaseURL: "http://127.0.0.1:8000/v1"}}}, "hermes setup", true},
		"preset without key":  {Inputs{Config: Pick{Provider: "openai"}}, "OPENAI_API_KEY", false},
		"unknown provider":    {Inputs{Config: Pick{Provider: "nope"}}, "providers.nope.base_url", false},
		"far base url":        {Inputs{Env: env("OPENAI_BASE_URL", "https://far/v1")}, "OPENAI_API_KEY", false},
		"configured variable": {Inputs{Config: Pick{Provider: "p"}, Providers: map[string]Configured{"p": {BaseURL: "https://far/v1", KeyEnv: "P_KEY"}}}, "P_KEY", false},
		"model without key":   {Inputs{Env: env("HERMES_MODEL", "m")}, "provider/model", false},
	} {
		_, err := Choose(tc.in)
		if core.CodeOf(err) != core.CodeSetup || !strings.Contains(core.HintOf(err), tc.hint) || errors.Is(err, ErrUnconfigured) != tc.probe {
			t.Errorf("%s: got %v (%s), hint %q, unconfigured %v", name, err, core.CodeOf(err), core.HintOf(err), errors.Is(err, ErrUnconfigured))
		}
	}
}

func TestProbe_onlyModelListsCount(t *testing.T) {
	t.Parallel()
	good := serve(t, &scripted.Scenario{Models: []string{"q"}})
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>hi")) }))
	defer page.Close()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"status":"ok"}`)) }))
	defer other.Close()
	got := probe(t.Context(), []Preset{
		{Name: "lmstudio", BaseURL: page.URL + "/v1"},
		{Name: "ollama", BaseURL: good.URL()},
		{Name: "llamacpp", BaseURL: other.URL + "/v1"},
		{Name: "vllm", BaseURL: "http://127.0.0.1:1/v1"},
	})
	if diff := cmp.Diff([]Found{{Provider: "ollama", BaseURL: good.URL(), Models: []string{"q"}}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestPresets_areComplete(t *testing.T) {
	t.Parallel()
	for _, p := range Presets() {
		if p.Name == Custom {
			continue
		}
		if p.Title == "" || p.Model == "" || p.BaseURL == "" || p.Local == (len(p.KeyEnv) > 0) || p.Local != (p.Start != "") || p.Local == (p.KeyPage != "") {
			t.Errorf("preset %+v lacks something", p)
		}
		if q, ok := presetFor(p.BaseURL + "/"); !ok || q.Name != p.Name {
			t.Errorf("%s: its base URL belongs to %q", p.Name, q.Name)
		}
		if p.Local != IsLoopback(p.BaseURL) {
			t.Errorf("%s: local %v at %s", p.Name, p.Local, p.BaseURL)
		}
	}
}
