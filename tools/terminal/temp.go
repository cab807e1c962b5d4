package terminal

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hermes/core/home"
)

// Values that are known well enough without running anything: what mktemp makes, the date, the person's
// name, the commands a shell started itself.

// ownJob stands for the number of a process that the command itself started.
const ownJob = "%own"

// temporary reports whether a write to p loses nothing of anybody's: it is a file that mktemp just made, or a
// new one directly in the folder for temporary files. One that this session made may be replaced.
func (s *scan) temporary(p string) bool {
	if slices.ContainsFunc(s.words.made, func(t string) bool { return home.Within(t, p) }) {
		return true
	}
	if !inTemp(p) || strings.ContainsAny(p, "*?[") {
		return false
	}
	info, err := os.Lstat(p)
	return os.IsNotExist(err) || err == nil && info.Mode().IsRegular() && !info.ModTime().Before(s.j.born)
}

// inTemp reports whether p lies directly in a folder for temporary files.
func inTemp(p string) bool {
	dir := filepath.Dir(p)
	if dir == "/tmp" || dir == "/var/tmp" || dir == "/private/tmp" {
		return true
	}
	t, err := home.ResolvePath(os.TempDir())
	return err == nil && dir == t && t != "/"
}

// redefined notes that a name no longer means the program: a function, an alias, another PATH.
func (w *words) redefined(name string) {
	switch name {
	case "mktemp", "date", "pwd", "PATH", "TMPDIR", "source", ".", "whoami", "hostname", "uname", "id", "git", "jobs":
		w.twisted = true
	}
}

// tame is what a substitution with a harmless and predictable program stands for.
func (w *words) tame(st *syntax.Stmt) (value string, ok bool) {
	c, isCall := st.Cmd.(*syntax.CallExpr)
	if !isCall || w.twisted || len(c.Args) == 0 || len(c.Assigns) > 0 {
		return "", false
	}
	argv := make([]string, len(c.Args))
	for i, a := range c.Args {
		argv[i] = a.Lit()
		if q := quotedWord(a); argv[i] == "" && q != "" {
			argv[i] = q
		}
		if argv[i] == "" {
			return "", false
		}
	}
	switch line := strings.Join(argv, " "); {
	case argv[0] == "mktemp":
		return w.mktemp(argv[1:])
	case argv[0] == "date" && re(`^date( -u)?( \+(%[FTYmdHMSsjuVyN]|[-_.:T])*)?$`).MatchString(line) && strings.Contains(line, "+"):
		return "2000-01-01", true
	case line == "pwd", line == "pwd -P":
		dir := w.vars["PWD"]
		return dir, dir != "" && !strings.Contains(dir, hole)
	case line == "jobs -p", line == "jobs -pr":
		return ownJob, true
	case slices.Contains([]string{"whoami", "hostname", "id -un", "uname", "uname -s", "uname -m", "nproc", "git rev-parse --short HEAD", "git rev-parse HEAD", "git branch --show-current", "git rev-parse --abbrev-ref HEAD", "git symbolic-ref --short HEAD"}, line):
		return argv[0] + "-value", true
	}
	return "", false
}

// quotedWord is the text of a word that is one plain quotation.
func quotedWord(word *syntax.Word) string {
	if len(word.Parts) != 1 {
		return ""
	}
	switch p := word.Parts[0].(type) {
	case *syntax.SglQuoted:
		return p.Value
	case *syntax.DblQuoted:
		if len(p.Parts) == 1 {
			if l, ok := p.Parts[0].(*syntax.Lit); ok {
				return l.Value
			}
		}
	}
	return ""
}

// mktemp is the place that mktemp makes when it is left its own folder.
func (w *words) mktemp(args []string) (path string, ok bool) {
	for _, a := range args {
		template := !strings.Contains(a, "/") && strings.Contains(a, "XXX") && slices.Contains(args, "-t")
		if a != "-d" && a != "-q" && a != "-t" && a != "-dt" && a != "-td" && !template {
			return "", false
		}
	}
	dir, err := home.ResolvePath(os.TempDir())
	if err != nil || dir == "/" {
		return "", false
	}
	path = filepath.Join(dir, "made-by-mktemp-"+strconv.Itoa(len(w.made)))
	w.made = append(w.made, path)
	return path, true
}

// ownJobs finds the variables that hold nothing but numbers of processes the script starts: "PID=$!". They
// may be used before, in a trap.
func (w *words) ownJobs(file *syntax.File) {
	other := map[string]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		a, ok := n.(*syntax.Assign)
		if !ok || a.Name == nil {
			return true
		}
		if w.lastJob(a.Value) && !a.Append && a.Index == nil {
			if _, known := w.vars[a.Name.Value]; !known {
				w.vars[a.Name.Value] = ownJob
			}
		} else {
			other[a.Name.Value] = true
		}
		return true
	})
	for name := range other {
		if w.vars[name] == ownJob {
			delete(w.vars, name)
		}
	}
}

// lastJob reports whether a word is $! and nothing else.
func (w *words) lastJob(word *syntax.Word) bool {
	if word == nil || len(word.Parts) != 1 {
		return false
	}
	p, ok := word.Parts[0].(*syntax.ParamExp)
	if q, quoted := word.Parts[0].(*syntax.DblQuoted); quoted && len(q.Parts) == 1 {
		p, ok = q.Parts[0].(*syntax.ParamExp)
	}
	return ok && p.Param != nil && p.Param.Value == "!" && p.Exp == nil
}

// trimmed is what ${name%pattern} and its kin make of a known value, for the patterns people write.
func (w *words) trimmed(value string, op syntax.ParExpOperator, word *syntax.Word) (out string, ok bool) {
	pattern := w.one(word)
	plain := !strings.ContainsAny(pattern, `*?[\`) && !strings.Contains(pattern, hole)
	cut := func(i, skip int) string {
		if i < 0 {
			return value
		}
		return value[i+skip:]
	}
	switch {
	case (op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix) && plain:
		return strings.TrimSuffix(value, pattern), true
	case (op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix) && plain:
		return strings.TrimPrefix(value, pattern), true
	case op == syntax.RemLargePrefix && pattern == "*/":
		return cut(strings.LastIndexByte(value, '/'), 1), true
	case op == syntax.RemSmallSuffix && (pattern == ".*" || pattern == "/*"):
		if i := strings.LastIndexByte(value, pattern[0]); i >= 0 {
			return value[:i], true
		}
		return value, true
	}
	return "", false
}
