package terminal

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"hermes/tools"
)

// Programs that start what their arguments say, and text in arguments that is a command.

// runsTools reports whether a program has a verb that starts another one.
func runsTools(name string) bool {
	return slices.Contains([]string{
		"uv", "poetry", "pipenv", "bundle", "pdm", "rye", "hatch", "mise", "direnv", "npm", "pnpm", "yarn", "conda", "mamba", "micromamba", "asdf", "rbenv", "pyenv", "nodenv", "goenv", "jenv", "nvm", "fnm", "volta",
		"doppler", "op", "dotenv", "rustup", "rtx", "opam", "stack", "cabal", "nix-shell", "infisical", "chamber", "aws-vault", "envchain", "teller", "npx", "bunx", "pnpx", "uvx", "pipx", "shx", "dotenvx", "env-cmd", "cross-env", "cross-env-shell",
	}, name)
}

// runTool is the argv behind such a verb, nil when it has none.
func runTool(name string, args []string) []string {
	const values = "--with --package -p --python -n --name -c --call --prefix -f -e --env-file --config --project --env --shell --version"
	if i := slices.Index(args, "--"); i >= 0 && i+1 < len(args) {
		return args[i+1:]
	}
	switch name {
	case "npx", "bunx", "pnpx", "uvx", "shx", "env-cmd", "cross-env", "cross-env-shell":
		rest := skipFlags(args, values)
		for len(rest) > 0 && assignment(rest[0]) {
			rest = rest[1:]
		}
		return unversioned(rest)
	}
	rest := skipFlags(args, values)
	if len(rest) < 2 || rest[0] != "exec" && rest[0] != "dlx" && rest[0] != "x" && (rest[0] != "run" || name == "npm" || name == "pnpm" || name == "yarn") {
		return nil // "npm run x" is a script of the project
	}
	rest = skipFlags(rest[1:], values)
	if (name == "direnv" || name == "nvm" || name == "fnm" || name == "aws-vault" || name == "chamber" || name == "rustup") && len(rest) > 1 {
		rest = rest[1:] // the place or version to run in
	}
	if len(rest) == 0 {
		return nil
	}
	return unversioned(rest)
}

// unversioned takes the version off the program: rimraf@5.
func unversioned(argv []string) []string {
	if len(argv) == 0 {
		return nil
	}
	if at := strings.LastIndexByte(argv[0], '@'); at > 0 {
		return append([]string{argv[0][:at]}, argv[1:]...)
	}
	return argv
}

// callText judges the shell text that npx and npm exec take behind a flag.
func (s *scan) callText(name string, args []string) {
	if name != "npx" && (name != "npm" && name != "pnpm" || len(args) == 0 || args[0] != "exec" && args[0] != "x") {
		return
	}
	if v := flagValue(args, "--call", "-c"); v != "" {
		s.inline(v)
	}
}

// plainTakers are the programs to whom a command in their arguments is text: they print it, look for it,
// or write it down.
func plainTaker(name string) bool {
	return slices.Contains([]string{
		"echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "ack", "ugrep", "git", "hub", "gh", "glab", "man", "info", "tldr", "which", "type", "whereis", "whatis", "apropos", "test", "[", "[[", "jq", "yq", "gojq",
		"notify-send", "say", "logger", "mail", "wall", "write", "cat", "ls", "read", "mdcat", "glow", "figlet", "cowsay", "banner", "expr", "basename", "dirname", "touch", "mkdir", "rm", "cp", "mv", "ln", "sed", "gsed", "awk", "gawk", "mawk", "nawk",
		"find", "fd", "diff", "cmp", "wc", "head", "tail", "sort", "uniq", "cut", "tr", "column", "curl", "wget", "http", "https", "xh", "export", "declare", "local", "readonly", "set", "complete", "bind", "history", "fc", "psql", "mysql", "sqlite3",
		"svn", "jj", "hg", "bd", "slack", "pbcopy", "xclip", "wl-copy", "dialog", "whiptail", "zenity", "tput", "date", "command",
	}, name)
}

// mighty are the programs a command in an argument is looked for by: what they do asks or is refused.
func mighty(name string) bool {
	switch {
	case isShell(name), strings.HasPrefix(name, "mkfs"):
		return true
	}
	return slices.Contains([]string{
		"rm", "rmdir", "unlink", "shred", "rimraf", "del-cli", "dd", "wipefs", "mv", "sudo", "doas", "su", "git", "kill", "pkill", "killall", "chmod", "chown", "find", "xargs", "eval", "env", "nohup", "cp", "tee", "truncate", "curl", "wget", "docker", "hermes", "crontab", "systemctl",
		"shutdown", "reboot", "halt", "poweroff", "cd", "bash", "busybox",
	}, name)
}

// hides judges what the arguments of a program hold of commands: text that parses as one, or words at the end
// that are one. Programs that take plain text are left out.
func (s *scan) hides(name string, args []string) {
	if plainTaker(name) || isShell(name) || isInterpreter(name) {
		return
	}
	for i, a := range args {
		if i > 0 && i < 64 && mighty(base(a)) && !strings.Contains(a, hole) && len(args)-i > 1 {
			started := args[i-1] == "--" || i < 3 && (args[i-1] == "exec" || args[i-1] == "run" || args[i-1] == "x")
			s.wordsOf(args[i:], started && !elsewhere(name))
		}
		for _, text := range textsIn(a) {
			s.hidden(name, text)
		}
	}
}

// textsIn are the texts of more than one word in an argument: itself, and what stands behind an "=".
func textsIn(a string) (out []string) {
	if len(a) > maxScript || !strings.ContainsAny(a, " \t\n") {
		return nil
	}
	if !strings.HasPrefix(a, "-") {
		out = append(out, a)
	}
	if _, v, ok := strings.Cut(a, "="); ok && strings.ContainsAny(v, " \t") {
		out = append(out, v)
	}
	return out
}

// hidden judges one text: the floor holds in it, and when it begins with a program that matters, so does
// the rest.
func (s *scan) hidden(name, src string) {
	src = strings.TrimSpace(strings.TrimLeft(src, "!|: "))
	first := strings.Fields(src)
	for len(first) > 0 && assignment(first[0]) {
		first = first[1:]
	}
	if len(first) < 2 || strings.HasPrefix(src, hole) {
		return
	}
	inner, ok := s.apartFrom(src)
	if !ok {
		return
	}
	asks := mighty(base(first[0])) && !elsewhere(name)
	for _, f := range inner.found {
		switch {
		case f.tier == tools.ActionDeny && strings.HasPrefix(f.reason, "shuts the machine down"):
			s.askExact("hidden-code", "may shut the machine down by "+name)
		case f.tier == tools.ActionDeny:
			s.note(f)
		case asks && f.id != "unparsable":
			s.note(f)
		}
	}
}

// apartFrom judges src without noting anything.
func (s *scan) apartFrom(src string) (inner *scan, ok bool) {
	if _, err := parse(src); err != nil || !s.afford() {
		return nil, false
	}
	inner = s.branch()
	inner.script(src, true)
	return inner, true
}

// elsewhere reports whether a program runs commands in a place where they do nothing here.
func elsewhere(name string) bool {
	return slices.Contains([]string{"docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc", "ssh", "lxc", "vagrant", "multipass", "limactl", "heroku", "fly", "adb"}, name)
}

// maxBranches bounds how many texts one verdict judges on the side.
const maxBranches = 400

// afford counts one more of them; when there are too many, a person looks.
func (s *scan) afford() bool {
	if *s.budget++; *s.budget > maxBranches {
		s.askExact("nested", "holds too many commands to judge")
		return false
	}
	return true
}

// wordsOf judges words that may be a command. What is refused counts, and all of it when they are one for
// certain.
func (s *scan) wordsOf(argv []string, certain bool) {
	if !s.afford() {
		return
	}
	inner := s.branch()
	inner.run(argv, false)
	for _, f := range inner.found {
		if f.tier == tools.ActionDeny || certain {
			s.note(f)
		}
	}
}

// mounted judges a command inside a container by what it does to the folders of the machine it was given.
func (s *scan) mounted(args []string) {
	type mount struct{ from, to string }
	var mounts []mount
	for i, a := range args {
		v := ""
		for _, f := range []string{"-v", "--volume"} {
			if g, ok := strings.CutPrefix(a, f+"="); ok {
				v = g
			} else if a == f && i+1 < len(args) {
				v = args[i+1]
			}
		}
		if from, to, ok := strings.Cut(v, ":"); ok && strings.ContainsAny(from, "/.~") {
			to, _, _ = strings.Cut(to, ":")
			mounts = append(mounts, mount{from, path.Clean(to)})
		}
	}
	for i, a := range args {
		if i == 0 || len(mounts) == 0 || !isShell(base(a)) && base(a) != "rm" {
			continue
		}
		argv := slices.Clone(args[i:])
		for k := range argv {
			for _, m := range mounts {
				argv[k] = regexp.MustCompile(`(^|[\s'"=])`+regexp.QuoteMeta(m.to)+`(/|[\s'";]|$)`).ReplaceAllString(argv[k], "${1}"+strings.ReplaceAll(m.from, "$", "$$")+"${2}")
			}
		}
		inner := s.branch()
		inner.dir = hole
		inner.run(argv, false)
		for _, f := range inner.found {
			if f.id == "delete" || f.tier == tools.ActionDeny {
				s.note(f)
			}
		}
		return
	}
}
