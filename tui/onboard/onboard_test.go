package onboard_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/tui/onboard"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

// host is an address, key by key.
const host = "h t t p : / / h "

func presets() []onboard.Preset {
	return []onboard.Preset{
		{Name: "openai", Label: "OpenAI", BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY", Model: "mini"},
		{Name: "found", Label: "Found", BaseURL: "https://found", KeyEnv: "FOUND_KEY", KeyFound: true},
		{Name: "ollama", Label: "Ollama", BaseURL: "http://localhost:11434/v1", Local: true},
		{Name: "custom", Label: "Other", Custom: true},
	}
}

func newView() *onboard.View {
	return onboard.New("", presets(), func(c onboard.Choice) []string { return []string{"config.yaml: " + c.Model} })
}

// press returns the last action that asks for something.
func press(v *onboard.View, keys string) onboard.Action {
	var last onboard.Action
	for k := range strings.FieldsSeq(keys) {
		if k == "MODELS" {
			v.SetModels([]string{"big", "mini"})
		} else if a := v.Update(tuitest.Key(k)); a.Do != onboard.Nothing {
			last = a
		}
	}
	return last
}

func TestView_paths(t *testing.T) {
	t.Parallel()
	openai := onboard.Choice{Preset: "openai", BaseURL: "https://api.openai.com/v1", Key: "sk"}
	for _, tc := range []struct {
		name, keys string
		want       onboard.Action
	}{
		{"a key is needed", "enter enter", onboard.Action{}},
		{"key then models", "enter s k enter", onboard.Action{Do: onboard.ListThem, Choice: openai}},
		{"key in the environment", "j enter", onboard.Action{Do: onboard.ListThem, Choice: onboard.Choice{Preset: "found", BaseURL: "https://found"}}},
		{"local needs no key", "j j enter", onboard.Action{Do: onboard.ListThem, Choice: onboard.Choice{Preset: "ollama", BaseURL: "http://localhost:11434/v1"}}},
		{"custom address", "G enter " + host + "enter enter", onboard.Action{Do: onboard.ListThem, Choice: onboard.Choice{Preset: "custom", BaseURL: "http://h"}}},
		{"no address", "G enter h : / / x enter enter", onboard.Action{}},
		{"an address with a key in it", "G enter " + host + "? k enter enter", onboard.Action{}},
		{"back to the address", "G enter " + host + "enter esc / v enter enter", onboard.Action{Do: onboard.ListThem, Choice: onboard.Choice{Preset: "custom", BaseURL: "http://h/v"}}},
		{"the address is kept", "G enter " + host + "esc enter / v enter enter", onboard.Action{Do: onboard.ListThem, Choice: onboard.Choice{Preset: "custom", BaseURL: "http://h/v"}}},
		{"custom needs an address", "G enter enter", onboard.Action{}},
		{"suggested model is selected", "j j k k enter s k enter MODELS enter enter", onboard.Action{Do: onboard.Save, Choice: withModel(openai, "mini")}},
		{"another model", "enter s k enter MODELS up enter enter", onboard.Action{Do: onboard.Save, Choice: withModel(openai, "big")}},
		{"filtered model", "enter s k enter MODELS b i enter enter", onboard.Action{Do: onboard.Save, Choice: withModel(openai, "big")}},
		{"unlisted model", "enter s k enter MODELS n e w enter enter", onboard.Action{Do: onboard.Save, Choice: withModel(openai, "new")}},
		{"nothing saved before the last step", "enter s k enter MODELS enter", onboard.Action{Do: onboard.ListThem, Choice: openai}},
		{"demo", "d", onboard.Action{Do: onboard.Demo}},
		{"quit", "q", onboard.Action{Do: onboard.Quit}},
		{"cancel", "enter s k enter esc", onboard.Action{Do: onboard.Cancel}},
		{"back", "enter s k esc d", onboard.Action{Do: onboard.Demo}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, press(newView(), tc.keys)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func withModel(c onboard.Choice, m string) onboard.Choice {
	c.Model = m
	return c
}

// After a failure the person stands where it can be corrected.
func TestView_errors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, keys, sees string }{
		{"refused key", "enter s k enter", "Key for OpenAI"},
		{"custom address", "G enter " + host + "enter enter", "Key for the server"},
		{"no address", "G enter x enter", "Address of the server"},
		{"local server down", "j j enter", "Which model provider?"},
		{"test call", "enter s k enter MODELS enter enter", "Ready"},
		{"demo", "d", "Which model provider?"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			v := newView()
			press(v, tc.keys)
			v.SetError("it did not work", "try this")
			box, _, _ := v.Draw(theme.New(theme.Dark), 80, 23)
			s := strings.Join(box, "\n")
			for _, want := range []string{tc.sees, "it did not work", "try this"} {
				if !strings.Contains(s, want) {
					t.Errorf("%q is missing:\n%s", want, s)
				}
			}
		})
	}
}
