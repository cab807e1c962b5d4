package terminal

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hermes/core/home"
	"hermes/tools"
)

// Keys and hermes' own home when they are not named to the letter: by globs, by folders above them, by
// searches, and on their way to another machine.

// secretPlaces are the files and folders below a person's home that hold keys, and hermes' home.
func secretPlaces(p tools.Policy) []string {
	var out []string
	if dir := p.Home.Dir(); dir != "" && dir != "/" && !home.Within(dir, p.Root) {
		out = append(out, filepath.ToSlash(dir))
	}
	if p.User != "" {
		for _, n := range append([]string{".ssh", ".gnupg", ".aws", ".config/gcloud"}, append(tools.CredentialNames(), tools.CredentialPlaces()...)...) {
			out = append(out, filepath.ToSlash(p.User)+"/"+strings.TrimSuffix(n, "/"))
		}
	}
	return append(out, "/etc/shadow", "/etc/gshadow")
}

// globMatch reports whether a shell would let pattern stand for name: a leading dot must be written.
func globMatch(pattern, name string, dots bool) bool {
	pattern, name = strings.ToLower(strings.ReplaceAll(pattern, "[!", "[^")), strings.ToLower(name)
	if !dots && strings.HasPrefix(name, ".") && !strings.HasPrefix(pattern, ".") && pattern != "" && strings.ContainsAny(pattern[:1], "*?[") {
		return false
	}
	ok, err := path.Match(pattern, name)
	return ok || err != nil
}

// globs asks when the glob p could name keys.
func (s *scan) globs(word, p string) {
	p = filepath.ToSlash(p)
	parts := strings.Split(strings.Trim(p, "/"), "/")
	last := parts[len(parts)-1]
	hit := parts[0] == "proc" && len(parts) > 2 && (globMatch(last, "environ", s.dots) || globMatch(last, "mem", s.dots))
	for _, target := range s.j.secrets {
		want := strings.Split(strings.Trim(target, "/"), "/")
		if hit || len(parts) < len(want) || strings.HasSuffix(last, ".pub") {
			continue
		}
		match := true
		for i, w := range want {
			match = match && globMatch(parts[i], w, s.dots)
		}
		if match && strings.Trim(last, "*?.") == "" { // so wide that only what is there counts
			_, err := os.Lstat(target)
			match = err == nil
		}
		hit = hit || match
	}
	for _, n := range tools.CredentialNames() {
		if !hit && globMatch(last, n, s.dots) {
			_, err := os.Lstat(filepath.Join(filepath.FromSlash(path.Dir(p)), n))
			hit = err == nil
		}
	}
	if hit {
		s.askExact("credentials", word+" can stand for hermes' own home or files with keys")
	}
}

// holds names what of the keys lies in the folder word, "" when nothing does.
func (s *scan) holds(word string) string {
	p, ok := s.path(word)
	if !ok {
		return ""
	}
	p = filepath.ToSlash(p)
	for _, target := range s.j.secrets {
		if p == target {
			return target
		}
		if home.Within(p, target) && !strings.HasPrefix(target, "/etc/") { // no program of the person can read those
			if _, err := os.Lstat(target); err == nil {
				return target
			}
		}
	}
	return ""
}

func (s *scan) askHolds(word string) {
	if what := s.holds(word); what != "" {
		s.askExact("credentials", "reads all of "+word+", which holds "+what)
	}
}

// readsFolders judges programs that read all of a folder.
func (s *scan) readsFolders(name string, args, flags []string) {
	_, operands := options(args, "-e -f -m -A -B -C -o -t --regexp --file --include --exclude --exclude-dir")
	switch name {
	case "tar", "bsdtar", "gtar":
		s.packs(args)
	case "cp", "rsync", "scp":
		if len(operands) > 1 && (has(flags, "rRa", "recursive", "archive") || name == "rsync") {
			for _, o := range operands[:len(operands)-1] {
				s.askHolds(o)
			}
		}
	case "zip", "7z", "7za", "rar":
		for _, o := range operands[min(1, len(operands)):] {
			s.askHolds(o)
		}
	case "grep", "egrep", "fgrep", "rg", "ag", "ugrep":
		hidden := has(flags, "u.", "hidden", "unrestricted", "no-ignore")
		recursive := has(flags, "rR", "recursive", "dereference-recursive")
		if name == "rg" || name == "ag" {
			recursive = hidden
		}
		if include := flagValue(args, "--include", ""); !recursive || include != "" && !secretName(include) {
			return
		}
		if !has(flags, "", "regexp", "file") && !slices.Contains(args, "-e") && !slices.Contains(args, "-f") {
			operands = operands[min(1, len(operands)):]
		}
		if len(operands) == 0 {
			operands = []string{"."}
		}
		for _, o := range operands {
			s.askHolds(o)
		}
	}
}

// packs judges what tar puts into an archive.
func (s *scan) packs(args []string) {
	if len(args) == 0 || !slices.ContainsFunc(args, func(a string) bool { return a == "--create" || a == "--append" || a == "--update" || short(a, "cru") }) && !strings.ContainsAny(args[0], "cru") ||
		strings.HasPrefix(args[0], "x") || strings.HasPrefix(args[0], "-x") || slices.Contains(args, "--extract") {
		return
	}
	was := s.dir
	for i, a := range args {
		switch {
		case (a == "-C" || a == "--directory") && i+1 < len(args):
			if p, ok := s.path(args[i+1]); ok {
				s.dir = p
			}
		case i > 0 && !strings.HasPrefix(a, "-") && args[i-1] != "-C" && args[i-1] != "--directory" && args[i-1] != "-f":
			s.askHolds(a)
		}
	}
	s.dir = was
}

// secretName reports whether a pattern of find or grep is made for files with keys.
func secretName(pattern string) bool {
	pattern = path.Base(strings.TrimRight(pattern, "/"))
	return slices.ContainsFunc(append(tools.CredentialNames(), ".env", ".ssh", ".hermes", ".aws", ".gnupg", "credentials", "environ", "key.pem", "server.key"), func(n string) bool { return globMatch(pattern, n, true) })
}

// finds judges a search through a folder that holds keys.
func (s *scan) finds(roots, rest []string) {
	named, wanted := false, false
	for i, a := range rest {
		if i+1 < len(rest) && slices.Contains([]string{"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex"}, a) {
			named = true
			wanted = wanted || secretName(rest[i+1]) && strings.Trim(rest[i+1], "*") != ""
		}
	}
	runs := slices.ContainsFunc(rest, func(a string) bool { return strings.HasPrefix(a, "-exec") || strings.HasPrefix(a, "-ok") })
	for _, r := range roots {
		if what := s.holds(r); what != "" && (wanted || runs && !named) {
			s.askExact("credentials", "searches "+r+", which holds "+what)
		}
	}
}

// senders are programs that send what they read to another machine.
func senders() []string {
	return []string{"curl", "wget", "scp", "sftp", "ftp", "nc", "ncat", "netcat", "socat", "http", "https", "xh", "rclone", "gsutil", "aws", "telnet", "mail", "mutt", "gh"}
}

// sends asks when a statement or a pipe hands a file of settings that are often secret to a program that
// sends it away.
func (s *scan) sends(n syntax.Node, piped bool) {
	if !s.env {
		return
	}
	if s.walks++; s.walks > maxRounds {
		s.askExact("nested", "is nested too deeply to judge")
		return
	}
	programs := senders()
	if piped {
		programs = append(programs, "ssh")
	}
	found := ""
	syntax.Walk(n, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok && found == "" {
			if v := s.words.one(w); envFile(v) {
				found = v
			}
		}
		return found == ""
	})
	if found != "" && s.uses(n, programs...) {
		s.askExact("credentials", "sends "+found+", which holds settings that are often secret")
	}
}

// envFile reports whether word names a file of settings, alone or behind a @ or =.
func envFile(word string) bool {
	if len(word) > 4096 || strings.Contains(word, "://") || !strings.Contains(word, ".env") {
		return false
	}
	b := path.Base(word[strings.LastIndexAny(word, "@=")+1:])
	if b != ".env" && !strings.HasPrefix(b, ".env.") {
		return false
	}
	return !slices.Contains([]string{".env.example", ".env.sample", ".env.template", ".env.dist"}, b)
}
