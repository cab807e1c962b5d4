package terminal

import (
	"path"
	"slices"
	"strings"
)

// Programs that start others in ways of their own: terminals in terminals, sandboxes, debuggers,
// watchers.

// isLoader reports whether name is the loader of a system, which starts what it is given.
func isLoader(name string) bool {
	ok, err := path.Match("ld*.so*", name)
	return err == nil && ok
}

// otherWrapper is wrapperOf for what is rarely met.
func otherWrapper(name string) (wrapper, bool) {
	if isLoader(name) {
		return wrapper{values: "--library-path --preload --argv0 --audit --inhibit-rpath --glibc-hwcaps-prepend --glibc-hwcaps-mask"}, true
	}
	switch name {
	case "fakeroot", "fakeroot-ng", "pseudo":
		return wrapper{values: "-l -s -i -b --lib --faked --save --load --fd-base"}, true
	case "gosu", "su-exec", "setarch", "perf", "dtach", "abduco":
		return wrapper{values: "-n -A -c -N -e -o -p", skip: 1}, true
	case "tini", "dumb-init", "systemd-inhibit", "systemd-cat", "ssh-agent", "sshpass", "xvfb-run", "choom", "cpulimit", "rr", "xterm", "gnome-terminal", "konsole", "proot", "daemonize":
		return wrapper{values: "-n -p -f -s -l -t -P -r -b -w -a -c -e -o --what --who --why --mode --identifier --priority"}, true
	}
	return wrapper{}, false
}

// launches judges such a program; next is the argv it starts, ok says that it is one of them.
func (s *scan) launches(name string, args []string) (next []string, ok bool) {
	switch name {
	case "bwrap":
		return bwrapped(args), true
	case "capsh":
		if i := slices.Index(args, "--"); i >= 0 {
			s.shell("bash", args[i+1:])
		}
	case "sg", "newgrp":
		if rest := skipFlags(args, ""); len(rest) > 1 {
			s.inline(strings.Join(skipFlags(rest[1:], ""), " "))
		}
	case "start-stop-daemon":
		prog := flagValue(args, "--startas", "-a")
		if prog == "" {
			prog = flagValue(args, "--exec", "-x")
		}
		if i := slices.Index(args, "--"); prog != "" && i >= 0 {
			return append([]string{prog}, args[i+1:]...), true
		}
	case "screen":
		return s.screen(args), true
	case "tmux", "byobu":
		s.tmux(args)
	case "nix-shell":
		for _, v := range []string{flagValue(args, "--run", ""), flagValue(args, "--command", "")} {
			s.inline(v)
		}
	case "nix":
		for i, a := range args {
			if a == "-c" || a == "--command" {
				return args[i+1:], true
			}
		}
	case "watchexec", "nodemon", "inotifywait-run", "reflex":
		if v := flagValue(args, "--exec", "-x"); v != "" && name == "nodemon" {
			s.inline(v)
			return nil, true
		}
		if i := slices.Index(args, "--"); i >= 0 {
			args = args[i:]
		}
		s.inline(strings.Join(skipFlags(args, "-w -e -f -i -d -s -E -o -N -r -g --watch --exts --filter --ignore --debounce --signal --env --shell --delay-run --ext --workdir"), " "))
	case "entr":
		rest := skipFlags(args, "")
		if slices.ContainsFunc(args[:len(args)-len(rest)], func(a string) bool { return short(a, "s") }) {
			s.inline(strings.Join(rest, " "))
			return nil, true
		}
		return rest, true
	case "gdb", "lldb":
		return s.debugged(args), true
	default:
		return nil, false
	}
	return nil, true
}

// bwrapped is the command behind the flags of bwrap, which take none, one or two words.
func bwrapped(args []string) []string {
	two := strings.Fields("--bind --bind-try --dev-bind --dev-bind-try --ro-bind --ro-bind-try --symlink --setenv --file --bind-data --ro-bind-data --bind-fd --ro-bind-fd --chmod --overlay")
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		a, n := args[0], 2
		switch {
		case a == "--":
			return args[1:]
		case slices.Contains(two, a):
			n = 3
		case a == "--unshare-all", strings.HasPrefix(a, "--unshare-"), strings.HasPrefix(a, "--share-"), strings.Contains(a, "="),
			slices.Contains([]string{"--die-with-parent", "--new-session", "--clearenv", "--as-pid-1", "--disable-userns", "--assert-userns-disabled"}, a):
			n = 1
		}
		args = args[min(n, len(args)):]
	}
	return args
}

// screen judges what screen starts or types into a window.
func (s *scan) screen(args []string) []string {
	rest := skipFlags(args, "-c -e -h -p -r -s -S -t -T -D")
	i := slices.Index(args, "-X")
	if i < 0 {
		return rest
	}
	switch cmd := args[i+1:]; {
	case len(cmd) > 1 && cmd[0] == "stuff":
		s.askExact("typed", "types into another terminal")
		s.inline(ansiC(strings.Join(cmd[1:], " ")))
	case len(cmd) > 1 && (cmd[0] == "exec" || cmd[0] == "screen"):
		return skipFlags(cmd[1:], "-t -h -T")
	case len(cmd) > 1 && cmd[0] == "eval":
		s.askExact("typed", "makes another terminal run commands")
	}
	return nil
}

// tmux judges what tmux starts or types into a pane; several commands may follow each other.
func (s *scan) tmux(args []string) {
	if v := flagValue(args, "", "-c"); v != "" && len(args) > 0 && args[0] == "-c" {
		s.inline(v)
	}
	args = skipFlags(args, "-f -L -S -c -T")
	for len(args) > 0 {
		one := args
		if i := slices.IndexFunc(args, func(a string) bool { return a == ";" || strings.HasSuffix(a, ";") && !strings.Contains(a, " ") }); i >= 0 {
			one, args = append(slices.Clone(args[:i]), strings.TrimSuffix(args[i], ";")), args[i+1:]
		} else {
			args = nil
		}
		s.tmuxCommand(one)
	}
}

func (s *scan) tmuxCommand(args []string) {
	if len(args) == 0 {
		return
	}
	values := "-s -n -c -t -F -e -x -y -l -p -f"
	if strings.HasSuffix(args[0], "popup") {
		values = "-b -c -d -e -h -s -S -t -T -w -x -y"
	}
	rest := skipFlags(args[1:], values)
	switch verb := args[0]; verb {
	case "send-keys", "send", "paste-buffer", "set-buffer":
		s.askExact("typed", "types into another terminal")
		rest = slices.DeleteFunc(slices.Clone(rest), func(a string) bool { return a == "Enter" || a == "C-m" })
		s.inline(strings.Join(rest, " "))
	case "new", "new-session", "neww", "new-window", "splitw", "split-window", "respawn-pane", "respawnp", "respawn-window", "respawnw", "run", "run-shell", "popup", "display-popup", "pipe-pane", "pipep":
		s.inline(strings.Join(rest, " "))
	default:
		for _, a := range args {
			if strings.ContainsAny(a, " ;|&") {
				s.inline(a)
			}
		}
	}
}

// debugged judges the commands a debugger is given, and returns the program it starts.
func (s *scan) debugged(args []string) []string {
	for _, f := range []string{"-ex", "-iex", "--eval-command", "--init-eval-command", "-o", "--one-line"} {
		for i, a := range args {
			v, ok := strings.CutPrefix(a, f+"=")
			if !ok && a == f && i+1 < len(args) {
				v, ok = args[i+1], true
			}
			if m := re(`^\s*(?:!|(?:platform )?shell\b|python\b|pi\b|py\b|script\b|pipe\b|source\b)\s*(.*)`).FindStringSubmatch(v); ok && m != nil {
				s.askExact("inline-code", "runs commands from inside a debugger")
				s.refusals(m[1])
			}
		}
	}
	if i := slices.IndexFunc(args, func(a string) bool { return a == "--args" || a == "-args" || a == "--" }); i >= 0 {
		return args[i+1:]
	}
	return nil
}

// gnuParallel judges the inputs after ":::" too; it reports whether there were any, or no command at all.
func (s *scan) gnuParallel(args []string) bool {
	w, _ := wrapperOf("parallel")
	rest := skipFlags(args, w.values)
	i := slices.IndexFunc(rest, func(a string) bool { return strings.HasPrefix(a, ":::") })
	if i < 0 {
		if len(rest) == 0 {
			s.askExact("hidden-program", "starts programs that are only known when it runs")
		}
		return len(rest) == 0
	}
	template := strings.Join(rest[:i], " ")
	if strings.HasPrefix(rest[i], "::::") {
		if i == 0 {
			s.askExact("hidden-program", "starts programs that are only known when it runs")
		}
		s.inline(template)
		return true
	}
	for _, v := range rest[i+1:] {
		if strings.Contains(template, "{}") {
			s.inline(strings.ReplaceAll(template, "{}", v))
		} else {
			s.inline(strings.TrimSpace(template + " " + v))
		}
	}
	return true
}

// fed judges text that a program reads which runs parts of it.
func (s *scan) fed(name, src string) {
	escape := ""
	switch name {
	case "at", "batch":
		s.askExact("later", "runs commands later")
		s.inline(src)
	case "make", "gmake", "bmake":
		s.recipes(src)
	case "parallel":
		for line := range strings.Lines(src) {
			s.inline(strings.TrimSpace(line))
		}
	case "dc", "ed", "ex", "vi", "vim", "nvim", "red":
		escape = `!(.*)`
		s.edScript(name, src)
	case "m4":
		escape = "e?syscmd\\(\\s*[`'\"]*([^)'`\"]*)"
	case "gdb", "lldb":
		escape = `(?m)^\s*(?:!|(?:platform )?shell\b|python\b)\s*(.*)`
	}
	if escape == "" {
		return
	}
	for _, m := range re(escape).FindAllStringSubmatch(src, 50) {
		s.askExact("inline-code", "runs commands from inside "+name)
		s.refusals(m[1])
	}
}

// make judges makefiles and settings that are given in the command itself.
func (s *scan) make(args []string) {
	dir := flagValue(args, "--directory", "-C")
	if dir == "" {
		dir = "."
	}
	names := []string{"GNUmakefile", "makefile", "Makefile"}
	for i, a := range args {
		value := ""
		for _, f := range []string{"-f", "--file=", "--makefile=", "--eval=", "-E"} {
			if v, ok := strings.CutPrefix(a, f); ok && (v != "" || i+1 < len(args)) {
				value = v
				if v == "" {
					value = args[i+1]
				}
				break
			}
		}
		switch {
		case a == "--eval" && i+1 < len(args):
			s.askExact("inline-code", "gives make rules in the command itself")
			s.recipes(args[i+1])
		case value != "" && (strings.HasPrefix(a, "--eval=") || strings.HasPrefix(a, "-E")):
			s.askExact("inline-code", "gives make rules in the command itself")
			s.recipes(value)
		case value == "-" || value == "/dev/stdin" || strings.Contains(value, hole):
			s.askExact("inline-code", "gives make rules that are only known when it runs")
		case value != "":
			names = append(names, value)
		case re(`^(SHELL|\.SHELLFLAGS|MAKEFLAGS)\s*[:+?]*=`).MatchString(a):
			s.askExact("inline-code", "makes make run other programs")
			_, v, _ := strings.Cut(a, "=")
			s.refusals(v)
		case assignment(a):
			_, v, _ := strings.Cut(a, "=")
			s.refusals(v)
		}
	}
	for _, n := range names {
		if p, ok := s.path(dir + "/" + n); ok && slices.Contains(s.changed, p) {
			s.askExact("inline-code", "runs the makefile that it just wrote")
			s.recipes(s.written[p])
		} else if src, young := s.young(p); ok && young {
			s.recipes(src)
		}
	}
}

// recipes refuses what makefile text plainly starts of the floor.
func (s *scan) recipes(src string) {
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		s.refusals(strings.TrimLeft(line, "@-+ "))
		if _, after, ok := strings.Cut(line, ";"); ok {
			s.refusals(strings.TrimLeft(after, "@-+ \t"))
		}
		if _, after, ok := strings.Cut(line, "!="); ok {
			s.refusals(after)
		}
		for _, m := range re(`\$[({](?:shell|info|eval)\s+([^)}]*)`).FindAllStringSubmatch(line, 20) {
			s.refusals(m[1])
		}
	}
}

// environment judges a variable that is set for programs.
func (s *scan) environment(name, value string) {
	s.words.redefined(name)
	if riskyVariable(name, value) {
		s.askExact("environment", "sets "+name)
	} else if strings.HasPrefix(name, "GIT_") {
		s.gitVariable(name, value)
	}
	switch name {
	case "PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "FCEDIT", "BROWSER", "LESSOPEN", "LESSCLOSE", "GIT_SSH_COMMAND", "GIT_SSH", "PROMPT_COMMAND", "GIT_EXTERNAL_DIFF", "RSYNC_RSH", "MAKE", "SHELL":
	default:
		s.hidden(name, value)
		return
	}
	first, _, _ := strings.Cut(strings.TrimSpace(value), " ")
	if slices.Contains([]string{"", ":", "cat", "less", "more", "true", "false", "bat", "delta", "vi", "vim", "nvim", "nano", "emacs", "code", "ssh", "sh", "bash", "zsh"}, base(first)) && !strings.ContainsAny(value, ";|&$`!<>") && !strings.Contains(value, " -c") && !strings.Contains(value, "Proxy") {
		return
	}
	s.askExact("environment", "sets "+name)
	s.inline(strings.TrimLeft(value, "|- "))
}
