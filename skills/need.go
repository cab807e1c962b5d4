package skills

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Value is a setting of a skill with what it is set to.
type Value struct {
	Setting

	Value string `json:"value"`
	Set   bool   `json:"set"` // by the person; otherwise Value is the default
}

// Values are the settings of e with their values from skills.config.
func (l *Library) Values(e Entry) []Value {
	var out []Value
	for _, s := range e.Meta.Settings {
		v := Value{Setting: s, Value: s.Default}
		if got := strings.TrimSpace(setting(l.opts.Settings, s.Key)); got != "" {
			v.Value, v.Set = got, true
		}
		v.Value = l.expandSetting(v.Value)
		out = append(out, v)
	}
	return out
}

// setting looks up a dotted key, as one key or as nested ones.
func setting(m map[string]any, key string) string {
	if v, ok := m[key]; ok {
		return plainValue(v)
	}
	first, rest, deep := strings.Cut(key, ".")
	if sub, ok := m[first].(map[string]any); deep && ok {
		return setting(sub, rest)
	}
	return ""
}

func plainValue(v any) string {
	switch v.(type) {
	case nil, map[string]any, []any:
		return ""
	}
	return fmt.Sprint(v)
}

func (l *Library) expandSetting(s string) string {
	if rest, ok := strings.CutPrefix(s, "~/"); ok {
		if user, err := os.UserHomeDir(); err == nil {
			s = filepath.Join(user, rest)
		}
	}
	return s
}

// Needs is what a skill asks for and what of it is missing.
type Needs struct {
	Variables []Variable
	Missing   []Variable // not optional ones
	Files     []string   // credential files that are not there
}

// Ready reports whether nothing is missing.
func (n Needs) Ready() bool { return len(n.Missing) == 0 && len(n.Files) == 0 }

// Needs tells what e needs. lookup says whether a variable has a value.
func (l *Library) Needs(e Entry, lookup func(name string) bool) Needs {
	n := Needs{Variables: e.Meta.Variables}
	for _, v := range e.Meta.Variables {
		if !v.Optional && !lookup(v.Name) {
			n.Missing = append(n.Missing, v)
		}
	}
	for _, f := range e.Meta.Files {
		clean := filepath.Clean(filepath.FromSlash(f))
		if !filepath.IsLocal(clean) {
			continue // only files in the home are meant
		}
		if _, err := os.Stat(filepath.Join(l.opts.Home.Dir(), clean)); err != nil {
			n.Files = append(n.Files, f)
		}
	}
	return n
}
