package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hermes/core"
	"hermes/core/provider"
	"hermes/tui"
)

// Presets lists the providers that setup offers, those whose key is already there first.
func (a *App) Presets() []tui.Preset {
	var ready, rest []tui.Preset
	for _, p := range provider.Presets() {
		t := tui.Preset{
			Name: p.Name, Label: p.Title, BaseURL: p.BaseURL, Model: p.Model, Local: p.Local, Custom: p.Name == provider.Custom,
		}
		if len(p.KeyEnv) > 0 {
			t.KeyEnv = p.KeyEnv[0]
		}
		if t.Custom {
			t.KeyEnv = customKey
		}
		for _, name := range p.KeyEnv {
			if a.lookup(name) != "" {
				t.KeyEnv, t.KeyFound = name, true
				break
			}
		}
		if t.KeyFound {
			ready = append(ready, t)
		} else {
			rest = append(rest, t)
		}
	}
	return append(ready, rest...)
}

// customKey is the variable that holds the key of a server of the person's own.
const customKey = "HERMES_CUSTOM_API_KEY"

// choice turns what a person picked into provider options.
func (a *App) choice(c tui.Choice) (provider.Options, error) {
	p, known := provider.PresetByName(c.Preset)
	if !known {
		return provider.Options{}, &core.Error{
			Code: core.CodeUsage, Op: "set up", Subject: fmt.Sprintf("%q", c.Preset), Err: errors.New("no such provider"),
			Hint: "choose one of: " + strings.Join(PresetNames(), ", "),
		}
	}
	o := provider.Options{Provider: p.Name, BaseURL: c.BaseURL, Key: strings.TrimSpace(c.Key), KeyName: a.keyName(p), Model: strings.TrimSpace(c.Model), Prices: a.prices()}
	if o.BaseURL == "" {
		o.BaseURL = p.BaseURL
	}
	// A key from the environment belongs to the preset's own server and to no other address.
	if o.Key == "" && o.BaseURL == p.BaseURL {
		for _, name := range p.KeyEnv {
			if v := a.lookup(name); v != "" {
				o.Key, o.KeyName = v, name
				break
			}
		}
	}
	if o.Key == "" && len(p.KeyEnv) > 0 && !provider.IsLoopback(o.BaseURL) {
		return o, &core.Error{Code: core.CodeSetup, Op: "set up", Subject: p.Title, Err: errors.New("a key is needed"), Hint: "get one at " + p.KeyPage}
	}
	return o, nil
}

func (a *App) keyName(p provider.Preset) string {
	if len(p.KeyEnv) > 0 {
		return p.KeyEnv[0]
	}
	if p.Name == provider.Custom {
		return customKey
	}
	return strings.ToUpper(p.Name) + "_API_KEY"
}

// PresetNames lists the names of the providers setup knows.
func PresetNames() []string {
	var out []string
	for _, p := range provider.Presets() {
		out = append(out, p.Name)
	}
	return out
}

// ServedBy asks the server of c what it serves.
func (a *App) ServedBy(ctx context.Context, c tui.Choice) ([]string, error) {
	o, err := a.choice(c)
	if err != nil {
		return nil, err
	}
	return provider.ListModels(ctx, o)
}

// setting is one line of config.yaml that setup writes.
type setting struct{ key, value string }

func setupSettings(o provider.Options) []setting {
	out := []setting{{"model.provider", o.Provider}, {"model.default", o.Model}}
	p, _ := provider.PresetByName(o.Provider)
	if o.BaseURL != p.BaseURL {
		out = append(out, setting{"providers." + o.Provider + ".base_url", o.BaseURL})
		if o.Key != "" {
			out = append(out, setting{"providers." + o.Provider + ".key_env", o.KeyName})
		}
	} else if o.Key != "" && len(p.KeyEnv) == 0 {
		out = append(out, setting{"providers." + o.Provider + ".key_env", o.KeyName})
	}
	return out
}

// SetupPlan says what SaveSetup would write and where, without secrets.
func (a *App) SetupPlan(c tui.Choice) []string {
	p, _ := provider.PresetByName(c.Preset)
	o := provider.Options{Provider: c.Preset, BaseURL: c.BaseURL, Key: c.Key, KeyName: a.keyName(p), Model: c.Model}
	if o.BaseURL == "" {
		o.BaseURL = p.BaseURL
	}
	var out []string
	for _, s := range setupSettings(o) {
		if s.value != "" {
			out = append(out, fmt.Sprintf("%s: %s = %s", a.shortPath(a.Home.Config()), s.key, s.value))
		}
	}
	if strings.TrimSpace(c.Key) != "" {
		out = append(out, fmt.Sprintf("%s: %s (the key; only you can read the file)", a.shortPath(a.Home.Env()), o.KeyName))
	}
	return out
}

// SaveSetup makes a small test call with c and, when the model answers, writes provider, key and model.
func (a *App) SaveSetup(ctx context.Context, c tui.Choice) error {
	o, err := a.choice(c)
	if err != nil {
		return err
	}
	if o.Model == "" {
		p, _ := provider.PresetByName(o.Provider)
		o.Model = p.Model
	}
	if err := provider.Check(ctx, o); err != nil {
		return err
	}
	if err := a.Home.Open(); err != nil {
		return err
	}
	if strings.TrimSpace(c.Key) != "" {
		if err := a.Settings.SetEnv(ctx, o.KeyName, o.Key); err != nil {
			return err
		}
	}
	for _, s := range setupSettings(o) {
		if err := a.Settings.Set(ctx, s.key, s.value); err != nil {
			return err
		}
	}
	a.opts.Model = "" // what was just chosen wins over a flag that did not work
	a.Reload()
	return nil
}
