package terminal

import (
	"slices"
	"strings"
)

// xargs, which puts what it reads into a command.

// xargs returns the argv xargs starts. A shell that gets its text from the input runs what nobody knows.
func (s *scan) xargs(args []string) []string {
	rest := skipFlags(args, "-I -n -P -L -d -E -s -a -R -J --replace --max-args --max-procs --delimiter --arg-file")
	if len(rest) == 0 {
		return nil
	}
	mark := replaceMark(args[:len(args)-len(rest)])
	if mark != "" && strings.Contains(rest[0], mark) {
		s.askExact("hidden-program", "starts programs that are only known when it runs")
	}
	if i := slices.IndexFunc(rest, func(a string) bool { return isShell(base(a)) || base(a) == "eval" }); i >= 0 && hasDashC(rest[i:]) {
		last := rest[len(rest)-1]
		if strings.HasPrefix(last, "-") || mark != "" && strings.Contains(last, mark) {
			s.askExact("pipe-to-shell", "runs what it reads as shell text")
		}
	}
	return rest
}

// replaceMark is what xargs replaces in its command; "" when it appends.
func replaceMark(flags []string) string {
	if v := flagValue(flags, "--replace", "-I"); v != "" {
		return v
	}
	if j := joined(flags, "-I"); len(j) > 0 {
		return j[0]
	}
	if slices.Contains(flags, "-i") || slices.Contains(flags, "--replace") {
		return "{}"
	}
	return ""
}

// given puts what was read into the argv of xargs: in place of its mark, else behind it.
func given(args, next []string, said string) []string {
	mark := replaceMark(args[:len(args)-len(next)])
	if mark == "" {
		if len(next) > 0 && short(next[len(next)-1], "c") {
			return append(slices.Clone(next), said)
		}
		return append(slices.Clone(next), strings.Fields(said)...)
	}
	out := make([]string, len(next))
	for i, a := range next {
		out[i] = strings.ReplaceAll(a, mark, strings.TrimSpace(said))
	}
	return out
}
