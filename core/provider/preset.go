package provider

import (
	"net"
	"net/url"
	"strings"
)

// Custom is the preset for any other OpenAI-compatible server.
const Custom = "custom"

// Preset is what we know about a provider before asking it anything.
type Preset struct {
	Name    string
	Title   string   // for people
	BaseURL string   // empty for custom
	KeyEnv  []string // variables that hold its key, the usual one first; empty: it takes none
	Model   string   // default model
	Local   bool     // runs on this machine by default and needs no key
	KeyPage string   // where a person gets a key
	Start   string   // how a person starts a local server
}

// Presets lists the providers in the order they are offered.
func Presets() []Preset {
	return []Preset{
		{
			Name: "openai", Title: "OpenAI", BaseURL: "https://api.openai.com/v1", KeyEnv: []string{"OPENAI_API_KEY"},
			Model: "gpt-5-mini", KeyPage: "https://platform.openai.com/api-keys",
		},
		{
			Name: "openrouter", Title: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1", KeyEnv: []string{"OPENROUTER_API_KEY"},
			Model: "openai/gpt-5-mini", KeyPage: "https://openrouter.ai/settings/keys",
		},
		{
			Name: "anthropic", Title: "Anthropic", BaseURL: "https://api.anthropic.com/v1", KeyEnv: []string{"ANTHROPIC_API_KEY"},
			Model: "claude-sonnet-4-5", KeyPage: "https://console.anthropic.com/settings/keys",
		},
		{
			Name: "gemini", Title: "Google Gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
			KeyEnv: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, Model: "gemini-2.5-flash", KeyPage: "https://aistudio.google.com/apikey",
		},
		{
			Name: "deepseek", Title: "DeepSeek", BaseURL: "https://api.deepseek.com/v1", KeyEnv: []string{"DEEPSEEK_API_KEY"},
			Model: "deepseek-chat", KeyPage: "https://platform.deepseek.com/api_keys",
		},
		{
			Name: "ollama", Title: "Ollama (local)", BaseURL: "http://127.0.0.1:11434/v1", Model: "qwen3",
			Local: true, Start: "ollama serve",
		},
		{
			Name: "lmstudio", Title: "LM Studio (local)", BaseURL: "http://127.0.0.1:1234/v1", Model: "openai/gpt-oss-20b",
			Local: true, Start: "lms server start",
		},
		{
			Name: "llamacpp", Title: "llama.cpp (local)", BaseURL: "http://127.0.0.1:8080/v1", Model: "default",
			Local: true, Start: "llama-server --jinja -m MODEL.gguf",
		},
		{
			Name: "vllm", Title: "vLLM (local)", BaseURL: "http://127.0.0.1:8000/v1", Model: "Qwen/Qwen3-8B",
			Local: true, Start: "vllm serve MODEL --enable-auto-tool-choice",
		},
		{Name: Custom, Title: "another OpenAI-compatible server"},
	}
}

// PresetByName finds a preset.
func PresetByName(name string) (Preset, bool) {
	for _, p := range Presets() {
		if p.Name == name {
			return p, true
		}
	}
	return Preset{}, false
}

// presetFor finds the preset that owns the server behind a base URL, by scheme, host and port.
func presetFor(base string) (Preset, bool) {
	for _, p := range Presets() {
		if p.BaseURL != "" && origin(p.BaseURL) == origin(base) {
			return p, true
		}
	}
	return Preset{}, false
}

// origin is scheme, host and port of a URL, in one spelling; "" when it has none.
func origin(raw string) string {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Host == "" {
		return ""
	}
	host, port, scheme := strings.ToLower(u.Hostname()), u.Port(), strings.ToLower(u.Scheme)
	if port == "" {
		port = "443"
		if scheme == "http" {
			port = "80"
		}
	}
	if isLoopbackHost(host) {
		host = "loopback"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// IsLoopback says whether a base URL names this machine.
func IsLoopback(base string) bool {
	u, err := url.Parse(base)
	return err == nil && isLoopbackHost(strings.ToLower(u.Hostname()))
}

func isLoopbackHost(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// replay says which assistant messages carry their reasoning back to the model that wrote it.
type replay int

const (
	replayNever replay = iota
	replayCalls        // messages with tool calls: what thinking models insist on
	replayAll
)

// quirks are how a server departs from the common form of a request.
type quirks struct {
	reasoning       replay
	streamOptions   bool // ask for usage at the end of the stream
	completionLimit bool // max_completion_tokens instead of max_tokens
	cacheMarkers    bool // cache_control on content parts
	cacheKey        bool // prompt_cache_key
	declareTools    bool // tool calls in the history need their tools declared, even to ask for text only
}

// quirks gives the rules to start with; a server may teach others. Reasoning goes back by default:
// a server that sent the field knows it, and only the model that wrote it ever gets it.
func (p Preset) quirks(model string) quirks {
	q := quirks{reasoning: replayCalls, streamOptions: true}
	switch p.Name {
	case "openai":
		q.reasoning, q.completionLimit, q.cacheKey = replayNever, true, true
	case "gemini":
		q.reasoning = replayNever
	case "anthropic":
		q.reasoning, q.declareTools = replayNever, true
	case "openrouter":
		q.cacheMarkers = strings.HasPrefix(model, "anthropic/")
		q.declareTools = q.cacheMarkers
	}
	return q
}
