package onboard

import (
	"fmt"

	"hermes/tui/cell"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

// Draw draws the screen as a box for w by h cells. cx, cy are the cursor within the box; cx is
// negative when no text is being typed.
func (v *View) Draw(st *theme.Styles, w, h int) (box []string, cx, cy int) {
	bw := min(w, 84)
	inner := max(bw-6, 1)
	head := v.head(st, inner)
	foot := v.foot(st, inner)
	room := max(h-2-len(head)-len(foot), 1)
	body, cx, cy := v.body(st, inner, room)
	lines := append(head, body...)
	lines = append(lines, foot...)
	bh := min(len(lines)+2, h)
	for i := range lines {
		lines[i] = "  " + cell.Fit(lines[i], inner) + "  "
	}
	if over := len(lines) - (bh - 2); over > 0 { // very low: the head goes first
		lines = lines[over:]
		cy -= over
	}
	if cx >= 0 {
		cx, cy = cx+3, cy+len(head)+1
	}
	return pane.Frame(st, pane.Label{Title: "Welcome to hermes", Badge: v.progress(), Focused: true}, lines, bw, bh), cx, cy
}

func (v *View) progress() string {
	switch v.step {
	case pickProvider:
		return "step 1 of 4"
	case typeURL, typeKey, loading:
		return "step 2 of 4"
	case pickModel:
		return "step 3 of 4"
	default:
		if v.choice.Preset == "" {
			return ""
		}
		return "step 4 of 4"
	}
}

func (v *View) head(st *theme.Styles, w int) []string {
	out := []string{""}
	if v.notice != "" && v.step == pickProvider {
		for _, l := range cell.Wrap(cell.Clean(v.notice), w, "") {
			out = append(out, st.Text.Render(l))
		}
		out = append(out, "")
	}
	title := map[step]string{
		pickProvider: "Which model provider?", typeURL: "Address of the server (OpenAI-compatible)",
		typeKey: "Key for " + v.server(), loading: "One moment", pickModel: "Which model?", confirm: "Ready", saving: "One moment",
	}[v.step]
	line := st.Bold.Render(cell.Truncate(title, w))
	if v.step == pickProvider { // on a low screen not all are seen
		line += st.Faint.Render(fmt.Sprintf("  %d of %d", v.sel+1, len(v.presets)))
	}
	return append(out, cell.Truncate(line, w), "")
}

// server names what a key is for.
func (v *View) server() string {
	if p := v.preset(); !p.Custom {
		return p.Label
	}
	return "the server"
}

func (v *View) body(st *theme.Styles, w, room int) (lines []string, cx, cy int) {
	switch v.step {
	case pickProvider:
		return v.providers(st, w, room), -1, 0
	case typeURL:
		line, x := v.url.View(w - 2)
		return []string{st.Accent.Render("›") + " " + line}, x + 2, 0
	case typeKey:
		line, x := v.key.View(w - 2)
		lines = []string{st.Accent.Render("›") + " " + line, ""}
		for _, l := range cell.Wrap(v.keyHelp(), w, "") {
			lines = append(lines, st.Muted.Render(l))
		}
		return lines, x + 2, 0
	case pickModel:
		return v.modelList(st, w, room)
	case confirm:
		return v.summary(st, w), -1, 0
	default:
		return []string{st.Busy.Render("… ") + st.Text.Render(cell.Truncate(cell.Line(v.busy), w-2))}, -1, 0
	}
}

func (v *View) keyHelp() string {
	p := v.preset()
	switch {
	case p.Local || p.Custom:
		return "Leave it empty when the server needs none."
	case p.KeyFound:
		return "Leave it empty to use " + p.KeyEnv + " from the environment."
	default:
		return "It is shown as dots and stored in .env (readable by you only) under " + p.KeyEnv + ", never in config.yaml."
	}
}

func (v *View) providers(st *theme.Styles, w, room int) []string {
	top := max(min(v.sel-room/2, len(v.presets)-room), 0)
	var out []string
	for i := top; i < len(v.presets) && i < top+room; i++ {
		p := v.presets[i]
		note := cell.Line(p.BaseURL)
		switch {
		case p.KeyFound:
			note = "✓ " + p.KeyEnv + " is set"
		case p.Local:
			note = "on this machine"
		case p.Custom:
			note = "its address comes next"
		}
		if i == v.sel {
			out = append(out, st.Selected.Render(cell.Sides("› "+p.Label, note, w, 16)))
		} else {
			out = append(out, cell.Sides("  "+st.Text.Render(p.Label), st.Faint.Render(note), w, 16))
		}
	}
	return out
}

func (v *View) modelList(st *theme.Styles, w, room int) (lines []string, cx, cy int) {
	line, x := v.filter.View(w - 2)
	lines = []string{st.Accent.Render("/") + " " + line, ""}
	room = min(max(room-2, 1), 14)
	top := max(min(v.model-room/2, len(v.shown)-room), 0)
	for i := top; i < len(v.shown) && i < top+room; i++ {
		name := cell.Line(v.shown[i])
		note := ""
		if v.shown[i] == v.preset().Model {
			note = "suggested"
		}
		if i == v.model {
			lines = append(lines, st.Selected.Render(cell.Sides("› "+name, note, w, 16)))
		} else {
			lines = append(lines, cell.Sides("  "+st.Text.Render(name), st.Faint.Render(note), w, 16))
		}
	}
	switch {
	case len(v.models) == 0:
		lines = append(lines, st.Muted.Render(cell.Truncate("The server lists no models: type a name.", w)))
	case len(v.shown) == 0:
		lines = append(lines, st.Muted.Render(cell.Truncate("No listed model matches; Enter takes the name as typed.", w)))
	}
	for len(lines) < 2+min(room, len(v.models)) { // the box keeps its size while one types
		lines = append(lines, "")
	}
	return lines, x + 2, 0
}

func (v *View) summary(st *theme.Styles, w int) []string {
	out := []string{
		st.Muted.Render("provider  ") + st.Text.Render(cell.Line(v.preset().Label)),
		st.Muted.Render("server    ") + st.Text.Render(cell.Line(v.choice.BaseURL)),
		st.Muted.Render("model     ") + st.Text.Render(cell.Line(v.choice.Model)),
		"",
		st.Text.Render("After a short test call this is written:"),
	}
	for _, p := range v.plan(v.choice) {
		for _, l := range cell.Wrap("· "+cell.Line(p), w, "  ") {
			out = append(out, st.Muted.Render(l))
		}
	}
	return out
}

func models(n int) string {
	if n == 1 {
		return "1 model"
	}
	return fmt.Sprintf("%d models", n)
}

func (v *View) foot(st *theme.Styles, w int) []string {
	out := []string{""}
	if v.err != "" {
		for _, l := range cell.Wrap("✗ "+cell.Line(v.err), w, "  ") {
			out = append(out, st.Bad.Render(l))
		}
		out = append(out, "")
	}
	keys := map[step]string{
		pickProvider: "↑ ↓ move · Enter picks · d tries the demo, nothing is kept · q quits",
		typeURL:      "Enter goes on · Esc back", typeKey: "Enter goes on · Esc back",
		loading: "Esc cancels", pickModel: "Enter picks · type to filter " + models(len(v.models)) + " · Esc back",
		confirm: "Enter tests and writes · Esc back", saving: "Esc cancels",
	}[v.step]
	for _, l := range cell.Wrap(keys, w, "") {
		out = append(out, st.Faint.Render(l))
	}
	return out
}
