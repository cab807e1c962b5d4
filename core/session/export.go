package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"hermes/core"
)

// Export is a session as other programs read it; its JSON names are stable.
type Export struct {
	SessionID    string          `json:"session_id"`
	Title        string          `json:"title"`
	Model        string          `json:"model"`
	Created      time.Time       `json:"created"`
	Folder       string          `json:"folder,omitempty"`
	Parent       *Parent         `json:"parent,omitempty"`
	SystemPrompt string          `json:"system_prompt"`
	Messages     []ExportMessage `json:"messages"`
	// Compactions are the notes that stand for older messages before the model; the messages are all above.
	Compactions []Compaction `json:"compactions,omitempty"`
	Damage      string       `json:"damage,omitempty"`
	// Around is set when only the messages around this one are given; Before and After count the others.
	Around string `json:"around,omitempty"`
	Before int    `json:"before,omitempty"`
	After  int    `json:"after,omitempty"`
}

// Compaction says which messages gave way to a note.
type Compaction struct {
	ID      string    `json:"id"`
	From    string    `json:"from"`
	Until   string    `json:"until,omitempty"` // the first that stayed; "" when none did
	Summary string    `json:"summary"`
	Time    time.Time `json:"time"`
}

// ExportMessage is one message of an Export.
type ExportMessage struct {
	ID         string          `json:"id"`
	Role       core.Role       `json:"role"`
	Content    string          `json:"content"`
	Reasoning  string          `json:"reasoning,omitempty"`
	ToolCalls  []core.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Incomplete bool            `json:"incomplete,omitempty"`
	Time       time.Time       `json:"time"`
}

// ExportOf describes a transcript. red, when given, removes secrets from every text.
func (st *Store) ExportOf(t *Transcript, red core.Redactor) Export {
	clean := func(s string) string {
		if red == nil {
			return s
		}
		return red.Redact(s)
	}
	e := Export{
		SessionID: t.Header.ID, Title: clean(t.Title()), Model: t.Header.Model, Created: t.Header.Created,
		Folder: t.Header.Cwd, Parent: t.Header.Parent, Messages: []ExportMessage{}, Damage: t.Damage.String(),
	}
	if p, err := st.loadPrompt(t.Header); err == nil {
		e.SystemPrompt = clean(p.System)
	}
	for _, m := range t.Messages() {
		x := ExportMessage{
			ID: m.ID, Role: m.Role, Content: clean(m.Content), ToolCallID: m.ToolCallID, Tool: m.ToolName,
			Incomplete: m.Incomplete, Time: m.Time,
		}
		if m.Reasoning != nil {
			x.Reasoning = clean(m.Reasoning.Text)
		}
		for _, c := range m.ToolCalls {
			c.Arguments = clean(c.Arguments)
			x.ToolCalls = append(x.ToolCalls, c)
		}
		e.Messages = append(e.Messages, x)
	}
	for _, r := range t.Records {
		if r.Type == core.RecordCompacted {
			e.Compactions = append(e.Compactions, Compaction{r.Message.ID, r.From, r.Target, clean(r.Message.Content), r.Time})
		}
	}
	return e
}

// WriteJSON writes e as indented JSON.
func (e Export) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(e); err != nil {
		return fmt.Errorf("write export: %w", err)
	}
	return nil
}

// WriteMarkdown writes e for people: a heading a message, calls and results in fences.
func (e Export) WriteMarkdown(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\nSession `%s` · %s · %s\n", orUntitled(e.Title), e.SessionID, e.Model, e.Created.Format(time.RFC3339))
	if e.Before > 0 {
		fmt.Fprintf(&b, "\n… %d messages before\n", e.Before)
	}
	for _, m := range e.Messages {
		here := ""
		if m.ID == e.Around {
			here = " ◀"
		}
		fmt.Fprintf(&b, "\n## %s · %s%s\n\n", heading(m), m.ID, here)
		if m.Reasoning != "" {
			fmt.Fprintf(&b, "<details><summary>reasoning</summary>\n\n%s\n\n</details>\n\n", m.Reasoning)
		}
		switch {
		case m.Role == core.RoleTool:
			fence(&b, "", m.Content)
		case m.Content != "":
			b.WriteString(strings.TrimRight(m.Content, "\n") + "\n")
		}
		if m.Incomplete {
			b.WriteString("\n*(incomplete)*\n")
		}
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "\nCalls `%s`:\n\n", c.Name)
			fence(&b, "json", c.Arguments)
		}
	}
	if e.After > 0 {
		fmt.Fprintf(&b, "\n… %d messages after\n", e.After)
	}
	for _, c := range e.Compactions {
		until := "the end at that time"
		if c.Until != "" {
			until = "before " + c.Until
		}
		fmt.Fprintf(&b, "\n## compacted · %s\n\nFor the model, the messages from %s to %s gave way to this note:\n\n", c.ID, c.From, until)
		fence(&b, "", c.Summary)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write export: %w", err)
	}
	return nil
}

func orUntitled(s string) string {
	if s == "" {
		return "Untitled session"
	}
	return s
}

func heading(m ExportMessage) string {
	if m.Role == core.RoleTool {
		return "tool " + m.Tool
	}
	return string(m.Role)
}

// fence writes body in a fence longer than any run of backticks in it.
func fence(b *bytes.Buffer, lang, body string) {
	mark := "```"
	for strings.Contains(body, mark) {
		mark += "`"
	}
	fmt.Fprintf(b, "%s%s\n%s\n%s\n", mark, lang, strings.TrimRight(body, "\n"), mark)
}
