package terminal

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hermes/tools"
)

// What concerns hermes itself: the mark by which its own program knows an agent's shell, and the
// commands of that program that are a person's.

// markVar is set in every shell of an agent.
const markVar = "HERMES_AGENT"

// unmark refuses what would clear or replace the mark: without it the agent could answer its own
// approvals.
func (s *scan) unmark() {
	s.add(tools.ActionDeny, "agent-mark", "clears or replaces "+markVar+", the mark of an agent's shell", true)
}

// marks reports whether word assigns the mark or is its name.
func marks(word string) bool {
	rest, ok := strings.CutPrefix(word, markVar)
	return ok && (rest == "" || strings.ContainsAny(rest[:1], "=[+"))
}

// marksIn reports whether an arithmetic expression names the mark.
func marksIn(n syntax.Node) (found bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if l, ok := n.(*syntax.Lit); ok {
			found = found || l.Value == markVar
		}
		return !found
	})
	return found
}

// declared judges export, declare, local and their kin.
func (s *scan) declared(d *syntax.DeclClause) {
	for _, a := range d.Args {
		switch {
		case a.Name != nil && a.Name.Value == markVar:
			s.unmark()
		case a.Value == nil:
		default:
			word := s.words.one(a.Value)
			name, value, sets := strings.Cut(word, "=")
			if a.Name == nil && sets {
				s.set(name, value, !strings.Contains(word, hole))
				s.words.redefined(name)
			}
			if a.Name == nil && short(word, "n") && d.Variant.Value != "export" && d.Variant.Value != "readonly" {
				s.askExact("hidden-variable", "makes one variable stand for another")
			}
			if marks(word) {
				s.unmark() // also declare -n other=HERMES_AGENT
			} else if a.Name == nil && strings.Contains(name, hole) {
				s.askExact("hidden-variable", "sets a variable whose name is only known when it runs")
			}
		}
		s.assign(a)
	}
}

// variables judges programs of the shell and others that set or clear variables.
func (s *scan) variables(name string, args []string) {
	switch name {
	case "source", ".", "eval", "alias", "hash", "enable":
		if name != "alias" || slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "=") }) {
			s.words.redefined("source")
		}
	case "unset", "read", "mapfile", "readarray", "getopts", "wait", "set", "export", "declare", "typeset", "local", "readonly":
		if slices.ContainsFunc(args, marks) {
			s.unmark()
		}
		if name == "unset" && slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, hole) }) {
			s.askExact("hidden-variable", "clears a variable whose name is only known when it runs")
		}
		if name == "read" || name == "mapfile" || name == "readarray" || name == "getopts" || name == "unset" {
			for _, a := range args {
				s.set(a, "", false)
				s.words.redefined(a)
			}
		}
		return
	case "printf":
		for _, n := range append(joined(args, "-v"), flagValue(args, "", "-v")) {
			s.set(n, "", false)
		}
		if marks(flagValue(args, "", "-v")) || slices.ContainsFunc(joined(args, "-v"), marks) {
			s.unmark()
		}
		return
	case "echo", "grep", "egrep", "fgrep", "rg", "ag", "git", "test", "[", "[[", "case":
		return // they read or print such text
	case "env":
		s.emptied(args)
	case "exec":
		if slices.ContainsFunc(args[:len(args)-len(skipFlags(args, "-a"))], func(a string) bool { return short(a, "c") }) {
			s.unmark()
		}
	case "setpriv", "bwrap":
		if slices.Contains(args, "--reset-env") || slices.Contains(args, "--clearenv") || marks(flagValue(args, "--unsetenv", "")) || marks(flagValue(args, "--setenv", "")) {
			s.unmark()
		}
	}
	if slices.ContainsFunc(args, func(a string) bool { return marks(a) && a != markVar || strings.HasPrefix(a, "--setenv="+markVar) }) {
		s.unmark()
	}
}

// emptied judges what env takes away from the environment.
func (s *scan) emptied(args []string) {
	own := args[:len(args)-len(skipFlags(args, "-u -C -P -S --unset --chdir --split-string"))]
	if text := splitString("env", args); text != "" {
		own = append(slices.Clone(own), strings.Fields(text)...)
	} else if len(own) < len(args) && args[len(own)] == "-" {
		s.unmark()
	}
	for i, a := range own {
		name := ""
		switch {
		case strings.HasPrefix(a, "--i"), a == "-", short(a, "i") && !strings.HasPrefix(a, "-u") && !strings.HasPrefix(a, "-S"):
			s.unmark()
		case (a == "-u" || strings.HasPrefix("--unset", a) && len(a) > 2) && i+1 < len(own):
			name = own[i+1]
		case strings.HasPrefix(a, "--u"): // GNU programs allow --uns=
			_, name, _ = strings.Cut(a, "=")
		case len(a) > 2 && strings.HasPrefix(a, "-u"):
			name = a[2:]
		}
		if marks(name) {
			s.unmark()
		} else if strings.Contains(name, hole) {
			s.askExact("hidden-variable", "clears a variable whose name is only known when it runs")
		}
	}
}

// ownProgram judges starting hermes from the agent's shell: what changes settings, approvals or history
// is a person's, and no remembered rule answers for it.
func (s *scan) ownProgram(name string, args []string) {
	if name == "go" && len(args) > 1 && args[0] == "run" {
		rest := skipFlags(args[1:], "-C -tags -ldflags -gcflags -mod -exec -o -p")
		if len(rest) == 0 {
			return
		}
		name, args = base(strings.TrimSuffix(rest[0], "/")), rest[1:]
	}
	if name != "hermes" {
		return
	}
	_, operands := options(args, "")
	firm := slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--yolo") || strings.Contains(a, hole) })
	for i, o := range operands {
		next := ""
		if i+1 < len(operands) {
			next = operands[i+1]
		}
		switch o {
		case "approvals", "trust", "undo", "setup":
			firm = true
		case "config", "memory", "ledger", "skills":
			firm = firm || slices.Contains([]string{"set", "unset", "add", "remove", "edit", "reset", "import", "undo", "restore", "approve"}, next)
		}
	}
	if firm {
		s.note(finding{tier: tools.ActionAsk, id: "hermes-settings", exact: true, firm: true, reason: "changes hermes' own settings, approvals or history, which are the person's"})
	}
}
