package terminal

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// wrapper describes a program that starts another one: which of its flags take a value, and how many
// words of its own come before the command.
type wrapper struct {
	values string // flags that take the next word
	skip   int    // operands before the command
	assign bool   // NAME=value words come before the command
}

func wrapperOf(name string) (wrapper, bool) {
	if w, ok := otherWrapper(name); ok {
		return w, true
	}
	switch name {
	case "sudo":
		return wrapper{values: "-u -g -p -C -h -U -r -t -T -D -R --user --group --prompt --chdir --host --role --type", assign: true}, true
	case "doas":
		return wrapper{values: "-u -C"}, true
	case "run0":
		return wrapper{values: "-u -g -D --user --group --chdir --setenv --property"}, true
	case "pkexec":
		return wrapper{values: "--user"}, true
	case "env":
		return wrapper{values: "-u -C -P --unset --chdir", assign: true}, true
	case "setpriv", "firejail", "numactl", "prlimit", "runcon", "torsocks", "torify", "valgrind", "catchsegv", "chronic", "ts", "winpty", "arch", "eatmydata", "rlwrap":
		return wrapper{values: "--reuid --regid -n -l -t -u -r"}, true
	case "faketime":
		return wrapper{values: "-f", skip: 1}, true
	case "cgexec":
		return wrapper{values: "-g"}, true
	case "nohup", "setsid", "builtin", "busybox", "toybox", "caffeinate", "unbuffer", "proxychains", "proxychains4", "dbus-run-session", "linux64", "linux32":
		return wrapper{}, true
	case "command":
		return wrapper{}, true
	case "exec":
		return wrapper{values: "-a"}, true
	case "time":
		return wrapper{values: "-f -o --format --output"}, true
	case "timeout", "gtimeout":
		return wrapper{values: "-s -k --signal --kill-after", skip: 1}, true
	case "nice":
		return wrapper{values: "-n --adjustment"}, true
	case "ionice":
		return wrapper{values: "-c -n --class --classdata"}, true
	case "chrt", "taskset":
		return wrapper{values: "-T -P -D", skip: 1}, true
	case "stdbuf":
		return wrapper{values: "-i -o -e --input --output --error"}, true
	case "strace", "ltrace":
		return wrapper{values: "-e -o -p -s -u -a -E -O -S -P -I -b"}, true
	case "unshare", "nsenter":
		return wrapper{values: "-S -G -R -w -t"}, true
	case "systemd-run":
		return wrapper{values: "-u -p -t -E -d -H -M --unit --property --setenv"}, true
	case "chroot":
		return wrapper{skip: 1}, true
	case "watch":
		return wrapper{values: "-n -q --interval"}, true
	case "parallel":
		return wrapper{values: "-j -a -I -S -N -L --jobs --arg-file"}, true
	}
	return wrapper{}, false
}

func isShell(name string) bool {
	return slices.Contains([]string{"sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish", "rbash", "csh", "tcsh", "yash", "nu", "elvish", "oksh", "loksh", "osh", "ysh", "hush", "posh"}, name)
}

// run judges one argv, taking wrappers off until the program that does the work is found. open says
// that more operands come in at run time (xargs).
func (s *scan) run(argv []string, open bool) {
	for range 16 {
		if len(argv) == 0 {
			return
		}
		name := base(argv[0])
		if verb, ok := strings.CutPrefix(name, "git-"); ok && verb != "" { // git's own programs
			name, argv = "git", append([]string{"git", verb}, argv[1:]...)
		}
		s.programs = append(s.programs, append([]string{name}, argv[1:]...))
		if strings.Contains(name, hole) || strings.ContainsAny(name, "*?[") && name != "[" && name != "[[" || open && name == "{}" {
			s.askExact("hidden-program", "starts a program whose name is only known when it runs")
			return
		}
		s.namedIn(argv)
		s.disguised(argv)
		s.answers(name, argv)
		s.program(name, argv, open)
		next, more := s.inner(name, argv[1:])
		if next == nil {
			if open && startsOthers(name, argv[1:]) {
				s.askExact("hidden-program", "starts programs that are only known when it runs")
			}
			return
		}
		argv, open = next, open || more
	}
	s.ask("nested", "is wrapped too deeply to judge")
}

// startsOthers reports whether a program without a command of its own would start what is appended.
func startsOthers(name string, args []string) bool {
	_, wraps := wrapperOf(name)
	return wraps && name != "command" || len(args) == 0 && (isShell(name) || name == "eval" || name == "su" || name == "script" || name == "flock")
}

// inner returns the argv that program name would start, or nil. more says that it adds operands of
// its own.
func (s *scan) inner(name string, args []string) (next []string, more bool) {
	switch {
	case isShell(name):
		s.shell(name, args)
		return nil, false
	case s.texts(name, args):
		return nil, false
	case name == "parallel" && s.gnuParallel(args):
		return nil, false
	case name == "su" || name == "script" || name == "flock" || name == "runuser":
		return s.dashC(name, args), false
	case name == "ssh":
		s.ssh(args)
		return nil, false
	case name == "xargs":
		return s.xargs(args), true
	case name == "find" || name == "fd" || name == "fdfind":
		return nil, false // find.go looks at its actions
	case runsTools(name):
		return runTool(name, args), false
	case name == "command" && len(args) > 0 && (args[0] == "-v" || args[0] == "-V"):
		return nil, false
	}
	if next, ok := s.launches(name, args); ok {
		return next, false
	}
	w, ok := wrapperOf(name)
	if !ok {
		return nil, false
	}
	if name == "env" || name == "watch" || name == "parallel" {
		if split := splitString(name, args); split != "" {
			s.inline(split)
			return nil, false
		}
	}
	rest := skipFlags(args, w.values)
	if dir := flagValue(args[:len(args)-len(rest)], "--chdir", map[string]string{"env": "-C", "sudo": "-D"}[name]); dir != "" {
		s.moveTo([]string{dir}) // for the rest of the command too: too wide is the safe side
	}
	for w.assign && len(rest) > 0 && assignment(rest[0]) {
		k, v, _ := strings.Cut(rest[0], "=")
		s.environment(k, v)
		rest = rest[1:]
	}
	for range w.skip {
		if len(rest) > 0 {
			rest = rest[1:]
		}
	}
	rest = skipFlags(rest, "") // "sudo -- cmd", "timeout 5 -- cmd"
	if len(rest) == 0 {
		return nil, false
	}
	return rest, false
}

// texts judges the arguments of programs that take shell text; it reports whether name is one.
func (s *scan) texts(name string, args []string) bool {
	switch name {
	case "eval":
		s.inline(strings.Join(args, " "))
	case "alias":
		for _, a := range args {
			if _, value, ok := strings.Cut(a, "="); ok {
				s.inline(value)
			}
		}
	case "batch":
		s.askExact("later", "runs commands later")
	case "trap":
		if rest := skipFlags(args, ""); len(rest) > 1 {
			s.inline(rest[0])
		}
	case "hyperfine":
		for _, a := range args {
			if strings.ContainsAny(a, " ;|&") {
				s.inline(a)
			}
		}
	default:
		return false
	}
	return true
}

// flagValue is the value of a flag in args, "" when it is not there.
func flagValue(args []string, long, short string) string {
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, long+"="); ok {
			return v
		}
		if (a == long || short != "" && (a == short || bundled(a, short))) && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// bundled reports whether a is several short flags behind one hyphen, of which the last is short.
func bundled(a, short string) bool {
	return len(short) == 2 && len(a) > 2 && a[0] == '-' && a[len(a)-1] == short[1] && strings.Trim(a[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ#") == ""
}

// splitString is the text that env -S, watch and parallel split themselves.
func splitString(name string, args []string) string {
	if name == "env" {
		for i, a := range args {
			if v, ok := strings.CutPrefix(a, "--split-string="); ok {
				return v
			}
			if (a == "-S" || a == "--split-string") && i+1 < len(args) {
				return strings.Join(args[i+1:], " ")
			}
			if len(a) > 2 && strings.HasPrefix(a, "-S") {
				return strings.Join(append([]string{a[2:]}, args[i+1:]...), " ")
			}
		}
		return ""
	}
	w, _ := wrapperOf(name)
	rest := skipFlags(args, w.values)
	if len(rest) > 0 && strings.ContainsAny(rest[0], " ;|&") {
		return strings.Join(rest, " ")
	}
	return ""
}

func skipFlags(args []string, values string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		if args[0] == "--" {
			return args[1:]
		}
		n := 1
		if takesValue(args[0], values) {
			n = 2
		}
		args = args[min(n, len(args)):]
	}
	return args
}

func assignment(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	return ok && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// inline judges text that a shell will parse again.
func (s *scan) inline(src string) {
	if strings.Contains(src, hole) {
		s.askExact("hidden-code", "runs shell text that is only known when it runs")
		src = strings.ReplaceAll(src, hole, "hidden")
	}
	s.script(src, true)
}

// shell judges "sh -c TEXT" and reading the script from standard input.
func (s *scan) shell(name string, args []string) {
	for i, a := range args {
		if (len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, "c")) || a == "--command" {
			rest := skipFlags(args[i+1:], "-o")
			if len(rest) > 0 {
				s.inline(rest[0])
			}
			return
		}
		if a == "-s" {
			s.askExact("pipe-to-shell", "runs what it reads with "+name)
			return
		}
	}
}

// dashC handles programs that take a command in -c, or as operands behind their own.
func (s *scan) dashC(name string, args []string) []string {
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, "--command="); ok {
			s.inline(v)
			return nil
		}
		if (a == "-c" || a == "--command" || (len(a) > 2 && a[0] == '-' && a[1] != '-' && strings.HasSuffix(a, "c"))) && i+1 < len(args) {
			s.inline(args[i+1])
			return nil
		}
	}
	if name == "runuser" {
		return skipFlags(args, "-u -g -G -s -w")
	}
	if name == "script" { // script FILE COMMAND, in some systems
		if rest := skipFlags(args, "-c -E -I -O -B -T -o -t -m"); len(rest) > 1 {
			return skipFlags(rest[1:], "")
		}
	}
	if name == "flock" {
		if rest := skipFlags(args, "-w -E --timeout"); len(rest) > 1 {
			return rest[1:]
		}
	}
	return nil
}

// ssh judges the command sent to another machine: the floor holds there too.
func (s *scan) ssh(args []string) {
	rest := skipFlags(args, "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B")
	if len(rest) > 1 {
		s.inline(strings.Join(rest[1:], " "))
	}
	if user := flagValue(args, "", "-l"); len(rest) > 0 && (strings.HasPrefix(rest[0], "root@") || user == "root") && re(`(^|@)(localhost|127\.[\d.]+|::1|0\.0\.0\.0)$`).MatchString(rest[0]) {
		s.askExact("root", "runs as another user")
	}
}

// heredocs judges shells fed from a here-document or here-string.
func (s *scan) heredocs(call *syntax.CallExpr, redirs []*syntax.Redirect) {
	if len(call.Args) == 0 {
		return
	}
	name := base(s.words.one(call.Args[0]))
	args := s.words.all(call.Args[1:])
	for range 4 { // sudo bash <<EOF
		w, ok := wrapperOf(name)
		rest := skipFlags(args, w.values)
		if !ok || len(rest) == 0 {
			break
		}
		name, args = base(rest[0]), rest[1:]
	}
	for _, r := range redirs {
		if r.Op == syntax.RdrIn && patches(name, args) {
			s.diffFile(s.words.one(r.Word))
		}
		if r.Op == syntax.RdrIn && (isShell(name) && !hasDashC(args) || isInterpreter(name) && scriptless(args)) {
			s.fresh(name, []string{name, s.words.one(r.Word)}) // bash < x.sh
		}
		if r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc && r.Op != syntax.WordHdoc {
			continue
		}
		body := r.Hdoc
		if r.Op == syntax.WordHdoc {
			body = r.Word
		}
		src := s.words.one(body)
		switch {
		case isShell(name) && !hasDashC(args), (name == "." || name == "source") && scriptless(args):
			s.inline(src)
		case isInterpreter(name) && scriptless(args):
			s.code(name, src)
		case isDatabase(name):
			s.sql(src)
		case patches(name, args):
			s.diff(src)
		case name == "tee":
			_, operands := options(args, "")
			for _, o := range operands {
				if p, ok := s.path(o); ok {
					s.wrote(p, src)
				}
			}
		default:
			s.fed(name, src)
		}
	}
}

func hasDashC(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, "c")
	})
}

// scriptless reports whether an interpreter got no script file, so that it reads its input.
func scriptless(args []string) bool {
	rest := skipFlags(args, "-W -X -r -I")
	if i := slices.Index(args, "-m"); i >= 0 && i+1 < len(args) && len(rest) == 1 {
		return slices.Contains([]string{"code", "asyncio", "IPython"}, args[i+1])
	}
	return len(rest) == 0 || len(rest) == 1 && input(rest[0])
}

// pipe judges what one side of a pipe does with the other's output.
func (s *scan) pipe(b *syntax.BinaryCmd) {
	right, ok := b.Y.Cmd.(*syntax.CallExpr)
	if !ok || len(right.Args) == 0 {
		return
	}
	argv := s.words.all(right.Args)
	if len(argv) == 0 {
		return
	}
	name := base(argv[0])
	for range 6 {
		w, ok := wrapperOf(name)
		rest := skipFlags(argv[1:], w.values)
		for ok && w.assign && len(rest) > 0 && assignment(rest[0]) {
			rest = rest[1:]
		}
		if !ok || len(rest) == 0 {
			break
		}
		argv = rest
		name = base(argv[0])
	}
	said, known := s.content(b.X)
	s.fetches(b, name, argv[1:])
	switch {
	case isShell(name) && !hasDashC(argv) && len(skipFlags(argv[1:], "-o")) == 0, remoteShell(name, argv[1:]):
		if known {
			s.inline(said)
			return
		}
		what := "pipes text that is only known when it runs into " + name
		if s.uses(b.X, downloads()...) {
			what = "pipes a download into " + name
		} else if s.uses(b.X, "base64", "openssl", "xxd", "tr", "gunzip", "zcat", "base32", "rev") {
			what = "decodes hidden text into " + name
		}
		s.askExact("pipe-to-shell", what)
	case isInterpreter(name) && scriptless(argv[1:]):
		s.askExact("pipe-to-shell", "pipes code into "+name)
	case name == "xargs" && known:
		if next := s.xargs(argv[1:]); next != nil {
			s.run(given(argv[1:], next, said), false)
		}
	case isDatabase(name) && known:
		s.sql(said)
	case patches(name, argv[1:]) && known:
		s.diff(said)
	case patches(name, argv[1:]):
		s.askExact("patch", "changes files by a diff that is only known when it runs")
	case known:
		s.fed(name, said)
	case slices.Contains([]string{"at", "batch", "parallel", "dc"}, name) && len(skipFlags(argv[1:], "-j -a")) == 0:
		s.askExact("pipe-to-shell", "pipes text that is only known when it runs into "+name)
	}
}

// uses reports whether any of the programs is started below n.
func (s *scan) uses(n syntax.Node, programs ...string) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok {
			for _, w := range c.Args {
				found = found || slices.Contains(programs, base(s.words.one(w)))
			}
		}
		return !found
	})
	return found
}
