package text

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled when it is first used. Most starts of the program use few of
// theirs, and compiling all of them would be felt at every start.
type Pattern struct{ get func() *regexp.Regexp }

// NewPattern is the pattern of an expression that is known to be right; a wrong one panics when it is used.
func NewPattern(expr string) Pattern {
	return Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

// Regexp is the compiled expression.
func (p Pattern) Regexp() *regexp.Regexp { return p.get() }
