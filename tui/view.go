package tui

import (
	"fmt"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes/tui/cell"
	"hermes/tui/layout"
	"hermes/tui/pane"
)

// View draws the frame. A panic here ends the program in order.
func (m *Model) View() (v tea.View) {
	defer func() {
		if r := recover(); r != nil {
			m.fatal = m.panicked("view", r)
			m.abort()
			v = tea.NewView("")
			v.AltScreen = true
		}
	}()
	lines, cur := m.frame()
	v = tea.NewView(cell.OnlyStyles(strings.Join(lines, "\n")))
	v.AltScreen = true
	v.ReportFocus = true
	if m.opt.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.ProgramStatus = m.programStatus()
	v.Cursor = cur
	v.WindowTitle = "hermes"
	if t := cell.Line(m.ws.Info.Title); t != "" {
		v.WindowTitle = "hermes — " + cell.Truncate(t, 60)
	}
	return v
}

// frame returns exactly h lines of exactly w cells and the cursor.
func (m *Model) frame() ([]string, *tea.Cursor) {
	w, h := m.scr.w, m.scr.h
	if w <= 0 || h <= 0 {
		return nil, nil
	}
	if m.scr.lay.Kind == layout.Tiny {
		return m.tiny(), nil
	}
	var cur *tea.Cursor
	var lines []string
	if m.onboard != nil {
		lines = cell.Block(nil, w, h)
	} else {
		m.chat.SetHint(m.composerHint())
		m.chat.SetCovered(len(m.layers) > 0)
		m.chat.SetMode(m.composerMode())
		lines = m.body()
		cur = m.composerCursor()
	}
	if len(m.layers) == 0 {
		m.drawSelection(lines)
	}
	lines[h-1] = m.statusBar(w)
	if m.onboard != nil {
		box, cx, cy := m.onboard.Draw(m.st, w, h-1)
		lines, cur = m.over(lines, box, cx, cy)
	} else if m.slash.open() && cur != nil {
		m.drawCompletion(lines)
	}
	for i, l := range m.layers {
		box, cx, cy := l.draw(m, w, h-1)
		var c *tea.Cursor
		lines, c = m.over(lines, box, cx, cy)
		if i == len(m.layers)-1 {
			cur = c
		}
	}
	if m.note.which {
		m.drawWhich(lines)
	}
	return lines, cur
}

// over draws box in the middle of the screen.
func (m *Model) over(lines, box []string, cx, cy int) ([]string, *tea.Cursor) {
	w, h := m.scr.w, m.scr.h-1
	if len(box) == 0 {
		return lines, nil
	}
	x, y := max((w-cell.Width(box[0]))/2, 0), max((h-len(box))/2, 0)
	lines = cell.Overlay(lines, box, x, y, w)
	if cx < 0 || cy < 0 || y+cy >= h || x+cx >= w {
		return lines, nil
	}
	return lines, tea.NewCursor(x+cx, y+cy)
}

func (m *Model) composerCursor() *tea.Cursor {
	r, ok := m.scr.lay.Body(layout.Chat)
	if !ok || m.scr.focus != layout.Chat {
		return nil
	}
	x, y, ok := m.chat.Cursor()
	if !ok || y < 0 || y >= r.H || x >= r.W {
		return nil
	}
	return tea.NewCursor(r.X+x, r.Y+y)
}

// drawCompletion draws the command list just above the composer.
func (m *Model) drawCompletion(lines []string) {
	r, ok := m.scr.lay.Body(layout.Chat)
	if !ok {
		return
	}
	box := m.slashBox(max(r.W-2, 0))
	y := r.Y + r.H - m.chat.Composer().Rows() - 2 - len(box)
	if y < 0 {
		box, y = box[min(-y, len(box)):], 0
	}
	cell.Overlay(lines, box, r.X+1, y, m.scr.w) // flush with the composer
}

// composerHint is what the empty composer says.
func (m *Model) composerHint() string {
	switch {
	case len(m.asks.waiting) > 0 || len(m.quests.waiting) > 0:
		return "the dialog asks you first"
	case m.run.active:
		return m.busyHint()
	case !m.chat.Said():
		return "Ask for something · / commands · @ files · ! shell"
	default:
		return ""
	}
}

// busyHint says what Enter does while a turn runs.
func (m *Model) busyHint() string {
	switch m.opt.BusyMode {
	case "steer":
		return "Enter says it to the running turn"
	case "interrupt":
		return "Enter stops this turn and starts anew"
	default:
		return "Enter queues a message for after this turn"
	}
}

// composerMode labels the composer when Enter does something else than sending.
func (m *Model) composerMode() string {
	if _, ok := shellLine(m.chat.Composer().Text()); ok && m.ws.Shell != nil {
		return "shell ─ the model does not see it"
	}
	token := m.chat.Composer().Token()
	if query, ok := mentionText(token); ok && query != "" && token != m.slash.dismissed && !m.slash.open() && !m.files.loading && !m.files.at.IsZero() {
		return "no file here is called so"
	}
	return ""
}

// tiny is the notice of a terminal that is too small.
func (m *Model) tiny() []string {
	text := fmt.Sprintf("hermes needs %dx%d, this is %dx%d", layout.MinWidth, layout.MinHeight, m.scr.w, m.scr.h)
	lines := cell.Block(nil, m.scr.w, m.scr.h)
	said := cell.Wrap(text, max(m.scr.w, 1), "")
	top := max((m.scr.h-len(said))/2, 0)
	for i, l := range said[:min(len(said), m.scr.h)] {
		lines[top+i] = cell.Fit(l, m.scr.w)
	}
	return lines
}

// body draws boxes, strips and tabs; they tile the screen above the status bar.
func (m *Model) body() []string {
	lay := m.scr.lay
	lines := make([]string, m.scr.h)
	boxes := append([]layout.Box(nil), lay.Boxes...)
	sort.Slice(boxes, func(i, j int) bool { return boxes[i].Rect.X < boxes[j].Rect.X })
	for _, b := range boxes {
		for i, l := range m.box(b) {
			lines[b.Rect.Y+i] += l
		}
	}
	for _, s := range lay.Strips {
		lines[s.Body.Y] = m.strip(s)
	}
	if lay.Tabs.H > 0 {
		lines[lay.Tabs.Y] = m.tabs(lay.Tabs.W)
	}
	return lines
}

// box draws a bordered box with its sections.
func (m *Model) box(b layout.Box) []string {
	w, focused := b.Rect.W, false
	for _, s := range b.Sections {
		focused = focused || (s.Pane == m.scr.focus && len(m.layers) == 0)
	}
	out := make([]string, 0, b.Rect.H)
	bar := pane.Bar(m.st, focused)
	for i, s := range b.Sections {
		p := m.pane(s.Pane)
		label := pane.Label{Title: p.Title(), Badge: p.Badge(), Focused: focused && s.Pane == m.scr.focus}
		if i == 0 {
			out = append(out, pane.Top(m.st, label, w))
		} else {
			out = append(out, pane.Middle(m.st, label, w))
		}
		for _, l := range cell.Block(strings.Split(p.View(), "\n"), s.Body.W, s.Body.H) {
			out = append(out, pane.Side(bar, l, w))
		}
	}
	return append(out, pane.Bottom(m.st, focused, w))
}

// strip draws a pane on one line.
func (m *Model) strip(s layout.Section) string {
	p := m.pane(s.Pane)
	name := fmt.Sprintf(" %d %s ", int(s.Pane), p.Title())
	style := m.st.Title
	if m.scr.focus == s.Pane {
		style = m.st.TitleFocus
		name = fmt.Sprintf("▌%d %s ", int(s.Pane), p.Title())
	}
	return style.Render(name) + " " + p.Summary(max(s.Body.W-cell.Width(name)-1, 0))
}

// tabs draws the tab line of the single-pane layout.
func (m *Model) tabs(w int) string {
	var b strings.Builder
	panes := m.panes()
	for i, name := range m.tabNames(w) {
		style := m.st.Muted
		if panes[i] == m.scr.focus {
			style = m.st.Selected
		}
		b.WriteString(style.Render(name))
	}
	return cell.Fit(b.String(), w)
}

// tabNames are the tabs in w cells. What does not fit goes step by step: the figures, then the names of all but
// the focused pane. The numbers stay, they are the keys.
func (m *Model) tabNames(w int) []string {
	panes := m.panes()
	out := make([]string, len(panes))
	for _, step := range []struct{ figures, names bool }{{true, true}, {false, true}, {false, false}} {
		used := 0
		for i, p := range panes {
			out[i] = m.tab(p, step.figures, step.names)
			used += cell.Width(out[i])
		}
		if used <= w {
			break
		}
	}
	return out
}

// tab is the name of a pane in the tab line, with its figures while it has not the focus.
func (m *Model) tab(p layout.Pane, figures, names bool) string {
	title, _, _ := strings.Cut(m.pane(p).Title(), " ─ ")
	switch badge := m.pane(p).Badge(); {
	case p == m.scr.focus:
		return fmt.Sprintf("▌%d %s ", int(p), title)
	case !names:
		return fmt.Sprintf(" %d ", int(p))
	case figures && badge != "":
		return fmt.Sprintf(" %d %s %s ", int(p), title, badge)
	}
	return fmt.Sprintf(" %d %s ", int(p), title)
}

// tabAt returns the pane whose tab is at column x, 0 when there is none.
func (m *Model) tabAt(x int) layout.Pane {
	at := 0
	for i, name := range m.tabNames(m.scr.w) {
		if at += cell.Width(name); x < at {
			return m.panes()[i]
		}
	}
	return 0
}
