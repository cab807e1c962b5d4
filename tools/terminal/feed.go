package terminal

import (
	"slices"
	"strings"

	"hermes/core"
	"hermes/tools"
)

// feed says what a program does with what is written to its input.
type feed int

const (
	feedText  feed = iota // it is data, as far as can be known
	feedShell             // it runs as shell commands
	feedCode              // it runs as code of another language
)

// feed looks through the programs of a command for one that runs its input.
func (s *scan) feed() feed {
	out := feedText
	for _, argv := range s.programs {
		name, args := argv[0], argv[1:]
		switch {
		case isShell(name) && !hasDashC(args) && !hasScript(args), name == "ssh", name == "su", name == "eval", strings.Contains(name, hole):
			return feedShell
		case (name == "sudo" || name == "doas") && slices.ContainsFunc(args, func(a string) bool { return a == "-s" || a == "-i" || a == "--shell" || a == "--login" }):
			return feedShell
		case slices.ContainsFunc(args, func(a string) bool { return isShell(base(a)) && name != "echo" && name != "grep" && name != "which" }) && !hasDashC(args):
			return feedShell // docker exec -i x sh, kubectl exec x -- bash
		case isInterpreter(name) && !hasScript(args), isDatabase(name),
			slices.Contains([]string{"ed", "ex", "vi", "vim", "emacs", "gdb", "lldb", "nc", "ncat", "telnet", "ftp", "sftp", "bc", "irb", "psql", "R", "ghci", "xargs", "at", "parallel"}, name):
			out = feedCode
		}
	}
	return out
}

// hasScript reports whether a shell or an interpreter was given a file to run.
func hasScript(args []string) bool {
	for _, a := range args {
		if a == "-" || a == "-s" || a == "-i" {
			return false
		}
		if !strings.HasPrefix(a, "-") {
			return true
		}
	}
	return false
}

// judgeInput judges data that is written to the input of a job. What was written before sets the scene:
// only what data adds to it is judged, so that commands cannot be sent in pieces.
func (j *Judge) judgeInput(to *job, typed, data string) tools.Verdict {
	v := tools.Verdict{Subject: data, Folder: to.dir}
	switch to.feeds {
	case feedText:
		return v
	case feedCode:
		s := &scan{j: j, dir: to.dir, chain: -1, budget: new(int)}
		s.sql(typed + data)
		s.askExact("inline-code", "runs in "+to.command)
		return s.verdict(data, to.dir)
	case feedShell:
	}
	s := j.scan(typed+data, to.dir)
	if typed != "" {
		before := j.scan(typed, to.dir)
		s.found = slices.DeleteFunc(s.found, func(f finding) bool {
			return f.tier != tools.ActionDeny && f.id != "unparsable" && slices.Contains(before.found, f)
		})
	}
	out := s.verdict(data, to.dir)
	out.Marks = nil // they point into all that was typed
	if len(typed) > 0 {
		if rest := shifted(s.marked(out.Action), len(typed), len(data)); len(rest) > 0 {
			out.Marks = rest
		}
	}
	return out
}

// shifted moves marks of a longer text to its end part.
func shifted(marks []core.Span, by, size int) (out []core.Span) {
	for _, m := range marks {
		m.Start, m.End = max(m.Start-by, 0), min(m.End-by, size)
		if m.End > m.Start {
			out = append(out, m)
		}
	}
	return out
}
