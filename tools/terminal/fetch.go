package terminal

import (
	"os"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hermes/core/home"
)

// Files that the command itself makes and then runs.

// downloads are the programs that bring text from elsewhere.
func downloads() []string { return []string{"curl", "wget", "fetch", "aria2c", "http", "https", "xh"} }

// outcome remembers what a statement leaves in files: downloads, and text that is known.
func (s *scan) outcome(st *syntax.Stmt) {
	for _, r := range st.Redirs {
		if r.Op != syntax.RdrOut && r.Op != syntax.RdrClob && r.Op != syntax.RdrAll && r.Op != syntax.AppOut {
			continue
		}
		p, ok := s.path(s.words.one(r.Word))
		if !ok {
			continue
		}
		if st.Cmd != nil && s.uses(st.Cmd, downloads()...) {
			s.fetched = append(s.fetched, p)
			continue
		}
		if src, known := s.content(st); known {
			s.wrote(p, src)
		}
	}
}

// wrote remembers the text of a file that is made.
func (s *scan) wrote(path, src string) {
	if s.written == nil {
		s.written = map[string]string{}
	}
	s.written[path] += src + "\n"
}

// content is what a statement prints, when that is known: echo, printf, and cat of a here-document.
func (s *scan) content(st *syntax.Stmt) (src string, known bool) {
	if said, known := s.words.said(&syntax.Stmt{Cmd: st.Cmd}); known {
		return said, true
	}
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 1 || base(s.words.one(call.Args[0])) != "cat" {
		return "", false
	}
	for _, r := range st.Redirs {
		if r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc {
			return s.words.one(r.Hdoc), true
		}
	}
	return "", false
}

// fresh judges running a file that the command itself downloaded, wrote or made executable.
func (s *scan) fresh(name string, argv []string) {
	word := ""
	switch {
	case strings.Contains(argv[0], "/"):
		word = argv[0]
	case isShell(name) && !hasDashC(argv[1:]), isInterpreter(name), name == "source", name == ".":
		if rest := skipFlags(argv[1:], "-o -W -X"); len(rest) > 0 {
			word = rest[0]
		}
	}
	if word != "" && strings.Trim(word, hole) == "" && !isInterpreter(name) {
		s.askExact("hidden-program", "runs a script whose name is only known when it runs")
	}
	p, ok := s.path(word)
	if !ok {
		return
	}
	switch src, known := s.written[p]; {
	case slices.Contains(s.fetched, p), s.unpacked && !s.exists(word):
		s.askExact("pipe-to-shell", "runs a download at once")
	case known && isInterpreter(name):
		s.code(name, src)
	case known:
		s.inline(src)
	case slices.Contains(s.changed, p) && (isShell(name) || name == "source" || name == "."):
		s.askExact("new-program", "runs a script that it just changed")
	case !isInterpreter(name):
		s.onDisk(name, p)
	default:
		if src, young := s.young(p); young {
			inner := s.branch()
			inner.plainly(name, src)
			for _, f := range inner.found { // it may as well be a test of such text
				s.askExact("inline-code", "runs "+word+", new code that perhaps "+f.reason)
			}
		}
	}
	if strings.Contains(argv[0], "/") && slices.Contains(s.made, p) && !s.settled(p) {
		s.askExact("new-program", "makes a file executable and runs it")
	}
}

// settled reports whether p is a file that was there before the session and that the command leaves as it is.
func (s *scan) settled(p string) bool {
	info, err := os.Lstat(p)
	return err == nil && info.Mode().IsRegular() && info.ModTime().Before(s.j.born) && home.Within(s.j.policy.Root, p) && !slices.Contains(s.changed, p) && !slices.Contains(s.fetched, p) && !s.unpacked
}

// remoteCode finds text that is run at once though it comes from another program: bash <(curl …),
// sh -c "$(curl …)", eval "$(curl …)", bash <(echo …).
func (s *scan) remoteCode(c *syntax.CallExpr) {
	name := base(s.words.one(c.Args[0]))
	if !isShell(name) && name != "eval" && name != "source" && name != "." && !isInterpreter(name) {
		return
	}
	for _, w := range c.Args[1:] {
		if s.uses(w, downloads()...) {
			s.askExact("pipe-to-shell", "runs a download at once")
			continue
		}
		for _, part := range w.Parts {
			sub, ok := part.(*syntax.ProcSubst)
			if !ok || sub.Op != syntax.CmdIn || len(sub.Stmts) != 1 {
				continue
			}
			if said, known := s.words.said(sub.Stmts[0]); known && !isInterpreter(name) {
				s.inline(said)
			} else {
				s.askExact("pipe-to-shell", "runs text that is only known when it runs")
			}
		}
	}
}
