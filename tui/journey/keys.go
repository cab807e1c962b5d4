package journey

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	graph "hermes/core/journey"
	"hermes/tui/cell"
)

// Update takes a key by its name, or a paste.
func (v *View) Update(name string, msg tea.Msg) Action {
	if !v.typing {
		name = v.inAndOut(name)
	}
	switch {
	case v.typing:
		return v.filterKey(name, msg)
	case name == "":
		return Action{}
	case v.sheet == nil:
		if name == "esc" || name == "q" {
			return Action{Do: Close}
		}
		return Action{}
	case v.playing:
		v.stop()
		if name == "P" || name == "esc" {
			return v.Missing()
		}
	}
	ask := v.ask
	v.ask, v.note = Task{}, ""
	if ask.Verb != 0 {
		if name == "y" || name == "Y" {
			return v.begin(ask)
		}
		v.note = "nothing was changed"
		return Action{}
	}
	if a, done := v.showKey(name); done {
		return a
	}
	if a, done := v.nodeKey(name); done {
		return a
	}
	if v.whole {
		v.scrollKey(name)
		return Action{}
	}
	v.walkKey(name)
	return v.Missing()
}

// inAndOut turns the keys that lead into a node and out again into the two that say so. On the map they are
// directions.
func (v *View) inAndOut(name string) string {
	switch {
	case v.ask.Verb != 0 || v.face == graphFace && !v.whole:
	case name == "h" || name == "left":
		return "esc"
	case (name == "l" || name == "right") && !v.whole:
		return "enter"
	}
	return name
}

// filterKey is a key while the filter is being typed.
func (v *View) filterKey(name string, msg tea.Msg) Action {
	switch name {
	case "esc":
		v.typing = false
		v.filter.SetText("")
	case "enter", "up", "down":
		v.typing = false
	default:
		before := v.filter.Text()
		v.filter.Update(msg)
		if v.filter.Text() == before {
			return Action{}
		}
	}
	if v.sheet == nil {
		return Action{}
	}
	v.arrange()
	return v.Missing()
}

// showKey is a key that changes what is shown.
func (v *View) showKey(name string) (Action, bool) {
	switch name {
	case "q":
		return Action{Do: Close}, true
	case "esc":
		switch {
		case v.whole:
			v.whole, v.scroll.At = false, 0
		case v.filter.Text() != "":
			v.filter.SetText("")
			v.arrange()
		default:
			return Action{Do: Close}, true
		}
	case "tab":
		v.show((v.face + 1) % faces)
	case "shift+tab":
		v.show((v.face + faces - 1) % faces)
	case "1", "2", "3":
		v.show(face(name[0] - '1'))
	case "/":
		v.typing = true
	case "enter":
		v.whole, v.scroll.At = !v.whole && v.node() != nil, 0
	case "s":
		v.list.by = (v.list.by + 1) % sortings
		if v.face != listFace {
			v.list.by = 0
			v.note = "the list (3) has an order to choose"
		}
		v.arrange()
	case "P":
		return v.play(), true
	case "x":
		return Action{Do: Export, Text: "html"}, true
	case "X":
		return Action{Do: Export, Text: "svg"}, true
	default:
		return Action{}, false
	}
	return v.Missing(), true
}

func (v *View) show(f face) {
	v.face, v.whole, v.scroll.At = f, false, 0
	v.list.follow(v)
}

func (v *View) play() Action {
	if first, last := v.span(); !first.Before(last) {
		v.note = "there is no time to play: all is of one moment"
		return Action{}
	}
	if v.face == listFace {
		v.face = timelineFace
	}
	v.whole, v.playing, v.frame = false, true, 0
	v.arrange()
	return Action{Do: Play}
}

// nodeKey is a key that is about the selected node.
func (v *View) nodeKey(name string) (Action, bool) {
	n := v.node()
	switch name {
	case "u":
		return v.undo(n), true
	case "e", "d", "p", "y", "o", "n", "N", "space", "backspace", "v":
		if n == nil {
			v.note = "nothing is selected"
			return Action{}, true
		}
	default:
		return Action{}, false
	}
	switch name {
	case "e":
		if d, ok := v.details[n.ID]; ok && d.Problem == "" && !v.busy {
			return Action{Do: Editor, ID: n.ID, Text: d.Text}, true
		}
		v.note = "its text is not here yet"
	case "d":
		v.remove(n)
	case "p":
		return v.pin(n), true
	case "y":
		if d := v.details[n.ID]; d.Text != "" {
			return Action{Do: Copy, Text: d.Text}, true
		}
		return Action{Do: Copy, Text: n.Body}, true
	case "v":
		if d := v.details[n.ID]; len(d.Moments) > 0 && d.Moments[0].Session != "" {
			return Action{Do: Open, ID: d.Moments[0].Session}, true
		}
		v.note = "no session is known that changed it last"
	case "space":
		if v.whole {
			return Action{}, false
		}
		v.step(0)
		return v.Missing(), true
	case "o", "n", "N", "backspace":
		v.step(map[string]int{"n": 1, "N": -1, "backspace": back}[name])
		return v.Missing(), true
	}
	return Action{}, true
}

// back is the step that returns to where a walk came from.
const back = 1 << 20

// step marks another neighbour, or walks to the marked one.
func (v *View) step(n int) {
	links := v.links()
	switch {
	case n == back:
		if len(v.trail) == 0 {
			v.note = "the walk began here"
			return
		}
		id := v.trail[len(v.trail)-1]
		v.trail = v.trail[:len(v.trail)-1]
		v.goTo(v.sheet.at[id])
	case len(links) == 0:
		v.note = "it has no links"
	case n != 0:
		v.mark = (v.mark + n + len(links)) % len(links)
	default:
		v.trail = append(v.trail, v.sel)
		v.goTo(links[min(v.mark, len(links)-1)].other)
	}
}

// begin asks for a change, when none is under way.
func (v *View) begin(t Task) Action {
	if v.busy {
		v.note = "the change before is still under way"
		return Action{}
	}
	return Action{Do: Change, Task: t}
}

// remove asks whether a node is to go. A pinned skill stays.
func (v *View) remove(n *graph.Node) {
	switch {
	case n.Kind == graph.KindMemory:
		v.ask, v.note = Task{Verb: Remove, ID: n.ID}, fmt.Sprintf("Delete “%s”? y deletes it, any other key leaves it; u brings it back", cell.Truncate(cell.Line(n.Label), 30))
	case n.Pinned:
		v.note = n.Label + " is pinned and stays; p unpins it, then d archives it"
	default:
		v.ask, v.note = Task{Verb: Remove, ID: n.ID}, fmt.Sprintf("Archive %s? y archives it, any other key leaves it; u brings it back", cell.Truncate(cell.Line(n.Label), 30))
	}
}

func (v *View) pin(n *graph.Node) Action {
	if n.Kind == graph.KindMemory {
		v.note = "only skills can be pinned: memory never ages"
		return Action{}
	}
	verb := Pin
	if n.Pinned {
		verb = Unpin
	}
	return v.begin(Task{Verb: verb, ID: n.ID})
}

// undo takes the last removal back, else asks about the last change of the selected node.
func (v *View) undo(n *graph.Node) Action {
	if v.removed.Verb != 0 {
		return v.begin(v.removed)
	}
	if n == nil {
		v.note = "nothing is selected"
		return Action{}
	}
	d, ok := v.details[n.ID]
	switch {
	case !ok:
		v.note = "its history is not here yet"
	case len(d.Moments) == 0:
		v.note = "no change of it is recorded"
	default:
		m := d.Moments[0]
		v.ask = Task{Verb: Undo, ID: n.ID, Change: m.ID}
		v.note = fmt.Sprintf("Take back “%s” by %s of %s? y takes it back, any other key leaves it", m.Action, m.Who, m.Time.In(v.now().Location()).Format("2 Jan 15:04"))
	}
	return Action{}
}

// scrollKey moves the text of the panel.
func (v *View) scrollKey(name string) {
	v.scroll.Key(name, 2)
}

// walkKey moves the selection as the face understands it. J and K scroll the panel beside it.
func (v *View) walkKey(name string) {
	switch name {
	case "J":
		v.scroll.By(max(v.scroll.Page/2, 1))
		return
	case "K":
		v.scroll.By(-max(v.scroll.Page/2, 1))
		return
	}
	switch v.face {
	case timelineFace:
		v.timelineKey(name)
	case graphFace:
		v.graphKey(name)
	case listFace, faces:
		v.list.key(v, name)
	}
}

// along moves in a list of rows by the usual keys; ok is false for other keys.
func along(name string, jump int) (n int, ok bool) {
	const far = 1 << 30
	n, ok = map[string]int{
		"j": 1, "down": 1, "k": -1, "up": -1, "g": -far, "home": -far, "G": far, "end": far, "pgdown": jump, "ctrl+f": jump, "pgup": -jump, "ctrl+b": -jump,
		"ctrl+d": max(jump/2, 1), "ctrl+u": -max(jump/2, 1),
	}[name]
	return n, ok
}

// Typing tells whether letters are text or an answer right now, and not keys.
func (v *View) Typing() bool { return v.typing || v.ask.Verb != 0 }

// Asking tells whether the view waits for a yes or no.
func (v *View) Asking() bool { return v.ask.Verb != 0 }
