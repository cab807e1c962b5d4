package config

import (
	"slices"
	"strings"
)

// Kind is the type of a setting's value.
type Kind string

// The kinds of values.
const (
	KindString Kind = "string"
	KindInt    Kind = "integer"
	KindFloat  Kind = "number"
	KindBool   Kind = "boolean"
	KindList   Kind = "list"
	KindAny    Kind = "any"
)

// Key describes one setting, for "hermes config" and the documentation.
type Key struct {
	Path    string   // "memory.memory_char_limit"; "*" stands for a name of the person's choice
	Kind    Kind     //
	Default string   // as it would be written in the file; "" when empty
	Doc     string   // one line
	Oneof   []string // the only words allowed, for strings
	Min     float64  // the smallest number allowed, for numbers
}

// Words are those that are allowed, as a sentence says it: "auto, on or off"; "" when any are.
func (k Key) Words() string {
	if len(k.Oneof) == 0 {
		return ""
	}
	last := len(k.Oneof) - 1
	return strings.Join(k.Oneof[:last], ", ") + " or " + k.Oneof[last]
}

// Keys lists every setting hermes knows, in the order the documentation shows them.
func Keys() []Key {
	return []Key{
		str("model.default", "model that answers, as the server names it"),
		str("model.provider", "preset or name under providers"),
		str("model.base_url", "address of the server, when it is not the provider's own"),
		num("model.context_length", "0", 0, "context window in tokens; 0 asks the server"),
		str("providers.*.base_url", "address of this server"),
		str("providers.*.key_env", "name of the variable that holds its key"),
		str("auxiliary.*.provider", "provider for this task (default, title, compression, background_review, session_search, curator, approval, skill_audit)"),
		str("auxiliary.*.model", "model for this task"),
		str("auxiliary.*.base_url", "address for this task"),
		num("agent.max_turns", "90", 1, "model requests in one run"),
		list("toolsets", "toolsets offered to the model; empty offers all"),
		num("terminal.timeout", "180", 1, "seconds a command may take"),
		list("terminal.env_passthrough", "variables commands may see although their names look secret"),
		word("approvals.mode", "manual", "who decides about risky calls", "manual", "smart", "off"),
		num("approvals.timeout", "300", 1, "seconds until an unanswered question counts as no"),
		list("approvals.deny", "globs over commands that never run"),
		list("approvals.allow", "rules that \"always\" added"),
		flag("memory.memory_enabled", "true", "keep MEMORY.md"),
		flag("memory.user_profile_enabled", "true", "keep USER.md"),
		num("memory.memory_char_limit", "2200", 1, "characters MEMORY.md may hold"),
		num("memory.user_char_limit", "1375", 1, "characters USER.md may hold"),
		num("memory.nudge_interval", "10", 0, "user turns between memory reviews; 0 turns them off"),
		flag("memory.write_approval", "false", "ask before memory is written"),
		list("skills.external_dirs", "more folders to read skills from"),
		list("skills.disabled", "skills that are not shown"),
		list("skills.trusted_project_dirs", "project folders whose skills may be used"),
		list("skills.env_consent", "variables that skills may use, as you agreed (\"category/skill NAME\")"),
		num("skills.creation_nudge_interval", "10", 0, "model steps between skill reviews; 0 turns them off"),
		flag("skills.guard_agent_created", "true", "scan skills the agent writes"),
		flag("skills.write_approval", "false", "ask before skills are written"),
		{Path: "skills.config.*", Kind: KindAny, Doc: "settings that skills declare"},
		num("skills.index_token_budget", "0", 0, "tokens the skills index may take; 0 decides from the context window"),
		flag("review.enabled", "true", "learn from turns in the background"),
		num("review.max_tool_calls", "8", 1, "tool calls in one review"),
		num("review.max_input_tokens", "600000", 1, "tokens one review may read"),
		dec("review.max_cost_per_day", "0", "US dollars reviews may cost in a day; 0 is no limit"),
		num("review.wait_seconds", "60", 0, "seconds \"hermes run\" waits for a review"),
		word("session_search.summarize", "auto", "summarise what a search found", "auto", "on", "off"),
		flag("curator.enabled", "true", "look after old skills"),
		num("curator.interval_hours", "168", 1, "hours between runs"),
		num("curator.min_idle_hours", "2", 0, "hours of quiet before a run"),
		num("curator.stale_after_days", "30", 1, "days without use until a skill is stale"),
		num("curator.archive_after_days", "90", 1, "days without use until a skill is archived"),
		flag("curator.consolidate", "false", "let a model merge similar skills"),
		num("curator.backup.keep", "5", 0, "snapshots kept"),
		flag("compression.enabled", "true", "summarise long conversations"),
		dec("compression.threshold", "0.75", "share of the context window that starts it"),
		num("compression.protect_first_n", "3", 0, "messages kept at the start"),
		num("compression.protect_last_n", "20", 0, "messages kept at the end"),
		list("trusted_dirs", "folders whose content is trusted"),
		str("web.search_url", "address of a search service"),
		str("web.search_key_env", "name of the variable that holds its key"),
		flag("web.allow_private", "false", "let web tools reach private addresses"),
		num("delegation.max_iterations", "50", 1, "model requests of a sub-agent"),
		num("delegation.max_concurrent_children", "3", 1, "sub-agents at the same time"),
		num("undo.max_bytes", "268435456", 0, "bytes kept for undo"),
		word("display.busy_mode", "queue", "what Enter does while a run is busy", "queue", "interrupt", "steer"),
		word("display.theme", "auto", "colours of the screen", "auto", "dark", "light", "contrast", "16", "plain"),
		word("display.mouse", "off", "take the mouse from the terminal", "off", "on"),
		word("display.memory_notifications", "on", "tell when memory changes", "off", "on", "verbose"),
		word("display.notifications", "auto", "bell or notification when a run ends unseen", "auto", "on", "off"),
		word("display.keyboard_protocol", "auto", "ask the terminal for unambiguous keys", "auto", "on", "off"),
		list("keys.*", "keys of this action, as ctrl+x w; the README has the names"),
		dec("prices.*.input", "", "US dollars per million input tokens"),
		dec("prices.*.cached", "", "US dollars per million cached input tokens"),
		dec("prices.*.output", "", "US dollars per million output tokens"),
	}
}

func str(path, doc string) Key {
	return Key{Path: path, Kind: KindString, Doc: doc}
}

func word(path, def, doc string, oneof ...string) Key {
	return Key{Path: path, Kind: KindString, Default: def, Doc: doc, Oneof: oneof}
}

func num(path, def string, smallest float64, doc string) Key {
	return Key{Path: path, Kind: KindInt, Default: def, Min: smallest, Doc: doc}
}

func dec(path, def, doc string) Key { return Key{Path: path, Kind: KindFloat, Default: def, Doc: doc} }

func flag(path, def, doc string) Key { return Key{Path: path, Kind: KindBool, Default: def, Doc: doc} }

func list(path, doc string) Key { return Key{Path: path, Kind: KindList, Doc: doc} }

// keyTable answers what is known about a path.
type keyTable []Key

// find returns the key for the exact path.
func (t keyTable) find(path []string) (Key, bool) {
	for _, k := range t {
		if matches(k, path, true) {
			return k, true
		}
	}
	return Key{}, false
}

// section reports whether known keys lie below path.
func (t keyTable) section(path []string) bool {
	return slices.ContainsFunc(t, func(k Key) bool { return matches(k, path, false) })
}

// matches compares whole paths, or with whole false whether path is a proper start of k's.
func matches(k Key, path []string, whole bool) bool {
	parts := strings.Split(k.Path, ".")
	if k.Kind == KindAny && whole && len(path) > len(parts) {
		path = path[:len(parts)] // anything may hide below an "any"
	}
	if whole && len(parts) != len(path) || !whole && len(parts) <= len(path) {
		return false
	}
	for i, p := range path {
		if parts[i] != "*" && parts[i] != p {
			return false
		}
	}
	return true
}

// near returns the known sibling closest to the last part of path, when it could be a typing error.
func (t keyTable) near(path []string) string {
	last := len(path) - 1
	for _, k := range t {
		parts := strings.Split(k.Path, ".")
		if len(parts) > last && matches(k, path[:last], false) && parts[last] != "*" && oneEdit(parts[last], path[last]) {
			return strings.Join(append(slices.Clone(path[:last]), parts[last]), ".")
		}
	}
	return ""
}

// oneEdit reports whether a and b differ by one insertion, deletion, exchange or swap of bytes.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 || a == b {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
	return swapped || a[i+1:] == b[i+1:]
}
