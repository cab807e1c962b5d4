package terminal

import (
	"path/filepath"
	"slices"
	"strings"

	"hermes/core/home"
	"hermes/tools"
)

// writeBelow opens the category of writes in one folder outside the working folder.
const writeBelow = "write below "

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
	if strings.ContainsAny(p, "*?[") {
		for _, hit := range expandGlob(p)[:min(len(expandGlob(p)), maxRounds)] {
			if hit != p {
				s.writes(hit)
			}
		}
	}
	s.changed = append(s.changed, p)
	if s.anyLink {
		s.askExact("hidden-target", "writes to "+word+", which may be a link it made")
	}
	switch action, why := s.j.policy.Write(p); {
	case tools.Instructions(p) && !home.Within(s.j.policy.Home.Dir(), p):
		s.note(finding{tier: tools.ActionAsk, id: "instructions", exact: true, firm: true, reason: "changes " + word + ", which tells agents what to do"})
	case action == tools.ActionAllow, s.j.policy.Sensitive(p) == "" && s.temporary(p):
	case action == tools.ActionDeny && home.Within(s.j.policy.Home.Dir(), p):
		s.note(finding{tier: tools.ActionAsk, id: "hermes-home", exact: true, firm: true, reason: "writes to " + p + ", which " + why})
	case !home.Within(s.j.policy.Root, p):
		s.add(tools.ActionAsk, writeBelow+filepath.Dir(p), "writes to "+p+", which "+why, action == tools.ActionDeny)
	default:
		s.askExact("sensitive", "writes to "+word+", which "+why)
	}
}

// fileWriters judges programs whose operands name what they change.
func (s *scan) fileWriters(name string, args, flags, operands []string) {
	switch name {
	case "cp", "mv", "install", "ln", "rsync", "scp":
		s.copies(name, args)
	case "tee", "truncate", "touch", "mkdir":
		_, operands = options(args, "-s -r -d -t -m --size --reference --date --mode")
		for _, o := range operands {
			s.writes(o)
			if p, ok := s.path(o); ok && name == "mkdir" {
				s.folders = append(s.folders, p)
			}
		}
	case "dd":
		for _, a := range args {
			if of, ok := strings.CutPrefix(a, "of="); ok {
				s.writes(of)
			}
		}
	case "sed", "gsed", "perl":
		if name == "perl" && slices.ContainsFunc(flags, func(f string) bool {
			return strings.HasPrefix(f, "-e") || strings.HasPrefix(f, "-M") || strings.HasPrefix(f, "-I")
		}) && !slices.ContainsFunc(flags, func(f string) bool {
			return strings.HasPrefix(f, "-i") || re(`^-[plna0w]+i`).MatchString(f)
		}) {
			return
		}
		if has(flags, "i", "in-place") {
			for i, o := range operands {
				if i > 0 || name == "perl" || has(flags, "ef", "expression", "file") {
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
	if name == "unzip" {
		s.unpacks(args)
	}
	for i, a := range args {
		for _, f := range flags {
			if v, ok := strings.CutPrefix(a, f+"="); ok {
				s.writes(v)
				s.brings(name, v)
			} else if (a == f || bundled(a, f)) && i+1 < len(args) && args[i+1] != "-" {
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
		re(`(^|[\s/"'=:(~])\.hermes/|\$\{?HERMES_HOME\b|\bHERMES_HOME=`).MatchString(command) || strings.Contains(command, home.EnvVar) && !s.onlySearches() {
		s.askExact("hermes-home", "names hermes' own home (memory, skills, settings, keys, transcripts)")
	}
}

// onlySearches reports whether all programs of the command only look for text.
func (s *scan) onlySearches() bool {
	for _, argv := range s.programs {
		switch argv[0] {
		case "grep", "egrep", "fgrep", "rg", "ag", "cd", "head", "tail", "wc", "sort", "uniq", "echo":
		case "git":
			if firstOf(argv[1:]) != "grep" && firstOf(argv[1:]) != "log" {
				return false
			}
		default:
			return false
		}
	}
	return len(s.programs) > 0
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
		s.below(word)
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

// below asks for a path whose end is only known when it runs and that lies in a folder with keys.
func (s *scan) below(word string) {
	start, _, cut := strings.Cut(word, hole)
	slash := strings.LastIndexByte(start, '/')
	if !cut || slash < 0 {
		return
	}
	dir, ok := s.path(start[:slash+1])
	if !ok {
		return
	}
	dir = filepath.ToSlash(dir)
	for _, target := range s.j.secrets {
		if home.Within(target, dir) {
			s.askExact("credentials", "names a file in "+dir+" that is only known when it runs, beside hermes' own home or keys")
			return
		}
	}
}
