package terminal

import (
	"slices"
	"strings"
)

// Settings of git: most of them can make it start a program or write elsewhere, so those are named that
// cannot, and all others ask.

// gitTame lists the settings that only change what git shows and how it records; "x." stands for all below x.
func gitTame() []string {
	return []string{
		"user.name", "user.email", "user.signingkey", "user.useconfigonly", "author.", "committer.", "color.", "column.", "advice.", "log.", "status.", "init.defaultbranch", "pull.rebase", "pull.ff", "pull.octopus", "push.default", "push.autosetupremote", "push.followtags",
		"fetch.prune", "fetch.prunetags", "fetch.parallel", "fetch.writecommitgraph", "merge.conflictstyle", "merge.ff", "merge.log", "merge.stat", "merge.tool", "merge.renames", "diff.algorithm", "diff.colormoved", "diff.colormovedws", "diff.renames", "diff.renamelimit", "diff.mnemonicprefix", "diff.noprefix", "diff.context", "diff.tool", "diff.submodule", "diff.wserrorhighlight",
		"rebase.autosquash", "rebase.autostash", "rebase.updaterefs", "rebase.stat", "rerere.", "commit.gpgsign", "commit.verbose", "commit.cleanup", "commit.template", "tag.gpgsign", "tag.sort", "gpg.format", "core.autocrlf", "core.eol", "core.safecrlf", "core.quotepath", "core.filemode", "core.ignorecase", "core.precomposeunicode", "core.longpaths", "core.whitespace", "core.abbrev", "core.commentchar",
		"core.compression", "core.bigfilethreshold", "core.preloadindex", "core.untrackedcache", "core.symlinks", "core.logallrefupdates", "core.sparsecheckout", "core.sparsecheckoutcone", "core.excludesfile", "index.", "pack.", "gc.", "feature.", "http.postbuffer", "http.lowspeedlimit", "http.lowspeedtime", "http.version", "protocol.version", "branch.", "format.pretty", "blame.", "grep.", "stash.", "submodule.recurse",
		"checkout.", "clean.requireforce", "apply.whitespace", "help.autocorrect", "i18n.", "pager.branch", "pager.log", "pager.diff", "interactive.singlekey", "versionsort.", "worktree.", "maintenance.", "transfer.fsckobjects", "fetch.fsckobjects", "receive.fsckobjects", "safe.crlf", "difftool.prompt", "mergetool.prompt", "mergetool.keepbackup",
	}
}

// gitSetting judges that a setting of git gets a value, for one call or for good.
func (s *scan) gitSetting(key, value string) {
	key = strings.ToLower(key)
	if name, ok := strings.CutPrefix(key, "alias."); ok && name != "" {
		s.gitAlias(value)
		return
	}
	if editor(key) && quietProgram(value) || strings.Contains(key, hole) && value == "" {
		return
	}
	if slices.ContainsFunc(gitTame(), func(t string) bool { return key == t || strings.HasSuffix(t, ".") && strings.HasPrefix(key, t) }) && !strings.HasSuffix(key, ".pushremote") {
		if programs := strings.HasPrefix(key, "pager."); !programs || slices.Contains([]string{"true", "false", "cat", "less"}, value) {
			return
		}
	}
	s.askExact("git-code", "makes git run or use "+strings.ReplaceAll(value, hole, "…")+" ("+strings.ReplaceAll(key, hole, "…")+")")
	s.hidden("git", value)
}

// gitAlias judges what a new verb of git stands for.
func (s *scan) gitAlias(value string) {
	if text, ok := strings.CutPrefix(strings.TrimSpace(value), "!"); ok {
		s.askExact("git-code", "makes git run "+text)
		s.inline(text)
		return
	}
	if strings.Contains(value, hole) {
		s.askExact("git-code", "makes git run what is only known when it runs")
		return
	}
	words := strings.Fields(value)
	s.git(words)
	if verb := firstOf(skipFlags(words, "-C -c")); !slices.Contains([]string{"status", "log", "diff", "show", "blame", "grep", "shortlog", "describe", "ls-files", "rev-parse", "fetch", "commit", "add", "cat-file", "whatchanged", "range-diff", "name-rev"}, verb) {
		s.askExact("git-code", "gives git a new name for "+value+", under which later commands do not say what they do")
	}
}

func editor(key string) bool {
	return slices.Contains([]string{"core.pager", "core.editor", "sequence.editor", "core.fsmonitor", "credential.helper", "diff.external", "core.askpass"}, key)
}

// quietProgram reports whether a value names nothing that could be anything.
func quietProgram(value string) bool {
	return slices.Contains([]string{"", "cat", "true", "false", "/dev/null", "less", "vim", "nano", ":"}, value)
}

// gitConfig judges "git config", in its old and its new form.
func (s *scan) gitConfig(args []string) {
	const values = "-f --file --blob --type --default --value --comment -t --url"
	flags, operands := options(args, values)
	for i, a := range args {
		v, glued := strings.CutPrefix(a, "--file=")
		if (a == "-f" || a == "--file") && i+1 < len(args) {
			v, glued = args[i+1], true
		}
		if glued && !has(flags, "l", "get", "list", "get-all", "get-regexp") && (len(operands) > 1 || has(flags, "", "add", "replace-all", "unset")) && (len(operands) == 0 || operands[0] != "get" && operands[0] != "list") {
			s.writes(v)
		}
	}
	if slices.Contains(args, "-e") || slices.Contains(args, "--edit") || len(operands) > 0 && operands[0] == "edit" {
		s.askExact("git-config", "opens git's settings in an editor")
		return
	}
	if has(flags, "l", "get", "list", "get-all", "get-regexp", "get-urlmatch", "get-color", "get-colorbool") {
		return
	}
	if len(operands) > 0 {
		switch operands[0] {
		case "set":
			operands = operands[1:]
		case "get", "list", "unset", "rename-section", "remove-section":
			return
		}
	}
	if has(flags, "", "unset", "unset-all", "remove-section", "rename-section") || len(operands) < 2 {
		return
	}
	if has(flags, "", "global", "system") {
		s.ask("git-config", "changes git for every project")
	}
	s.gitSetting(operands[0], operands[1])
}

// gitVariable judges a variable that git reads.
func (s *scan) gitVariable(name, value string) {
	if strings.HasPrefix(name, "GIT_TRACE") {
		if strings.Contains(value, "/") {
			s.writes(value)
		}
		return
	}
	for _, p := range []string{"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CURL_VERBOSE", "GIT_MERGE_", "GIT_OPTIONAL_LOCKS", "GIT_LFS_", "GIT_CEILING_DIRECTORIES", "GIT_ADVICE", "GIT_REFLOG_ACTION", "GIT_TERMINAL_PROMPT", "GIT_DISCOVERY_", "GIT_LITERAL_PATHSPECS", "GIT_NO_", "GIT_FLUSH", "GIT_PROGRESS", "GIT_DEPTH", "GIT_STRATEGY", "GIT_BRANCH", "GIT_COMMIT", "GIT_SHA", "GIT_TAG", "GIT_REV", "GIT_URL", "GIT_REPO", "GIT_HASH", "GIT_VERSION", "GIT_DATE", "GIT_PS1_"} {
		if strings.HasPrefix(name, p) {
			return
		}
	}
	switch name {
	case "GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_EXTERNAL_DIFF": // judged by what they start
		return
	case "GIT_INDEX_FILE", "GIT_DIR", "GIT_WORK_TREE":
		s.writes(value)
		return
	}
	s.askExact("environment", "sets "+name)
}
