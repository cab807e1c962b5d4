package terminal

import (
	"slices"
	"strings"

	"hermes/tools"
)

// code asks for code of another language, and refuses what it plainly starts of the floor.
func (s *scan) code(name, src string) {
	if harmless(name, src) {
		return
	}
	s.askExact("inline-code", "runs code given to "+name+" in the command itself")
	s.plainly(name, src)
}

// plainly refuses what code starts or deletes of the floor, as far as its text says so.
func (s *scan) plainly(name, src string) {
	if strings.Contains(src, markVar) {
		s.unmark()
	}
	if len(src) > maxCommand {
		return
	}
	starts := re("(?i)system|exec|spawn|popen|subprocess|check_|shell|\\brun\\b|`").MatchString(src)
	deletes := re(`(?i)rmtree|rm_r|remove_dir_all|rmsync|rmdirsync|removeall|unlink`).MatchString(src)
	if name == "expect" {
		for _, m := range re(`(?:spawn|exec|system)\s+(?:-\w+\s+)*([^;\n]*)`).FindAllStringSubmatch(src, 50) {
			s.refusals(m[1])
		}
	}
	if !starts && !deletes {
		return
	}
	for _, lit := range literals(src) {
		if deletes && strings.ContainsAny(lit, "/~") && s.vital(lit) != "" {
			s.hard("deletes " + s.vital(lit) + " with all it holds")
		}
		if starts && strings.Contains(lit, " ") {
			s.refusals(lit)
		}
	}
}

// refusals judges src and keeps only what is refused.
func (s *scan) refusals(src string) {
	if _, err := parse(src); err != nil || !s.afford() {
		return
	}
	inner := s.branch()
	inner.script(src, true)
	for _, f := range inner.found {
		if f.tier == tools.ActionDeny {
			s.note(f)
		}
	}
}

// literals are the string literals of some code, and lists of them joined by blanks.
func literals(src string) []string {
	quoted := re("\"((?:[^\"\\\\]|\\\\.)*)\"|'((?:[^'\\\\]|\\\\.)*)'|`([^`]*)`|\\bq[xq]?[({]([^)}]*)[)}]")
	inside := func(m []string) string { return m[1] + m[2] + m[3] + m[4] }
	var out []string
	for _, m := range quoted.FindAllStringSubmatch(src, 200) {
		out = append(out, inside(m))
	}
	for _, list := range re(`[\[(][^\[\]()]*[\])]`).FindAllString(src, 50) {
		var words []string
		for _, m := range quoted.FindAllStringSubmatch(list, 50) {
			words = append(words, inside(m))
		}
		if len(words) > 1 {
			out = append(out, strings.Join(words, " "))
		}
	}
	return out
}

// embedded finds commands inside the arguments of programs that are no shells.
func (s *scan) embedded(name string, args []string) {
	flag := func(long, short string) (values []string) {
		for i, a := range args {
			if v, ok := strings.CutPrefix(a, long+"="); ok && long != "" {
				values = append(values, v)
			} else if (a == long || short != "" && a == short) && i+1 < len(args) {
				values = append(values, args[i+1])
			}
		}
		return values
	}
	var commands []string
	switch name {
	case "awk", "gawk", "mawk", "nawk":
		s.awk(name, args)
	case "sed", "gsed":
		s.sed(args)
	case "tar", "bsdtar", "gtar":
		commands = slices.Concat(flag("--to-command", ""), flag("--use-compress-program", "-I"), flag("--rsh-command", ""), flag("--info-script", "-F"))
		for _, v := range flag("--checkpoint-action", "") {
			if c, ok := strings.CutPrefix(v, "exec="); ok {
				commands = append(commands, c)
			}
		}
	case "rg":
		for _, v := range flag("--pre", "") {
			s.askExact("inline-code", "runs commands from inside "+name)
			commands = append(commands, v)
		}
	case "tcpdump":
		for _, v := range flag("", "-z") {
			s.askExact("inline-code", "runs commands from inside "+name)
			commands = append(commands, v)
		}
	case "rsync":
		commands = slices.Concat(flag("--rsh", "-e"), flag("--rsync-path", ""))
	case "ssh", "scp", "sftp":
		for _, v := range flag("", "-S") {
			if name != "ssh" {
				s.askExact("inline-code", "runs "+v+" for the connection")
			}
		}
		for _, v := range append(flag("", "-o"), joined(args, "-o")...) {
			if key, c, ok := cutAny(v); ok && slices.Contains([]string{"proxycommand", "localcommand", "knownhostscommand"}, strings.ToLower(strings.TrimSpace(key))) {
				commands = append(commands, c)
			}
		}
	case "nc", "ncat", "netcat", "socat":
		if slices.ContainsFunc(args, func(a string) bool {
			u := strings.ToUpper(a)
			return a == "-e" || a == "-c" || a == "--exec" || a == "--sh-exec" || strings.HasPrefix(u, "EXEC:") || strings.HasPrefix(u, "SYSTEM:") || strings.Contains(u, ",EXEC:")
		}) {
			s.askExact("network-shell", "lets another machine run commands here")
		}
	case "sort":
		for _, v := range append(flag("--output", "-o"), joined(args, "-o")...) {
			s.writes(v)
		}
		commands = flag("--compress-program", "")
	case "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd":
		flags, operands := options(args, "")
		if !has(flags, "ckltd", "stdout", "keep", "list", "test") {
			for _, o := range operands {
				s.writes(o)
			}
		}
	}
	commands = append(commands, s.inside(name, args, flag)...)
	for _, c := range commands {
		s.inline(c)
	}
}

// inside is the second half of embedded.
func (s *scan) inside(name string, args []string, flag func(long, short string) []string) (commands []string) {
	switch name {
	case "tar", "bsdtar", "gtar":
		if len(flag("--to-command", ""))+len(flag("--checkpoint-action", "")) > 0 {
			s.askExact("inline-code", "runs commands from inside "+name)
		}
		s.removesFiles(args)
	case "split":
		commands = flag("--filter", "")
	case "man":
		commands = slices.Concat(flag("--pager", "-P"), flag("--html", "-H"), joined(args, "-H"))
	case "zip":
		commands = flag("--unzip-command", "-TT")
	case "dc", "m4":
		s.fed(name, strings.Join(args, "\n"))
	case "vi", "vim", "nvim", "ex", "view", "vimdiff", "gvim", "less", "more", "most", "kak", "hx":
		s.ex(name, args)
	case "emacs", "emacsclient", "emacs-nox":
		s.emacs(name, args)
	}
	return commands
}

// cutAny cuts a setting of ssh at its "=" or blank.
func cutAny(v string) (key, value string, ok bool) {
	i := strings.IndexAny(v, "= ")
	if i < 0 {
		return v, "", false
	}
	return v[:i], strings.TrimSpace(v[i+1:]), true
}

// joined are the values of a short flag written without a blank: -oValue.
func joined(args []string, flag string) (out []string) {
	for _, a := range args {
		if v, ok := strings.CutPrefix(a, flag); ok && v != "" {
			out = append(out, v)
		}
	}
	return out
}
