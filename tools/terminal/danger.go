package terminal

import (
	"os"
	"path/filepath"
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
	case "rm", "unlink", "rmdir", "shred", "del", "rd", "rimraf", "del-cli":
		s.remove(name, flags, operands, open)
	case "find":
		s.find(args)
	case "fd", "fdfind":
		if i := slices.IndexFunc(args, func(a string) bool { return a == "-x" || a == "-X" || a == "--exec" || a == "--exec-batch" }); i >= 0 {
			s.run(args[i+1:], true)
		}
	case "chmod", "chown", "chgrp":
		s.permissions(name, flags, operands)
	case "sudo", "su", "doas", "pkexec", "runuser", "run0", "machinectl", "sudoedit", "gosu", "su-exec":
		s.asRoot(name, args)
	case "kill", "pkill", "killall", "taskkill":
		s.kill(name, args, flags, open)
	case "systemctl", "service", "launchctl", "rc-service", "sc":
		s.service(name, operands)
	case "git", "hub":
		s.git(args)
	case "docker", "podman", "nerdctl", "docker-compose":
		s.containers(name, args)
	case "kubectl", "helm", "terraform", "tofu":
		s.cluster(name, operands)
	case "cp", "mv", "install", "ln", "rsync", "scp", "tee", "dd", "truncate", "touch", "mkdir", "sed", "perl", "gsed":
		s.fileWriters(name, args, flags, operands)
	case "curl", "wget", "unzip":
		s.outputs(name, args)
	case "tar", "bsdtar", "gtar":
		s.archives(args)
	case "at", "iptables", "ip6tables", "nft", "ufw", "mount", "umount", "swapoff", "sysctl", "useradd", "userdel", "usermod", "passwd", "visudo", "chsh":
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
		if _, operands := options(args, "-cmd -separator -init -c -f"); len(operands) > 1 && re(`(?i)\b(insert|update|delete|create|alter|drop|replace|vacuum)\b`).MatchString(strings.Join(operands[1:], " ")) {
			s.outside(operands[0])
		}
		s.sql(strings.Join(args, " "))
	}
	if isInterpreter(name) {
		s.interpreter(name, args)
	}
	s.tables(name, args)
	s.fresh(name, argv)
	s.powershell(strings.ToLower(name), args)
}

// tables holds the checks that look every program up.
func (s *scan) tables(name string, args []string) {
	s.puts(name, args)
	s.verbs(name, args)
	s.project(name, args)
	s.leak(name, args)
	s.embedded(name, args)
	s.callText(name, args)
	s.hides(name, args)
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
	recursive := (name == "rm" && has(flags, "rR", "recursive")) || name == "rd" || name == "rimraf" || name == "del-cli"
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
		case strings.Contains(o, "{}"):
			s.askExact("delete", "deletes whatever the other command lists")
		case !ok && recursive:
			s.askExact("delete", "deletes a folder whose name is only known when it runs")
		case !ok:
			s.askExact("delete", "deletes a file whose name is only known when it runs")
		case s.ownTemp(p, recursive), !recursive && slices.Contains(s.changed, p) && s.temporary(p) && !s.exists(p):
		case !home.Within(s.j.policy.Root, p):
			s.askExact("delete", "deletes outside the working folder: "+p)
		case p == s.j.policy.Root && recursive, filepath.Base(p) == ".git" && recursive:
			s.askExact("delete", "deletes a whole folder: "+o)
		case recursive && s.loses(o, p):
			s.askExact("delete", "deletes with all it holds: "+o)
		case s.j.policy.Sensitive(p) != "" || tools.Instructions(p):
			s.askExact("delete", "deletes "+o)
		}
	}
	if name == "shred" && len(operands) > 0 {
		s.askExact("delete", "destroys files beyond recovery")
	}
}

// ownTemp reports whether p is what mktemp just made and would be nothing else had that failed.
func (s *scan) ownTemp(p string, recursive bool) bool {
	for _, t := range s.words.made {
		if home.Within(t, p) {
			rest := strings.TrimPrefix(p, t)
			return !recursive || rest == "" || s.vital(rest) == ""
		}
	}
	return false
}

// loses reports whether a recursive delete of p, inside the working folder, takes more than one file away
// that no tool makes again.
func (s *scan) loses(word, p string) bool {
	shown := filepath.Clean(word) // as written: where a relative path starts may be elsewhere than it seems
	if filepath.IsAbs(word) {
		rel, err := filepath.Rel(s.j.policy.Root, p)
		if err != nil {
			return true
		}
		shown = rel
	}
	if rebuilt(filepath.Base(p)) || slices.ContainsFunc(strings.Split(filepath.ToSlash(shown), "/"), rebuilt) {
		return slices.ContainsFunc(s.moved, func(m string) bool { return m != "" && home.Within(p, m) })
	}
	if strings.ContainsAny(p, "*?[") {
		return true
	}
	if info, err := os.Lstat(p); err == nil {
		return info.IsDir()
	}
	if slices.ContainsFunc(s.moved, func(m string) bool { return m == "" || home.Within(p, m) || home.Within(m, p) }) {
		return true
	}
	made := slices.ContainsFunc(s.folders, func(f string) bool { return home.Within(f, p) })
	return !made && len(s.programs) > 1 // when nothing ran before, there is nothing to delete
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
			if s.findsRebuilt(roots, rest) {
				continue
			}
		}
		s.each(roots, cmd)
	}
	if !deletes || s.findsRebuilt(roots, rest) {
		return
	}
	s.askExact("delete", "deletes whatever find finds")
	for _, r := range roots {
		if what := s.vital(r); what != "" && !tests {
			s.hard("deletes " + what + " with all it holds")
		}
	}
}

// each judges the command that find starts for what it finds below roots.
func (s *scan) each(roots, cmd []string) {
	for _, r := range append(roots, ".")[:max(len(roots), 1)] {
		argv := slices.Clone(cmd)
		for i, w := range argv {
			if w == "{}" {
				argv[i] = strings.TrimRight(r, "/") + "/{}"
			}
		}
		s.run(argv, true)
	}
}

// findsRebuilt reports whether find looks, inside the working folder, for nothing but what tools make again.
func (s *scan) findsRebuilt(roots, rest []string) bool {
	named := false
	for i := 0; i < len(rest); i++ {
		switch a := rest[i]; {
		case a == "-name" && i+1 < len(rest):
			n := rest[i+1]
			if !rebuilt(n) && !slices.Contains([]string{"*.pyc", "*.pyo", ".DS_Store", "Thumbs.db", "*.py[co]"}, n) {
				return false
			}
			named = true
			i++
		case (a == "-type" || a == "-maxdepth" || a == "-mindepth") && i+1 < len(rest):
			i++
		case a == "-exec" && i+1 < len(rest) && base(rest[i+1]) == "rm":
			for i++; i < len(rest) && rest[i] != ";" && rest[i] != "+"; i++ {
				if w := rest[i]; w != "{}" && !strings.HasPrefix(w, "-") && base(w) != "rm" {
					return false
				}
			}
		case a != "-delete" && a != "-prune" && a != "-depth" && a != "-print":
			return false
		}
	}
	inside := func(r string) bool {
		p, ok := s.path(r)
		return ok && home.Within(s.j.policy.Root, p)
	}
	return named && len(s.links) == 0 && !slices.ContainsFunc(append(roots, ".")[:max(len(roots), 1)], func(r string) bool { return !inside(r) })
}

func (s *scan) permissions(name string, flags, operands []string) {
	if len(operands) == 0 {
		return
	}
	mode, files, changed := operands[0], operands[1:], len(s.changed)
	recursive := has(flags, "R", "recursive")
	if name == "chmod" {
		if re(`^[0-7]*[0-7][0-7][2367]$|(^|,)[ugo]*[oa][ugo]*[+=][rwxXst]*w`).MatchString(mode) {
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

// sqlFile finds the files that a database's client writes.
const sqlFile = `(?im)\bwritefile\s*\(\s*'([^']*)'|(?:^|\s)\.(?:output|once|save|backup|log)\s+["']?([^|\s"';][^\s"';]*)|\\(?:o|out|g|w)\s+["']?([^|\s"'][^\s"']*)|\binto\s+(?:outfile|dumpfile)\s+'([^']*)'|\bcopy\s.*\bto\s+'([^']*)'|\battach\s+(?:database\s+)?'([^']*)'`

func (s *scan) sql(src string) {
	for _, m := range re(sqlEscape).FindAllStringSubmatch(src, 20) {
		s.askExact("inline-code", "runs commands from inside a database client")
		s.refusals(strings.Join(m[1:], ""))
	}
	for _, m := range re(sqlFile).FindAllStringSubmatch(src, 20) {
		s.writes(strings.Join(m[1:], ""))
	}
	if re(`(?i)\bload_extension\s*\(|^\s*\.load\b`).MatchString(src) {
		s.askExact("inline-code", "loads code into a database client")
	}
	if re(`(?i)\b(drop\s+(table|database|schema|index|view|user|role)|truncate\s+(table\s+)?\w+)\b`).MatchString(src) {
		s.ask("sql", "drops or empties tables")
	}
	if re(`(?i)\b(flushall|flushdb)\b|\bdropdatabase\s*\(|\.(drop|deletemany|remove)\(\s*(\{\s*\})?\s*\)`).MatchString(src) {
		s.ask("sql", "empties a database")
	}
	for stmt := range strings.SplitSeq(src, ";") {
		if re(`(?is)\bdelete\s+from\s+\S+`).MatchString(stmt) && !re(`(?i)\bwhere\b`).MatchString(stmt) {
			s.ask("sql", "deletes every row of a table")
		}
	}
}
