// Package onboard is the first screen when no model is configured: pick a provider, paste a key, pick
// a served model, confirm what will be written; or start the demo. Nothing is written before the
// last step, and that step says what goes where.
//
// It must not know ports: it says what it needs done as an Action, the root does it and reports back
// through SetModels, SetDone and SetError. Start at View.
package onboard

import (
	"net/url"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes/tui/composer"
)

// Preset is a provider that can be picked.
type Preset struct {
	Name     string // "openai", stored in the config
	Label    string // "OpenAI", shown
	BaseURL  string // editable when Custom
	KeyEnv   string // "OPENAI_API_KEY"; "" when the provider takes no key
	Model    string // the suggested model; "" asks the server
	KeyFound bool   // KeyEnv is already set in the environment: the key step may be skipped
	Local    bool   // runs on this machine; a key is optional
	Custom   bool   // the person types the base URL
}

// Choice is what the person picked.
type Choice struct {
	Preset  string
	BaseURL string
	Key     string // "" uses the environment's or none; never logged, never shown
	Model   string
}

// Do says what has to be done.
type Do int

// The actions of the screen.
const (
	Nothing  Do = iota
	ListThem    // ask the provider of Choice for its models; answer with SetModels or SetError
	Save        // test Choice, write it and open a session; answer with SetError, or adopt
	Demo        // open the demo; answer with SetError, or adopt
	Cancel      // give up what is under way; SetError follows
	Quit
)

// Action is a request to the root.
type Action struct {
	Do     Do
	Choice Choice
}

type step int

const (
	pickProvider step = iota
	typeURL
	typeKey
	loading // the models are being asked for
	pickModel
	confirm
	saving
)

// View is the onboarding screen. Create it with New.
type View struct {
	notice  string
	presets []Preset
	plan    func(Choice) []string

	step   step
	sel    int
	url    *composer.Field
	key    *composer.Field
	filter *composer.Field // over models; also a model name typed by hand
	models []string
	shown  []string
	model  int
	err    string
	choice Choice
	busy   string // what is being done while loading or saving
}

// New returns the screen. notice says why it appears; plan says what Save would write.
func New(notice string, presets []Preset, plan func(Choice) []string) *View {
	return &View{
		notice: notice, presets: presets, plan: plan,
		url: composer.NewField("", false), key: composer.NewField("", true), filter: composer.NewField("", false),
	}
}

// SetModels answers ListThem.
func (v *View) SetModels(models []string) {
	if v.step != loading {
		return
	}
	v.models, v.model, v.err = models, 0, ""
	v.filter.SetText("")
	v.step = pickModel
	v.refilter()
	for i, m := range v.shown {
		if m == v.preset().Model {
			v.model = i
		}
	}
}

// SetError answers ListThem, Save or Demo when it did not work; the person can correct and go on.
func (v *View) SetError(text, remedy string) {
	v.err = text
	if remedy != "" {
		v.err += " → " + remedy
	}
	switch {
	case v.step == loading && v.wantsKey():
		v.step = typeKey
	case v.step == loading && v.preset().Custom:
		v.step = typeURL
	case v.step == loading:
		v.step = pickProvider
	case v.step == saving && v.choice.Preset == "":
		v.step = pickProvider
	case v.step == saving:
		v.step = confirm
	}
}

func (v *View) preset() Preset {
	if v.sel >= len(v.presets) {
		return Preset{}
	}
	return v.presets[v.sel]
}

func (v *View) wantsKey() bool { return v.preset().KeyEnv != "" || v.preset().Custom }

// Busy tells whether the screen waits for an answer.
func (v *View) Busy() bool { return v.step == loading || v.step == saving }

// Update handles a key or a paste.
func (v *View) Update(msg tea.Msg) Action {
	name := ""
	if k, ok := msg.(tea.KeyPressMsg); ok {
		name = k.String()
	}
	switch v.step {
	case pickProvider:
		return v.providerKey(name)
	case typeURL, typeKey:
		return v.fieldKey(name, msg)
	case pickModel:
		return v.modelKey(name, msg)
	case confirm:
		return v.confirmKey(name)
	default: // waiting: only giving up is possible
		if name == "esc" {
			return Action{Do: Cancel}
		}
		return Action{}
	}
}

func (v *View) providerKey(name string) Action {
	v.err = ""
	switch name {
	case "j", "down":
		v.sel = min(v.sel+1, len(v.presets)-1)
	case "k", "up":
		v.sel = max(v.sel-1, 0)
	case "g", "home":
		v.sel = 0
	case "G", "end":
		v.sel = len(v.presets) - 1
	case "d":
		v.step, v.busy, v.choice = saving, "starting the demo", Choice{}
		return Action{Do: Demo}
	case "q":
		return Action{Do: Quit}
	case "enter":
		p := v.preset()
		v.choice = Choice{Preset: p.Name, BaseURL: p.BaseURL}
		v.key.SetText("")
		switch {
		case p.Custom:
			if v.url.Text() == "" { // who comes back finds what was typed
				v.url.SetText(p.BaseURL)
			}
			v.step = typeURL
		case v.wantsKey() && !p.KeyFound:
			v.step = typeKey
		default:
			return v.ask()
		}
	}
	return Action{}
}

// ask requests the models of the choice made so far.
func (v *View) ask() Action {
	v.step, v.busy = loading, "asking "+v.preset().Label+" for its models"
	return Action{Do: ListThem, Choice: v.choice}
}

func (v *View) fieldKey(name string, msg tea.Msg) Action {
	field := v.url
	if v.step == typeKey {
		field = v.key
	}
	switch name {
	case "esc":
		v.err = ""
		if v.step == typeKey && v.preset().Custom {
			v.step = typeURL
		} else {
			v.step = pickProvider
		}
		return Action{}
	case "enter":
		text := strings.TrimSpace(field.Text())
		if v.step == typeKey {
			return v.takeKey(text)
		}
		v.takeAddress(text)
		return Action{}
	}
	v.err = ""
	field.Update(msg)
	return Action{}
}

// takeAddress goes on to the key when text can be an address at all; whether a server answers there is seen
// when it is asked for its models.
func (v *View) takeAddress(text string) {
	u, err := url.Parse(text)
	switch {
	case text == "":
		v.err = "an address is needed, such as http://localhost:8080/v1"
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		v.err = "this is no address: it begins with http:// or https://, such as http://localhost:8080/v1"
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		v.err = "an address has no user, no ? and no #; the key comes next"
	default:
		v.choice.BaseURL, v.step, v.err = text, typeKey, ""
	}
}

func (v *View) takeKey(text string) Action {
	if text == "" && !v.preset().Local && !v.preset().Custom && !v.preset().KeyFound {
		v.err = "a key is needed"
		return Action{}
	}
	v.choice.Key, v.err = text, ""
	return v.ask()
}

func (v *View) modelKey(name string, msg tea.Msg) Action {
	switch name {
	case "esc":
		v.step, v.err = pickProvider, ""
	case "down", "ctrl+n":
		v.model = min(v.model+1, max(len(v.shown)-1, 0))
	case "up", "ctrl+p":
		v.model = max(v.model-1, 0)
	case "pgdown":
		v.model = min(v.model+10, max(len(v.shown)-1, 0))
	case "pgup":
		v.model = max(v.model-10, 0)
	case "enter":
		v.choice.Model = strings.TrimSpace(v.filter.Text())
		if v.model < len(v.shown) {
			v.choice.Model = v.shown[v.model]
		}
		if v.choice.Model == "" {
			v.err = "type the name of a model"
			return Action{}
		}
		v.step, v.err = confirm, ""
	default:
		v.err = ""
		v.filter.Update(msg)
		v.refilter()
	}
	return Action{}
}

func (v *View) refilter() {
	words := strings.Fields(strings.ToLower(v.filter.Text()))
	v.shown = v.shown[:0:0]
	for _, m := range v.models {
		ok := true
		for _, w := range words {
			ok = ok && strings.Contains(strings.ToLower(m), w)
		}
		if ok {
			v.shown = append(v.shown, m)
		}
	}
	v.model = min(v.model, max(len(v.shown)-1, 0))
}

func (v *View) confirmKey(name string) Action {
	switch name {
	case "esc":
		v.step, v.err = pickModel, ""
	case "enter":
		v.step, v.err, v.busy = saving, "", "making a test call to "+v.choice.Model
		return Action{Do: Save, Choice: v.choice}
	}
	return Action{}
}
