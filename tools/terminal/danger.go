package terminal

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hermes/core/home"
	"hermes/tools"
)

// What needs a person: each check knows one family of programs.

// program judges one unwrapped argv: the floor first, then what asks.
func (s *scan) program(name string, argv []string, open bool) {
	args := argv[1:]
	s.floor(name, args)
	flags, operands := options(args, "")
	switch name {
	case "cd", "pushd":
		s.moveTo(operands)
	case "rm", "unlink", "rmdir", "shred", "del", "rd":
		s.remove(name, flags, operands, open)
	case "find":
		s.find(args)
	case "fd", "fdfind":
		if i := slices.IndexFunc(args, func(a string) bool { return a == "-x" || a == "-X" || a == "--exec" || a == "--exec-batch" }); i >= 0 {
			s.run(args[i+1:], true)
		}
	case "chmod", "chown", "chgrp":
		s.permissions(name, flags, operands)
	case "sudo", "su", "doas", "pkexec", "runuser":
		s.ask("root", "runs as another user")
	case "kill", "pkill", "killall", "taskkill":
		s.kill(name, args, flags)
	case "systemctl", "service", "launchctl", "rc-service", "sc":
		s.service(name, operands)
	case "git":
		s.git(args)
	case "docker", "podman", "nerdctl", "docker-compose":
		s.containers(name, args)
	case "kubectl", "helm", "terraform", "tofu":
		s.cluster(name, operands)
	case "cp", "mv", "install", "ln", "rsync", "scp", "tee", "dd", "truncate", "touch", "mkdir", "sed", "perl", "gsed":
		s.fileWriters(name, args, flags, operands)
	case "curl", "wget", "tar", "unzip", "bsdtar":
		s.outputs(name, args)
	case "awk", "gawk", "mawk", "nawk":
		if slices.ContainsFunc(args, func(a string) bool {
			return strings.Contains(a, "system(") || strings.Contains(a, "system (") || strings.Contains(a, `| "`)
		}) {
			s.ask("inline-code", "runs commands from inside "+name)
		}
	case "crontab", "at", "iptables", "ip6tables", "nft", "ufw", "mount", "umount", "swapoff", "sysctl", "useradd", "userdel", "usermod", "passwd", "visudo", "chsh":
		if !slices.Contains(args, "-l") && !slices.Contains(args, "-L") && len(args) > 0 {
			s.ask("system", "changes the system ("+name+")")
		}
	default:
		s.packages(name, operands)
	}
	if isDatabase(name) {
		s.sql(strings.Join(args, " "))
	}
	if isInterpreter(name) {
		s.interpreter(name, args)
	}
	if p, ok := s.path(argv[0]); ok && strings.Contains(argv[0], "/") && slices.Contains(s.made, p) {
		s.askExact("new-program", "makes a file executable and runs it")
	}
}

func (s *scan) moveTo(operands []string) {
	to := s.j.policy.User
	if len(operands) > 0 {
		to = operands[0]
	}
	p, ok := s.path(to)
	if !ok || to == "-" {
		p = hole
	}
	s.dir = p
	s.words.vars["PWD"] = p
}

// rebuilt are folders that tools make again: deleting one inside the working folder loses nothing.
func rebuilt(base string) bool {
	return slices.Contains([]string{
		"build", "dist", "target", "node_modules", "out", "bin", "obj", "coverage", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".next", ".cache",
		".venv", "venv", "tmp", ".tmp", ".turbo", ".parcel-cache", ".gradle", "htmlcov", ".nyc_output", ".tox", "_build", "site",
	}, base)
}

func (s *scan) remove(name string, flags, operands []string, open bool) {
	recursive := (name == "rm" && has(flags, "rR", "recursive")) || name == "rd"
	if open && name != "rmdir" {
		s.askExact("delete", "deletes whatever the other command lists")
	}
	for _, o := range operands {
		s.touch(o)
		p, ok := s.path(o)
		switch {
		case !ok && recursive && s.vital(strings.ReplaceAll(o, hole, "")) != "":
			s.note(finding{
				tier: tools.ActionAsk, id: "delete", exact: true, firm: true,
				reason: "deletes a folder that is only known when it runs and could be " + s.vital(strings.ReplaceAll(o, hole, "")),
			})
		case !ok && recursive:
			s.askExact("delete", "deletes a folder whose name is only known when it runs")
		case !ok:
		case !home.Within(s.j.policy.Root, p):
			s.askExact("delete", "deletes outside the working folder: "+p)
		case p == s.j.policy.Root && recursive, filepath.Base(p) == ".git" && recursive:
			s.askExact("delete", "deletes a whole folder: "+o)
		case recursive && (strings.ContainsAny(o, "*?[") || !rebuilt(filepath.Base(p))):
			s.askExact("delete", "deletes with all it holds: "+o)
		case s.j.policy.Sensitive(p) != "" || tools.Instructions(p):
			s.askExact("delete", "deletes "+o)
		}
	}
	if name == "shred" && len(operands) > 0 {
		s.askExact("delete", "destroys files beyond recovery")
	}
}

func (s *scan) find(args []string) {
	var roots []string
	rest := skipFlags(args, "")
	for len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && rest[0] != "(" && rest[0] != "!" {
		roots = append(roots, rest[0])
		rest = rest[1:]
	}
	tests := slices.ContainsFunc(rest, func(a string) bool {
		return slices.Contains([]string{"-name", "-iname", "-path", "-ipath", "-regex", "-wholename", "-newer", "-mtime", "-mmin", "-size", "-empty", "-user", "-maxdepth"}, a)
	})
	deletes := slices.Contains(rest, "-delete")
	for i, a := range rest {
		if a != "-exec" && a != "-execdir" && a != "-ok" && a != "-okdir" {
			continue
		}
		cmd := rest[i+1:]
		if end := slices.IndexFunc(cmd, func(w string) bool { return w == ";" || w == "+" }); end >= 0 {
			cmd = cmd[:end]
		}
		if len(cmd) > 0 && base(cmd[0]) == "rm" {
			deletes = true
		}
		s.run(slices.DeleteFunc(slices.Clone(cmd), func(w string) bool { return w == "{}" }), true)
	}
	if !deletes {
		return
	}
	s.askExact("delete", "deletes whatever find finds")
	for _, r := range roots {
		if what := s.vital(r); what != "" && !tests {
			s.hard("deletes " + what + " with all it holds")
		}
	}
}

func (s *scan) permissions(name string, flags, operands []string) {
	if len(operands) == 0 {
		return
	}
	mode, files := operands[0], operands[1:]
	recursive := has(flags, "R", "recursive")
	if name == "chmod" {
		if regexp.MustCompile(`^[0-7]*[0-7][0-7][2367]$|(^|,)[ugo]*[oa][ugo]*[+=][rwxXst]*w`).MatchString(mode) {
			s.ask("chmod", "lets everybody write")
		}
		if strings.Contains(mode, "x") || strings.Contains(mode, "7") || strings.Contains(mode, "5") {
			for _, f := range files {
				if p, ok := s.path(f); ok {
					s.made = append(s.made, p)
				}
			}
		}
	} else if recursive {
		s.ask("chown", "changes the owner of whole folders")
	}
	for _, f := range files {
		if what := s.vital(f); what != "" && recursive {
			s.askExact("chmod", "changes permissions of all in "+what)
		}
		s.writes(f)
	}
}

func (s *scan) kill(name string, args, flags []string) {
	if slices.Contains(args, "-l") || slices.Contains(args, "-0") {
		return
	}
	hard := has(flags, "9") || slices.ContainsFunc(args, func(a string) bool { return strings.HasSuffix(strings.ToUpper(a), "KILL") })
	if name != "kill" || hard {
		s.ask("kill", "ends processes by force or by name")
	}
}

func (s *scan) service(name string, operands []string) {
	verbs := []string{"stop", "restart", "disable", "mask", "kill", "unload", "bootout", "remove", "delete", "isolate", "set-default"}
	if slices.ContainsFunc(operands, func(o string) bool { return slices.Contains(verbs, o) }) {
		s.ask("service", "stops or changes a service ("+name+")")
	}
}

// gitFolder is the folder git works in, as far as -C says.
func gitFolder(args []string) string {
	dir := "."
	for i := 0; i+1 < len(args) && strings.HasPrefix(args[i], "-"); i++ {
		if args[i] == "-C" {
			dir = args[i+1]
		}
		if takesValue(args[i], "-C -c --git-dir --work-tree --namespace") {
			i++
		}
	}
	return dir
}

func (s *scan) git(args []string) {
	rest := skipFlags(args, "-C -c --git-dir --work-tree --namespace")
	if len(rest) == 0 {
		return
	}
	if throwsAway(rest[0]) {
		s.touched.git = append(s.touched.git, s.absolute(gitFolder(args)))
	}
	flags, operands := options(rest[1:], "")
	switch rest[0] {
	case "reset":
		if has(flags, "", "hard") {
			s.ask("git-reset", "throws away uncommitted changes")
		}
	case "push":
		if has(flags, "fd", "force", "force-with-lease", "delete", "mirror", "prune") || slices.ContainsFunc(operands, func(o string) bool { return strings.HasPrefix(o, "+") || strings.HasPrefix(o, ":") }) {
			s.ask("git-force-push", "rewrites or deletes what is on the server")
		}
	case "clean":
		if has(flags, "f", "force") && !has(flags, "n", "dry-run") {
			s.ask("git-clean", "deletes files git does not know")
		}
	case "branch":
		if has(flags, "D") || (has(flags, "d", "delete") && has(flags, "f", "force")) {
			s.ask("git-branch", "deletes a branch that may not be merged")
		}
	case "stash":
		if len(operands) > 0 && (operands[0] == "drop" || operands[0] == "clear") {
			s.ask("git-stash", "throws away stashed changes")
		}
	case "filter-branch", "filter-repo":
		s.ask("git-history", "rewrites history")
	case "config":
		if has(flags, "", "global", "system") && len(operands) > 1 {
			s.ask("git-config", "changes git for every project")
		}
	}
}

func (s *scan) containers(name string, args []string) {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			break // what follows the verb belongs to it
		}
		if a == "-H" || a == "-c" || a == "--context" || strings.HasPrefix(a, "--host") || strings.HasPrefix(a, "--context=") {
			s.ask("docker-host", "talks to another container daemon")
		}
	}
	_, operands := options(args, "-H --host --context --config -l --log-level -f --file -p --project-name")
	if len(operands) == 0 {
		return
	}
	verb := operands[0]
	if slices.Contains([]string{"container", "compose", "system", "volume", "image", "network", "stack", "service", "builder"}, verb) && len(operands) > 1 {
		verb += " " + operands[1]
	}
	for _, bad := range []string{"stop", "kill", "restart", "rm", "down", "prune"} {
		last := verb[strings.LastIndexByte(verb, ' ')+1:]
		if last == bad && verb != "image rm" {
			s.ask("container-"+bad, "stops or removes containers or their data ("+name+" "+verb+")")
		}
	}
	if slices.Contains(args, "--privileged") || slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "/:") || strings.Contains(a, "docker.sock") }) {
		s.ask("container-privileged", "gives a container power over the machine")
	}
}

func (s *scan) cluster(name string, operands []string) {
	bad := map[string][]string{"kubectl": {"delete", "drain", "cordon"}, "helm": {"uninstall", "delete", "rollback"}, "terraform": {"destroy", "apply"}, "tofu": {"destroy", "apply"}}[name]
	if len(operands) > 0 && slices.Contains(bad, operands[0]) {
		s.ask("cluster-"+operands[0], "removes or changes running systems ("+name+" "+operands[0]+")")
	}
}

func (s *scan) packages(name string, operands []string) {
	verbs := map[string][]string{
		"apt": {"remove", "purge", "autoremove"}, "apt-get": {"remove", "purge", "autoremove"}, "dpkg": {}, "dnf": {"remove", "erase", "autoremove"}, "yum": {"remove", "erase"},
		"brew": {"uninstall", "remove", "rm", "autoremove"}, "pip": {"uninstall"}, "pip3": {"uninstall"}, "snap": {"remove"}, "gem": {"uninstall"}, "cargo": {"uninstall"},
		"apk": {"del"}, "zypper": {"remove", "rm"}, "flatpak": {"uninstall"}, "winget": {"uninstall"}, "choco": {"uninstall"}, "conda": {"remove", "uninstall"},
		"npm": {"uninstall", "unpublish"}, "pnpm": {"remove"}, "yarn": {"remove"}, "uv": {},
	}
	list, known := verbs[name]
	if known && len(operands) > 0 && slices.Contains(list, operands[0]) {
		s.ask("package-removal", "removes installed software ("+name+" "+operands[0]+")")
	}
	if name == "pacman" || name == "dpkg" {
		if slices.ContainsFunc(s.programs[len(s.programs)-1], func(a string) bool {
			return strings.HasPrefix(a, "-R") || a == "-r" || a == "-P" || a == "--purge" || a == "--remove"
		}) {
			s.ask("package-removal", "removes installed software ("+name+")")
		}
	}
}

func (s *scan) interpreter(name string, args []string) {
	letters := "e"
	switch {
	case strings.HasPrefix(name, "py"), strings.HasPrefix(name, "pwsh"), strings.HasPrefix(name, "powershell"):
		letters = "c"
	case strings.HasPrefix(name, "php"):
		letters = "rR"
	case strings.HasPrefix(name, "perl"), strings.HasPrefix(name, "ruby"):
		letters = "eE"
	case strings.HasPrefix(name, "node"), strings.HasPrefix(name, "bun"), strings.HasPrefix(name, "deno"):
		letters = "ep"
	}
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			if a == "eval" && strings.HasPrefix(name, "deno") {
				s.ask("inline-code", "runs code given to "+name+" in the command itself")
			}
			return // a script file; what follows belongs to it
		}
		if a == "--eval" || a == "--print" || a == "-Command" || a == "-EncodedCommand" || (a[0] == '-' && !strings.HasPrefix(a, "--") && strings.ContainsAny(a[len(a)-1:], letters)) {
			s.ask("inline-code", "runs code given to "+name+" in the command itself")
			return
		}
	}
}

func isDatabase(name string) bool {
	return slices.Contains([]string{"psql", "mysql", "mariadb", "sqlite3", "sqlite", "sqlcmd", "clickhouse-client", "duckdb", "cockroach", "mysqladmin", "dropdb"}, name)
}

func (s *scan) sql(src string) {
	if regexp.MustCompile(`(?i)\b(drop\s+(table|database|schema|index|view|user|role)|truncate\s+(table\s+)?\w+)\b`).MatchString(src) {
		s.ask("sql", "drops or empties tables")
	}
	for stmt := range strings.SplitSeq(src, ";") {
		if regexp.MustCompile(`(?is)\bdelete\s+from\s+\S+`).MatchString(stmt) && !regexp.MustCompile(`(?i)\bwhere\b`).MatchString(stmt) {
			s.ask("sql", "deletes every row of a table")
		}
	}
}
