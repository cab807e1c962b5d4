package terminal

import (
	"mvdan.cc/sh/v3/syntax"
)

// Values that are only known while the part of a command that sets them is sure to run: what is assigned in a
// subshell is gone behind it, what is assigned in a branch may never have been.

// change is what a variable was before it got another value.
type change struct {
	name, old string
	had       bool
}

// set gives a variable a value; one with a hole is unknown.
func (s *scan) set(name, value string, known bool) {
	old, had := s.words.vars[name]
	s.log = append(s.log, change{name, old, had})
	if known && !s.unsure[name] {
		s.words.vars[name] = value
	} else {
		delete(s.words.vars, name)
	}
}

// restore takes back the assignments since from.
func (s *scan) restore(from int) {
	for i := len(s.log) - 1; i >= from; i-- {
		c := s.log[i]
		if c.had {
			s.words.vars[c.name] = c.old
		} else {
			delete(s.words.vars, c.name)
		}
	}
	s.log = s.log[:min(from, len(s.log))]
}

// doubt makes variables unknown that were assigned since from and are no longer what they were before.
func (s *scan) doubt(from int) {
	first := map[string]change{}
	for i := len(s.log) - 1; i >= from; i-- {
		first[s.log[i].name] = s.log[i]
	}
	for name, c := range first {
		if now, known := s.words.vars[name]; known && (!c.had || now != c.old) {
			s.set(name, "", false)
		}
	}
}

// operand says how a statement that is part of a larger one runs.
type operand int

const (
	alone operand = iota
	leftOfChain
	rightOfChain
	partOfPipe
)

// scope begins a statement; the function it returns ends it.
func (s *scan) scope(n *syntax.Stmt) (end func()) {
	from, dir, pwd, as, chain := len(s.log), s.dir, s.words.vars["PWD"], s.operands[n], s.chain
	if s.operands == nil {
		s.operands = map[*syntax.Stmt]operand{}
	}
	if as == rightOfChain && s.chain < 0 {
		s.chain = from
	}
	place := func(known bool) {
		if s.dir != dir {
			s.dir = dir
			if !known {
				s.dir = hole
			}
			s.words.vars["PWD"] = pwd
			if !known {
				s.words.vars["PWD"] = hole
			}
		}
	}
	branch := func() { s.doubt(from); place(false) }
	apart := func() { s.restore(from); place(true) }
	switch cmd := n.Cmd.(type) {
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll {
			s.operands[cmd.X], s.operands[cmd.Y] = partOfPipe, partOfPipe
			break
		}
		s.operands[cmd.X], s.operands[cmd.Y] = leftOfChain, rightOfChain
		if as == alone {
			s.chain = -1
			end = func() {
				if s.chain >= 0 {
					s.doubt(s.chain)
				}
				s.chain = chain
			}
		}
	case *syntax.IfClause, *syntax.WhileClause, *syntax.CaseClause, *syntax.ForClause:
		end = branch
	case *syntax.FuncDecl:
		end = func() {
			for _, c := range s.log[from:] { // a call sets them whenever it comes
				if s.unsure == nil {
					s.unsure = map[string]bool{}
				}
				s.unsure[c.name] = true
			}
			apart()
		}
	}
	if as == partOfPipe || n.Background {
		first := end
		end = func() {
			if first != nil {
				first()
			}
			apart()
		}
	}
	return end
}

// visit walks n and calls what enter returns for a node when all below it is done.
func visit(n syntax.Node, enter func(syntax.Node) (into bool, end func())) {
	var ends []func()
	syntax.Walk(n, func(n syntax.Node) bool {
		if n == nil {
			last := len(ends) - 1
			if end := ends[last]; end != nil {
				end()
			}
			ends = ends[:last]
			return true
		}
		into, end := enter(n)
		if into {
			ends = append(ends, end)
		} else if end != nil {
			end()
		}
		return into
	})
}
