package skills

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Slug is the slash command of a skill: "Deploy Next.js" is deploy-nextjs. "" when nothing of it can be
// typed.
func Slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case r == ' ' || r == '_' || r == '-':
			if s := b.String(); s != "" && !strings.HasSuffix(s, "-") {
				b.WriteByte('-')
			}
		}
	}
	return strings.Trim(b.String(), "-")
}

// By says how a skill came into a conversation.
type By string

// The ways.
const (
	ByTool  By = "tool"
	BySlash By = "slash"
	ByFlag  By = "flag"
)

// Instruction stands between the skill and what the person typed.
const Instruction = "The user's own words:"

// Message is what enters the conversation as a user message when a person invokes v by slash command or
// flag: the activation note, the whole text, where its files are, its settings, what is missing, and the
// person's words. It never touches the system prompt.
func (l *Library) Message(v View, needs Needs, by By, words string) string {
	var b strings.Builder
	b.WriteString(Activation(v.Name) + "\n")
	if by == ByFlag {
		b.WriteString("[It was preloaded for the whole session with -s.]\n")
	}
	if v.Note != "" {
		b.WriteString("[" + v.Note + "]\n")
	}
	b.WriteString("\n" + strings.TrimSpace(v.Marked()) + "\n\n")
	fmt.Fprintf(&b, "[Folder of the skill: %s — relative paths in it are relative to this folder.%s]\n", v.Folder, v.tokenNote())
	if values := l.Values(v.Entry); len(values) > 0 {
		b.WriteString("[Settings of the skill:\n")
		for _, s := range values {
			value := s.Value
			if value == "" {
				value = "(not set)"
			}
			fmt.Fprintf(&b, "  %s = %s\n", s.Key, oneLine(value))
		}
		b.WriteString("]\n")
	}
	if note := needs.Note(); note != "" {
		b.WriteString("[" + note + "]\n")
	}
	if files := Files(v.Folder); len(files) > 0 {
		fmt.Fprintf(&b, "[Files of the skill; read one with skill_view(name=%q, file_path=…):\n", v.Call)
		for _, f := range files {
			fmt.Fprintf(&b, "  %s -> %s\n", f, filepath.Join(v.Folder, filepath.FromSlash(f)))
		}
		b.WriteString("]\n")
	}
	if words = strings.TrimSpace(words); words != "" {
		b.WriteString("\n" + Instruction + "\n" + words + "\n")
	}
	return strings.TrimSpace(b.String())
}

// Words gives back what the person typed from a message made by Message; ok is false for other text.
func Words(message string) (words string, ok bool) {
	if _, ok := Invoked(message); !ok {
		return "", false
	}
	i := strings.LastIndex(message, "\n"+Instruction+"\n")
	if i < 0 {
		return "", true
	}
	return strings.TrimSpace(message[i+len(Instruction)+2:]), true
}

// Invoked tells which skill a message made by Message brings (of several the first), also behind the notes
// that the agent puts before a message; ok is false for other text.
func Invoked(message string) (name string, ok bool) {
	for {
		line, rest, more := strings.Cut(message, "\n")
		if quoted, found := strings.CutPrefix(line, activationStart); found {
			prefix, err := strconv.QuotedPrefix(quoted)
			if err != nil || !strings.HasPrefix(quoted[len(prefix):], activationEnd) {
				return "", false
			}
			name, err = strconv.Unquote(prefix)
			return name, err == nil
		}
		if note := strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"); !more || line != "" && !note {
			return "", false
		}
		message = rest
	}
}

// Note says in one line what is missing; "" when nothing is.
func (n Needs) Note() string {
	var parts []string
	for _, v := range n.Missing {
		s := v.Name
		if v.RequiredFor != "" {
			s += " (for " + oneLine(v.RequiredFor) + ")"
		}
		if v.Help != "" {
			s += ", see " + oneLine(v.Help)
		}
		parts = append(parts, s)
	}
	out := ""
	if len(parts) > 0 {
		out = "Setup needed: these environment variables are not set: " + strings.Join(parts, "; ") + ". The user sets them in the .env file of the hermes home. Never ask for a secret in the conversation."
	}
	if len(n.Files) > 0 {
		out = strings.TrimSpace(out + " Setup needed: these files are missing in the hermes home: " + strings.Join(n.Files, ", ") + ".")
	}
	return out
}

// folderToken is how skills of other programs name their own folder.
const folderToken = "${HERMES_SKILL_DIR}"

// tokenNote explains the token where a text has it. The text itself stays as it is on disk, so that a patch
// can quote it.
func (v *View) tokenNote() string {
	if !strings.Contains(v.Text, folderToken) {
		return ""
	}
	return " " + folderToken + " means this folder."
}

// Notes is what else the model should know about a view: which of several skills was taken, and what a
// token in the text means.
func (v *View) Notes() string {
	note := v.Note
	if t := v.tokenNote(); t != "" {
		note += " " + folderToken + " in the text means " + v.Folder + "."
	}
	return strings.TrimSpace(note)
}
