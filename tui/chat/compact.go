package chat

import (
	"fmt"
	"strings"

	"hermes/core/text"

	"hermes/core"
	"hermes/tui/cell"
)

// addCompacted shows that earlier messages gave way to a summary, which can be opened.
func (p *Pane) addCompacted(e *core.Compacted) {
	parts := make([]string, 0, 4)
	if e.Messages > 0 {
		parts = append(parts, text.Count(e.Messages, "message", "messages")+" became a summary")
	} else {
		parts = append(parts, "earlier messages became a summary")
	}
	if e.Before > 0 {
		parts = append(parts, fmt.Sprintf("%s → %s tokens", text.Thousands(e.Before), text.Thousands(e.After)))
	}
	if e.Auto {
		parts = append(parts, "by itself")
	}
	if e.Fallback {
		parts = append(parts, "made without a model")
	}
	p.add(&item{kind: kindCompact, id: "compact " + e.MessageID, text: strings.Join(parts, " · "), remedy: e.Summary})
}

// replayCompacted counts the messages that r stands for among those before it.
func (p *Pane) replayCompacted(past []core.Record, r core.Record) {
	e := core.Compacted{}
	if r.Message != nil {
		e.MessageID, e.Summary = r.Message.ID, r.Message.Content
	}
	inside := false
	for i := range past {
		m := past[i].Message
		if past[i].Type != core.RecordMessage || m == nil {
			continue
		}
		if m.ID == r.From {
			inside = true
		}
		if r.Target != "" && m.ID == r.Target {
			break
		}
		if inside {
			e.Messages++
		}
	}
	p.addCompacted(&e)
}

func (p *Pane) drawCompact(it *item, w int) []string {
	sign := "▸ "
	if it.open {
		sign = "▾ "
	}
	out := []string{p.st.Accent.Render(cell.Truncate("≡ "+it.text, w))}
	if it.remedy == "" {
		return out
	}
	if !it.open {
		return append(out, p.st.Faint.Render(cell.Truncate("  "+sign+"the summary the model reads instead", w)))
	}
	out = append(out, p.st.Faint.Render(cell.Truncate("  "+sign+"the summary the model reads instead:", w)))
	for _, l := range cell.Wrap(strings.TrimRight(cell.Clean(it.remedy), "\n"), w-4, "") {
		out = append(out, p.st.Faint.Render("  │ ")+p.st.Muted.Render(l))
	}
	return out
}
