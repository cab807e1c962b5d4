package terminal

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The way through a parsed command, in the order it would run.

// node walks one part of a parsed command in order.
func (s *scan) node(n syntax.Node) {
	visit(n, func(n syntax.Node) (into bool, end func()) {
		if st, ok := n.(*syntax.Stmt); ok {
			end = s.scope(st)
		}
		return s.enter(n), end
	})
}

// enter judges one node before what is below it, and reports whether that is still to be judged.
func (s *scan) enter(n syntax.Node) (into bool) {
	switch n := n.(type) {
	case *syntax.Stmt:
		for _, r := range n.Redirs {
			s.look(r)
			s.redirect(r)
		}
		if call, ok := n.Cmd.(*syntax.CallExpr); ok {
			s.look(call)
			s.heredocs(call, n.Redirs)
			s.sends(n, false)
		}
		s.outcome(n)
	case *syntax.CallExpr:
		s.look(n)
		s.call(n)
	case *syntax.DeclClause:
		s.look(n)
		s.declared(n)
	case *syntax.ParamExp:
		if n.Exp != nil && n.Param != nil && n.Param.Value == markVar && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
			s.unmark()
		}
	case *syntax.ArithmCmd, *syntax.LetClause, *syntax.ArithmExp, *syntax.CStyleLoop:
		if marksIn(n) {
			s.unmark()
		}
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			s.look(n)
			s.piped(n)
		}
	case *syntax.Subshell:
		return s.apart(n.Stmts)
	case *syntax.CmdSubst:
		s.substitutes(n)
		return s.apart(n.Stmts)
	case *syntax.ProcSubst:
		return s.apart(n.Stmts)
	case *syntax.FuncDecl:
		s.words.redefined(functionName(n))
		if bomb(n) {
			s.look(n)
			s.hard("is a fork bomb")
		}
	case *syntax.CoprocClause:
		if n.Name != nil && marks(s.words.one(n.Name)) {
			s.unmark()
		}
	case *syntax.ForClause:
		return s.loop(n)
	}
	return true
}

// apart judges statements whose cd does not last; it reports that nothing is left to do.
func (s *scan) apart(list []*syntax.Stmt) (again bool) {
	dir, pwd, from := s.dir, s.words.vars["PWD"], len(s.log)
	for _, st := range list {
		s.node(st)
	}
	s.restore(from)
	s.dir, s.words.vars["PWD"] = dir, pwd
	return false
}

// maxRounds bounds how often the bodies of loops over known words are judged in all.
const maxRounds = 64

// loop judges a body once for every word the loop runs over; it reports whether that is still to be done.
func (s *scan) loop(f *syntax.ForClause) (again bool) {
	it, ok := f.Loop.(*syntax.WordIter)
	if !ok {
		return true
	}
	if it.Name.Value == markVar {
		s.unmark()
	}
	s.set(it.Name.Value, "", false)
	items, from := s.words.all(it.Items), len(s.log)
	if s.rounds += len(items); len(items) == 0 || s.rounds > maxRounds {
		return true
	}
	for _, w := range it.Items {
		s.node(w)
	}
	for _, item := range items {
		s.set(it.Name.Value, item, !strings.Contains(item, hole))
		for _, st := range f.Do {
			s.node(st)
		}
	}
	if slices.ContainsFunc(items, func(i string) bool { return strings.Contains(i, hole) }) {
		s.doubt(from) // it may run over nothing
	}
	return false
}

func (s *scan) assign(a *syntax.Assign) {
	if a.Name == nil || a.Naked {
		return
	}
	if a.Name.Value == markVar {
		s.unmark()
	}
	v := s.words.one(a.Value)
	s.set(a.Name.Value, v, a.Array == nil && a.Index == nil && !a.Append && !strings.Contains(v, hole))
	s.words.redefined(a.Name.Value)
	s.environment(a.Name.Value, s.words.one(a.Value))
}

func (s *scan) call(c *syntax.CallExpr) {
	from := len(s.log)
	args := s.words.all(c.Args) // what is assigned in front holds for the program, not for its words
	for _, a := range c.Assigns {
		s.assign(a)
	}
	if len(c.Args) == 0 {
		return
	}
	s.remoteCode(c)
	if len(args) > 0 && args[0] == "kill" {
		s.killsOwn(c, c)
	}
	if len(c.Assigns) > 0 {
		defer func() { s.restore(from) }()
	}
	s.run(args, false)
}

// bomb reports a function that starts itself in a pipe or in the background.
func bomb(f *syntax.FuncDecl) bool {
	if f.Name == nil {
		return false
	}
	calls, spawns := 0, false
	syntax.Walk(f.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 0 && n.Args[0].Lit() == f.Name.Value {
				calls++
			}
		case *syntax.Stmt:
			spawns = spawns || n.Background
		case *syntax.BinaryCmd:
			spawns = spawns || n.Op == syntax.Pipe
		}
		return true
	})
	return calls > 0 && spawns
}

// functionName is what a function is called; some shells know ones without.
func functionName(f *syntax.FuncDecl) string {
	if f.Name == nil {
		return ""
	}
	return f.Name.Value
}
