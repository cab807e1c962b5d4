package terminal

import (
	"slices"
	"strings"
)

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

// gitElsewhere asks when the folder that git is told to change lies outside.
func (s *scan) gitElsewhere(verb string, global []string) {
	if !throwsAway(verb) && !slices.Contains([]string{"init", "commit", "add", "clone", "submodule"}, verb) {
		return
	}
	for _, v := range []string{flagValue(global, "", "-C"), flagValue(global, "--git-dir", ""), flagValue(global, "--work-tree", "")} {
		s.outside(v)
	}
}

func (s *scan) git(args []string) {
	rest := skipFlags(args, "-C -c --git-dir --work-tree --namespace")
	if len(rest) == 0 {
		return
	}
	s.gitCode(args[:len(args)-len(rest)], rest)
	s.gitElsewhere(rest[0], args[:len(args)-len(rest)])
	if throwsAway(rest[0]) {
		s.touched.git = append(s.touched.git, s.absolute(gitFolder(args)))
	}
	flags, operands := options(rest[1:], "")
	s.gitFiles(gitFolder(args), rest[0], flags, operands)
	s.gitWrites(gitFolder(args), rest[0], rest[1:], operands)
	switch rest[0] {
	case "reset":
		if has(flags, "", "hard") {
			s.ask("git-reset", "throws away uncommitted changes")
		}
	case "push":
		if slices.ContainsFunc(rest[1:], func(a string) bool { return strings.HasPrefix(a, hole) }) {
			s.askExact("git-force-push", "pushes with settings that are only known when it runs")
		}
		if has(flags, "fd", "force", "force-with-lease", "delete", "mirror", "prune") || slices.ContainsFunc(operands, func(o string) bool { return strings.HasPrefix(o, "+") || strings.HasPrefix(o, ":") }) {
			s.ask("git-force-push", "rewrites or deletes what is on the server")
		}
	case "clean":
		if has(flags, "f", "force") && !has(flags, "n", "dry-run") {
			s.ask("git-clean", "deletes files git does not know")
		}
	case "checkout", "restore", "switch":
		whole := slices.ContainsFunc(operands, func(o string) bool { return o == "." || o == ":/" || o == "*" })
		if has(flags, "f", "force", "discard-changes") || whole && (rest[0] != "restore" || has(flags, "W", "worktree") || !has(flags, "S", "staged")) {
			s.ask("git-discard", "throws away uncommitted changes")
		}
	case "tag":
		if has(flags, "d", "delete") {
			s.ask("git-tag", "deletes a tag")
		}
	case "worktree":
		if len(operands) > 0 && operands[0] == "remove" && has(flags, "f", "force") {
			s.ask("git-worktree", "deletes a work tree with its changes")
		}
	case "update-ref", "symbolic-ref":
		if has(flags, "d", "delete") {
			s.ask("git-history", "deletes a reference")
		}
	case "reflog":
		if len(operands) > 0 && (operands[0] == "expire" || operands[0] == "delete") {
			s.ask("git-history", "deletes what undo of git needs")
		}
	case "gc", "prune":
		if rest[0] == "prune" || has(flags, "", "prune") {
			s.ask("git-history", "deletes commits nothing refers to")
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
	}
}

// gitCode finds commands that git itself is told to run: settings given with -c, and verbs that take a
// command.
func (s *scan) gitCode(global, rest []string) {
	for i, a := range global {
		if a == "-c" && i+1 < len(global) {
			key, value, _ := strings.Cut(global[i+1], "=")
			s.gitSetting(key, value)
		}
		if strings.HasPrefix(a, "--exec-path=") || strings.HasPrefix(a, "--config-env") {
			s.askExact("git-code", "makes git use other programs")
		}
	}
	verb, args := rest[0], rest[1:]
	for i, a := range args {
		next := ""
		if i+1 < len(args) {
			next = args[i+1]
		}
		for _, f := range []string{"--exec=", "--extcmd=", "--open-files-in-pager="} {
			if v, ok := strings.CutPrefix(a, f); ok && v != "" {
				s.gitStarts(verb, v)
			}
		}
		switch {
		case verb == "rebase" && (a == "-x" || a == "--exec"), verb == "difftool" && (a == "-x" || a == "--extcmd"):
			s.gitStarts(verb, next)
		case verb == "grep" && strings.HasPrefix(a, "-O") && len(a) > 2:
			s.gitStarts(verb, a[2:])
		case verb == "clone" && (a == "-c" || a == "--config"):
			key, value, _ := strings.Cut(next, "=")
			s.gitSetting(key, value)
		case verb == "clone" && strings.HasPrefix(a, "--config="):
			key, value, _ := strings.Cut(strings.TrimPrefix(a, "--config="), "=")
			s.gitSetting(key, value)
		}
		if strings.HasPrefix(a, "ext::") || strings.HasPrefix(a, "--upload-pack") || strings.HasPrefix(a, "--receive-pack") || verb == "clone" && a == "-u" {
			s.askExact("git-code", "makes git start a program for the connection")
		}
		if (verb == "clone" || verb == "init") && strings.HasPrefix(a, "--template") {
			s.askExact("git-code", "takes the programs that git runs from a template")
		}
	}
	switch {
	case verb == "bisect" && len(args) > 1 && args[0] == "run":
		s.run(args[1:], false)
	case verb == "submodule" && len(args) > 1 && args[0] == "foreach":
		s.inline(strings.Join(skipFlags(args[1:], ""), " "))
	case verb == "config":
		s.gitConfig(args)
	case verb == "remote-ext" || verb == "remote-fd":
		s.askExact("git-code", "makes git start a program for the connection")
		for _, a := range args {
			s.inline(a)
		}
	case verb == "filter-branch":
		for i, a := range args {
			if strings.HasSuffix(a, "-filter") && i+1 < len(args) {
				s.inline(args[i+1])
			}
		}
	}
}

// gitStarts judges a command that a verb starts: of a rebase it is judged as it stands, and what is no plain
// pager asks.
func (s *scan) gitStarts(verb, command string) {
	if verb != "rebase" && !quietProgram(command) {
		s.askExact("git-code", "makes git run "+command)
	}
	s.inline(command)
}

// gitWrites judges the files and folders that git makes outside its own store.
func (s *scan) gitWrites(dir, verb string, args, operands []string) {
	was := s.dir
	defer func() { s.dir = was }()
	if dir != "." {
		s.moveTo([]string{dir})
		defer func(pwd string) { s.words.vars["PWD"] = pwd }(was)
	}
	values := map[string]string{
		"clone": "-b -o -u -c -j --branch --depth --origin --reference --filter --config --template --separate-git-dir --upload-pack --shallow-since", "init": "-b --initial-branch --template --separate-git-dir --object-format", "worktree": "-b -B --reason",
		"bundle": "--version", "archive": "-o --output --format --prefix --remote",
	}[verb]
	_, own := options(args, values)
	switch {
	case verb == "clone" && len(own) > 1, verb == "init" && len(own) > 0:
		s.writes(own[len(own)-1])
	case (verb == "worktree" && (firstOf(own) == "add" || firstOf(own) == "move") || verb == "bundle" && firstOf(own) == "create") && len(own) > 1:
		s.writes(own[1])
		if firstOf(own) == "move" {
			s.writes(own[len(own)-1])
		}
	case verb == "remote" && firstOf(operands) == "add" && slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--mirror") && a != "--mirror=fetch" }):
		s.ask("git-force-push", "rewrites or deletes what is on the server")
	}
	for i, a := range args {
		for _, f := range []string{"--output", "--output-directory", "--export-marks", "--separate-git-dir"} {
			if v, ok := strings.CutPrefix(a, f+"="); ok {
				s.writes(v)
			} else if a == f && i+1 < len(args) {
				s.writes(args[i+1])
			}
		}
		if verb == "archive" || verb == "format-patch" {
			if a == "-o" && i+1 < len(args) {
				s.writes(args[i+1])
			} else if v, ok := strings.CutPrefix(a, "-o"); ok && v != "" {
				s.writes(v)
			}
		}
	}
}

// firstOf is the first of some words, "" when there is none.
func firstOf(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}
