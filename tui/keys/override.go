package keys

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Sequence is a key as a person configures it: alone, or after the leader.
type Sequence struct {
	Leader bool
	Key    string // as Bubble Tea names it
}

// named are the keys with names, as they may be written, and how Bubble Tea calls them.
func named() map[string]string {
	out := map[string]string{
		"esc": "esc", "escape": "esc", "enter": "enter", "return": "enter", "tab": "tab", "space": "space",
		"backspace": "backspace", "delete": "delete", "del": "delete", "insert": "insert", "home": "home", "end": "end",
		"up": "up", "down": "down", "left": "left", "right": "right",
		"pgup": "pgup", "pageup": "pgup", "pgdn": "pgdown", "pgdown": "pgdown", "pagedown": "pgdown",
	}
	for i := 1; i <= 20; i++ {
		f := fmt.Sprintf("f%d", i)
		out[f] = f
	}
	return out
}

// Parse reads "Ctrl+G", "ctrl+x g", "Alt+Up", "?" or "G".
func Parse(text string) (Sequence, error) {
	words := strings.Fields(text)
	switch len(words) {
	case 1:
		key, err := parseKey(words[0])
		return Sequence{Key: key}, err
	case 2:
		lead, err := parseKey(words[0])
		if err != nil {
			return Sequence{}, err
		}
		if lead != Leader {
			return Sequence{}, fmt.Errorf("read key %q: only %s can stand before another key", text, Name(Leader))
		}
		key, err := parseKey(words[1])
		return Sequence{Leader: true, Key: key}, err
	default:
		return Sequence{}, fmt.Errorf("read key %q: write one key, or %s and one key", text, Name(Leader))
	}
}

func parseKey(text string) (string, error) {
	mods := map[string]bool{}
	rest := text
	for {
		mod, after, ok := strings.Cut(rest, "+")
		low := strings.ToLower(mod)
		if !ok || after == "" || (low != "ctrl" && low != "alt" && low != "shift") {
			break
		}
		mods[low], rest = true, after
	}
	key, ok := named()[strings.ToLower(rest)]
	switch {
	case ok:
	case utf8.RuneCountInString(rest) != 1:
		return "", fmt.Errorf("read key %q: %q is not a key", text, rest)
	case mods["ctrl"] || mods["alt"]:
		key = strings.ToLower(rest)
	case mods["shift"]: // terminals send the letter that shift makes
		delete(mods, "shift")
		key = strings.ToUpper(rest)
	default:
		key = rest
	}
	var b strings.Builder
	for _, m := range []string{"ctrl", "alt", "shift"} {
		if mods[m] {
			b.WriteString(m + "+")
		}
	}
	return b.String() + key, nil
}

// fixed are keystrokes that keep their meaning whatever a person configures.
func fixed(key string) bool {
	return key == "ctrl+c" || key == "esc" || key == "enter" || key == Leader
}

// Movable tells whether a person can configure the keys of b.
func (b Binding) Movable() bool {
	return !b.Note && (b.Scope != Anywhere || !slices.ContainsFunc(b.Keys, fixed))
}

// near says which actions a person may have meant by id: those of the same group, or that share its last word.
func (t Table) near(id string) string {
	group, last, _ := strings.Cut(id, ".")
	var like []string
	for _, b := range t {
		g, l, _ := strings.Cut(b.ID, ".")
		if b.Movable() && b.Of == "" && (g == group || last != "" && l == last) {
			like = append(like, b.ID)
		}
	}
	if len(like) == 0 || len(like) > 12 {
		return "the end of /help lists them"
	}
	return "there are " + strings.Join(like, ", ")
}

// Override returns t with the keys a person configured, by action id, and what could not be done or
// took a key from another action, one line each. A key after the leader binds there; any other binds
// in the action's own scope, or everywhere when the action belongs behind the leader. An empty list
// takes the keys away.
func (t Table) Override(want map[string][]string) (Table, []string) {
	out := make(Table, len(t))
	copy(out, t)
	var problems []string
	ids := make([]string, 0, len(want))
	for id := range want {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	mine := map[string]string{} // scope and key to the id that was configured for it
	for _, id := range ids {
		at := out.action(id)
		switch {
		case at < 0:
			problems = append(problems, fmt.Sprintf("keys.%s: there is no such action; %s", id, out.near(id)))
			continue
		case !out[at].Movable():
			problems = append(problems, fmt.Sprintf("keys.%s: %v", id, errFixed))
			continue
		}
		var keep []string
		var extra Table
		for _, text := range want[id] {
			b, key, err := out[at].place(text)
			if err != nil {
				problems = append(problems, fmt.Sprintf("keys.%s: %v", id, err))
				continue
			}
			slot := string(b.Scope) + " " + key
			if other := mine[slot]; other != "" {
				problems = append(problems, fmt.Sprintf("keys.%s: %s is configured for %s already", id, Name(key), other))
				continue
			}
			mine[slot] = id
			problems = append(problems, out.free(b.Scope, key, id)...)
			if b.Of == "" {
				keep = append(keep, key)
			} else {
				b.Keys = []string{key}
				extra = append(extra, b)
			}
		}
		if keep == nil && extra == nil && len(want[id]) > 0 { // nothing worked: the defaults stay
			continue
		}
		out[at].Keys = keep
		out = append(out, extra...)
	}
	return out, problems
}

// Check says why texts cannot be configured as the keys of action id; nil when they can.
func (t Table) Check(id string, texts []string) error {
	at := t.action(id)
	if at < 0 {
		return fmt.Errorf("there is no such action; %s", t.near(id))
	}
	if !t[at].Movable() {
		return errFixed
	}
	for _, text := range texts {
		if _, _, err := t[at].place(text); err != nil {
			return err
		}
	}
	return nil
}

var errFixed = errors.New("these keys are fixed")

// action finds the binding that carries the action's own name.
func (t Table) action(id string) int {
	return slices.IndexFunc(t, func(b Binding) bool { return b.ID == id && b.Of == "" })
}

// place reads a configured key of b and returns where it binds: b itself or a copy in another scope.
func (b Binding) place(text string) (Binding, string, error) {
	seq, err := Parse(text)
	switch {
	case err != nil:
		return Binding{}, "", err
	case fixed(seq.Key) && (!seq.Leader || seq.Key != Leader):
		return Binding{}, "", fmt.Errorf("%s cannot be given another meaning", Name(seq.Key))
	}
	scope := b.Scope
	switch {
	case seq.Leader:
		scope = Prefix
	case scope == Prefix:
		scope = Anywhere
	}
	types := utf8.RuneCountInString(seq.Key) == 1 || seq.Key == "space"
	if types && (scope == Anywhere || scope == Composer) {
		return Binding{}, "", fmt.Errorf("%s types text; take a key with Ctrl or Alt, or put %s before it", Name(seq.Key), Name(Leader))
	}
	if scope != b.Scope {
		b = Binding{ID: b.ID + " " + text, Of: b.ID, Scope: scope, Help: b.Help}
	}
	return b, seq.Key, nil
}

// free takes key away from all other bindings it would meet and says from which.
func (t Table) free(scope Scope, key, id string) []string {
	var out []string
	for i := range t {
		if t[i].ID == id || t[i].Of == id || !together(scope, t[i].Scope) || !slices.Contains(t[i].Keys, key) {
			continue
		}
		if t[i].Of == "" {
			t[i].Keys = slices.DeleteFunc(slices.Clone(t[i].Keys), func(k string) bool { return k == key })
			out = append(out, fmt.Sprintf("keys.%s: %s no longer means %q (%s)", id, Name(key), t[i].Help, t[i].ID))
		}
	}
	return out
}
