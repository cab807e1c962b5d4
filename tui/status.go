package tui

import (
	"sort"
	"strings"
	"time"

	"hermes/core"
	"hermes/tui/card"
	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/layout"
	"hermes/tui/pane"
)

// part is a piece of the status bar; parts with the highest rank go first when room runs out.
type part struct {
	text string
	rank int // 0 stays longest
}

// statusBar draws the last line: figures at the left, what can be done or has just happened at the
// right. Figures give way by rank, so that news always fits.
func (m *Model) statusBar(w int) string {
	keep := 0
	for _, p := range m.statusParts() {
		if p.rank == 0 { // what must be seen at every width
			keep += cell.Width(p.text) + 3
		}
	}
	room := max(w-4-keep, 0) // Sides keeps a gap
	right := cell.Truncate(m.statusRight(room), room)
	rw := cell.Width(right)
	left := m.statusLeft(w - rw - 3)
	return cell.Fit(" "+cell.Sides(left, right, w-2, cell.Width(left))+" ", w)
}

func (m *Model) statusLeft(room int) string {
	parts := m.statusParts()
	keep := make([]bool, len(parts))
	order := make([]int, len(parts))
	for i := range parts {
		order[i], keep[i] = i, true
	}
	sort.SliceStable(order, func(i, j int) bool { return parts[order[i]].rank > parts[order[j]].rank })
	join := func() string {
		var on []string
		for i, p := range parts {
			if keep[i] && p.text != "" {
				on = append(on, p.text)
			}
		}
		return strings.Join(on, m.st.Faint.Render(" · "))
	}
	for _, i := range order {
		if cell.Width(join()) <= room {
			break
		}
		keep[i] = false
	}
	return join()
}

func (m *Model) statusParts() []part {
	if m.onboard != nil {
		return []part{{text: m.st.StatusStrong.Render("hermes"), rank: 1}}
	}
	muted := func(s string) string {
		if s == "" {
			return ""
		}
		return m.st.Status.Render(s)
	}
	info := m.ws.Info
	model := m.st.StatusStrong.Render(cell.Truncate(cell.Line(info.Model.Model), 30))
	if info.Model.Scripted {
		model = m.st.Warn.Render("demo model (scripted)")
	}
	learning := ""
	if c := dollars(m.run.meter.learning); c != "" {
		learning = "learning " + c
	}
	paused := ""
	if m.reviews.Paused() {
		paused = m.st.Warn.Render("learning paused")
	}
	zoomed := ""
	if m.scr.zoom && m.scr.lay.Kind == layout.Zoomed {
		zoomed = m.st.Status.Render("zoomed")
	}
	parts := []part{
		{text: model, rank: 1},
		{text: zoomed, rank: 4},
		{text: muted(m.run.meter.context(info.Model.ContextLength)), rank: 2},
		{text: muted(m.run.meter.cache()), rank: 5},
		{text: muted(dollars(m.run.meter.cost)), rank: 3},
		{text: muted(learning), rank: 4},
		{text: paused, rank: 2},
		{text: muted(cell.Truncate(cell.Line(info.Folder), 32)), rank: 6},
	}
	if info.Yolo {
		parts = append([]part{{text: m.st.Bad.Render("YOLO"), rank: 0}}, parts...)
	}
	return parts
}

// quitKey is the key that quits when it is pressed once more.
func (m *Model) quitKey() string {
	if m.note.by == "" {
		return "Ctrl+C"
	}
	return m.note.by
}

// statusRight is, in this order: the armed quit, the prefix, a toast, the running turn, the keys of
// the focused pane, the general hint; hints fill at most room cells.
func (m *Model) statusRight(room int) string {
	now := m.opt.Now()
	switch {
	case now.Before(m.note.armed):
		if m.tidying() {
			return m.st.Warn.Render(m.quitKey() + " again quits and drops the changes to memory")
		}
		return m.st.Warn.Render(m.quitKey() + " again quits")
	case m.note.prefix:
		return m.st.Key.Render("Ctrl+X") + m.st.Text.Render(" … ? lists the keys · Esc cancels")
	case m.note.toast != "":
		return m.toastText()
	case m.onboard != nil:
		return m.st.Faint.Render("Ctrl+C twice quits")
	case m.asks.layer != nil || m.quests.layer != nil:
		return m.st.Warn.Render("? waiting for your answer")
	case m.run.compacts && !m.run.active:
		took := card.Duration(now.Sub(m.run.started).Truncate(time.Second))
		return m.st.Busy.Render(card.Spinner(m.run.tick) + " writing a summary " + took)
	case m.run.active:
		spin := card.Spinner(m.run.tick)
		took := card.Duration(now.Sub(m.run.started).Truncate(time.Second))
		word := " working "
		if m.run.stops {
			word = " stopping "
		}
		return m.st.Busy.Render(spin+word+took) + m.st.Faint.Render(" · ") + m.st.Key.Render("Esc") + m.st.Muted.Render(" stops")
	}
	return pane.Hints(m.st, m.statusHints(), room)
}

// statusHints are the keys that hold right now: those of what lies on top, of the focused pane, or where to begin.
func (m *Model) statusHints() []keys.Hint {
	if l := m.top(); l != nil {
		v, ok := l.(helped)
		switch {
		case ok && !v.typing():
			return keys.Hints("?", "keys", "Ctrl+X", "elsewhere")
		case passes(l):
			return keys.Hints("Ctrl+X", "elsewhere")
		}
		return keys.Hints("Esc", "closes")
	}
	if hints := m.pane(m.scr.focus).ShortHelp(); len(hints) > 0 {
		return hints
	}
	return keys.Hints("Ctrl+X ?", "keys", "/", "commands")
}

func (m *Model) toastText() string {
	sign, style := "", m.st.Toast
	switch m.note.level {
	case core.LevelError:
		sign, style = "✗ ", m.st.Bad
	case core.LevelWarn:
		sign, style = "! ", m.st.Warn
	default:
	}
	return style.Render(sign + cell.Line(m.note.toast))
}
