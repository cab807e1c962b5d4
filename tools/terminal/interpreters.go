package terminal

import (
	"slices"
	"strings"
)

// Programs that run code of another language, and where in their arguments they take it from.

// dialect says how an interpreter reads its flags. Letters may stand bundled behind one hyphen; the rest of
// a bundle, or the next word, is the value of the first that takes one.
type dialect struct {
	code   string   // letters whose value is code
	values string   // other letters that take a value
	loose  string   // letters whose value can only follow in the same word
	long   []string // long flags whose value is code
	with   []string // long flags that take another value
	verbs  []string // words in front of code
}

// dialectOf is how the interpreter of that name reads its flags.
func dialectOf(name string) dialect {
	switch name = strings.TrimRight(name, "0123456789."); {
	case strings.HasPrefix(name, "py"), name == "ipython", name == "bpython", name == "xonsh":
		return dialect{code: "c", values: "WXQ", with: []string{"--check-hash-based-pycs"}}
	case name == "expect":
		return dialect{code: "c", values: "f"}
	case strings.HasPrefix(name, "pwsh"), strings.HasPrefix(name, "powershell"):
		return dialect{code: "c", long: []string{"-command", "-encodedcommand", "-ec", "-e"}, with: []string{"-executionpolicy", "-workingdirectory", "-file"}}
	case name == "php":
		return dialect{code: "rRBE", values: "dcfzt", long: []string{"--run", "--process-code", "--process-begin", "--process-end"}, with: []string{"--define", "--php-ini", "--file"}}
	case strings.HasPrefix(name, "perl"), name == "raku":
		return dialect{code: "eE", values: "IMm", loose: "i0lCDFxdVT"}
	case name == "ruby":
		return dialect{code: "e", values: "IrCE", loose: "i0KFxTW"}
	case name == "node", name == "nodejs", name == "bun", name == "deno":
		return dialect{code: "ep", values: "rC", long: []string{"--eval", "--print"}, with: []string{"--require", "--import", "--loader", "--experimental-loader", "--env-file", "--config", "--conditions"}, verbs: []string{"eval"}}
	case name == "lua", name == "luajit", name == "texlua":
		return dialect{code: "e", values: "lj"}
	case name == "erl":
		return dialect{long: []string{"-eval"}, with: []string{"-s", "-sname", "-name", "-pa"}}
	case name == "sbcl", name == "clisp", name == "ecl":
		return dialect{code: "x", long: []string{"--eval", "-eval"}, with: []string{"--load", "--core"}}
	case name == "guile":
		return dialect{code: "c", values: "lLCe"}
	}
	return dialect{code: "eE", long: []string{"--eval", "--print", "--execute", "--expr"}, with: []string{"--project", "--load"}}
}

func isInterpreter(name string) bool {
	for _, p := range []string{
		"python", "perl", "ruby", "node", "php", "lua", "deno", "bun", "osascript", "pwsh", "powershell", "tclsh", "expect", "pypy", "nodejs", "ipython", "bpython", "Rscript", "R", "julia",
		"raku", "elixir", "iex", "erl", "groovy", "scala", "racket", "guile", "sbcl", "clisp", "jshell", "swift", "luajit", "wish", "irb", "ghci", "escript", "jython", "gjs", "qjs", "tsx", "ts-node", "janet",
	} {
		if rest, ok := strings.CutPrefix(name, p); ok && strings.Trim(rest, "0123456789.") == "" {
			return true
		}
	}
	return false
}

// interpreter judges what an interpreter is told to run.
func (s *scan) interpreter(name string, args []string) {
	d := dialectOf(name)
	for i := 0; i < len(args); i++ {
		a := args[i]
		next := ""
		if i+1 < len(args) {
			next = args[i+1]
		}
		switch {
		case a == "-" || a == "--":
			return
		case slices.Contains(d.verbs, a):
			s.code(name, strings.Join(args[i+1:], " "))
			return
		case !strings.HasPrefix(a, "-"):
			s.scriptFrom(a)
			if name == "deno" || name == "bun" {
				s.fetchedScript(args[i+1:])
			}
			return // a script file; what follows belongs to it
		case slices.Contains(d.with, strings.ToLower(a)):
			i++
		case slices.Contains(d.long, strings.ToLower(a)):
			s.code(name, strings.Join(args[i+1:], " "))
			return
		case strings.HasPrefix(a, "--"):
			if long, v, ok := strings.Cut(a, "="); ok && slices.Contains(d.long, long) {
				s.code(name, v)
				return
			}
		case strings.HasPrefix(name, "py") && strings.IndexByte(a, 'm') > 0 && strings.Trim(a[1:strings.IndexByte(a, 'm')], "bBdEhiIOPqsSuvVx") == "":
			s.module(name, a[strings.IndexByte(a, 'm')+1:], args[i+1:])
			return
		default:
			done, took := s.bundle(name, d, a[1:], next, args[min(i+1, len(args)):])
			if done {
				return
			}
			if took {
				i++
			}
		}
	}
}

// bundle reads letters behind one hyphen; done says that code was found, took that the next word is a value.
func (s *scan) bundle(name string, d dialect, letters, next string, rest []string) (done, took bool) {
	for k, l := range letters {
		behind := letters[k+1:]
		switch {
		case strings.ContainsRune(d.code, l):
			if behind != "" && (!strings.HasPrefix(name, "node") || strings.Trim(behind, d.code) != "") {
				s.code(name, strings.Join(append([]string{behind}, rest...), " "))
			} else {
				s.code(name, strings.Join(rest, " "))
			}
			return true, false
		case strings.ContainsRune(d.values, l):
			return false, behind == "" && next != ""
		case strings.ContainsRune(d.loose, l) && l != 'l' && l != '0' && l != 'T' && l != 'x':
			return false, false
		}
	}
	return false, false
}

// module judges "python -m": a module is a program of its own, and some take code.
func (s *scan) module(name, module string, args []string) {
	if module == "" {
		if len(args) == 0 {
			return
		}
		module, args = args[0], args[1:]
	}
	flags, operands := options(args, "-n -r -s -u -p --prompt --number --repeat --setup --unit")
	switch module {
	case "timeit":
		s.code(name, strings.Join(args, " "))
	case "pdb", "IPython", "code", "bdb":
		for i, a := range args {
			if (a == "-c" || a == "--command") && i+1 < len(args) {
				s.code(name, args[i+1])
			}
		}
	case "venv", "virtualenv":
		for _, o := range operands {
			s.writes(o)
		}
	case "zipfile", "tarfile":
		if has(flags, "ce", "create", "extract") && len(operands) > 0 {
			s.writes(operands[len(operands)-1])
			s.writes(operands[0])
		}
	default:
		s.run(append([]string{module}, args...), false)
	}
}

// scriptFrom judges a script that is named by its address.
func (s *scan) scriptFrom(word string) {
	if strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://") {
		s.askExact("pipe-to-shell", "runs a download at once")
	}
}

// fetchedScript is scriptFrom for the words behind a verb.
func (s *scan) fetchedScript(args []string) {
	if rest := skipFlags(args, ""); len(rest) > 0 {
		s.scriptFrom(rest[0])
	}
}

// input reports whether word names what a program reads on its standard input.
func input(word string) bool {
	return slices.Contains([]string{"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}, word)
}

// shown matches code that does nothing but print what version or place something has.
const shown = `^\s*import (\w+)\s*[;\n]\s*print\(\s*(\w+)\.(version|version_info|executable|platform|prefix|path|maxsize|__version__|__file__)\s*\)\s*$`

// harmless reports whether code of a language only prints such a thing.
func harmless(name, src string) bool {
	m := re(shown).FindStringSubmatch(src)
	return strings.HasPrefix(name, "py") && m != nil && m[1] == m[2]
}
