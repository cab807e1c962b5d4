package browser

import (
	tea "charm.land/bubbletea/v2"

	"hermes/core/ledger"
)

// Update takes a key by its name, or a paste.
func (v *View) Update(name string, msg tea.Msg) Action {
	switch {
	case v.short != nil:
		return v.shortKey(name, msg)
	case v.typing:
		return v.filterKey(name, msg)
	case name == "":
		return Action{}
	}
	sure := v.sure
	v.sure, v.note = "", ""
	if a, done := v.moveKey(name); done {
		return a
	}
	if r := v.selected(); r != nil {
		if a := v.onSkill(name, r, sure); a.Do != Nothing {
			return a
		}
	}
	return v.Missing()
}

// filterKey is a key while the filter is being typed.
func (v *View) filterKey(name string, msg tea.Msg) Action {
	switch name {
	case "esc":
		v.filter.SetText("")
		v.typing = false
	case "enter":
		v.typing = false
	case "up", "down":
		v.typing = false
		return v.Update(name, msg)
	default:
		before := v.filter.Text()
		v.filter.Update(msg)
		if v.filter.Text() == before {
			return Action{}
		}
		v.sel, v.scroll, v.change = 0, 0, 0
		v.arrange("")
		return v.Missing()
	}
	v.arrange(v.selectedPath())
	return v.Missing()
}

// moveKey is a key that changes what is shown.
func (v *View) moveKey(name string) (Action, bool) {
	switch name {
	case "esc":
		switch {
		case v.whole:
			v.whole = false
		case v.filter.Text() != "":
			v.filter.SetText("")
			v.arrange(v.selectedPath())
		default:
			return Action{Do: Close}, true
		}
	case "q":
		return Action{Do: Close}, true
	case "/":
		v.typing = true
	case "j", "down":
		v.move(1)
	case "k", "up":
		v.move(-1)
	case "g", "home":
		v.move(-len(v.rows))
	case "G", "end":
		v.move(len(v.rows))
	case "pgdown", "space", "ctrl+f", "J":
		v.scrollBy(v.page - 1)
	case "pgup", "ctrl+b", "K":
		v.scrollBy(1 - v.page)
	case "ctrl+d":
		v.scrollBy(v.page / 2)
	case "ctrl+u":
		v.scrollBy(-v.page / 2)
	case "tab", "l", "right":
		v.show((v.tab + 1) % tabs)
	case "shift+tab", "h", "left":
		v.show((v.tab + tabs - 1) % tabs)
	case "m":
		v.show(map[bool]tab{true: skillTab, false: indexTab}[v.tab == indexTab])
	case "enter", "z":
		v.whole = !v.whole
	default:
		return Action{}, false
	}
	return v.Missing(), true
}

func (v *View) show(t tab) { v.tab, v.scroll = t, 0 }

func (v *View) scrollBy(n int) { v.scroll = max(min(v.scroll+n, v.length-v.page), 0) }

// move selects another skill.
func (v *View) move(n int) {
	old := v.sel
	v.sel = max(min(v.sel+n, len(v.rows)-1), 0)
	if v.sel != old {
		v.scroll, v.change = 0, 0
		if v.tab == indexTab {
			v.tab = skillTab
		}
	}
}

// pick marks another version: n is towards the past.
func (v *View) pick(n int) {
	v.change = max(min(v.change+n, len(v.detail().Versions)-1), 0)
	v.scroll = 0
}

// onSkill is a key that is about the selected skill.
func (v *View) onSkill(name string, r *row, sure string) Action {
	if v.tab == historyTab {
		switch name {
		case "n":
			v.pick(1)
			return v.Missing()
		case "N":
			v.pick(-1)
			return v.Missing()
		case "R":
			return v.rollback(r, sure)
		case "o":
			d := v.detail()
			if x, ok := v.marked(&d); ok && x.SessionID != "" {
				return Action{Do: Open, ID: x.SessionID}
			}
			v.note = "this change was made in no session"
			return Action{}
		}
	}
	switch name {
	case "y":
		return Action{Do: Copy, Text: v.copied()}
	case "u":
		if r.archived == nil {
			v.note = "it is not archived; in its history R goes back to an older version"
			return Action{}
		}
		return Action{Do: Change, Task: Task{Verb: Restore, Path: r.path(), Name: r.archived.Name}}
	}
	if r.archived != nil {
		if name == "p" || name == "d" || name == "e" || name == "s" {
			v.note = "it is archived; u restores it"
		}
		return Action{}
	}
	return v.onActive(name, r, sure)
}

// onActive is a key about a skill that is not archived.
func (v *View) onActive(name string, r *row, sure string) Action {
	c := r.checked
	switch name {
	case "p":
		verb := Pin
		if c.Origin.Pinned {
			verb = Unpin
		}
		return Action{Do: Change, Task: Task{Verb: verb, Path: c.Path}}
	case "d":
		switch {
		case c.Origin.Pinned:
			v.note = "it is pinned; p takes the pin back, then d archives it"
		case sure == "d":
			return Action{Do: Change, Task: Task{Verb: Archive, Path: c.Path}}
		default:
			v.sure, v.note = "d", "d again archives it; nothing is lost, u restores it"
		}
	case "e":
		if d, ok := v.details[c.Path]; ok && d.Text != "" {
			return Action{Do: Editor, Path: c.Path, Text: d.Text}
		}
		v.note = "its text has not been read yet"
	case "s":
		v.shorten(c)
	}
	return Action{}
}

// rollback makes the skill what it was after the marked change; it asks for the key twice.
func (v *View) rollback(r *row, sure string) Action {
	d := v.detail()
	x, ok := v.marked(&d)
	switch {
	case r.archived != nil:
		v.note = "it is archived; u restores it first"
	case !ok:
		v.note = "no change of it is recorded"
	case v.change == 0:
		v.note = "this is the newest version; n marks an older one"
	case sure == "R":
		return Action{Do: Change, Task: Task{Verb: Rollback, Path: r.path(), ID: x.ID}}
	default:
		v.sure = "R"
		v.note = "R again makes it what it was after this change; that can be rolled back, too"
	}
	return Action{}
}

// EditTask is the task of writing what came out of the editor, for a skill whose text was read as old.
func EditTask(path, old, now string) Task {
	return Task{Verb: Edit, Path: path, Text: now, Base: ledger.Hash([]byte(old))}
}

// copied is what y copies: the index, the marked difference, or the text.
func (v *View) copied() string {
	d := v.detail()
	switch v.tab {
	case indexTab:
		return v.sheet.Next.Text
	case historyTab:
		if _, ok := v.marked(&d); ok {
			from, to := v.span(d)
			return v.diffs[diffKey(d.Path, from, to)]
		}
	case skillTab, tabs:
	}
	return d.Text
}

// Click selects the skill on line y of the screen.
func (v *View) Click(y int) Action {
	i := v.top + y - v.clicked
	if y < v.clicked || y >= v.clicked+v.shown || i >= len(v.rows) || v.short != nil {
		return Action{}
	}
	v.move(i - v.sel)
	return v.Missing()
}

// Typing tells whether letters are text right now, and not keys.
func (v *View) Typing() bool { return v.typing || v.short != nil }

// Editing tells whether a text is being written that closing the view would lose.
func (v *View) Editing() bool { return v.short != nil }
