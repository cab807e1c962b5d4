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
	flags, operands := options(args, "")
	s.everywhere(name, args, flags)
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
		s.asRoot(name, args)
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
	case "crontab", "at", "iptables", "ip6tables", "nft", "ufw", "mount", "umount", "swapoff", "sysctl", "useradd", "userdel", "usermod", "passwd", "visudo", "chsh":
		if !slices.Contains(args, "-l") && !slices.Contains(args, "-L") && len(args) > 0 {
			s.ask("system", "changes the system ("+name+")")
		}
	default:
		s.packages(name, operands)
	}
	if name == "dropdb" || name == "mysqladmin" && slices.Contains(operands, "drop") {
		s.ask("sql", "drops a database")
	}
	if isDatabase(name) {
		s.sql(strings.Join(args, " "))
	}
	if isInterpreter(name) {
		s.interpreter(name, args)
	}
	s.embedded(name, args)
	s.fresh(name, argv)
	s.powershell(strings.ToLower(name), args)
}

// everywhere holds the checks that no program is left out of, and the short ones.
func (s *scan) everywhere(name string, args, flags []string) {
	s.floor(name, args)
	s.variables(name, args)
	s.ownProgram(name, args)
	s.readsFolders(name, args, flags)
	switch name {
	case "shopt":
		s.dots = s.dots || slices.Contains(args, "dotglob")
	case "patch":
		s.patch(args)
	case "make", "gmake", "bmake":
		s.make(args)
	}
}

func (s *scan) moveTo(operands []string) {
	to := s.j.policy.User
	if len(operands) > 0 {
		to = operands[0]
	}
	p, ok := s.path(to)
	if ok && strings.ContainsAny(p, "*?[") {
		if hits := expandGlob(p); len(hits) == 1 {
			p, ok = s.path(hits[0])
		}
	}
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
	s.finds(roots, rest)
	deletes := slices.Contains(rest, "-delete")
	for i, a := range rest {
		if slices.Contains([]string{"-fprint", "-fprint0", "-fprintf", "-fls"}, a) && i+1 < len(rest) {
			s.writes(rest[i+1])
		}
	}
	for i, a := range rest {
		if a != "-exec" && a != "-execdir" && a != "-ok" && a != "-okdir" {
			continue
		}
		cmd := rest[i+1:]
		if end := slices.IndexFunc(cmd, func(w string) bool { return w == ";" || w == "+" }); end >= 0 {
			cmd = cmd[:end]
		}
		if len(cmd) > 0 && slices.Contains([]string{"rm", "unlink", "shred", "rmdir"}, base(cmd[0])) {
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
	mode, files, changed := operands[0], operands[1:], len(s.changed)
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
	s.changed = s.changed[:changed] // the text stays
}

func (s *scan) service(name string, operands []string) {
	verbs := []string{"stop", "restart", "disable", "mask", "kill", "unload", "bootout", "remove", "delete", "isolate", "set-default"}
	if slices.ContainsFunc(operands, func(o string) bool { return slices.Contains(verbs, o) }) {
		s.ask("service", "stops or changes a service ("+name+")")
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
		"npm": {"uninstall", "unpublish", "rm", "remove", "un"}, "pnpm": {"remove"}, "yarn": {"remove"}, "pipx": {"uninstall", "uninstall-all"}, "port": {"uninstall"},
		"scoop": {"uninstall"}, "nix-env": {"-e", "--uninstall"}, "opkg": {"remove"}, "rustup": {"uninstall"},
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

func isDatabase(name string) bool {
	return slices.Contains([]string{"psql", "mongosh", "mongo", "redis-cli", "mysql", "mariadb", "sqlite3", "sqlite", "sqlcmd", "clickhouse-client", "duckdb", "cockroach", "mysqladmin", "dropdb"}, name)
}

// sqlEscape finds the ways out of a database's client into a shell.
const sqlEscape = `(?im)(?:^|\s|;)\.(?:shell|system)\s+(.*)|\.(?:once|output|import|read|excel)\s+["']?\|(.*)|\\!\s*(.*)|\bprogram\s+'([^']*)'|(?:^|-e)\s*system\s+(.*)`

func (s *scan) sql(src string) {
	for _, m := range regexp.MustCompile(sqlEscape).FindAllStringSubmatch(src, 20) {
		s.ask("inline-code", "runs commands from inside a database client")
		s.refusals(strings.Join(m[1:], ""))
	}
	if regexp.MustCompile(`(?i)\b(drop\s+(table|database|schema|index|view|user|role)|truncate\s+(table\s+)?\w+)\b`).MatchString(src) {
		s.ask("sql", "drops or empties tables")
	}
	if regexp.MustCompile(`(?i)\b(flushall|flushdb)\b|\bdropdatabase\s*\(|\.(drop|deletemany|remove)\(\s*(\{\s*\})?\s*\)`).MatchString(src) {
		s.ask("sql", "empties a database")
	}
	for stmt := range strings.SplitSeq(src, ";") {
		if regexp.MustCompile(`(?is)\bdelete\s+from\s+\S+`).MatchString(stmt) && !regexp.MustCompile(`(?i)\bwhere\b`).MatchString(stmt) {
			s.ask("sql", "deletes every row of a table")
		}
	}
}
