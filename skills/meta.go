package skills

import (
	"strings"

	"hermes/core/text"

	"gopkg.in/yaml.v3"
)

// Meta is what a skill's frontmatter says. Lists that were written as one value have one item; null is no
// value.
type Meta struct {
	Name          string   `json:"name,omitempty"`
	Description   string   `json:"description,omitempty"`
	Version       string   `json:"version,omitempty"`
	Author        string   `json:"author,omitempty"`
	License       string   `json:"license,omitempty"`
	Compatibility string   `json:"compatibility,omitempty"`
	Platforms     []string `json:"platforms,omitempty"`
	Environments  []string `json:"environments,omitempty"`
	Tags          []string `json:"tags,omitempty"`
	Related       []string `json:"related_skills,omitempty"`
	Triggers      []string `json:"triggers,omitempty"`

	Conditions Conditions `json:"conditions,omitzero"`
	Settings   []Setting  `json:"settings,omitempty"`
	Variables  []Variable `json:"variables,omitempty"`
	Files      []string   `json:"credential_files,omitempty"`
	SetupHelp  string     `json:"setup_help,omitempty"`

	// Keys are the keys as written, for those who check them. They are not kept in caches.
	Keys []Key `json:"-"`
}

// Conditions say with which tools a skill is offered.
type Conditions struct {
	RequiresTools    []string `json:"requires_tools,omitempty"`
	RequiresToolsets []string `json:"requires_toolsets,omitempty"`
	FallbackTools    []string `json:"fallback_for_tools,omitempty"`
	FallbackToolsets []string `json:"fallback_for_toolsets,omitempty"`
}

// Setting is a value that a skill asks for once; it is kept at skills.config.<key>.
type Setting struct {
	Key         string `json:"key"`
	Description string `json:"description"`
	Default     string `json:"default,omitempty"`
	Prompt      string `json:"prompt"`
}

// Variable is an environment variable that a skill needs.
type Variable struct {
	Name        string `json:"name"`
	Prompt      string `json:"prompt"`
	Help        string `json:"help,omitempty"`
	RequiredFor string `json:"required_for,omitempty"`
	Optional    bool   `json:"optional,omitempty"`
}

// Key is a key of the frontmatter, with the path to it ("metadata.hermes.tags") and its line in the file.
type Key struct {
	Path string
	Line int
}

// newMeta takes the known keys out of a mapping.
func newMeta(n *yaml.Node) Meta {
	hermes := child(child(n, "metadata"), "hermes")
	m := Meta{
		Name: scalarOf(child(n, "name")), Description: scalarOf(child(n, "description")), Version: scalarOf(child(n, "version")),
		Author: scalarOf(child(n, "author")), License: scalarOf(child(n, "license")), Compatibility: scalarOf(child(n, "compatibility")),
		Platforms: listOf(child(n, "platforms")), Environments: listOf(child(n, "environments")),
		Tags:     either(listOf(child(hermes, "tags")), listOf(child(n, "tags"))),
		Related:  either(listOf(child(hermes, "related_skills")), listOf(child(n, "related_skills"))),
		Triggers: either(listOf(child(hermes, "triggers")), listOf(child(n, "triggers"))),
		Conditions: Conditions{
			RequiresTools: listOf(child(hermes, "requires_tools")), RequiresToolsets: listOf(child(hermes, "requires_toolsets")),
			FallbackTools: listOf(child(hermes, "fallback_for_tools")), FallbackToolsets: listOf(child(hermes, "fallback_for_toolsets")),
		},
		Settings: settingsOf(child(hermes, "config")), Variables: variablesOf(n),
		SetupHelp: scalarOf(child(child(n, "setup"), "help")),
	}
	for _, it := range items(child(n, "required_credential_files")) {
		if f := firstOf(scalarOf(it), scalarOf(child(it, "path")), scalarOf(child(it, "name"))); f != "" {
			m.Files = append(m.Files, f)
		}
	}
	m.Name = strings.Join(strings.Fields(m.Name), " ")
	m.Keys = keysOf(n, "", 0)
	return m
}

// resolve follows an alias.
func resolve(n *yaml.Node) *yaml.Node {
	for i := 0; n != nil && n.Kind == yaml.AliasNode && i < 8; i++ {
		n = n.Alias
	}
	return n
}

// child is the value of key in a mapping; nil when there is none. The last of several counts.
func child(n *yaml.Node, key string) *yaml.Node {
	n = resolve(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		if n.Content[i].Value == key {
			return resolve(n.Content[i+1])
		}
	}
	return nil
}

// scalarOf is the text of a scalar, "" for anything else and for null.
func scalarOf(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return strings.TrimSpace(n.Value)
}

// items are the items of a list; a single value is a list of one.
func items(n *yaml.Node) []*yaml.Node {
	switch {
	case n == nil || n.Tag == "!!null":
		return nil
	case n.Kind == yaml.SequenceNode:
		return n.Content
	}
	return []*yaml.Node{n}
}

func listOf(n *yaml.Node) []string {
	var out []string
	for _, it := range items(n) {
		if s := scalarOf(resolve(it)); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func either(a, b []string) []string {
	if len(a) > 0 {
		return a
	}
	return b
}

func firstOf(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

// settingsOf reads metadata.hermes.config. The first of several with one key counts.
func settingsOf(n *yaml.Node) []Setting {
	var out []Setting
	seen := map[string]bool{}
	for _, it := range items(n) {
		it = resolve(it)
		s := Setting{
			Key: scalarOf(child(it, "key")), Description: scalarOf(child(it, "description")),
			Default: scalarOf(child(it, "default")), Prompt: scalarOf(child(it, "prompt")),
		}
		if s.Prompt == "" {
			s.Prompt = s.Description
		}
		if s.Key != "" && settingKey.Regexp().MatchString(s.Key) && !seen[s.Key] {
			seen[s.Key] = true
			out = append(out, s)
		}
	}
	return out
}

var (
	settingKey   = text.NewPattern(`^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){0,4}$`)
	variableName = text.NewPattern(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
)

// variablesOf merges the three ways to ask for environment variables; the first of a name counts.
func variablesOf(n *yaml.Node) []Variable {
	var out []Variable
	seen := map[string]bool{}
	add := func(list *yaml.Node) {
		for _, it := range items(list) {
			it = resolve(it)
			v := Variable{
				Name:        firstOf(scalarOf(it), scalarOf(child(it, "name")), scalarOf(child(it, "env_var")), scalarOf(child(it, "key"))),
				Prompt:      firstOf(scalarOf(child(it, "prompt")), scalarOf(child(it, "description"))),
				Help:        firstOf(scalarOf(child(it, "help")), scalarOf(child(it, "provider_url")), scalarOf(child(it, "url"))),
				RequiredFor: scalarOf(child(it, "required_for")), Optional: scalarOf(child(it, "optional")) == "true",
			}
			if v.Help == "" {
				v.Help = scalarOf(child(child(n, "setup"), "help"))
			}
			if v.Prompt == "" {
				v.Prompt = "Enter value for " + v.Name
			}
			if variableName.Regexp().MatchString(v.Name) && !seen[v.Name] {
				seen[v.Name] = true
				out = append(out, v)
			}
		}
	}
	add(child(n, "required_environment_variables"))
	add(child(child(n, "setup"), "collect_secrets"))
	add(child(child(n, "prerequisites"), "env_vars"))
	return out
}

// keysOf lists the keys of n, and those of metadata and metadata.hermes.
func keysOf(n *yaml.Node, prefix string, depth int) []Key {
	var out []Key
	if n = resolve(n); n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		path := prefix + n.Content[i].Value
		out = append(out, Key{Path: path, Line: n.Content[i].Line + 1})
		if path == "metadata" || path == "metadata.hermes" && depth == 1 {
			out = append(out, keysOf(n.Content[i+1], path+".", depth+1)...)
		}
	}
	return out
}
