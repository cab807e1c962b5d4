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

func (s *scan) git(args []string) {
	rest := skipFlags(args, "-C -c --git-dir --work-tree --namespace")
	if len(rest) == 0 {
		return
	}
	s.gitCode(args[:len(args)-len(rest)], rest)
	if throwsAway(rest[0]) {
		s.touched.git = append(s.touched.git, s.absolute(gitFolder(args)))
	}
	flags, operands := options(rest[1:], "")
	s.gitFiles(gitFolder(args), rest[0], flags, operands)
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
	case "config":
		if has(flags, "", "global", "system") && len(operands) > 1 {
			s.ask("git-config", "changes git for every project")
		}
		if len(operands) > 1 && gitRuns(operands[0], operands[1]) {
			s.askExact("git-code", "makes git run "+operands[1])
		}
	}
}

// gitRuns reports whether a setting of git names a program that git starts.
func gitRuns(key, value string) bool {
	key = strings.ToLower(key)
	switch value {
	case "", "cat", "true", "false", "/dev/null", "less", "vim", "nano":
		return false
	}
	if strings.HasPrefix(key, "alias.") {
		return strings.HasPrefix(value, "!")
	}
	for _, k := range []string{
		"core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.hookspath", "core.askpass", "core.gitproxy", "sequence.editor", "diff.external",
		"credential.helper", "gpg.program", "uploadpack.packobjectshook",
	} {
		if key == k {
			return true
		}
	}
	return strings.HasSuffix(key, ".textconv") || strings.HasSuffix(key, ".clean") || strings.HasSuffix(key, ".smudge") || strings.HasSuffix(key, ".process") ||
		strings.HasPrefix(key, "difftool.") && strings.HasSuffix(key, ".cmd") || strings.HasPrefix(key, "mergetool.") && strings.HasSuffix(key, ".cmd") || strings.HasPrefix(key, "pager.")
}

// gitCode finds commands that git itself is told to run: settings given with -c, and verbs that take a
// command.
func (s *scan) gitCode(global, rest []string) {
	for i, a := range global {
		if a == "-c" && i+1 < len(global) {
			if key, value, _ := strings.Cut(global[i+1], "="); gitRuns(key, value) {
				s.askExact("git-code", "makes git run "+value)
				s.inline(strings.TrimPrefix(value, "!"))
			}
		}
		if strings.HasPrefix(a, "--exec-path=") || strings.HasPrefix(a, "--config-env=") {
			s.askExact("git-code", "makes git use other programs")
		}
	}
	verb, args := rest[0], rest[1:]
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, "--exec="); ok {
			s.inline(v)
		}
		if verb == "rebase" && (a == "-x" || a == "--exec") && i+1 < len(args) {
			s.inline(args[i+1])
		}
		if strings.HasPrefix(a, "ext::") || strings.HasPrefix(a, "--upload-pack=") || strings.HasPrefix(a, "--receive-pack=") {
			s.askExact("git-code", "makes git start a program for the connection")
		}
	}
	switch {
	case verb == "bisect" && len(args) > 1 && args[0] == "run":
		s.run(args[1:], false)
	case verb == "submodule" && len(args) > 1 && args[0] == "foreach":
		s.inline(strings.Join(skipFlags(args[1:], ""), " "))
	case verb == "filter-branch":
		for i, a := range args {
			if strings.HasSuffix(a, "-filter") && i+1 < len(args) {
				s.inline(args[i+1])
			}
		}
	}
}
