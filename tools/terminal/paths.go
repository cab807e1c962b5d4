package terminal

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hermes/core/home"
	"hermes/tools"
)

// writes judges that the command changes the file word.
func (s *scan) writes(word string) {
	switch word {
	case "", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "NUL", "nul":
		return
	}
	if strings.HasPrefix(word, "/dev/fd/") {
		return
	}
	s.touch(word)
	p, ok := s.path(word)
	if !ok {
		s.askExact("hidden-target", "writes to a place that is only known when it runs")
		return
	}
	s.changed = append(s.changed, p)
	if s.anyLink {
		s.askExact("hidden-target", "writes to "+word+", which may be a link it made")
	}
	switch action, why := s.j.policy.Write(p); {
	case tools.Instructions(p) && !home.Within(s.j.policy.Home.Dir(), p):
		s.note(finding{tier: tools.ActionAsk, id: "instructions", exact: true, firm: true, reason: "changes " + word + ", which tells agents what to do"})
	case action == tools.ActionAllow:
	case action == tools.ActionDeny && home.Within(s.j.policy.Home.Dir(), p):
		s.note(finding{tier: tools.ActionAsk, id: "hermes-home", exact: true, firm: true, reason: "writes to " + p + ", which " + why})
	case !home.Within(s.j.policy.Root, p):
		s.add(tools.ActionAsk, "write below "+filepath.Dir(p), "writes to "+p+", which "+why, action == tools.ActionDeny)
	default:
		s.askExact("sensitive", "writes to "+word+", which "+why)
	}
}

// fileWriters judges programs whose operands name what they change.
func (s *scan) fileWriters(name string, args, flags, operands []string) {
	switch name {
	case "cp", "mv", "install", "ln", "rsync", "scp":
		_, operands = options(args, "-t -S -m -o -g -e --target-directory --suffix --mode --owner --group --exclude --include")
		for i, a := range args {
			if v, ok := strings.CutPrefix(a, "--target-directory="); ok {
				s.writes(v)
			} else if a == "-t" && i+1 < len(args) {
				s.writes(args[i+1])
			}
		}
		if len(operands) < 2 {
			if name == "ln" {
				s.linked(name, flags, operands, "")
			}
			return
		}
		to := operands[len(operands)-1]
		s.transfer(operands[:len(operands)-1], to)
		if strings.Contains(to, ":") && (name == "scp" || name == "rsync") {
			return // another machine
		}
		s.writes(to)
		if name == "ln" || name == "cp" || name == "mv" {
			s.linked(name, flags, operands, to)
		}
		if name == "mv" {
			for _, from := range operands[:len(operands)-1] {
				if what := s.vital(from); what != "" {
					s.hard("moves " + what + " away")
				}
				s.writes(from)
			}
		}
		if name == "rsync" && has(flags, "", "delete") {
			if what := s.vital(to); what != "" {
				s.hard("deletes " + what + " with all it holds")
			}
			s.askExact("delete", "deletes what the other side does not have")
		}
	case "tee", "truncate", "touch", "mkdir":
		_, operands = options(args, "-s -r -d -t -m --size --reference --date --mode")
		for _, o := range operands {
			s.writes(o)
		}
	case "dd":
		for _, a := range args {
			if of, ok := strings.CutPrefix(a, "of="); ok {
				s.writes(of)
			}
		}
	case "sed", "gsed", "perl":
		if has(flags, "i", "in-place") {
			for i, o := range operands {
				if i > 0 || name == "perl" || slices.Contains(flags, "-e") {
					s.writes(o)
				}
			}
		}
	}
}

// outputs judges programs that take the place to write to in a flag.
func (s *scan) outputs(name string, args []string) {
	s.remoteNames(name, args)
	flags := map[string][]string{"curl": {"-o", "--output", "--output-dir"}, "wget": {"-O", "-P", "--output-document", "--directory-prefix"}, "unzip": {"-d"}}[name]
	if flags == nil {
		flags = []string{"-C", "--directory"}
		if len(args) > 0 && !strings.Contains(args[0], "x") && !slices.Contains(args, "--extract") {
			return // only extracting writes there
		}
	}
	for i, a := range args {
		for _, f := range flags {
			if v, ok := strings.CutPrefix(a, f+"="); ok {
				s.writes(v)
				s.brings(name, v)
			} else if a == f && i+1 < len(args) && args[i+1] != "-" {
				s.writes(args[i+1])
				s.brings(name, args[i+1])
			} else if len(f) == 2 && strings.HasPrefix(a, f) && len(a) > 2 && a != f+"-" {
				s.writes(a[2:])
				s.brings(name, a[2:])
			}
		}
	}
}

// remoteNames remembers the files that curl -O and wget name after the address.
func (s *scan) remoteNames(name string, args []string) {
	values := "-o -d -H -u -A -e -x -X -T -F -b -c -w --output --header --data"
	if name == "wget" {
		values = "-O -P -U --output-document --directory-prefix --header"
	}
	flags, operands := options(args, values)
	if name == "curl" && !has(flags, "O", "remote-name", "remote-name-all") || name != "curl" && name != "wget" || name == "wget" && has(flags, "O", "output-document") {
		return
	}
	for _, o := range operands {
		o, _, _ = strings.Cut(o, "?")
		if i := strings.LastIndexByte(o, '/'); i >= 0 && i+1 < len(o) {
			s.brings(name, o[i+1:])
		}
	}
}

// brings remembers the file a download goes to.
func (s *scan) brings(name, word string) {
	if p, ok := s.path(word); ok && slices.Contains(downloads(), name) {
		s.fetched = append(s.fetched, p)
	}
}

// named asks when the command line mentions hermes' own home or a file with keys, in whatever place:
// behind an interpreter's -c, in a variable, as an argument of an unknown program.
func (s *scan) named(command string) {
	p := s.j.policy
	dir := filepath.ToSlash(p.Home.Dir())
	if dir != "/" && strings.Contains(strings.ToLower(filepath.ToSlash(command)), strings.ToLower(dir)) && !home.Within(dir, p.Root) ||
		regexp.MustCompile(`(^|[\s/"'=:(~])\.hermes/|\bHERMES_HOME\b`).MatchString(command) {
		s.askExact("hermes-home", "names hermes' own home (memory, skills, settings, keys, transcripts)")
	}
}

// namedIn looks at the words of one program, in the folder it would run in.
func (s *scan) namedIn(argv []string) {
	for i, word := range argv {
		if i == 0 && !strings.Contains(word, "/") {
			continue
		}
		s.namedWord(word)
		if _, value, ok := strings.Cut(word, "="); ok {
			s.namedWord(value)
		}
		if before, _, ok := strings.Cut(word, ":"); ok && strings.Contains(before, "/") { // -v host:container
			s.namedWord(before)
		}
		if _, after, ok := strings.Cut(word, "@"); ok && !strings.Contains(after, "@") { // curl -d @file, -d@file
			s.namedWord(after)
		}
		if slash := strings.IndexByte(word, '/'); slash > 0 && word[0] == '-' { // -T/file
			s.namedWord(word[slash:])
		}
	}
}

func (s *scan) namedWord(word string) {
	if word == "" || strings.HasPrefix(word, "-") || len(word) > 4096 || strings.ContainsAny(word, "\n") {
		return
	}
	if strings.HasPrefix(word, "/proc/") && strings.Contains(word, hole) && (strings.HasSuffix(word, "/environ") || strings.HasSuffix(word, "/mem")) {
		s.askExact("credentials", "reads the secrets of a running program")
	}
	p, ok := s.path(word)
	if !ok {
		return
	}
	if strings.ContainsAny(p, "*?[") {
		s.globs(word, p)
	}
	switch action, why := s.j.policy.Read(p, ""); action {
	case tools.ActionDeny, tools.ActionAsk:
		id := "credentials"
		if home.Within(s.j.policy.Home.Dir(), p) {
			id, why = "hermes-home", "is part of hermes' own home"
		}
		s.askExact(id, "names "+p+", which "+why)
	case tools.ActionAllow:
	}
}
