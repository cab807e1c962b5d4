// Package chat is the conversation pane: the transcript, the waiting messages and the composer.
//
// The transcript is a lazy list. An item keeps its drawn lines by width and version; only items that
// meet the viewport are drawn, and a growing answer costs its last block, not its length. The pane
// must not know ports or other panes: the root feeds it events and past records and asks what the
// composer submits. Start at Pane, then scroll.go (what is visible) and item.go (how it looks).
package chat

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/card"
	"hermes/tui/cell"
	"hermes/tui/composer"
	"hermes/tui/keys"
	"hermes/tui/markdown"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

var _ pane.Pane = (*Pane)(nil)

// textMax is the widest line of running text; longer ones are hard to read.
const textMax = 120

// maxQueueLines is how many waiting messages are shown above the composer.
const maxQueueLines = 3

// Pane is the chat. Create it with New.
type Pane struct {
	st  *theme.Styles
	md  *markdown.Renderer
	log *card.Log
	now func() time.Time

	w, h    int
	focused bool
	covered bool // something lies over the pane and has the keys
	reading bool // the transcript has the keys, not the composer
	// readOnly: a stored session is shown; there is no composer.
	readOnly bool

	items   []*item
	warm    []*item // those that hold drawn lines
	frame   int     // counts drawn frames
	byID    map[string]*item
	view    viewport
	sel     int // selected item while reading
	title   string
	running bool
	tick    int
	queue   []string
	mode    string // label of the composer, while Enter does not send
	hint    string // placeholder of the empty composer

	editor *composer.Editor
	search search
	// from is where a selection of several entries began; -1 when one is selected.
	from int
}

// New returns an empty chat that shows the calls of log.
func New(st *theme.Styles, log *card.Log, now func() time.Time) *Pane {
	p := &Pane{now: now, editor: composer.New()}
	p.SetTheme(st)
	p.Reset(log)
	return p
}

// SetTheme redraws everything in st.
func (p *Pane) SetTheme(st *theme.Styles) {
	p.st, p.md = st, markdown.NewRenderer(st)
	for _, it := range p.items {
		it.forget()
	}
}

// Reset empties the transcript for another session; the composer keeps its text.
func (p *Pane) Reset(log *card.Log) {
	p.log, p.items, p.warm, p.byID = log, nil, nil, map[string]*item{}
	p.view = viewport{follow: true}
	p.sel, p.queue, p.running, p.reading, p.title = 0, nil, false, false, ""
	p.search, p.from = search{line: -1}, -1
}

// SetTitle names the session in the border.
func (p *Pane) SetTitle(s string) { p.title = cell.Line(s) }

// SetTick turns the spinners.
func (p *Pane) SetTick(n int) { p.tick = n }

// SetCovered says whether an overlay has the keys.
func (p *Pane) SetCovered(on bool) { p.covered = on }

// SetHint sets the placeholder of the empty composer.
func (p *Pane) SetHint(s string) { p.hint = s }

// SetMode labels the composer; "" takes the label away.
func (p *Pane) SetMode(s string) { p.mode = s }

// Composer returns the text box.
func (p *Pane) Composer() *composer.Editor { return p.editor }

// Queue returns the waiting messages.
func (p *Pane) Queue() []string { return p.queue }

// Reading tells whether the transcript has the keys instead of the composer.
func (p *Pane) Reading() bool { return p.reading }

// Read moves the keys to the transcript (on) or back to the composer.
func (p *Pane) Read(on bool) {
	if on && !p.reading {
		p.sel = p.lastVisible()
	}
	p.reading = (on || p.readOnly) && len(p.items) > 0
	if !p.reading {
		p.from = -1
		p.EndSearch()
	}
}

// SetSize sets the cells of the body.
func (p *Pane) SetSize(w, h int) {
	wide := p.w
	p.w, p.h = max(w, 0), max(h, 0)
	if p.w != wide {
		p.reanchor()
	}
	p.editor.SetSize(p.w-4-2*inset(p.w)-promptWidth(p.w), max(p.h*2/5-2, 1))
}

// inset is the free column at both sides of the text box.
func inset(w int) int {
	if w < 36 {
		return 0
	}
	return 1
}

// promptWidth is the room for "› " in front of the text; very narrow boxes do without.
func promptWidth(w int) int {
	if w < 12 {
		return 0
	}
	return 2
}

// Focus gives the pane the keys.
func (p *Pane) Focus() { p.focused = true }

// Blur takes them away.
func (p *Pane) Blur() {
	p.focused, p.reading, p.from = false, false, -1
	p.EndSearch()
}

// Title names the pane.
func (p *Pane) Title() string {
	if p.title == "" {
		return "Chat"
	}
	return "Chat ─ " + p.title
}

// Badge tells that the view is scrolled away from the newest text.
func (p *Pane) Badge() string {
	if p.view.follow {
		return ""
	}
	return "scrolled"
}

// Summary is the pane in one line.
func (p *Pane) Summary(w int) string {
	return cell.Fit(fmt.Sprintf("%d messages", len(p.items)), w)
}

// ShortHelp lists the keys that matter right now.
func (p *Pane) ShortHelp() []keys.Hint {
	if !p.reading {
		return nil
	}
	if p.search.typing {
		return keys.Hints("Enter", "to the matches", "Esc", "ends the search")
	}
	out := []keys.Hint{{Key: "j k", Word: "move"}, {Key: "Enter", Word: "open"}, {Key: "y", Word: "copy"}, {Key: "/", Word: "search"}}
	if p.CanRetry() {
		out = append(out, keys.Hint{Key: "r", Word: "retry"})
	}
	return append(out, keys.Hint{Key: "q", Word: "back"})
}

// Update handles keys and pastes for the composer; the root has taken out what is bound. It returns
// no command: nothing here does I/O.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	p.editor.Update(msg)
	return nil
}

// transcriptHeight is what the composer and the queue leave.
func (p *Pane) transcriptHeight() int {
	h := p.h - p.composerHeight() - p.queueHeight()
	if p.search.on {
		h--
	}
	return max(h, 0)
}

func (p *Pane) composerHeight() int {
	if p.readOnly {
		return 0
	}
	return p.editor.Rows() + 2
}

func (p *Pane) queueHeight() int {
	n := len(p.queue)
	if n > maxQueueLines {
		n = maxQueueLines + 1
	}
	return min(n, max(p.h-p.composerHeight()-1, 0))
}

// View draws transcript, queue and composer.
func (p *Pane) View() string {
	lines := p.transcript(p.transcriptHeight())
	if p.search.on {
		line, _ := p.searchLine()
		lines = append(lines, line)
	}
	lines = append(lines, p.queueLines()...)
	if !p.readOnly {
		box, _, _ := p.composerBox()
		lines = append(lines, box...)
	}
	if len(lines) > p.h {
		lines = lines[len(lines)-p.h:]
	}
	return strings.Join(lines, "\n")
}

// Cursor returns the insertion point within the body; ok is false while the composer has no keys.
func (p *Pane) Cursor() (x, y int, ok bool) {
	if p.focused && p.search.typing {
		_, x := p.searchLine()
		return x, p.transcriptHeight(), true
	}
	if !p.focused || p.reading || p.readOnly {
		return 0, 0, false
	}
	box, cx, cy := p.composerBox()
	return cx, p.h - len(box) + cy, true
}

func (p *Pane) queueLines() []string {
	n := p.queueHeight()
	var out []string
	for i := range n {
		switch i {
		case maxQueueLines:
			out = append(out, p.st.Faint.Render(cell.Truncate(fmt.Sprintf("  … %d more waiting", len(p.queue)-i), p.w)))
		default:
			text := cell.Truncate(cell.Line(p.queue[i]), p.w-12)
			out = append(out, p.st.Muted.Render(cell.Truncate(fmt.Sprintf("  ⋯ waiting  %s", text), p.w)))
		}
	}
	return out
}

// composerBox draws the text box and returns the cursor within it.
func (p *Pane) composerBox() (box []string, x, y int) {
	if p.w < 5 {
		return cell.Block(nil, p.w, min(p.h, 1)), 0, 0
	}
	chip := func(s string) string { return p.st.Chip.Render(s) }
	text, cx, cy := p.editor.View(chip)
	pw, in := promptWidth(p.w), inset(p.w)
	active := p.focused && !p.reading && !p.covered
	body := make([]string, len(text))
	for i, l := range text {
		lead := cell.Spaces(pw)
		if i == 0 && pw > 0 {
			lead = p.st.Accent.Render("›") + " "
		}
		body[i] = " " + lead + l
	}
	if p.editor.Empty() && p.hint != "" {
		body[0] += p.st.Faint.Render(cell.Truncate(p.hint, p.w-4-2*in-pw))
	}
	label := pane.Label{Title: p.mode, Focused: active}
	box = pane.Frame(p.st, label, body, p.w-2*in, len(body)+2)
	for i := range box {
		box[i] = cell.Spaces(in) + box[i]
	}
	return box, cx + 2 + pw + in, cy + 1
}

// SetQueue shows the messages that wait for the running turn.
func (p *Pane) SetQueue(q []string) { p.queue = q }

// CanRetry tells whether the last turn ended with an error or an interrupt. What was only told since, and
// lines the person ran, are no turn.
func (p *Pane) CanRetry() bool {
	if p.running {
		return false
	}
	for _, it := range slices.Backward(p.items) {
		switch {
		case it.kind == kindNotice, it.kind == kindTool && it.call.Tool == card.ShellTool:
			continue
		case it.kind == kindEnd:
			return it.level == core.LevelError || it.level == core.LevelWarn
		}
		return false
	}
	return false
}
