package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hermes/core"
	"hermes/core/config"
	"hermes/core/provider"
)

// Picked is the chosen model, ready to be asked.
type Picked struct {
	core.Model

	options provider.Options
	Source  string // where the choice comes from: "--model", "config.yaml", a variable's name …
}

// Served asks the server what it offers.
func (p *Picked) Served(ctx context.Context) ([]string, error) {
	return provider.ListModels(ctx, p.options)
}

// Pick chooses the model by flags, environment, configuration and keys. When nothing is configured the
// usual local ports are looked at, but a server found there is only named in the remedy: a person must
// choose it.
func (a *App) Pick(ctx context.Context) (*Picked, error) {
	p, err := a.Configured()
	if err == nil || !errors.Is(err, provider.ErrUnconfigured) {
		return p, err
	}
	for _, n := range a.Notices() {
		if n.Level == core.LevelError { // the model may well be named in the file that cannot be read
			return nil, &core.Error{Code: core.CodeSetup, Op: "choose a model", Err: fmt.Errorf("%w: %s", provider.ErrUnconfigured, n.Text), Hint: n.Remedy}
		}
	}
	found := provider.ProbeLocal(ctx)
	if len(found) == 0 {
		return nil, err
	}
	return nil, &core.Error{
		Code: core.CodeSetup, Op: "choose a model", Err: err,
		Hint: "a model server answers at " + found[0].BaseURL + "; to use it: hermes setup --provider " + found[0].Provider,
	}
}

// Configured chooses the model without asking any server.
func (a *App) Configured() (*Picked, error) {
	c, err := provider.Choose(a.inputs(provider.Pick{Model: a.opts.Model}))
	if err != nil {
		return nil, err
	}
	return a.picked(c)
}

func (a *App) picked(c provider.Chosen) (*Picked, error) {
	c.Options.Prices = a.prices()
	if c.Options.ContextLength == 0 {
		c.Options.ContextLength = a.Config().Model.ContextLength // the person's word holds for whatever model is used
	}
	c.Options.Scripted = a.scripted
	m, err := provider.New(c.Options)
	if err != nil {
		return nil, err
	}
	return &Picked{Model: m, options: c.Options, Source: c.Source}, nil
}

func (a *App) inputs(flags provider.Pick) provider.Inputs {
	m := a.Config().Model
	in := provider.Inputs{
		Flags:     flags,
		Config:    provider.Pick{Provider: m.Provider, BaseURL: m.BaseURL, Model: m.Default, ContextLength: m.ContextLength},
		Providers: map[string]provider.Configured{},
		Env:       a.opts.Getenv,
		Dotenv: func(name string) string {
			v, _ := a.Config().Secrets.Lookup(name)
			return v
		},
	}
	for name, p := range a.Config().Providers {
		in.Providers[name] = provider.Configured{BaseURL: p.BaseURL, KeyEnv: p.KeyEnv}
	}
	return in
}

func (a *App) prices() provider.Prices {
	out := provider.Prices{}
	for model, p := range a.Config().Prices {
		facts := provider.ModelFacts{Input: &p.Input, Output: &p.Output}
		if p.Cached > 0 {
			facts.Cached = &p.Cached
		}
		out[model] = facts
	}
	return out
}

// Auxiliary is the model of a side task ("title", "compression" …): the one configured for it, else
// that of "default". ok is false when neither is set.
func (a *App) Auxiliary(task string) (m *Picked, isSet bool, err error) {
	aux, found := a.Config().Auxiliary[task]
	if !found || aux == (config.Auxiliary{}) {
		aux = a.Config().Auxiliary["default"]
	}
	if aux == (config.Auxiliary{}) || aux.Provider == "auto" && aux.Model == "" {
		return nil, false, nil
	}
	if aux.Provider == "auto" {
		aux.Provider = ""
	}
	c, err := provider.Choose(a.inputs(provider.Pick{Provider: aux.Provider, BaseURL: aux.BaseURL, Model: aux.Model}))
	if err != nil {
		return nil, true, err
	}
	m, err = a.picked(c)
	return m, true, err
}

// ModelNamed is the model a person named for the server in use, "model" or "provider/model".
func (a *App) ModelNamed(name string) (*Picked, error) {
	c, err := provider.Choose(a.inputs(provider.Pick{Model: strings.TrimSpace(name)}))
	if err != nil {
		return nil, err
	}
	return a.picked(c)
}

// SetModel makes a model the default in config.yaml.
func (a *App) SetModel(ctx context.Context, name string) (core.ModelInfo, error) {
	p, err := a.ModelNamed(name)
	if err != nil {
		return core.ModelInfo{}, err
	}
	if err := a.Home.Open(); err != nil {
		return core.ModelInfo{}, err
	}
	info := p.Info()
	settings := [][2]string{{"model.default", info.Model}, {"model.provider", info.Provider}}
	if preset, known := provider.PresetByName(info.Provider); !known || preset.BaseURL != info.BaseURL {
		settings = append(settings, [2]string{"providers." + info.Provider + ".base_url", info.BaseURL})
	}
	for _, kv := range settings {
		if err := a.Settings.Set(ctx, kv[0], kv[1]); err != nil {
			return core.ModelInfo{}, err
		}
	}
	a.Reload()
	return info, nil
}
