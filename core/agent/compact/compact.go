// Package compact decides which part of a conversation gives way to a summary when the model's window
// fills up, and words the request for the summary. It is pure: it sends nothing, stores nothing and
// never looks at a clock; core/agent does the rest.
//
// Start reading at Find (what is replaced), then Request (what the summariser is asked) and Fallback
// (the summary without a model).
package compact

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"hermes/core"
	"hermes/core/text"
)

//go:embed summary.md
var instructions string

// Marker opens the message that stands for what was replaced.
const Marker = "[CONTEXT SUMMARY: the earlier part of this conversation was replaced by this note]"

// Limits say what stays.
type Limits struct {
	First int // messages at the start
	Last  int // messages at the end
	Room  int // tokens that start and end together may take; 0 is no limit
}

// The smallest tail that is left when messages are large, and the smallest middle worth replacing.
const (
	minTail   = 4
	minMiddle = 4
)

// Find returns the range [from, until) of msgs that a summary may replace. A call and its results are
// never torn apart. ok is false when too little would be gained.
func Find(msgs []core.Message, l Limits) (from, until int, ok bool) {
	from = forward(msgs, min(l.First, len(msgs)))
	until = back(msgs, max(from, len(msgs)-l.Last))
	for l.Room > 0 && len(msgs)-until > minTail && Tokens(msgs[:from])+Tokens(msgs[until:]) > l.Room {
		next := forward(msgs, until+1)
		if len(msgs)-next < minTail {
			break
		}
		until = next
	}
	if until-from >= minMiddle {
		return from, until, true
	}
	// A short conversation of large messages: give up some of the tail.
	until = back(msgs, max(from, len(msgs)-min(l.Last, 8)))
	return from, until, until-from >= minMiddle
}

// forward moves a boundary behind the results of the call before it.
func forward(msgs []core.Message, i int) int {
	for i < len(msgs) && msgs[i].Role == core.RoleTool {
		i++
	}
	return i
}

// back moves a boundary before the call whose results it would cut off.
func back(msgs []core.Message, i int) int {
	for i > 0 && i < len(msgs) && msgs[i].Role == core.RoleTool {
		i--
	}
	return i
}

// Tokens estimates how many tokens messages take: a quarter of the ASCII characters and three quarters
// of the others, with a little for each message. It is meant for comparing, not for billing.
func Tokens(msgs []core.Message) int {
	n := 0
	for _, m := range msgs {
		n += 4 + TextTokens(m.Content)
		for _, c := range m.ToolCalls {
			n += 8 + TextTokens(c.Name) + TextTokens(c.Arguments)
		}
		if m.Reasoning != nil {
			n += TextTokens(m.Reasoning.Text)
		}
	}
	return n
}

// TextTokens estimates the tokens of one text.
func TextTokens(s string) int {
	wide := utf8.RuneCountInString(s)
	ascii := 0
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			ascii++
		}
	}
	wide -= ascii
	return ascii/4 + wide*3/4
}

// IsSummary tells whether m stands for replaced messages.
func IsSummary(m core.Message) bool {
	return m.Role == core.RoleUser && strings.HasPrefix(m.Content, Marker)
}

// Wrap makes the message text of a summary.
func Wrap(summary string) string { return Marker + "\n\n" + strings.TrimSpace(summary) }

// How much of a message the summariser sees, in code points.
const (
	seenResult = 1_000
	seenText   = 6_000
)

// Request words the question to the summariser for the messages that give way. An earlier summary among
// them is to be brought up to date. focus is what the person wants kept above all; room is how many
// tokens the summariser can take.
func Request(middle []core.Message, focus string, room int) []core.Message {
	var b strings.Builder
	var previous string
	for _, m := range middle {
		if IsSummary(m) {
			previous = strings.TrimSpace(strings.TrimPrefix(m.Content, Marker))
			continue
		}
		b.WriteString(render(m))
	}
	body := b.String()
	if room > 0 {
		body, _ = text.HeadTail(body, max(room*3, 8_000))
	}
	var ask strings.Builder
	if previous != "" {
		ask.WriteString("The note so far, to be brought up to date:\n\n" + previous + "\n\n")
	}
	ask.WriteString("<session>\n" + body + "</session>\n\nWrite the hand-over note.")
	if focus = strings.TrimSpace(focus); focus != "" {
		ask.WriteString(" Keep above all what concerns: " + focus)
	}
	return []core.Message{{Role: core.RoleSystem, Content: strings.TrimSpace(instructions)}, {Role: core.RoleUser, Content: ask.String()}}
}

func render(m core.Message) string {
	var b strings.Builder
	who := string(m.Role)
	limit := seenText
	if m.Role == core.RoleTool {
		who, limit = "result of "+m.ToolName, seenResult
	}
	body, _ := text.HeadTail(m.Content, limit)
	fmt.Fprintf(&b, "### %s\n%s\n", who, strings.TrimSpace(body))
	for _, c := range m.ToolCalls {
		args, _ := text.HeadTail(c.Arguments, seenResult)
		fmt.Fprintf(&b, "calls %s %s\n", c.Name, args)
	}
	b.WriteString("\n")
	return b.String()
}

// Budget is how long a summary may be, in tokens: a fifth of what it replaces, at least 2,000, at most
// 12,000 or a twentieth of the window.
func Budget(middle []core.Message, window int) int {
	most := 12_000
	if window > 0 {
		most = min(most, max(window/20, 500))
	}
	return min(max(Tokens(middle)/5, 2_000), most)
}

// Fallback is the summary that needs no model: what the person asked, verbatim where short, the files and
// commands of the calls, and the last words of the agent.
func Fallback(middle []core.Message) string {
	var asked, files, commands []string
	var previous, last string
	seen := map[string]bool{}
	note := func(list *[]string, s string) {
		if s = text.OneLine(s); s != "" && !seen[s] {
			seen[s] = true
			*list = append(*list, "- "+text.Cut(s, 300))
		}
	}
	for _, m := range middle {
		switch {
		case IsSummary(m):
			previous = strings.TrimSpace(strings.TrimPrefix(m.Content, Marker))
		case m.Role == core.RoleUser:
			note(&asked, m.Display())
		case m.Role == core.RoleAssistant && m.Content != "":
			last = m.Content
		}
		for _, c := range m.ToolCalls {
			var args struct{ Path, Command string }
			if json.Unmarshal([]byte(c.Arguments), &args) == nil {
				note(&files, args.Path)
				note(&commands, args.Command)
			}
		}
	}
	var b strings.Builder
	b.WriteString("(made without a model; details are in the transcript)\n\n")
	if previous != "" {
		b.WriteString("## Earlier note\n" + previous + "\n\n")
	}
	section := func(title string, lines []string) {
		if over := len(lines) - 40; over > 0 {
			lines = append([]string{fmt.Sprintf("- … %d more before these", over)}, lines[over:]...)
		}
		if len(lines) > 0 {
			b.WriteString("## " + title + "\n" + strings.Join(lines, "\n") + "\n\n")
		}
	}
	section("What the person asked", asked)
	section("Files", files)
	section("Commands", commands)
	if last != "" {
		cut, _ := text.HeadTail(last, 2_000)
		b.WriteString("## Last words of the agent\n" + cut + "\n")
	}
	return b.String()
}
