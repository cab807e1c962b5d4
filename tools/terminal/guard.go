package terminal

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/text"
	"hermes/tools"
)

// Judge decides which commands run, ask or are refused. It parses the command as a shell does and
// looks at every program it would start, through wrappers such as sudo, env, xargs and sh -c. It is no
// interpreter: scripts on disk and values only known at run time pass, or ask where they matter.
type Judge struct {
	policy tools.Policy
	deny   []*regexp.Regexp // the person's globs, which beat everything but the hardline floor
	denied []string         // as written, for the reason

	rules   map[string][]rule // verbs that ask, by program
	secrets []string          // places with keys, see secretPlaces
	writers map[string]writer // programs that write where they are told
	born    time.Time         // scripts that are younger are judged before they run
}

// NewJudge returns a judge for the policy's working folder and the person's deny globs.
func NewJudge(p tools.Policy, deny []string) *Judge {
	j := &Judge{policy: p, secrets: secretPlaces(p), rules: map[string][]rule{}, writers: writerTable(), born: time.Now().Add(-time.Second)} // file systems count coarsely
	for _, r := range verbRules() {
		first, _, _ := strings.Cut(r.words, " ")
		for name := range strings.SplitSeq(first, "|") {
			j.rules[name] = append(j.rules[name], r)
		}
	}
	for _, g := range deny {
		if g = strings.TrimSpace(g); g != "" {
			j.deny = append(j.deny, globPattern(g))
			j.denied = append(j.denied, g)
		}
	}
	return j
}

// globPattern turns a glob over a whole command into a pattern: * is anything, ? one character.
func globPattern(glob string) *regexp.Regexp {
	p := regexp.QuoteMeta(glob)
	p = strings.ReplaceAll(strings.ReplaceAll(p, `\*`, `.*`), `\?`, `.`)
	return regexp.MustCompile(`(?is)^` + p + `$`)
}

// compiled holds every pattern that was used: a verdict uses dozens, and compiling is what costs.
var compiled sync.Map //nolint:gochecknoglobals // a cache of constants

// re is the compiled form of a pattern of this package.
func re(pattern string) *regexp.Regexp {
	if p, ok := compiled.Load(pattern); ok {
		return p.(*regexp.Regexp)
	}
	p := regexp.MustCompile(pattern)
	compiled.Store(pattern, p)
	return p
}

// finding is one thing a command does that matters.
type finding struct {
	tier   tools.Action
	id     string // category, part of the remembered rule
	reason string
	exact  bool // "always" for the category would be too wide: only this very command is remembered
	firm   bool // --yolo does not answer it
}

// scan is the state of one judgement.
type scan struct {
	j        *Judge
	dir      string // where relative paths start, followed through cd; hole when unknown
	words    words
	found    []finding
	marks    []mark
	at       core.Span // the part of the top command that is being looked at; empty below it
	touched  touched
	programs [][]string        // every argv that would run, unwrapped
	made     []string          // files made executable by this very command
	fetched  []string          // files downloaded by it
	written  map[string]string // text of files written by it
	unpacked bool              // it unpacks a download
	resolved map[string]string // paths without links, as the disk is now
	copied   int               // how many entries of copied folders were looked at
	folders  []string          // folders it makes
	moved    []string          // where it moves something to
	changed  []string          // files it writes, known text or not
	links    map[string]string // links it makes and where they lead
	anyLink  bool              // it makes a link nobody knows the place of
	opened   map[string]bool   // scripts on disk that were judged
	leaks    leaks
	env      bool            // its text names a file of settings
	walks    int             // how often that was looked for
	pipes    int             // how many were judged
	dots     bool            // its globs stand for hidden names too
	log      []change        // of variables
	unsure   map[string]bool // variables that functions set
	operands map[*syntax.Stmt]operand
	chain    int // where the log was when the second part of a chain began; -1 before
	budget   *int
	depth    int
	rounds   int // of loops that were judged
}

// mark ties a finding to the part of the command it is about.
type mark struct {
	tier tools.Action
	span core.Span
}

// Command judges one command line that would run in dir.
func (j *Judge) Command(command, dir string) tools.Verdict {
	return j.scan(command, dir).verdict(command, dir)
}

// branch is a judgement of its own about a part of this one, which starts where this one is.
func (s *scan) branch() *scan {
	return &scan{j: s.j, dir: s.dir, words: s.words.clone(), depth: s.depth + 1, resolved: s.resolved, copied: s.copied, chain: -1, budget: s.budget}
}

// scan takes one command line apart.
func (j *Judge) scan(command, dir string) *scan {
	s := &scan{j: j, dir: dir, words: newWords(dir, j.policy.User), resolved: map[string]string{}, chain: -1, budget: new(int)}
	plain := text.Neutralise(strings.ReplaceAll(command, "\\\n", ""))
	if plain != strings.ReplaceAll(command, "\\\n", "") && strings.ContainsFunc(command, sneaky) {
		s.add(tools.ActionAsk, "control-characters", "holds control characters that hide what it does", true)
	}
	s.script(command, false)
	s.at = core.Span{}
	s.leaked()
	s.named(command)
	for i, re := range j.deny {
		if re.MatchString(command) || slices.ContainsFunc(s.programs, func(argv []string) bool { return re.MatchString(strings.Join(argv, " ")) }) {
			s.add(tools.ActionDeny, "deny-list", "matches "+j.denied[i]+" of approvals.deny", true)
		}
	}
	return s
}

// sneaky are characters that have no place in a command: all controls but tab and line break.
func sneaky(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

func (s *scan) add(tier tools.Action, id, reason string, exact bool) {
	s.note(finding{tier: tier, id: id, reason: reason, exact: exact})
}

func (s *scan) note(f finding) {
	if s.at.End > s.at.Start {
		s.marks = append(s.marks, mark{f.tier, s.at})
	}
	if !slices.Contains(s.found, f) {
		s.found = append(s.found, f)
	}
}

func (s *scan) hard(reason string) { s.add(tools.ActionDeny, "hardline", reason, true) }

func (s *scan) ask(id, reason string) { s.add(tools.ActionAsk, id, reason, false) }

// askExact asks for something of which one yes must not be a yes to others.
func (s *scan) askExact(id, reason string) { s.add(tools.ActionAsk, id, reason, true) }

// verdict sums up: the strictest finding decides, and the reasons of that tier are told.
func (s *scan) verdict(command, dir string) tools.Verdict {
	v := tools.Verdict{Subject: command, Folder: dir}
	ids := []string{}
	exact := false
	for _, f := range s.found {
		v.Action = max(v.Action, f.tier)
	}
	for _, f := range s.found {
		if f.tier != v.Action {
			continue
		}
		if !slices.Contains(v.Reasons, f.reason) {
			v.Reasons = append(v.Reasons, f.reason)
		}
		if !slices.Contains(ids, f.id) {
			ids = append(ids, f.id)
		}
		exact = exact || f.exact
		v.Firm = v.Firm || f.firm
	}
	v.Marks = s.marked(v.Action)
	if v.Action != tools.ActionAsk {
		return v
	}
	switch {
	case len(ids) == 1 && !exact && strings.HasPrefix(ids[0], writeBelow):
		v.Rule = "terminal: any command that writes below " + strings.TrimPrefix(ids[0], writeBelow)
	case len(ids) == 1 && !exact && len(v.Reasons) == 1:
		v.Rule = "terminal: any command that " + v.Reasons[0]
	default:
		v.Rule = "terminal: exactly " + command + " in " + dir // a yes in one folder is none in another
	}
	return v
}

// marked joins the marks of a tier into spans that are in order and do not overlap.
func (s *scan) marked(tier tools.Action) (out []core.Span) {
	if tier == tools.ActionAllow {
		return nil
	}
	slices.SortFunc(s.marks, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.span.Start, b.span.Start), cmp.Compare(a.span.End, b.span.End))
	})
	for _, m := range s.marks {
		switch n := len(out); {
		case m.tier != tier:
		case n > 0 && m.span.Start < out[n-1].End:
			out[n-1].End = max(out[n-1].End, m.span.End)
		default:
			out = append(out, m.span)
		}
	}
	return out
}

// look remembers which part of the top command is looked at from here on.
func (s *scan) look(n syntax.Node) {
	if s.depth == 1 {
		s.at = core.Span{Start: int(n.Pos().Offset()), End: int(n.End().Offset())}
	}
}

const (
	maxDepth = 12
	// maxCommand is the longest text that is judged, in bytes; more belongs into a script file.
	maxCommand = 128 << 10
)

// script judges shell text. nested says that it came out of another command.
func (s *scan) script(src string, nested bool) {
	if s.depth++; s.depth > maxDepth {
		s.ask("nested", "is nested too deeply to judge")
		return
	}
	defer func() { s.depth-- }()
	if len(src) > maxCommand {
		s.note(finding{tier: tools.ActionAsk, id: "long", exact: true, firm: true, reason: "is too long to judge"})
		return
	}
	s.env = s.env || strings.Contains(strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(src), ".env")
	file, err := parse(src)
	if err != nil {
		if looksHardline(src) {
			s.hard("cannot be parsed and looks like it destroys the system")
			return
		}
		what := "cannot be parsed as shell"
		if nested {
			what = "starts a shell with text that cannot be parsed"
		}
		s.askExact("unparsable", what)
		return
	}
	s.words.ownJobs(file)
	for _, st := range file.Stmts {
		s.node(st)
	}
}

func parse(src string) (file *syntax.File, err error) {
	file, err = syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(src), "")
	if err != nil {
		if posix, perr := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(src), ""); perr == nil {
			return posix, nil
		}
	}
	return file, err
}

// looksHardline is the last net under text that is no valid shell.
func looksHardline(src string) bool {
	return re(`(?i)\brm\s+(-\S+\s+)*["'\\]*(/|~|\$HOME)|\bmkfs|\bdd\b.*\bof=["']?/dev/|>\s*["']?/dev/(sd|nvme|hd|vd|disk)|\b(shutdown|reboot|poweroff|halt)\b|\b(wipefs|sgdisk|blkdiscard)\b|:\(\)\s*\{`).MatchString(src)
}

// path resolves a word as a path; ok is false when it has holes.
func (s *scan) path(word string) (resolved string, ok bool) {
	if word == "" || strings.Contains(word, hole) {
		return "", false
	}
	if !filepath.IsAbs(word) {
		if strings.Contains(s.dir, hole) {
			return "", false
		}
		word = s.dir + string(filepath.Separator) + word
	}
	if len(s.links) > 0 && slices.Contains(strings.Split(filepath.ToSlash(word), "/"), "..") {
		return "", false // ".." behind a link is elsewhere
	}
	p := s.real(word)
	if len(s.links) > 0 {
		return s.follow(p)
	}
	return p, true
}

// real is a path with the links of the disk followed; a verdict asks for the same ones many times.
func (s *scan) real(path string) string {
	if p, known := s.resolved[path]; known {
		return p
	}
	p := s.resolve(path)
	if s.resolved != nil {
		s.resolved[path] = p
	}
	return p
}

// resolve looks at the last part only, when the folder above is known and the path goes down all the way.
func (s *scan) resolve(path string) string {
	if dir, last := filepath.Split(path); filepath.IsAbs(path) && last != "" && filepath.Clean(path) == path {
		plain := filepath.Join(s.real(filepath.Clean(dir)), last)
		if info, err := os.Lstat(plain); os.IsNotExist(err) || err == nil && info.Mode()&os.ModeSymlink == 0 {
			return plain
		}
	}
	p, err := home.ResolvePath(path)
	if err != nil {
		return filepath.Clean(path)
	}
	return p
}
