package provider

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"hermes/core"
)

// ErrUnconfigured is in the chain of Choose's error when nothing names a model anywhere. Only then may
// loopback be probed.
var ErrUnconfigured = errors.New("no model is configured")

// Pick names a model at one level of configuration; empty fields say nothing.
type Pick struct {
	Provider      string
	BaseURL       string
	Model         string // also "provider/model"
	ContextLength int
}

func (p Pick) endpoint() bool { return p.Provider != "" || p.BaseURL != "" }

// Configured are the settings of one provider in config.yaml.
type Configured struct {
	BaseURL string
	KeyEnv  string // the variable that holds the key of this base URL
}

// Inputs are everything the choice depends on.
type Inputs struct {
	Flags     Pick
	Config    Pick                  // model.* of config.yaml
	Providers map[string]Configured // providers.* of config.yaml
	Env       func(string) string   // the process environment
	Dotenv    func(string) string   // the home's .env
	Local     []Found               // what ProbeLocal found; used when nothing else is there
}

// Chosen is a choice and where it came from.
type Chosen struct {
	Options Options
	Source  string // for people: "--model", "HERMES_MODEL", "config.yaml", "OPENROUTER_API_KEY", "local server" …
	// Confirm says that the server was found by probing: the person must agree before its first use.
	Confirm bool
}

// level is one source of configuration.
type level struct {
	pick   Pick
	source string
	// keyOf gives the key that belongs to the level's own base URL, with its name.
	keyOf func() (key, name string)
	// keyWanted says that a base URL off this machine needs that key.
	keyWanted bool
}

// Choose decides which model to use: flags, then HERMES_MODEL and OPENAI_BASE_URL, then config.yaml and
// the home's .env, then provider keys in the environment, then a local server. It is pure. Only the key
// named for a base URL is ever put beside it. Errors are *core.Error with CodeSetup.
func Choose(in Inputs) (Chosen, error) {
	in.fill()
	levels := in.levels()
	end := firstEndpoint(levels)
	model, modelAt := modelFor(levels, end)
	if end < 0 && model.Model == "" {
		return in.fromKeys()
	}
	var c Chosen
	var err error
	if end < 0 {
		c, err = in.endpointOfKeys(levels[modelAt].source)
	} else {
		c, err = in.endpointOf(levels[end])
	}
	if err != nil {
		return Chosen{}, err
	}
	if model.Model != "" {
		c.Options.Model = strings.TrimPrefix(model.Model, c.Options.Provider+"/")
		if c.Options.Provider == "openrouter" && !strings.Contains(c.Options.Model, "/") {
			c.Options.Model = model.Model // its own models are called openrouter/…
		}
		c.Options.ContextLength = model.ContextLength
		if modelAt <= end || end < 0 {
			c.Source = levels[modelAt].source
		}
	}
	return c, nil
}

func (in *Inputs) fill() {
	none := func(string) string { return "" }
	if in.Env == nil {
		in.Env = none
	}
	if in.Dotenv == nil {
		in.Dotenv = none
	}
}

// levels lists the sources, strongest first, with "provider/model" taken apart.
func (in *Inputs) levels() []level {
	ownKey := func(get func(string) string) func() (string, string) {
		return func() (string, string) { return get("OPENAI_API_KEY"), "OPENAI_API_KEY" }
	}
	env := Pick{Model: in.Env("HERMES_MODEL"), BaseURL: in.Env("OPENAI_BASE_URL")}
	dotenv := Pick{Model: in.Dotenv("HERMES_MODEL"), BaseURL: in.Dotenv("OPENAI_BASE_URL")}
	levels := []level{
		{pick: in.Flags, source: "--model"},
		{pick: env, source: "HERMES_MODEL", keyOf: ownKey(in.Env), keyWanted: true},
		{pick: in.Config, source: "config.yaml"},
		{pick: dotenv, source: ".env", keyOf: ownKey(in.Dotenv), keyWanted: true},
	}
	if env.Model == "" {
		levels[1].source = "OPENAI_BASE_URL"
	}
	inherited := ""
	for i := len(levels) - 1; i >= 0; i-- {
		p := &levels[i].pick
		if p.endpoint() {
			inherited = p.Provider
			if p.Provider == "" {
				inherited = Custom
			}
			continue
		}
		if name := in.prefix(p.Model, inherited); name != "" {
			p.Provider = name
			inherited = name
		}
	}
	return levels
}

// prefix returns the provider in "provider/model". Where the inherited server may itself call its models
// vendor/model (OpenRouter, local servers, one's own), a vendor's name is part of the model's.
func (in *Inputs) prefix(model, inherited string) string {
	name, _, ok := strings.Cut(model, "/")
	if !ok {
		return ""
	}
	if _, known := in.Providers[name]; known {
		return name
	}
	p, known := PresetByName(name)
	if !known || !p.Local && name != inherited && namesVendors(inherited) {
		return ""
	}
	if inherited == "" && !p.Local && !in.hasKey(p) {
		if router, _ := PresetByName("openrouter"); in.hasKey(router) {
			return router.Name // vendor/model, as OpenRouter calls it
		}
	}
	return name
}

// namesVendors says whether a server's model names may start with a vendor.
func namesVendors(provider string) bool {
	p, known := PresetByName(provider)
	return provider != "" && (!known || p.Local || provider == "openrouter" || provider == Custom)
}

func (in *Inputs) hasKey(p Preset) bool {
	for _, name := range p.KeyEnv {
		if in.lookup(name) != "" {
			return true
		}
	}
	return false
}

// firstEndpoint is the strongest level that names a server, or -1.
func firstEndpoint(levels []level) int {
	for i, l := range levels {
		if l.pick.endpoint() {
			return i
		}
	}
	return -1
}

// modelFor finds the strongest model name that belongs to the server chosen at level end: one from a
// stronger level, from the same, or from a weaker one that names no server of its own.
func modelFor(levels []level, end int) (Pick, int) {
	for i, l := range levels {
		if l.pick.Model == "" || end >= 0 && i > end && l.pick.endpoint() {
			continue
		}
		return l.pick, i
	}
	return Pick{}, -1
}

// endpointOf turns a level that names a server into options.
func (in *Inputs) endpointOf(l level) (Chosen, error) {
	name, base := l.pick.Provider, l.pick.BaseURL
	conf := in.Providers[name]
	preset, known := PresetByName(name)
	if name == "" {
		if p, ok := presetFor(base); ok {
			name, preset, known = p.Name, p, true
		} else {
			name = Custom
		}
	}
	if base == "" {
		base = conf.BaseURL
	}
	if base == "" && known {
		base = preset.BaseURL
	}
	if base == "" {
		return Chosen{}, setup(name, "the provider is unknown and has no base URL",
			"set providers."+name+".base_url in config.yaml, or pick one of the presets with `hermes setup`")
	}
	c := Chosen{Source: l.source, Options: Options{Provider: name, BaseURL: base, ContextLength: l.pick.ContextLength}}
	c.Options.Key, c.Options.KeyName = in.keyFor(base, l)
	switch {
	case c.Options.Key != "" || IsLoopback(base):
	case known && origin(base) == origin(preset.BaseURL) && len(preset.KeyEnv) > 0:
		return Chosen{}, setup(name, "no key is set", "set "+preset.KeyEnv[0]+" (get one at "+preset.KeyPage+"), or run `hermes setup`")
	case l.keyWanted && l.pick.BaseURL != "":
		return Chosen{}, setup(base, "no key is set", "set OPENAI_API_KEY in the same place as OPENAI_BASE_URL")
	case conf.KeyEnv != "":
		return Chosen{}, setup(name, "no key is set", "set "+conf.KeyEnv+", the variable that config.yaml names for it")
	}
	return c, nil
}

// keyFor finds the key that belongs to base: of a configured provider with that very server, of the
// preset that owns the server, or the one named beside it at the same level. No other key comes near it.
func (in *Inputs) keyFor(base string, l level) (key, name string) {
	// The chosen provider's own entry comes first, then the others in a fixed order.
	order := append([]string{l.pick.Provider}, slices.Sorted(maps.Keys(in.Providers))...)
	for _, provider := range order {
		conf := in.Providers[provider]
		own := conf.BaseURL
		if own == "" {
			p, _ := PresetByName(provider)
			own = p.BaseURL
		}
		if conf.KeyEnv == "" || own == "" && provider != l.pick.Provider || own != "" && origin(own) != origin(base) {
			continue
		}
		if key := in.lookup(conf.KeyEnv); key != "" {
			return key, conf.KeyEnv
		}
	}
	if p, ok := presetFor(base); ok {
		for _, name := range p.KeyEnv {
			if key := in.lookup(name); key != "" {
				return key, name
			}
		}
	}
	if l.keyOf != nil && l.pick.BaseURL != "" && origin(l.pick.BaseURL) == origin(base) {
		if key, name := l.keyOf(); key != "" {
			return key, name
		}
	}
	return "", ""
}

// lookup reads a variable, from the environment before the home's .env.
func (in *Inputs) lookup(name string) string {
	if v := strings.TrimSpace(in.Env(name)); v != "" {
		return v
	}
	return strings.TrimSpace(in.Dotenv(name))
}

// fromKeys picks the first preset whose key is set, the home's .env before the environment, then a
// local server.
func (in *Inputs) fromKeys() (Chosen, error) {
	for _, get := range []func(string) string{in.Dotenv, in.Env} {
		for _, p := range Presets() {
			for _, name := range p.KeyEnv {
				if key := strings.TrimSpace(get(name)); key != "" {
					return Chosen{Source: name, Options: Options{Provider: p.Name, BaseURL: p.BaseURL, Key: key, KeyName: name, Model: p.Model}}, nil
				}
			}
		}
	}
	for _, f := range in.Local {
		if m := f.model(); m != "" {
			return Chosen{Source: "local server", Confirm: true, Options: Options{Provider: f.Provider, BaseURL: f.BaseURL, Model: m}}, nil
		}
	}
	err := setup("", "", "run `hermes setup`, set OPENAI_API_KEY or another provider's key, or start a local server such as Ollama")
	err.Err = ErrUnconfigured
	return Chosen{}, err
}

// endpointOfKeys finds a server for a model that was named without one.
func (in *Inputs) endpointOfKeys(source string) (Chosen, error) {
	c, err := in.fromKeys()
	if err != nil {
		return c, setup("", source+" names a model, but no provider has a key",
			"set OPENAI_API_KEY or another provider's key, or write the model as provider/model")
	}
	return c, nil
}

func setup(subject, what, hint string) *core.Error {
	return &core.Error{Code: core.CodeSetup, Op: "choose a model", Subject: subject, Err: textError(what), Hint: hint}
}
