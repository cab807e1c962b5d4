package terminal

import (
	"slices"
	"strings"
)

// Editors and text tools whose scripts write files and run commands: sed, awk, vim, less, emacs, ed.

// sedScripts are the scripts among the arguments of sed, and the script files.
func sedScripts(args []string) (scripts, files []string) {
	var operands []string
	given := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		long, v, cut := strings.Cut(a, "=")
		switch {
		case a == "--":
			operands = append(operands, args[i+1:]...)
			i = len(args)
		case cut && strings.HasPrefix("--expression", long) && len(long) > 3:
			scripts, given = append(scripts, v), true
		case cut && strings.HasPrefix("--file", long) && len(long) > 3:
			files, given = append(files, v), true
		case (a == "--expression" || short(a, "e") && strings.HasSuffix(a, "e")) && i+1 < len(args):
			scripts, given = append(scripts, args[i+1]), true
			i++
		case strings.HasPrefix(a, "-e"):
			scripts, given = append(scripts, a[2:]), true
		case (a == "--file" || short(a, "f") && strings.HasSuffix(a, "f")) && i+1 < len(args):
			files, given = append(files, args[i+1]), true
			i++
		case strings.HasPrefix(a, "-f"):
			files, given = append(files, a[2:]), true
		case a == "-l" || a == "--line-length":
			i++
		case len(a) > 1 && a[0] == '-':
		default:
			operands = append(operands, a)
		}
	}
	if !given && len(operands) > 0 {
		scripts = operands[:1]
	}
	return scripts, files
}

func (s *scan) sed(args []string) {
	scripts, files := sedScripts(args)
	for _, f := range files {
		p, ok := s.path(f)
		switch {
		case !ok:
		case slices.Contains(s.changed, p):
			s.askExact("inline-code", "runs a sed script that it just wrote")
			s.sedScript(s.written[p])
		default:
			if src, young := s.young(p); young {
				s.sedScript(src)
			}
		}
	}
	for _, src := range scripts {
		s.sedScript(src)
	}
}

// sedScript walks a script command by command: what e runs and what w writes.
func (s *scan) sedScript(src string) {
	for r := (reader{src: src}); !r.done(); {
		r.address()
		c := r.next()
		switch c {
		case 's':
			d := r.next()
			r.until(d)
			replaced := r.until(d)
			flags := r.takeWhile("gIipmMe0123456789")
			if strings.ContainsRune(flags, 'e') {
				s.runsIn("sed", replaced)
			}
			if r.peek() == 'w' {
				r.next()
				s.writes(strings.TrimSpace(r.line()))
			}
		case 'y':
			d := r.next()
			r.until(d)
			r.until(d)
		case 'e':
			s.runsIn("sed", strings.TrimSpace(r.line()))
		case 'w', 'W':
			s.writes(strings.TrimSpace(r.line()))
		case 'r', 'R':
			s.namedWord(strings.TrimSpace(r.line()))
		case 'a', 'i', 'c':
			for text := r.line(); strings.HasSuffix(text, `\`) && !r.done(); {
				text = r.line()
			}
		case 'b', 't', 'T', ':':
			r.label()
		}
	}
}

// runsIn notes that a program is told to run src.
func (s *scan) runsIn(name, src string) {
	s.askExact("inline-code", "runs commands from inside "+name)
	s.refusals(src)
}

// reader reads a sed script by bytes.
type reader struct {
	src string
	at  int
}

func (r *reader) done() bool { return r.at >= len(r.src) }

func (r *reader) peek() byte {
	if r.done() {
		return 0
	}
	return r.src[r.at]
}

func (r *reader) next() byte {
	c := r.peek()
	r.at++
	return c
}

// until reads up to an unescaped d, which is taken; inside [] it stands for itself in no sed we know of.
func (r *reader) until(d byte) string {
	var b strings.Builder
	for !r.done() {
		c := r.next()
		switch {
		case c == d:
			return b.String()
		case c == '\\' && !r.done():
			if n := r.next(); n == d {
				b.WriteByte(n)
			} else {
				b.WriteByte(c)
				b.WriteByte(n)
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (r *reader) takeWhile(set string) string {
	from := r.at
	for !r.done() && strings.IndexByte(set, r.src[r.at]) >= 0 {
		r.at++
	}
	return r.src[min(from, len(r.src)):min(r.at, len(r.src))]
}

// line reads to the end of the line.
func (r *reader) line() string {
	if r.done() {
		return ""
	}
	rest, _, _ := strings.Cut(r.src[r.at:], "\n")
	r.at += len(rest) + 1
	return rest
}

func (r *reader) label() {
	for !r.done() && r.src[r.at] != ';' && r.src[r.at] != '\n' && r.src[r.at] != '}' {
		r.at++
	}
}

// address skips what says on which lines a command works, and what stands between commands.
func (r *reader) address() {
	for !r.done() {
		switch c := r.peek(); c {
		case '/':
			r.next()
			r.until('/')
			r.takeWhile("IM")
		case '\\':
			r.next()
			r.until(r.next())
			r.takeWhile("IM")
		default:
			if strings.IndexByte("0123456789$,~+! \t\n;{}", c) < 0 {
				return
			}
			r.next()
		}
	}
}

// awk judges the programs of awk: what they start and the files they print to.
func (s *scan) awk(name string, args []string) {
	src := strings.Join(args, "\n")
	for i, a := range args {
		if (a == "-f" || a == "--file") && i+1 < len(args) {
			if p, ok := s.path(args[i+1]); ok && slices.Contains(s.changed, p) {
				s.askExact("inline-code", "runs an awk script that it just wrote")
				src += "\n" + s.written[p]
			} else if text, young := s.young(p); ok && young {
				src += "\n" + text
			}
		}
		if a == "-l" || a == "--load" || strings.HasPrefix(a, "--load=") {
			s.askExact("inline-code", "loads code into "+name)
		}
	}
	if !strings.ContainsAny(src, "{}@") {
		return
	}
	plain := strings.ReplaceAll(re(`"(?:[^"\\]|\\.)*"`).ReplaceAllString(src, `""`), "||", "")
	if re(`system\s*\(|@\s*\w+\s*\(|@load|\|&?\s*""|""\s*\|(?:[^|]|$)|\|&?\s*getline|getline.*\||\|\s*[a-z]`).MatchString(plain) {
		s.code(name, "system "+src)
	}
	for _, m := range re(`>>?\s*"((?:[^"\\]|\\.)*)"\s*(\S?)`).FindAllStringSubmatch(src, 50) {
		if m[2] == "" || strings.Contains(";})", m[2]) {
			s.writes(m[1])
		}
	}
	if re(`\bprintf?\b[^;}\n(>]*>>?\s*[$A-Za-z_(]`).MatchString(plain) {
		s.askExact("hidden-target", "writes to a place that is only known when it runs")
	}
}

// ex judges the commands that vi and its kin, and pagers, are given on the command line.
func (s *scan) ex(name string, args []string) {
	for i, a := range args {
		command := ""
		switch {
		case strings.HasPrefix(a, "+"):
			command = a[1:]
		case (a == "-c" || a == "--cmd" || a == "-S" || bundled(a, "-c")) && i+1 < len(args):
			command = args[i+1]
			if a == "-S" {
				command = "source " + command
			}
		case strings.HasPrefix(a, "-c") && len(a) > 2:
			command = a[2:]
		}
		if command = strings.TrimLeft(command, ": "); command == "" || quietEx(command) {
			continue
		}
		s.askExact("inline-code", "runs commands from inside "+name)
		if _, after, ok := strings.Cut(command, "!"); ok {
			s.refusals(after)
		}
		for _, lit := range literals(command) {
			s.refusals(lit)
		}
	}
}

// quietEx reports whether a command of an editor only moves, shows or ends.
func quietEx(command string) bool {
	return re(`^(\d+|\$|G|g|F|[/?][^|!]*|(q|qa|qall|wq|wqa|x|xa|quit|normal [gGjk0-9$]+|set? [\w ]+(=[\w,]*)?|syntax (on|off)|noh|version|help \w*)!?)$`).MatchString(command)
}

// emacs judges Lisp that is given in the command.
func (s *scan) emacs(name string, args []string) {
	for _, a := range args {
		long, _, _ := strings.Cut(a, "=")
		if slices.Contains([]string{"-e", "--eval", "-eval", "--execute", "-l", "--load", "--script", "-f", "--funcall", "-x"}, long) {
			s.code(name, "exec "+strings.Join(args, " "))
			return
		}
	}
}

// edScript judges what ed is fed: the files it writes, what it runs.
func (s *scan) edScript(name, src string) {
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		if m := re(`^(?:[\d,$%.;]*)\s*(?:w|W|wq|sav|saveas|write)!?\s+(.+)$`).FindStringSubmatch(line); m != nil {
			if c, ok := strings.CutPrefix(m[1], "!"); ok {
				s.runsIn(name, c)
			} else {
				s.writes(m[1])
			}
		}
	}
}
