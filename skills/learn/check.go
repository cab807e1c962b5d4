package learn

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"hermes/core"
	"hermes/core/text"
	"hermes/core/threat"
	"hermes/skills"
)

// Finding is something about a skill that has to be mended.
type Finding struct {
	Skill   string `json:"skill,omitempty"` // "" is the turn as a whole
	Code    string `json:"code"`
	Message string `json:"message"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
}

// The findings beside the codes of package skills.
const (
	CodeUnread      = "source-unread"    // a named source was not looked at
	CodeNothing     = "nothing-written"  // no skill came of it
	CodeLong        = "description-long" // over 60 characters
	CodeSentence    = "description-form" // not one sentence
	CodeAuthor      = "author"           // not "Hermes"
	CodeSection     = "section-missing"  // or out of order
	CodeShell       = "shell-utility"    // told to use cat, grep … where a tool does it
	CodeUnknownTool = "unknown-tool"     // names a tool that does not exist
	CodeInvisible   = "invisible"        // characters nobody can see
	CodeCopied      = "copied"           // a long passage of a source, word for word
	CodeGuard       = "guard"            // the scan does not call it safe
)

// Landed is a skill that a turn wrote.
type Landed struct {
	Entry    skills.Entry
	Text     string            // of SKILL.md
	Files    map[string]string // its other texts, by their path below the skill's folder
	Warnings []skills.Warning  // of the library
	Guard    []string          // what the scan found, when it does not call the skill safe
	Waits    bool              // as a proposal: nothing is written yet
}

// Turn is what a turn did, as far as the check needs it.
type Turn struct {
	Sources []Source
	Calls   []core.ToolCall // that worked
	Results []string        // what they showed, to recognise copies
	Dir     string          // working folder
	Tools   []string        // names of the tools that exist
}

// Check looks at what a turn left. No findings is the good end.
func Check(t Turn, landed []Landed) []Finding {
	var out []Finding
	for _, s := range t.Sources {
		if !t.read(s) {
			out = append(out, Finding{Code: CodeUnread, Message: fmt.Sprintf("the %s %s was named and not read", s.Kind, s.Name)})
		}
	}
	if len(landed) == 0 {
		return append(out, Finding{Code: CodeNothing, Message: "no skill was created or changed"})
	}
	for _, l := range landed {
		out = append(out, t.skill(l)...)
	}
	return out
}

// writers are tools that look at nothing: naming a source there is not reading it.
func writers() []string { return []string{"skill_manage", "memory", "write_file", "patch", "todo"} }

// read tells whether a call looked at a source, or into it.
func (t Turn) read(s Source) bool {
	return slices.ContainsFunc(t.Calls, func(c core.ToolCall) bool {
		var a struct {
			Path, URL, Command string
			URLs               []string
		}
		if slices.Contains(writers(), c.Name) || json.Unmarshal([]byte(c.Arguments), &a) != nil {
			return false
		}
		switch {
		case c.Name == "delegate_task": // what a sub-agent read is not seen here
			return strings.Contains(c.Arguments, s.Name) || s.Path != "" && strings.Contains(c.Arguments, s.Path)
		case s.Kind == URL:
			return slices.ContainsFunc(append(a.URLs, a.URL, a.Command), func(u string) bool { return strings.Contains(u, s.Name) })
		case c.Name == "terminal":
			return strings.Contains(a.Command, s.Name) || strings.Contains(a.Command, s.Path)
		case a.Path == "":
			return false
		}
		p := a.Path
		if !filepath.IsAbs(p) {
			p = filepath.Join(t.Dir, p)
		}
		p = filepath.Clean(p)
		return p == s.Path || s.Kind == Folder && strings.HasPrefix(p, s.Path+string(filepath.Separator)) ||
			s.Kind == File && c.Name == "search_files" && strings.HasPrefix(s.Path, p+string(filepath.Separator))
	})
}

// skill checks one.
func (t Turn) skill(l Landed) []Finding {
	var out []Finding
	add := func(code, format string, args ...any) {
		out = append(out, Finding{Skill: l.Entry.Name, Code: code, File: skills.FileName, Message: fmt.Sprintf(format, args...)})
	}
	d := strings.TrimSpace(l.Entry.Description)
	if n := text.Len(d); n > skills.IndexDescription {
		add(CodeLong, "the description has %d characters, the prompt shows %d; say it shorter, with the trigger first", n, skills.IndexDescription)
	}
	if !oneSentence(d) {
		add(CodeSentence, "the description must be one sentence with a full stop: %q", text.Cut(d, 80))
	}
	doc := skills.Parse([]byte(l.Text))
	body, front, first := l.Text, "", 1
	if doc.Has {
		body, front = doc.Body, l.Text[:len(l.Text)-len(doc.Body)]
		first += strings.Count(front, "\n")
	}
	if a := author(front); a != "Hermes" {
		add(CodeAuthor, "author is %q; it is Hermes, never a person's name", a)
	}
	out = append(out, sections(l.Entry.Name, body)...)
	out = append(out, t.lines(l.Entry.Name, body, first)...)
	out = append(out, invisible(l.Entry.Name, skills.FileName, l.Text)...)
	for _, file := range slices.Sorted(maps.Keys(l.Files)) {
		out = append(out, invisible(l.Entry.Name, file, l.Files[file])...)
	}
	for _, w := range l.Warnings {
		if !wanted(w.Code) {
			continue
		}
		out = append(out, Finding{Skill: l.Entry.Name, Code: string(w.Code), Message: w.Message, File: w.File, Line: w.Line})
	}
	for _, g := range l.Guard {
		add(CodeGuard, "the guard: %s", g)
	}
	if p := copied(body, t.seen()); p != "" {
		add(CodeCopied, "this passage is copied word for word; say it in your own words: %q", text.Cut(p, 120))
	}
	return out
}

// wanted leaves out what the checks here say better, and what is no fault of the text.
func wanted(c skills.Code) bool {
	said := []skills.Code{skills.CodeDescriptionCut, skills.CodeMissingSection, skills.CodeNeverUsed, skills.CodeNamesOnly}
	return !c.Hides() && !slices.Contains(said, c)
}

func oneSentence(d string) bool {
	if d == "" {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(d)
	if !strings.ContainsRune(".。！!？?", last) {
		return false
	}
	inner := strings.TrimRight(d, ".。！!？?")
	return !strings.Contains(inner, ". ") && !strings.ContainsAny(inner, "。")
}

var authorLine = text.NewPattern(`(?m)^author:\s*["']?(.*?)["']?\s*$`)

func author(s string) string {
	if m := authorLine.Regexp().FindStringSubmatch(s); m != nil {
		return strings.TrimSpace(m[1])
	}
	return ""
}

// order are the sections of a skill, after its title.
func order() []string {
	return []string{"When to Use", "Prerequisites", "How to Run", "Quick Reference", "Procedure", "Pitfalls", "Verification"}
}

// sections says what is missing of the sections, and what stands in the wrong order.
func sections(name, body string) []Finding {
	at, title, fenced := map[string]int{}, false, false
	n := 0
	for line := range strings.SplitSeq(body, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		if strings.HasPrefix(line, "# ") {
			title = true
		}
		if h, ok := strings.CutPrefix(line, "## "); ok {
			n++
			at[strings.ToLower(strings.TrimSpace(h))] = n
		}
	}
	var gone []string
	last, wrong := 0, ""
	if !title {
		gone = append(gone, "the title")
	}
	for _, s := range order() {
		i, ok := at[strings.ToLower(s)]
		switch {
		case !ok:
			gone = append(gone, "## "+s)
		case i < last && wrong == "":
			wrong = s
		}
		last = max(last, i)
	}
	var out []Finding
	if len(gone) > 0 {
		out = append(out, Finding{Skill: name, Code: CodeSection, File: skills.FileName, Message: "missing: " + strings.Join(gone, ", ")})
	}
	if wrong != "" {
		out = append(out, Finding{Skill: name, Code: CodeSection, File: skills.FileName, Message: "## " + wrong + " stands too late; the order is " + strings.Join(order(), ", ")})
	}
	return out
}

var (
	shellWord = text.NewPattern("`(grep|rg|cat|head|tail|sed|awk|find|ls)(?: [^`]*)?`")
	toolWord  = text.NewPattern("(?i)\\b(?:use|call|run|with|tool)\\s+(?:the\\s+)?`([a-z]+(?:_[a-z]+)+)`")
)

// lines looks at the prose: commands in fences are the reader's own.
func (t Turn) lines(name, body string, first int) []Finding {
	var out []Finding
	fenced := false
	for i, line := range strings.Split(body, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if fenced {
			continue
		}
		for _, m := range shellWord.Regexp().FindAllStringSubmatch(line, -1) {
			out = append(out, Finding{Skill: name, Code: CodeShell, File: skills.FileName, Line: first + i, Message: "tells to use " + m[1] + "; name the tool that does it (read_file, search_files, patch)"})
		}
		for _, m := range toolWord.Regexp().FindAllStringSubmatch(line, -1) {
			if len(t.Tools) == 0 || slices.Contains(t.Tools, m[1]) {
				continue
			}
			out = append(out, Finding{Skill: name, Code: CodeUnknownTool, File: skills.FileName, Line: first + i, Message: "names the tool " + m[1] + ", which does not exist"})
		}
	}
	return out
}

// invisible finds the lines of a file with characters that nobody can see and no script needs.
func invisible(name, file, content string) []Finding {
	var out []Finding
	for i, line := range strings.Split(content, "\n") {
		if n := threat.Invisible(line); n > 0 {
			out = append(out, Finding{Skill: name, Code: CodeInvisible, File: file, Line: i + 1, Message: text.Count(n, "invisible character", "invisible characters")})
		}
	}
	return out
}

// seen are the results that may be sources: to look at the skill itself once more makes it no copy.
func (t Turn) seen() (out []string) {
	for i, r := range t.Results {
		if i >= len(t.Calls) || !strings.HasPrefix(t.Calls[i].Name, "skill") {
			out = append(out, r)
		}
	}
	return out
}

// copyLength is how many words in a row count as copied.
const copyLength = 40

// copied finds a passage of body that a source has word for word.
func copied(body string, results []string) string {
	words := strings.Fields(prose(body))
	if len(words) < copyLength {
		return ""
	}
	var all strings.Builder
	for _, r := range results {
		all.WriteString(" " + strings.Join(strings.Fields(stripNumbers(r)), " ") + " ")
	}
	source := all.String()
	for i := 0; i+copyLength <= len(words); i += copyLength / 2 {
		if p := strings.Join(words[i:i+copyLength], " "); strings.Contains(source, p) {
			return p
		}
	}
	return ""
}

// prose is body without fenced blocks: a command must be copied exactly.
func prose(body string) string {
	var out []string
	fenced := false
	for line := range strings.SplitSeq(body, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if !fenced {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

var lineNumber = text.NewPattern(`(?m)^\s*\d+\|`)

// stripNumbers takes the line numbers of read_file away.
func stripNumbers(s string) string { return lineNumber.Regexp().ReplaceAllString(s, "") }

// MaxRounds is how often the model is asked to mend what the check found.
const MaxRounds = 2

// repairs is how a message of Repair begins.
const repairs = "[Check of what you wrote, "

// Repair is the message that asks for it. waiting are the skills that are proposals: there is no file to patch.
func Repair(findings []Finding, round int, waiting []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, repairs+"%d of %d. Mend these points with skill_manage; read a source first where one was not read. Change nothing else.]\n", round, MaxRounds)
	if len(waiting) > 0 {
		fmt.Fprintf(&b, "What you wrote of %s waits for the person and is not on disk: send the whole text again, mended, with create (edit for a skill that existed before). It takes the place of the one that waits.\n", strings.Join(waiting, ", "))
	}
	for _, f := range findings {
		b.WriteString("- " + f.String() + "\n")
	}
	return strings.TrimSpace(b.String())
}

// Repairs says what a person sees of a message of Repair; ok is false for every other message.
func Repairs(message string) (shown string, ok bool) {
	rest, ok := strings.CutPrefix(message, repairs)
	if !ok {
		return "", false
	}
	round, _, _ := strings.Cut(rest, ".")
	var points []string
	for line := range strings.Lines(rest) {
		if p, ok := strings.CutPrefix(line, "- "); ok {
			points = append(points, "• "+strings.TrimSpace(p))
		}
	}
	return fmt.Sprintf("The check of the new skill, round %s, asks to mend:\n%s", round, strings.Join(points, "\n")), true
}

// String is the finding in one line.
func (f Finding) String() string {
	where := f.Skill
	if f.File != "" {
		where += " " + f.File
	}
	if f.Line > 0 {
		where += fmt.Sprintf(":%d", f.Line)
	}
	if where = strings.TrimSpace(where); where != "" {
		where += ": "
	}
	return where + f.Message + " (" + f.Code + ")"
}
