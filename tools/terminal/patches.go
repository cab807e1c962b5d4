package terminal

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes/core/home"
	"hermes/tools"
)

// Files that tell agents what to do, when git or patch change them; and scripts on disk.

const maxScript = 64 << 10 // bytes of a diff or script that are read to judge it

func (s *scan) instructs(word string) {
	s.note(finding{tier: tools.ActionAsk, id: "instructions", exact: true, firm: true, reason: "changes " + word + ", which tells agents what to do"})
}

// gitFiles judges the files a verb of git takes from elsewhere.
func (s *scan) gitFiles(dir, verb string, flags, operands []string) {
	was := s.dir
	defer func() { s.dir = was }()
	if dir != "." {
		s.moveTo([]string{dir})
		defer func(pwd string) { s.words.vars["PWD"] = pwd }(was)
	}
	switch verb {
	case "checkout", "restore", "mv", "rm", "checkout-index":
		if verb == "rm" && has(flags, "", "cached") {
			return
		}
		if verb == "rm" && has(flags, "f", "force") && !has(flags, "n", "dry-run") {
			s.ask("git-discard", "throws away uncommitted changes")
		}
		for _, o := range operands {
			s.takes(o)
		}
	case "apply", "am":
		if has(flags, "", "check", "stat", "numstat", "summary", "abort", "skip", "quit") && !has(flags, "", "apply") {
			return
		}
		for _, o := range operands {
			s.diffFile(o)
		}
	case "stash":
		if len(operands) > 0 && (operands[0] == "pop" || operands[0] == "apply" || operands[0] == "branch") {
			s.stash()
		}
	}
}

// takes judges one path that git writes.
func (s *scan) takes(o string) {
	o = strings.TrimPrefix(strings.TrimPrefix(o, ":/"), ":(top)")
	if tools.Instructions(o) {
		s.instructs(o)
		return
	}
	for _, n := range tools.InstructionNames() {
		if strings.ContainsAny(o, "*?[") && globMatch(path.Base(o), n, true) && strings.Trim(o, "*./") != "" {
			s.instructs(n)
			return
		}
		if p, ok := s.path(filepath.Join(o, n)); ok && o != "." && o != "" {
			if _, err := os.Lstat(p); err == nil {
				s.instructs(filepath.Join(o, n))
				return
			}
		}
	}
}

// stash judges what git put aside; reading it changes nothing.
func (s *scan) stash() {
	if strings.Contains(s.dir, hole) {
		return
	}
	cmd := exec.Command("git", "-C", s.dir, "-c", "core.fsmonitor=false", "stash", "show", "--name-only", "--include-untracked") //nolint:noctx // a verdict has no context; the timer bounds it
	var out bytes.Buffer
	cmd.Stdout, cmd.WaitDelay = &out, gitWait
	if cmd.Start() != nil {
		return // without git there is nothing to pop
	}
	late := time.AfterFunc(gitWait, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	if cmd.Wait() != nil {
		return // there is none
	}
	for line := range strings.Lines(out.String()) {
		if f := strings.TrimSpace(line); tools.Instructions(f) {
			s.instructs(f)
		}
	}
}

// patches reports whether a program changes files by a diff that it reads.
func patches(name string, args []string) bool {
	if name == "git" {
		rest := skipFlags(args, "-C -c --git-dir --work-tree --namespace")
		return len(rest) > 0 && (rest[0] == "apply" || rest[0] == "am") && !slices.Contains(rest, "--check") && !slices.Contains(rest, "--stat")
	}
	return name == "patch" && !slices.Contains(args, "--dry-run")
}

// patch judges the program of that name.
func (s *scan) patch(args []string) {
	if slices.Contains(args, "--dry-run") {
		return
	}
	_, operands := options(args, "-i -o -r -d -D -F -p -V -B -z -Y --input --output --directory --strip")
	for _, v := range []string{flagValue(args, "--output", "-o"), flagValue(args, "--directory", "-d")} {
		if v != "" {
			s.writes(v)
		}
	}
	in := flagValue(args, "--input", "-i")
	for _, j := range joined(args, "-i") {
		in = j
	}
	if len(operands) > 0 {
		s.writes(operands[0])
	}
	if len(operands) > 1 {
		in = operands[1]
	}
	if in != "" {
		s.diffFile(in)
	}
}

// diffFile judges a diff on disk; one that cannot be read now asks.
func (s *scan) diffFile(word string) {
	p, ok := s.path(word)
	if src, known := s.written[p]; ok && known {
		s.diff(src)
		return
	}
	if src, read := small(p, 16*maxScript); ok && read && !slices.Contains(s.changed, p) {
		s.diff(src)
		return
	}
	s.askExact("patch", "changes files by a diff that cannot be read before ("+strings.ReplaceAll(word, hole, "…")+")")
}

// small reads a regular file of at most limit bytes.
func small(p string, limit int64) (src string, ok bool) {
	info, err := os.Stat(p)
	if err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return "", false
	}
	f, err := os.Open(p)
	if err != nil {
		return "", false
	}
	defer func() { _ = f.Close() }() // only read
	b, err := io.ReadAll(io.LimitReader(f, limit))
	return string(b), err == nil
}

// diff judges the files a diff names.
func (s *scan) diff(src string) {
	for _, m := range re(`(?m)^(?:\+\+\+|---|rename to|copy to|Index:) +"?([^\t\n\r"]+)`).FindAllStringSubmatch(src, 2000) {
		f := strings.TrimSpace(m[1])
		_, stripped, _ := strings.Cut(f, "/")
		switch {
		case f == "/dev/null":
		case tools.Instructions(f) || tools.Instructions(stripped):
			s.instructs(f)
		case path.IsAbs(f), slices.Contains(strings.Split(f, "/"), ".."):
			s.askExact("patch", "changes files outside the working folder by a diff ("+f+")")
		case s.j.policy.Sensitive("/x/"+stripped) != "":
			s.askExact("sensitive", "changes "+f+" by a diff, which "+s.j.policy.Sensitive("/x/"+stripped))
		}
	}
	if re(`(?m)^new (?:file )?mode 120000`).MatchString(src) {
		s.askExact("patch", "makes links by a diff")
	}
}

// onDisk judges a shell script of the working folder that was changed since the judge is there: an agent
// could put into a file what it may not write into a command. Older files are the project's own.
func (s *scan) onDisk(name, p string) {
	if s.opened[p] {
		return
	}
	src, ok := s.young(p)
	if !ok || !isShell(name) && name != "source" && name != "." && !shellText(src) {
		return
	}
	if s.opened == nil {
		s.opened = map[string]bool{}
	}
	s.opened[p] = true
	dir, pwd := s.dir, s.words.vars["PWD"]
	s.script(src, true)
	if name != "source" && name != "." {
		s.dir, s.words.vars["PWD"] = dir, pwd
	}
}

// young reads a file of the working folder, or one for a short time, that was changed since the judge is there.
func (s *scan) young(p string) (src string, ok bool) {
	if !home.Within(s.j.policy.Root, p) && !inTemp(p) {
		return "", false
	}
	info, err := os.Stat(p)
	if err != nil || info.ModTime().Before(s.j.born) {
		return "", false
	}
	src, ok = small(p, maxScript)
	return src, ok && !strings.Contains(src, hole)
}

// shellText reports whether the kernel would hand a file to a shell.
func shellText(src string) bool {
	first, _, _ := strings.Cut(src, "\n")
	line, ok := strings.CutPrefix(first, "#!")
	if !ok {
		return true
	}
	return slices.ContainsFunc(strings.Fields(line), func(w string) bool { return isShell(base(w)) })
}
