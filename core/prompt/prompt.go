package prompt

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes/core"
)

//go:embed text/identity.md
var identity string

//go:embed text/guidance.md
var guidance string

//go:embed text/files.md
var filesGuidance string

//go:embed text/session_search.md
var searchGuidance string

//go:embed text/terminal.md
var terminalGuidance string

// Facts are what may change around a session while its prompt stays.
type Facts struct {
	Folder string    // the working folder, absolute
	Day    time.Time // its date is what counts
	Model  string    // "provider/model"; never part of the prompt
}

// Input is everything a prompt is made of. Empty sections are left out.
type Input struct {
	Facts

	// Private is a folder whose files never become context, whatever links to them: the home.
	Private string
	// Redact removes secrets from the finished text; nil leaves it.
	Redact func(string) string

	SoulFile      string   // path of SOUL.md; its text replaces the built-in identity
	Tools         []string // names of the frozen tools
	System        string   // "linux/amd64, bash"
	ContextLength int      // the model's window in tokens, 0 when unknown; caps context files
	// MemoryGuidance is how to use the memory tool; "" without it.
	MemoryGuidance string
	SkillsGuidance string // how to keep skills; "" without skill_manage
	Skills         string // the skills index
	Memory         string // the memory block
	User           string // the user profile block
}

// Section is one part of a prompt, named for /context and for tests.
type Section struct {
	Name string `json:"name"`
	Text string `json:"-"`
	// Chars is the length in code points.
	Chars int `json:"chars"`
}

// Frozen is a finished prompt.
type Frozen struct {
	Text     string
	Sections []Section
	// Notices tell the person what was cut, blocked or skipped on the way.
	Notices []core.Notice
}

// Build assembles the prompt in its fixed order: identity, guidance, tool guidance, environment,
// context files, skills index, memory, user profile, date. Equal input and equal files give equal
// bytes; the date has day precision and the model's name does not occur.
func Build(in Input) Frozen {
	var f Frozen
	f.add("identity", f.soul(in.SoulFile))
	f.add("guidance", guidance)
	if slices.Contains(in.Tools, "read_file") {
		f.add("tools: file", filesGuidance)
	}
	if slices.Contains(in.Tools, "terminal") {
		f.add("tools: terminal", terminalGuidance)
	}
	if slices.Contains(in.Tools, "session_search") {
		f.add("tools: session_search", searchGuidance)
	}
	f.add("tools: memory", in.MemoryGuidance)
	f.add("tools: skills", in.SkillsGuidance)
	f.add("environment", environment(in))
	for _, c := range contextFiles(in.Folder, in.Private, contextLimit(in.ContextLength)) {
		f.Notices = append(f.Notices, c.notices...)
		f.add("context: "+c.name, c.text)
	}
	f.add("skills", in.Skills)
	f.add("memory", in.Memory)
	f.add("user", in.User)
	f.add("date", "This conversation began on "+in.Day.Format("Monday, 2 January 2006")+".")
	texts := make([]string, len(f.Sections))
	for i, s := range f.Sections {
		if in.Redact != nil {
			s.Text = in.Redact(s.Text)
			s.Chars = len([]rune(s.Text))
			f.Sections[i] = s
		}
		texts[i] = s.Text
	}
	f.Text = strings.Join(texts, "\n\n")
	return f
}

func (f *Frozen) add(name, text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	f.Sections = append(f.Sections, Section{Name: name, Text: text, Chars: len([]rune(text))})
}

// soul is the text of SOUL.md, or the built-in identity when there is none or it cannot be used.
func (f *Frozen) soul(path string) string {
	if path == "" {
		return identity
	}
	c, ok := readContext(path, contextFloor)
	if !ok {
		return identity
	}
	f.Notices = append(f.Notices, c.notices...)
	if c.blocked || strings.TrimSpace(c.body) == "" {
		return identity
	}
	return c.body
}

func environment(in Input) string {
	var b strings.Builder
	b.WriteString("# Environment\n")
	if in.System != "" {
		fmt.Fprintf(&b, "System: %s\n", in.System)
	}
	fmt.Fprintf(&b, "Working folder at the start: %s", in.Folder)
	if gitRoot(in.Folder) != "" {
		b.WriteString(" (in a git repository)")
	}
	return b.String()
}

// Changes says what differs from what the conversation was last told, one sentence each. They travel
// in the next user message.
func Changes(told, now Facts) []string {
	var out []string
	if told.Folder != now.Folder {
		out = append(out, "The working folder is now "+now.Folder+" (it was "+told.Folder+").")
	}
	if !told.Day.IsZero() && told.Day.Format(time.DateOnly) != now.Day.Format(time.DateOnly) {
		out = append(out, "Today is "+now.Day.Format("Monday, 2 January 2006")+".")
	}
	if told.Model != now.Model && told.Model != "" {
		out = append(out, "You are now answering as another model; earlier answers in this conversation are from "+told.Model+".")
	}
	return out
}
