// Package keys holds bindings as data: which key does what where, how it is called on a slash
// command and in the help. The table itself is written by the root (it knows the handlers); this
// package looks keys up, finds conflicts and prints the help and the README table.
//
// It must not know handlers, panes or Bubble Tea. Start at Binding.
package keys

import (
	"fmt"
	"strings"
)

// Scope says where a binding lives.
type Scope string

// The scopes. A key of Anywhere must not be bound again in another scope; the others exclude each
// other, so the same key may mean different things in them.
const (
	Anywhere   Scope = "anywhere"
	Prefix     Scope = "prefix" // after Ctrl+X
	Composer   Scope = "composer"
	Transcript Scope = "transcript"
	List       Scope = "list panes"
	Dialog     Scope = "approval"
	Cleanup    Scope = "memory clean-up"
	Stored     Scope = "sessions"
	Library    Scope = "skills"
	Journey    Scope = "journey"
	Figures    Scope = "insights"
	Tending    Scope = "curator"
	Desk       Scope = "reviews"
	Reading    Scope = "stored transcript"
	Views      Scope = "any view"
	Boxes      Scope = "lists on top"
)

// Leader is the keystroke that opens the Prefix scope.
const Leader = "ctrl+x"

// Binding is one action with the keys that reach it.
type Binding struct {
	ID    string   // "session.new"; unique
	Scope Scope    //
	Keys  []string // keystrokes as Bubble Tea names them; may be empty when only Slash reaches it
	Slash string   // "/new"; "" when there is none
	Args  string   // "[title]", shown after Slash
	Help  string   // what it does, a few words, lower case
	Short string   // the same in ShortWidth cells, where Help is longer; see Brief
	// Note only documents: the widget handles the key itself and the root never looks it up.
	Note bool
	// Of is the id of the action when this binding only gives it another key.
	Of string
}

// Target returns the id of the action that b reaches.
func (b Binding) Target() string {
	if b.Of != "" {
		return b.Of
	}
	return b.ID
}

// ShortWidth is what the list of the keys after the leader has room for.
const ShortWidth = 34

// Brief is what b does in at most ShortWidth cells.
func (b Binding) Brief() string {
	if b.Short != "" {
		return b.Short
	}
	return b.Help
}

// Table is a set of bindings in the order the help shows them.
type Table []Binding

// Find returns the binding of keystroke in scope.
func (t Table) Find(scope Scope, keystroke string) (Binding, bool) {
	for _, b := range t {
		if b.Scope != scope || b.Note {
			continue
		}
		for _, k := range b.Keys {
			if k == keystroke {
				return b, true
			}
		}
	}
	return Binding{}, false
}

// Command returns the binding of a slash command ("/new").
func (t Table) Command(name string) (Binding, bool) {
	for _, b := range t {
		if b.Slash != "" && b.Slash == name {
			return b, true
		}
	}
	return Binding{}, false
}

// Complete returns the bindings whose slash command starts with prefix, in table order.
func (t Table) Complete(prefix string) []Binding {
	var out []Binding
	for _, b := range t {
		if b.Slash != "" && strings.HasPrefix(b.Slash, prefix) {
			out = append(out, b)
		}
	}
	return out
}

// In returns the bindings of scope.
func (t Table) In(scope Scope) []Binding {
	var out []Binding
	for _, b := range t {
		if b.Scope == scope {
			out = append(out, b)
		}
	}
	return out
}

// Conflicts lists ids, slash commands and keys that are bound twice, one line each. Two bindings
// conflict on a key when their scopes are equal or one of them is Anywhere.
func (t Table) Conflicts() []string {
	var out []string
	for i, a := range t {
		for _, b := range t[i+1:] {
			if a.ID == b.ID {
				out = append(out, fmt.Sprintf("two bindings are called %s", a.ID))
			}
			if a.Slash != "" && a.Slash == b.Slash {
				out = append(out, fmt.Sprintf("%s and %s both are %s", a.ID, b.ID, a.Slash))
			}
			if !together(a.Scope, b.Scope) {
				continue
			}
			for _, k := range a.Keys {
				for _, o := range b.Keys {
					if k == o {
						out = append(out, fmt.Sprintf("%s and %s both want %s", a.ID, b.ID, k))
					}
				}
			}
		}
	}
	return out
}

func together(a, b Scope) bool {
	if a == b {
		return true
	}
	return a == Anywhere && !over(b) || b == Anywhere && !over(a)
}

// over tells a scope in which the keys of Anywhere do not hold.
func over(s Scope) bool {
	return s != Anywhere && s != Composer && s != Transcript && s != List
}

// Label writes the keys of b for people: "Ctrl+X n", "Up, Ctrl+P".
func (b Binding) Label() string {
	names := make([]string, len(b.Keys))
	for i, k := range b.Keys {
		names[i] = Name(k)
		if b.Scope == Prefix {
			names[i] = Name(Leader) + " " + names[i]
		}
	}
	return strings.Join(names, ", ")
}

// Name writes one keystroke for people: "ctrl+x" is "Ctrl+X", "pgup" is "PgUp", "?" stays.
func Name(keystroke string) string {
	if keystroke == "+" {
		return keystroke
	}
	parts := strings.Split(keystroke, "+")
	for i, p := range parts {
		switch p {
		case "pgup":
			parts[i] = "PgUp"
		case "pgdown":
			parts[i] = "PgDn"
		case "":
			parts[i] = "+"
		default:
			if len(p) > 1 || i > 0 {
				parts[i] = strings.ToUpper(p[:1]) + p[1:]
			}
		}
	}
	return strings.Join(parts, "+")
}

// Markdown prints the table for the README; name is what the settings call an action whose keys can be changed.
func (t Table) Markdown() string {
	var b strings.Builder
	b.WriteString("| where | keys | command | what | name |\n| --- | --- | --- | --- | --- |\n")
	for _, e := range t {
		where := string(e.Scope)
		if len(e.Keys) == 0 {
			where = "command"
		}
		name := ""
		if e.Movable() {
			name = e.ID
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", where, code(e.Label()), code(strings.TrimSpace(e.Slash+" "+e.Args)), e.Help, name)
	}
	return b.String()
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "|", "\\|") + "`"
}

// Hint is a key with a word, for the status bar and the foot of dialogs.
type Hint struct{ Key, Word string }

// Hints makes hints of keys and words in turn: "e", "edit", "j k", "move". A key without a word is left out.
func Hints(pairs ...string) []Hint {
	out := make([]Hint, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, Hint{Key: pairs[i], Word: pairs[i+1]})
	}
	return out
}
