package skills

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Scope is the session for which skills are offered.
type Scope struct {
	Tools    []string // names of its tools; nil when they are not known, then nothing is hidden by them
	Toolsets []string // the same for toolsets
	Window   int      // tokens of the model's context window; 0 when unknown
}

// Hidden says why e is not offered in s; none when it is offered.
func (l *Library) Hidden(e Entry, s Scope) []Warning {
	var out []Warning
	add := func(c Code, format string, args ...any) {
		out = append(out, Warning{Code: c, Message: fmt.Sprintf(format, args...)})
	}
	if l.disabled(e) {
		add(CodeHiddenDisabled, "it is switched off in skills.disabled")
	}
	if !onPlatform(l.opts.OS, e.Meta.Platforms) {
		add(CodeHiddenPlatform, "it is for %s, and this is %s", strings.Join(e.Meta.Platforms, ", "), platformName(l.opts.OS))
	}
	if missing, ok := l.environment(e.Meta.Environments); !ok {
		add(CodeHiddenEnvironment, "it is offered within %s only; it still loads by name", strings.Join(missing, ", "))
	}
	c := e.Meta.Conditions
	if s.Tools != nil {
		if m := absent(c.RequiresTools, s.Tools); len(m) > 0 {
			add(CodeHiddenTools, "it needs the tool %s, which is not there", strings.Join(m, ", "))
		}
		if p := present(c.FallbackTools, s.Tools); len(p) > 0 {
			add(CodeHiddenTools, "it stands in for the tool %s, which is there", strings.Join(p, ", "))
		}
	}
	if s.Toolsets != nil {
		if m := absent(c.RequiresToolsets, s.Toolsets); len(m) > 0 {
			add(CodeHiddenToolsets, "it needs the toolset %s, which is not there", strings.Join(m, ", "))
		}
		if p := present(c.FallbackToolsets, s.Toolsets); len(p) > 0 {
			add(CodeHiddenToolsets, "it stands in for the toolset %s, which is there", strings.Join(p, ", "))
		}
	}
	return out
}

// usable reports whether e may be loaded at all: not switched off, and for this system.
func (l *Library) usable(e Entry) bool {
	return !l.disabled(e) && onPlatform(l.opts.OS, e.Meta.Platforms)
}

func (l *Library) disabled(e Entry) bool {
	return slices.ContainsFunc(l.opts.Disabled, func(d string) bool {
		d = strings.TrimSpace(d)
		return d != "" && (e.Named(d) || e.Rel == d)
	})
}

func absent(want, have []string) []string {
	return slices.DeleteFunc(slices.Clone(want), func(w string) bool { return slices.Contains(have, w) })
}

func present(want, have []string) []string {
	return slices.DeleteFunc(slices.Clone(want), func(w string) bool { return !slices.Contains(have, w) })
}

// onPlatform reports whether the system is one of list; an empty list is all.
func onPlatform(system string, list []string) bool {
	if len(list) == 0 {
		return true
	}
	return slices.ContainsFunc(list, func(p string) bool {
		p = strings.ToLower(strings.TrimSpace(p))
		switch p {
		case "macos", "mac", "osx":
			p = "darwin"
		case "win32", "win":
			p = "windows"
		case "termux":
			p = "android"
		}
		return p == system || p == "all" || p == "any" || p == "linux" && system == "android"
	})
}

func platformName(system string) string {
	if system == "darwin" {
		return "macos"
	}
	return system
}

// environment reports whether the program runs in one of the environments of list; an unknown one counts
// as here. missing are those it does not run in.
func (l *Library) environment(list []string) (missing []string, ok bool) {
	for _, env := range list {
		if l.within(strings.ToLower(strings.TrimSpace(env))) {
			return nil, true
		}
		missing = append(missing, env)
	}
	return missing, len(list) == 0
}

func (l *Library) within(env string) bool {
	exists := func(paths ...string) bool {
		return slices.ContainsFunc(paths, func(p string) bool {
			_, err := os.Stat(p)
			return err == nil
		})
	}
	switch env {
	case "kanban":
		return l.opts.Getenv("HERMES_KANBAN") != ""
	case "docker":
		return exists("/.dockerenv", "/run/.containerenv")
	case "s6":
		return exists("/run/s6", "/etc/s6-overlay")
	}
	return true
}
