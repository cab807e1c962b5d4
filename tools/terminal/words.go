package terminal

import (
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// hole stands in a word for what only the running shell knows. It can be part of no name, so that a
// word with a hole never equals anything.
const hole = "\x00"

// words turns shell words into the texts a program would get, as far as that can be known: quotes
// removed, braces expanded, $HOME, ~ and earlier plain assignments put in, the rest as holes.
type words struct {
	vars map[string]string
	user string // the person's home folder

	made    []string // places that mktemp makes
	twisted bool     // programs whose output is known may be others
}

// newWords knows what every shell knows when it starts in dir.
func newWords(dir, user string) words {
	w := words{vars: map[string]string{"PWD": dir, "PPID": strconv.Itoa(os.Getpid())}, user: user}
	if user != "" {
		w.vars["HOME"] = user
	}
	return w
}

// clone is a copy whose variables are its own.
func (w *words) clone() words {
	out := *w
	out.vars = maps.Clone(w.vars)
	return out
}

func (w *words) all(list []*syntax.Word) []string {
	var out []string
	for _, word := range list {
		braced := &syntax.Word{Parts: slices.Clone(word.Parts)} // splitting changes the word, which is still walked
		if syntax.SplitBraces(braced) {
			n := 0
			for b, err := range expand.BracesSeq(nil, braced) {
				if n++; err != nil || n > 256 {
					out = append(out, hole)
					break
				}
				out = append(out, w.split(b)...)
			}
			continue
		}
		out = append(out, w.split(word)...)
	}
	return out
}

// split expands one word; what unquoted variables and substitutions hold can become several words, or
// none. It splits at blanks whatever IFS says, and at what IFS says: too often is the safe side.
func (w *words) split(word *syntax.Word) []string {
	if !slices.ContainsFunc(word.Parts, splits) {
		return []string{w.one(word)}
	}
	separators := " \t\n" + strings.ReplaceAll(w.vars["IFS"], hole, "")
	var out []string
	var b strings.Builder
	open := false // b holds a word, which may be empty
	flush := func() {
		if open {
			out = append(out, b.String())
		}
		b.Reset()
		open = false
	}
	for i := range word.Parts {
		s := w.one(&syntax.Word{Parts: word.Parts[i : i+1]})
		if i > 0 {
			s = w.part(word.Parts[i], false)
		}
		if !splits(word.Parts[i]) {
			b.WriteString(s)
			open = true
			continue
		}
		for _, r := range s {
			if strings.ContainsRune(separators, r) {
				flush()
				continue
			}
			b.WriteRune(r)
			open = true
		}
	}
	flush()
	return out
}

// splits reports whether a shell splits what a part of a word stands for.
func splits(p syntax.WordPart) bool {
	switch p.(type) {
	case *syntax.ParamExp, *syntax.CmdSubst:
		return true
	}
	return false
}

func (w *words) one(word *syntax.Word) string {
	if word == nil {
		return ""
	}
	var b strings.Builder
	for i, p := range word.Parts {
		s := w.part(p, false)
		if i == 0 {
			if _, lit := p.(*syntax.Lit); lit && (s == "~" || strings.HasPrefix(s, "~/")) && w.user != "" {
				at, known := w.vars["HOME"]
				if !known {
					at = hole
				}
				s = at + s[1:]
			}
		}
		b.WriteString(s)
	}
	return b.String()
}

func (w *words) part(p syntax.WordPart, quoted bool) string {
	switch p := p.(type) {
	case *syntax.Lit:
		return unescape(p.Value, quoted)
	case *syntax.SglQuoted:
		if p.Dollar {
			return ansiC(p.Value)
		}
		return p.Value
	case *syntax.DblQuoted:
		var b strings.Builder
		for _, q := range p.Parts {
			b.WriteString(w.part(q, true))
		}
		return b.String()
	case *syntax.ParamExp:
		return w.param(p)
	case *syntax.ExtGlob:
		return "*" // wider than it is
	case *syntax.CmdSubst:
		if len(p.Stmts) == 1 && len(p.Stmts[0].Redirs) == 0 {
			if value, ok := w.tame(p.Stmts[0]); ok {
				return value
			}
			if said, known := w.said(p.Stmts[0]); known {
				return strings.TrimRight(said, "\n")
			}
		}
	}
	return hole
}

// said is what echo or printf with fixed words would print.
func (w *words) said(st *syntax.Stmt) (said string, known bool) {
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return "", false
	}
	argv := w.all(c.Args)
	if len(argv) == 0 {
		return "", false
	}
	if n := base(argv[0]); n != "echo" && n != "printf" {
		return "", false
	}
	return plain(argv)
}

// plain is what an echo or printf prints.
func plain(argv []string) (said string, known bool) {
	args := argv[1:]
	if base(argv[0]) == "printf" {
		args = skipFlags(args, "")
	}
	for base(argv[0]) == "echo" && len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		args = args[1:] // echo prints every other word that looks like a flag
	}
	said = strings.Join(args, " ")
	switch {
	case strings.Contains(said, hole):
		return said, false
	case base(argv[0]) == "printf" && len(args) > 0:
		said = ""
		for _, a := range append([]string(nil), args[1:]...) { // the format is used again for what is left
			one, n, err := expand.Format(nil, args[0], []string{a})
			if err != nil {
				return "", false
			}
			said += one
			if n == 0 {
				break
			}
		}
		if len(args) == 1 {
			one, _, err := expand.Format(nil, args[0], nil)
			return one, err == nil
		}
		if n := strings.Count(args[0], "%"); n > 1 {
			one, _, err := expand.Format(nil, args[0], args[1:])
			return one, err == nil
		}
	case strings.Contains(said, `\`): // with -e, and in some shells without
		said = ansiC(said)
		return said, !strings.Contains(said, hole)
	}
	return said, true
}

func (w *words) param(p *syntax.ParamExp) string {
	if p.Param == nil || p.Excl || p.Length || p.Index != nil || p.Slice != nil || p.Repl != nil {
		return hole
	}
	value, known := w.vars[p.Param.Value]
	switch {
	case p.Param.Value == "!":
		return ownJob
	case !known && p.Exp == nil && slices.Contains([]string{"USER", "LOGNAME", "HOSTNAME", "RANDOM", "SECONDS", "UID", "EUID", "$"}, p.Param.Value):
		return "some-" + strings.ToLower(strings.Trim(p.Param.Value, "$")) // one word without a slash
	case known && p.Exp != nil:
		if out, ok := w.trimmed(value, p.Exp.Op, p.Exp.Word); ok {
			return out
		}
	}
	switch {
	case p.Param.Value == "IFS" && !known:
		return " "
	case p.Exp != nil && !known && (p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.DefaultUnsetOrNull):
		return w.one(p.Exp.Word)
	case p.Exp != nil && value != "" && (p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.DefaultUnsetOrNull):
		return value
	case p.Exp != nil:
		return hole
	case known:
		return value
	}
	return hole
}

// unescape removes the backslashes of a literal.
func unescape(s string, quoted bool) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if s[i] == '\n' {
			continue
		}
		if quoted && strings.IndexByte("$`\"\\", s[i]) < 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// ansiC decodes the inside of $'…'.
func ansiC(s string) string {
	out, _, err := expand.Format(nil, s, nil)
	if err != nil {
		return hole
	}
	return out
}

// base is the name of the program in argv[0]: without its folder.
func base(s string) string {
	if s == "" || strings.Contains(s, hole) {
		return s
	}
	b := path.Base(strings.ReplaceAll(s, `\`, "/"))
	return strings.TrimSuffix(b, ".exe")
}

// options takes argv (without the program) apart: flags up to "--", and operands. Short flags stay
// bundled. withValue lists the flags whose value is the next word.
func options(args []string, withValue string) (flags, operands []string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			return flags, append(operands, args[i+1:]...)
		case len(a) > 1 && a[0] == '-':
			flags = append(flags, a)
			if takesValue(a, withValue) {
				i++
			}
		default:
			operands = append(operands, a)
		}
	}
	return flags, operands
}

// takesValue reports whether flag a, listed in withValue ("-u -g --user"), wants the next word.
func takesValue(a, withValue string) bool {
	for f := range strings.FieldsSeq(withValue) {
		if a == f {
			return true
		}
		// A bundle such as -nu whose last letter takes a value.
		if len(f) == 2 && len(a) > 2 && a[1] != '-' && a[len(a)-1] == f[1] {
			return true
		}
	}
	return false
}

// has reports whether flags contain a short letter (also bundled) or one of the long names (also
// abbreviated to at least three letters, as GNU programs allow).
func has(flags []string, short string, long ...string) bool {
	for _, f := range flags {
		if strings.HasPrefix(f, "--") {
			name, _, _ := strings.Cut(f[2:], "=")
			for _, l := range long {
				if name == l || (len(name) >= 3 && strings.HasPrefix(l, name)) {
					return true
				}
			}
			continue
		}
		if short != "" && strings.ContainsAny(f[1:], short) {
			return true
		}
	}
	return false
}
