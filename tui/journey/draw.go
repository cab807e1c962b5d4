package journey

import (
	"fmt"
	"strings"

	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

const (
	besideWidth = 100 // from here on face and panel stand side by side
	gutter      = pane.BesideGap
	belowHeight = 36 // from here on a narrow screen has the panel below the face
)

// Draw draws the view for a screen of w by h cells, with the cursor when something is typed (cx negative when
// not).
func (v *View) Draw(st *theme.Styles, w, h int) (box []string, cx, cy int) {
	inner := max(w-4, 1)
	head, cx := v.head(st, inner)
	v.panels = inner >= besideWidth || h >= belowHeight
	foot := v.foot(st, inner)
	room := max(h-2-1-len(foot), 1)
	body := append([]string{head}, cell.Block(v.body(st, inner, room), inner, room)...)
	body = append(body, foot...)
	for i, l := range body {
		body[i] = " " + cell.Fit(l, inner) + " "
	}
	if cx >= 0 {
		cx += 2
	}
	return pane.Frame(st, pane.Label{Title: "Journey", Badge: v.badge(), Focused: true}, body, w, h), cx, 1
}

func (v *View) badge() string {
	if v.sheet == nil {
		return ""
	}
	s := v.sheet.Graph.Stats
	out := fmt.Sprintf("%s · %s · %s", counted(s.LearnedSkills, "skill", "skills"), counted(s.MemoryNodes, "memory", "memories"), counted(len(v.sheet.Graph.Edges), "link", "links"))
	if n := len(v.sheet.Notes); n > 0 {
		out += fmt.Sprintf(" · %d ⚠", n)
	}
	return out
}

// head is the line of faces, with filter and playback.
func (v *View) head(st *theme.Styles, w int) (line string, cx int) {
	if v.typing {
		text, x := v.filter.View(max(w-2, 1))
		return st.Accent.Render("/") + " " + text, x + 2
	}
	var b strings.Builder
	for i, name := range []string{"1 Timeline", "2 Graph", "3 List"} {
		style := st.Muted
		if face(i) == v.face {
			style = st.Selected
			name = "[" + name + "]"
		} else {
			name = " " + name + " "
		}
		b.WriteString(style.Render(name) + " ")
	}
	right := ""
	switch {
	case v.sheet == nil:
	case v.playing:
		right = st.Busy.Render("▶ " + v.until().In(v.now().Location()).Format("2 Jan 2006") + fmt.Sprintf(" · %d", len(v.rows)))
	case v.filter.Text() != "":
		right = st.Text.Render("/ "+cell.Line(v.filter.Text())) + st.Faint.Render(fmt.Sprintf("  %d of %d · Esc shows all", len(v.rows), len(v.sheet.Graph.Nodes)))
	case v.face == listFace:
		right = st.Faint.Render(v.list.by.String())
	}
	return cell.Sides(b.String(), right, w, 30), -1
}

func (v *View) body(st *theme.Styles, w, h int) []string {
	switch {
	case v.err != "":
		return cell.Wrap(st.Bad.Render("⚠ "+cell.Line(v.err)), w, "")
	case v.sheet == nil:
		return []string{st.Faint.Render("Reading what was learned …")}
	case len(v.sheet.Graph.Nodes) == 0 && (v.face != listFace || len(v.list.items) == 0):
		return v.welcome(st, w)
	case len(v.rows) == 0 && v.filter.Text() != "":
		return []string{st.Muted.Render("Nothing fits the filter.")}
	case v.whole && v.node() != nil:
		return v.detail(st, w, h)
	case !v.panels:
		return v.main(st, w, h)
	case w < besideWidth:
		top := h * 11 / 20
		out := append(cell.Block(v.main(st, w, top), w, top), st.Border.Render(cell.Repeat("─", w)))
		return append(out, v.detail(st, w, h-top-1)...)
	}
	dw := max(w*2/5, 40)
	lw := w - dw - gutter
	left, right := v.main(st, lw, h), v.detail(st, dw, h)
	return pane.Beside(st, left, right, lw, dw, h)
}

// main draws the face.
func (v *View) main(st *theme.Styles, w, h int) []string {
	switch v.face {
	case graphFace:
		if v.sheet.places == nil {
			return []string{st.Faint.Render("Placing the nodes …")}
		}
		return v.constellation(st, w, h)
	case listFace:
		return v.list.draw(v, st, w, h)
	case timelineFace, faces:
	}
	return v.timeline(st, w, h)
}

// welcome is the page of a home in which nothing was learned.
func (v *View) welcome(st *theme.Styles, w int) []string {
	s := &sayer{w: w}
	s.out = append(s.out, "")
	s.say(st.Bold.Render, "Nothing was learned yet.")
	s.out = append(s.out, "")
	s.say(st.Text.Render, "Work with hermes for a while: after some turns a review in the background keeps facts in memory, and after a hard task it writes a skill. They appear here with the day, with what they have to do with each other, and with what came of them.")
	s.out = append(s.out, "")
	s.say(st.Muted.Render, "Sooner: /review learns from this session now, and “hermes demo --home DIR” plays a story whose journey you can look at with “hermes --home DIR”.")
	if n := len(v.sheet.Graph.Missing); n > 0 {
		s.out = append(s.out, "")
		s.say(st.Muted.Render, "%s not on the map; 3 says why.", counted(n, "skill is", "skills are"))
	}
	return s.out
}

// noteLines is how many lines a note may take.
const noteLines = 3

// foot is the note and the keys that do something here.
func (v *View) foot(st *theme.Styles, w int) []string {
	var out []string
	switch {
	case v.note != "":
		for _, l := range cell.Wrap(cell.Line(v.note), w, "  ") {
			out = append(out, st.Warn.Render(l))
		}
		if len(out) > noteLines {
			out = append(out[:noteLines-1], cell.Truncate(out[noteLines-1], w-1)+st.Warn.Render(cell.Ellipsis))
		}
	case !v.panels && v.node() != nil && !v.whole && v.face == graphFace:
		out = append(out, st.Faint.Render(cell.Truncate(v.marked(), w)))
	default:
		out = append(out, "")
	}
	return append(out, pane.Hints(st, v.hints(), w))
}

// marked is the marked neighbour in one line, for where there is no panel beside the map.
func (v *View) marked() string {
	links := v.links()
	if len(links) == 0 {
		return v.facts(v.node())
	}
	l := links[min(v.mark, len(links)-1)]
	return fmt.Sprintf("▸ %d/%d %s: %s", v.mark+1, len(links), v.called(l.other), because(l.why))
}

func (v *View) hints() []keys.Hint {
	n := v.node()
	switch {
	case v.typing:
		return keys.Hints("Enter", "keep", "Esc", "all")
	case v.ask.Verb != 0:
		return keys.Hints("y", "yes", "any key", "no")
	case v.playing:
		return keys.Hints("P", "stop")
	case n == nil:
		return keys.Hints("Tab", "face", "/", "filter", "Esc", "close")
	}
	out := keys.Hints("e", "edit", "d", "delete")
	if n.Kind == "skill" {
		pin := "pin"
		if n.Pinned {
			pin = "unpin"
		}
		out = keys.Hints("e", "edit", "d", "archive", "p", pin)
	}
	out = append(out, keys.Hint{Key: "u", Word: "undo"})
	if v.whole {
		return append(out, keys.Hints("y", "copy", "Esc", "back")...)
	}
	out = append(out, keys.Hint{Key: "Enter", Word: "open"})
	switch v.face {
	case graphFace:
		out = append(out, keys.Hints("n", "link", "o", "walk", "+", "zoom")...)
	case listFace:
		out = append(out, keys.Hint{Key: "s", Word: "order"})
	case timelineFace, faces:
		out = append(out, keys.Hints("[ ]", "period", "P", "play")...)
	}
	return append(out, keys.Hints("/", "filter", "x", "export", "Tab", "face", "Esc", "close")...)
}

// Click selects what lies at a cell of the screen.
func (v *View) Click(x, y int) Action {
	if v.sheet == nil || v.typing || v.whole || v.playing {
		return Action{}
	}
	x, y = x-2, y-2
	switch v.face {
	case graphFace:
		v.clickSpot(x, y)
	case listFace:
		v.list.click(v, y)
	case timelineFace, faces:
		v.clickEntry(y)
	}
	return v.Missing()
}
