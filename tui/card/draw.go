package card

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"charm.land/bubbles/v2/spinner"
	"charm.land/lipgloss/v2"

	"hermes/tui/cell"
	"hermes/tui/theme"
)

// How many lines a card shows while collapsed and expanded.
const (
	tailRunning = 5
	tailDone    = 3
	tailFailed  = 4
	tailShell   = 12
	diffShort   = 12
	maxExpanded = 1000
)

// Spinner returns the picture of tick n.
func Spinner(n int) string {
	frames := spinner.MiniDot.Frames
	return frames[((n%len(frames))+len(frames))%len(frames)]
}

// Glyph returns the sign of a call's state and its style; tick turns the spinner.
func (c *Call) Glyph(st *theme.Styles, tick int) (string, lipgloss.Style) {
	switch c.State {
	case Running:
		return Spinner(tick), st.Busy
	case Waiting:
		return "?", st.Warn
	case OK:
		return "✓", st.Good
	case Denied:
		return "⊘", st.Warn
	case Aborted:
		return "■", st.Warn
	default:
		return "✗", st.Bad
	}
}

// Outcome says in words how the call stands: "exit 1  1.2s", "waiting", "denied".
func (c *Call) Outcome(now time.Time) string {
	var parts []string
	switch c.State {
	case Waiting:
		return "asks"
	case Denied:
		return "denied"
	case Aborted:
		parts = append(parts, "stopped")
	case Failed:
		if c.Exit == nil {
			parts = append(parts, "failed")
		}
	default:
	}
	if c.Exit != nil && (*c.Exit != 0 || c.State == Failed) {
		parts = append(parts, fmt.Sprintf("exit %d", *c.Exit))
	}
	if d := c.Duration(now); d > 0 || c.Done() {
		parts = append(parts, Duration(d))
	}
	return strings.Join(parts, "  ")
}

// Header draws the call on one line of exactly w cells: glyph, tool, summary, outcome. The name of the
// tool takes at least column cells, so that the lines of a list stand in columns.
func (c *Call) Header(st *theme.Styles, tick int, now time.Time, w, column int) string {
	glyph, style := c.Glyph(st, tick)
	tool := cell.Truncate(c.Tool, 24)
	tool = st.Bold.Render(tool) + cell.Spaces(column-cell.Width(tool))
	left := style.Render(glyph) + " " + tool + "  " + st.Text.Render(c.Summary)
	outcome := c.Outcome(now)
	ostyle := st.Muted
	if c.State == Failed || c.State == Denied {
		ostyle = style
	}
	if outcome != "" {
		outcome = ostyle.Render(outcome)
	}
	return cell.Sides(left, outcome, w, 12)
}

// Body draws what stands below the header, in lines of at most w cells. open shows everything.
func (c *Call) Body(st *theme.Styles, tick int, now time.Time, w int, open bool) []string {
	const lead = "  │ "
	inner := w - cell.Width(lead)
	if inner < 8 {
		return nil
	}
	lines, more := c.content(st, tick, now, inner, open)
	out := make([]string, 0, len(lines)+1)
	bar := st.Faint.Render(lead)
	for _, l := range lines {
		out = append(out, bar+cell.Truncate(l, inner))
	}
	if more != "" {
		out = append(out, st.Faint.Render(cell.Truncate(lead+more, w)))
	}
	return out
}

// content returns the lines of the body and a note on what is left out.
func (c *Call) content(st *theme.Styles, tick int, now time.Time, w int, open bool) (lines []string, more string) {
	if open {
		return c.full(st, w)
	}
	if c.State == OK && len(c.tasks) == 0 && c.Detail != nil && c.Detail.Diff != "" {
		lines = Diff(st, c.Detail.Diff, w)
		if extra := len(lines) - diffShort; extra > 1 {
			return lines[:diffShort], fmt.Sprintf("… %d more lines", extra)
		}
		return lines, ""
	}
	if len(c.tasks) > 0 {
		for _, t := range c.tasks {
			lines = append(lines, t.Header(st, tick, now, w))
		}
		if c.State == OK || c.State == Running {
			return lines, ""
		}
	}
	n := tailRunning
	text := c.output
	switch c.State {
	case OK:
		n = tailDone
		if c.Tool == ShellTool { // the person ran it to read it
			n = tailShell
		}
		if c.Detail != nil && c.Detail.Summary != "" && text == "" {
			return []string{st.Muted.Render(cell.Line(c.Detail.Summary))}, ""
		}
	case Denied:
		n = 0
		if c.Why != "" {
			lines = append(lines, st.Muted.Render(cell.Line(c.Why)))
		}
	case Failed:
		n = tailFailed
		if c.Tool == ShellTool {
			n = tailShell
		}
		if c.Result != "" {
			text = c.Result
		}
	default:
	}
	for _, l := range Tail(text, n) {
		lines = append(lines, st.Muted.Render(cell.Truncate(l, w)))
	}
	return lines, ""
}

// full returns everything: the arguments, the diff or the output.
func (c *Call) full(st *theme.Styles, w int) (lines []string, more string) {
	if args := strings.TrimSpace(c.Arguments); args != "" && args != "{}" {
		for _, l := range cell.Wrap(cell.Line(args), w, "") {
			lines = append(lines, st.Faint.Render(l))
		}
	}
	if c.Detail != nil && c.Detail.Diff != "" {
		lines = append(lines, Diff(st, c.Detail.Diff, w)...)
	} else {
		for _, l := range cell.Wrap(strings.TrimRight(cell.Clean(c.Text()), "\n"), w, "") {
			lines = append(lines, st.Text.Render(l))
		}
	}
	if c.Detail != nil && c.Detail.Spill != "" {
		more = "the full output is in " + cell.Line(c.Detail.Spill)
	}
	if len(lines) > maxExpanded {
		more = fmt.Sprintf("… %d more lines", len(lines)-maxExpanded)
		lines = lines[:maxExpanded]
	}
	return lines, more
}

// Full draws the whole call for an overlay, lines of at most w cells.
func (c *Call) Full(st *theme.Styles, w int) []string {
	lines, more := c.full(st, w)
	if c.cut && !c.Done() {
		lines = append([]string{st.Faint.Render("… the beginning is no longer kept")}, lines...)
	}
	if more != "" {
		lines = append(lines, st.Faint.Render(more))
	}
	return lines
}

// tailBytes bounds how much text Tail looks at: endless lines must not cost endless time.
const tailBytes = 16 << 10

// Tail returns the last n lines of text that are not empty at the end, clean.
func Tail(text string, n int) []string {
	text = strings.TrimRight(text, "\r\n\t ")
	if cut := len(text) - tailBytes; cut > 0 {
		for cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut++
		}
		text = text[cut:]
	}
	if n <= 0 || text == "" {
		return nil
	}
	at := len(text)
	for range n {
		i := strings.LastIndexByte(text[:at], '\n')
		if i < 0 {
			at = 0
			break
		}
		at = i
	}
	return strings.Split(cell.Clean(strings.TrimPrefix(text[at:], "\n")), "\n")
}

// Duration writes d in the fewest characters: "0.3s", "12s", "3m05s".
func Duration(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	default:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
}
