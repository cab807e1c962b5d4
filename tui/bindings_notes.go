package tui

import "hermes/tui/keys"

// noteFor makes rows of scope whose keys a widget handles itself; they are here for help and README.
func noteFor(scope keys.Scope) func(id, help string, keystrokes ...string) action {
	return func(id, help string, keystrokes ...string) action {
		return action{Binding: keys.Binding{ID: id, Scope: scope, Keys: keystrokes, Help: help, Note: true}}
	}
}

// noteBindings are keys that widgets handle themselves; they are here for the help only.
func noteBindings() []action {
	n, ask := noteFor(keys.Composer), noteFor(keys.Dialog)
	return []action{
		n("composer.send", "send; while a run is active: queue", "enter"),
		n("composer.mention", "mention a file", "@"),
		n("composer.shell", "first on the line: run a command; the model does not see it", "!"),
		n("composer.newline", "new line (also \\ then Enter)", "ctrl+j", "alt+enter", "shift+enter"),
		n("composer.history", "move, then earlier and later messages", "up", "down", "ctrl+p", "ctrl+n"),
		n("composer.ends", "start and end of the line", "ctrl+a", "ctrl+e"),
		n("composer.words", "a word back and forward", "alt+b", "alt+f"),
		n("composer.kill", "cut to the end, to the start, the word before", "ctrl+k", "ctrl+u", "ctrl+w"),
		n("composer.yank", "put back what was cut; the cut before it", "ctrl+y", "alt+y"),
		n("composer.lastword", "last word of the message before", "alt+."),
		n("composer.case", "the word in capitals, small, with a capital", "alt+u", "alt+l", "alt+c"),
		n("composer.swap", "exchange two characters, two words", "ctrl+t", "alt+t"),
		n("composer.undokey", "undo", "ctrl+_"),
		n("composer.delete", "delete forward; on an empty draft twice: quit", "ctrl+d"),
		ask("dialog.once", "allow this once", "o"),
		ask("dialog.session", "allow for this session by the rule shown", "s"),
		ask("dialog.always", "allow always by the rule shown", "a"),
		ask("dialog.deny", "deny", "d", "esc"),
	}
}

func cleanupNotes() []action {
	n := noteFor(keys.Cleanup)
	return []action{
		n("tidy.walk", "next and previous entry; first and last", "j", "k", "g", "G"),
		n("tidy.mark", "mark an entry; delete, merge and move are about the marked ones", "space"),
		n("tidy.delete", "delete, or bring back", "d"),
		n("tidy.edit", "edit; add an entry", "e", "a"),
		n("tidy.merge", "merge the marked entries, or two near-duplicates, into one draft", "m"),
		n("tidy.move", "move to the other store", "t"),
		n("tidy.order", "move down and up in its store", "J", "K"),
		n("tidy.undo", "undo and redo", "u", "ctrl+r"),
		n("tidy.write", "write all changes, after a look at them", "w"),
		n("tidy.origin", "the session that saved it, at the place", "enter"),
		n("tidy.history", "history of the entry; restore what was deleted", "H", "R"),
		n("tidy.read", "the whole text; copy it", "v", "y"),
		n("tidy.store", "the other store", "tab", "h", "l"),
	}
}

func storedNotes() []action {
	n := noteFor(keys.Stored)
	read := noteFor(keys.Reading)
	return []action{
		n("stored.walk", "next and previous line; first and last", "j", "k", "g", "G"),
		n("stored.search", "search everything ever said", "/"),
		n("stored.open", "resume the session; on a hit: read it there", "enter"),
		n("stored.read", "read without opening; go on with it", "o", "c"),
		n("stored.fork", "fork; on a hit: up to there", "f"),
		n("stored.tend", "rename, export, delete", "r", "e", "d"),
		n("stored.new", "a new session", "n"),
		n("stored.tasks", "show or hide sub-agents", "a"),
		n("stored.next", "next and previous session among hits", "tab", "shift+tab"),
		read("reading.walk", "next and previous entry; first and last", "j", "k", "g", "G"),
		read("reading.open", "open or close thinking or tool output; full output", "enter", "space", "v"),
		read("reading.search", "search; next and previous match", "/", "n", "N"),
		read("reading.fold", "fold or open this turn; all turns", "z", "Z"),
		read("reading.go", "resume the session; fork it at this message; copy the entry", "r", "f", "y"),
	}
}

// skillNotes are the keys of the skills browser.
func skillNotes() []action {
	n := noteFor(keys.Library)
	return []action{
		n("library.walk", "next and previous skill; first and last", "j", "k", "g", "G"),
		n("library.filter", "filter as you type: name, category, description, state", "/"),
		n("library.tab", "the skill, its history, the index as the model sees it; the index", "tab", "h", "l", "m"),
		n("library.whole", "give the text all the room, and back", "enter", "z"),
		n("library.scroll", "scroll the text", "space", "pgdown", "pgup", "J", "K"),
		n("library.edit", "edit in your editor; what is refused is kept for the next try", "e"),
		n("library.shorten", "propose a description that the model sees whole", "s"),
		n("library.pin", "pin, unpin", "p"),
		n("library.archive", "twice: archive; restore what is archived", "d", "u"),
		n("library.version", "in the history: older, newer version", "n", "N"),
		n("library.rollback", "in the history, twice: back to the marked version", "R"),
		n("library.session", "in the history: the session that made the change", "o"),
		n("library.copy", "copy the text, the difference or the index", "y"),
	}
}

func deskNotes() []action {
	n := noteFor(keys.Desk)
	return []action{
		n("desk.walk", "next and previous line; first and last", "j", "k", "g", "G"),
		n("desk.scroll", "scroll what stands beside", "space", "pgdown", "pgup", "J", "K"),
		n("desk.accept", "accept what waits; Enter twice", "a", "enter"),
		n("desk.edit", "change what waits in your editor; it goes on waiting", "e"),
		n("desk.move", "a fact that waits: for the other store", "m"),
		n("desk.reject", "twice: reject what waits, and remember that", "x"),
		n("desk.pick", "next and previous change of a review", "n", "p"),
		n("desk.undo", "take the marked change back; twice: all of the review", "u", "U"),
		n("desk.cancel", "cancel a running review", "c"),
		n("desk.session", "the session it is about", "o"),
		n("desk.run", "learn from this session now", "r"),
		n("desk.pause", "pause learning, or let it go on", "."),
		n("desk.copy", "copy the difference", "y"),
	}
}

// journeyNotes are the keys of the journey, the insights and the curator.
func journeyNotes() []action {
	n, fig, tend := noteFor(keys.Journey), noteFor(keys.Figures), noteFor(keys.Tending)
	return []action{
		n("journey.face", "timeline, graph, list; the next one", "1", "2", "3", "tab"),
		n("journey.walk", "move; in the graph, with h and l: to the nearest node that way", "j", "k"),
		n("journey.page", "page; first and last", "pgdown", "pgup", "g", "G"),
		n("journey.link", "in the graph: mark the next and the previous link; walk along it, and back", "n", "N", "o", "backspace"),
		n("journey.zoom", "in the graph: larger, smaller, whole", "+", "-", "0"),
		n("journey.whole", "the whole text; back, then close (not in the graph: l, h)", "enter", "l", "h"),
		n("journey.period", "in the timeline: the period before and after", "[", "]"),
		n("journey.panel", "scroll what stands beside", "J", "K"),
		n("journey.edit", "edit in your editor, with the checks of the tools", "e"),
		n("journey.remove", "archive the skill, delete the memory; asks first", "d"),
		n("journey.pin", "pin, unpin", "p"),
		n("journey.undo", "bring back what was removed; else take back the last change of the node", "u"),
		n("journey.filter", "filter", "/"),
		n("journey.sort", "in the list: another order", "s"),
		n("journey.play", "play how it grew", "P"),
		n("journey.export", "write it as HTML, as SVG", "x", "X"),
		n("journey.session", "the session that changed it last; copy its text", "v", "y"),
		fig("figures.scroll", "scroll", "j", "k", "space", "g", "G"),
		fig("figures.days", "7, 30, 90 days; the next span", "7", "3", "9", "tab"),
		fig("figures.skill", "the next and the previous skill", "n", "N"),
		fig("figures.rollback", "twice: take the skill back to the version before", "R"),
		fig("figures.again", "count again", "r"),
		tend("tending.scroll", "scroll", "j", "k", "space", "g", "G"),
		tend("tending.run", "twice: run now; dry run", "r", "n"),
		tend("tending.pause", "pause, resume", "."),
		tend("tending.back", "twice: take the last run back", "R"),
	}
}

// viewNotes are the keys that hold in every view, and those of the small lists and texts that lie on top.
func viewNotes() []action {
	n, box := noteFor(keys.Views), noteFor(keys.Boxes)
	return []action{
		n("view.keys", "the keys of this view", "?"),
		n("view.close", "close it; Esc goes a step back first", "esc", "q"),
		n("view.leave", "the prefix works here, too: leads to any other view or pane", keys.Leader),
		box("box.walk", "in pickers: next and previous line", "up", "down", "ctrl+p", "ctrl+n"),
		box("box.page", "in texts: page down and up", "space", "pgdown", "pgup"),
		box("box.pick", "in pickers: take it; waiting messages: back into the composer", "enter"),
		box("box.remove", "waiting messages: remove; approvals: revoke", "d"),
		box("box.order", "waiting messages: later and earlier", "J", "K"),
		box("box.own", "questions: an answer in your own words", "e"),
		box("box.copy", "texts: copy all", "y"),
	}
}
