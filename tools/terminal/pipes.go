package terminal

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What comes out of one program and is run, unpacked or read by another.

// piped judges one pipe: what its right side does with what comes out of the left.
func (s *scan) piped(n *syntax.BinaryCmd) {
	if s.pipes++; s.pipes > maxRounds {
		s.askExact("nested", "has too many pipes to judge")
		return
	}
	s.pipe(n)
	s.lists(n)
	s.killsOwn(n, n.Y)
	s.sends(n, true)
}

// killsOwn refuses to end hermes by a number that another program looks up.
func (s *scan) killsOwn(whole, killer syntax.Node) {
	if s.uses(killer, "kill") && s.uses(whole, "pgrep", "pidof") && s.uses(whole, "hermes") {
		s.hard("ends hermes itself")
	}
}

// remoteShell reports whether a program hands what it reads to a shell elsewhere: ssh h sh, docker exec -i c sh.
func remoteShell(name string, args []string) bool {
	if !slices.Contains([]string{"ssh", "docker", "podman", "nerdctl", "kubectl", "oc", "lxc", "incus", "vagrant", "limactl", "multipass", "wsl", "adb"}, name) || len(args) < 2 {
		return false
	}
	for i, a := range args {
		for _, w := range strings.Fields(a) {
			if i > 0 && isShell(base(w)) {
				return !hasDashC(args[i+1:]) && !strings.Contains(a, " -c")
			}
		}
	}
	return false
}

// runsInput reports whether a program runs, compiles or applies what it reads.
func (s *scan) runsInput(name string, args []string) bool {
	switch {
	case isDatabase(name):
		return len(args) == 0 || !slices.ContainsFunc(args, func(a string) bool { return a == "-c" || a == "-e" || a == "-f" })
	case name == "go":
		return firstOf(args) == "run" && slices.ContainsFunc(args, input)
	case name == "kubectl", name == "oc":
		return slices.ContainsFunc(args, input) && (slices.Contains(args, "apply") || slices.Contains(args, "create") || slices.Contains(args, "replace"))
	}
	_, compiler := s.j.writerOf(name)
	return compiler && slices.Contains(args, "-") && slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-x") })
}

// fetches judges a download that goes straight into another program.
func (s *scan) fetches(b *syntax.BinaryCmd, name string, args []string) {
	if !s.uses(b.X, downloads()...) {
		return
	}
	switch {
	case s.runsInput(name, args):
		s.askExact("pipe-to-shell", "runs a download at once")
	case slices.Contains([]string{"tar", "bsdtar", "gtar", "cpio", "unzip", "jar", "7z"}, name):
		s.unpacked = true
	}
}

// lists asks when the names of all files below a place with keys are handed to a program that reads them.
func (s *scan) lists(b *syntax.BinaryCmd) {
	if !s.uses(b.Y, "xargs", "parallel", "read", "mapfile", "readarray", "cpio") {
		return
	}
	s.searches(b.X)
}

// substitutes judges a search whose hits become the arguments of another program.
func (s *scan) substitutes(c *syntax.CmdSubst) {
	if len(c.Stmts) == 1 {
		if call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr); ok {
			s.searches(call)
		}
	}
}

// searches judges the searches below n as if what they find were read.
func (s *scan) searches(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 && base(s.words.one(c.Args[0])) == "find" {
			args := s.words.all(c.Args[1:])
			rest := skipFlags(args, "")
			roots := 0
			for roots < len(rest) && !strings.HasPrefix(rest[roots], "-") && rest[roots] != "(" && rest[roots] != "!" {
				roots++
			}
			s.finds(rest[:roots], append(slices.Clone(rest[roots:]), "-exec"))
		}
		return true
	})
}

// leaks collects what matters when secrets of the project are sent away: where they are read, and what sends.
type leaks struct{ from, by string }

// leak notes what one program reads of settings and whether it sends; at the end of the command both ask.
func (s *scan) leak(name string, args []string) {
	switch {
	case (name == "env" || name == "printenv") && len(skipFlags(args, "-u -C -S")) == 0, (name == "export" || name == "declare" || name == "set") && (len(args) == 0 || firstOf(args) == "-p"):
		s.leaks.from = "the environment"
	case slices.Contains([]string{"test", "[", "[[", "ls", "stat", "touch", "chmod", "git", "echo", "printf", "docker", "podman", "rm", "docker-compose", "find"}, name):
	default:
		for i, a := range args {
			if envFile(a) && !strings.HasPrefix(a, "--env-file") && (i == 0 || args[i-1] != "--env-file") {
				s.leaks.from = a
			}
		}
		if s.leaks.from != "" && recodes(name, args) {
			s.askExact("credentials", "shows "+s.leaks.from+" in a form in which secrets are not recognised")
		}
	}
	if s.sendsAway(name, args) {
		s.leaks.by = name
	}
}

// recodes reports whether a program writes what it reads in other letters.
func recodes(name string, args []string) bool {
	switch name {
	case "base64", "base32", "basenc", "xxd", "od", "hexdump", "uuencode", "rev", "gzip", "bzip2", "xz", "zstd", "tac", "hd":
		return slices.ContainsFunc(args, envFile)
	case "openssl":
		return firstOf(args) == "enc" || firstOf(args) == "base64"
	}
	return false
}

// sendsAway reports whether a program talks to another machine.
func (s *scan) sendsAway(name string, args []string) bool {
	switch name {
	case "openssl":
		return slices.Contains(args, "s_client")
	case "gh", "aws", "gsutil", "rclone":
		return slices.ContainsFunc(args, func(a string) bool {
			return slices.Contains([]string{"api", "gist", "cp", "copy", "sync", "mv", "put-object", "upload", "release"}, a)
		})
	case "ping", "dig", "nslookup", "host", "drill", "kdig":
		return slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, hole) })
	case "rsync":
		return slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, ":") })
	}
	local := re(`^(https?://)?(localhost|127\.|\[::1\]|0\.0\.0\.0)`)
	return slices.Contains(senders(), name) && !slices.ContainsFunc(args, local.MatchString)
}

// leaked asks when a command does both.
func (s *scan) leaked() {
	if s.leaks.from != "" && s.leaks.by != "" {
		s.askExact("credentials", "may send "+s.leaks.from+", which holds settings that are often secret, to another machine by "+s.leaks.by)
	}
}
