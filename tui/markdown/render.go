package markdown

import (
	"strings"

	"charm.land/glamour/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes/tui/cell"
	"hermes/tui/theme"
)

const (
	// cacheBytes bounds the cache of rendered blocks; twice as much may be held for a moment.
	cacheBytes = 4 << 20
	// codeLimit and proseLimit are the sizes of a block beyond which it is drawn without Glamour, whose
	// time grows faster than the text.
	codeLimit  = 64 << 10
	proseLimit = 32 << 10
	codeInset  = "  "
)

// Renderer draws blocks in one theme. It is not safe for concurrent use; one serves all documents.
type Renderer struct {
	st   *theme.Styles
	wide *glamour.TermRenderer // does not wrap
	// narrow wraps, for tables wider than the pane; built for one width at a time.
	narrow      *glamour.TermRenderer
	narrowWidth int
	flow        bool // single line breaks are blanks
	cache       cache
}

// NewRenderer returns a renderer for the theme st. Glamour itself starts with the first block.
func NewRenderer(st *theme.Styles) *Renderer { return &Renderer{st: st} }

// NewFlowing returns a renderer for files: their authors break lines for an editor's sake. What a model says in a
// chat keeps its lines.
func NewFlowing(st *theme.Styles) *Renderer { return &Renderer{st: st, flow: true} }

// block draws a closed block, cached.
func (r *Renderer) block(b block, w int) []string {
	key := b.text
	if b.kind == table && w < 400 {
		key = string(rune(w)) + key // tables are laid out for a width
	}
	lines, ok := r.cache.get(key)
	if !ok {
		lines = r.glamour(b, w)
		r.cache.put(key, lines)
	}
	return fold(b.kind, lines, w)
}

// live draws an open block without filling the cache.
func (r *Renderer) live(b block, w int) []string { return fold(b.kind, r.glamour(b, w), w) }

// glamour renders b into unwrapped lines that hold no sequences but styles.
func (r *Renderer) glamour(b block, w int) []string {
	if b.kind == code && len(b.text) > codeLimit {
		return r.codeLines(strings.Split(strings.TrimSuffix(b.text, "\n```"), "\n")[1:])
	}
	if b.kind != code && len(b.text) > proseLimit {
		lines := strings.Split(b.text, "\n")
		for i := range lines {
			lines[i] = r.st.Text.Render(lines[i])
		}
		return lines
	}
	if r.flow && (b.kind == prose || b.kind == item) {
		b.text = flowed(b.text)
	}
	if r.wide == nil {
		r.wide = newGlamour(r.st, 0)
	}
	lines := rendered(r.wide, b.text)
	if b.kind == table && tooWide(lines, w) {
		if r.narrow == nil || r.narrowWidth != w {
			r.narrow, r.narrowWidth = newGlamour(r.st, w), w
		}
		lines = rendered(r.narrow, b.text)
	}
	return lines
}

func newGlamour(st *theme.Styles, w int) *glamour.TermRenderer {
	g, err := glamour.NewTermRenderer(
		glamour.WithStyles(styleConfig(st)), glamour.WithWordWrap(w),
		glamour.WithPreservedNewLines(), glamour.WithChromaFormatter("terminal16m"),
		glamour.WithInlineTableLinks(true),
	)
	if err != nil {
		return nil // no option of ours can fail; rendered shows the text as it is
	}
	return g
}

// rendered runs Glamour and trims the blank lines around the result. A panic in it (it parses
// whatever a model wrote) shows the text as it is.
func rendered(g *glamour.TermRenderer, text string) (lines []string) {
	defer func() {
		if recover() != nil {
			lines = strings.Split(text, "\n")
		}
	}()
	out, err := g.Render(text)
	if err != nil {
		return strings.Split(text, "\n")
	}
	lines = strings.Split(cell.OnlyStyles(out), "\n")
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func blank(line string) bool { return strings.TrimSpace(ansi.Strip(line)) == "" }

func tooWide(lines []string, w int) bool {
	for _, l := range lines {
		if cell.Width(l) > w {
			return true
		}
	}
	return false
}

// fold wraps lines to w cells the way their kind wants it.
func fold(k kind, lines []string, w int) []string {
	var out []string
	base := 0
	if k == item && len(lines) > 0 {
		base = cell.Width(hang(lines[0]))
	}
	for i, l := range lines {
		switch k {
		case table:
			out = append(out, cell.Truncate(strings.TrimRight(l, " "), w))
		case code:
			out = append(out, cell.Wrap(codeInset+l, w, codeInset+"  ")...)
		case item:
			if i > 0 { // Glamour does not indent what follows a nested list
				l = cell.Spaces(base-indentOf(l)) + l
			}
			out = append(out, cell.Wrap(l, w, hang(l))...)
		case quote:
			out = append(out, cell.Wrap(l, w, hang(l))...)
		default:
			out = append(out, cell.Wrap(l, w, "")...)
		}
	}
	return out
}

// indentOf counts the spaces line starts with, styles not counted.
func indentOf(line string) int {
	plain := ansi.Strip(line)
	return len(plain) - len(strings.TrimLeft(plain, " "))
}

// hang returns what goes before the continuation lines of a list item or quote.
func hang(line string) string {
	plain := ansi.Strip(line)
	rest := strings.TrimLeft(plain, " ")
	indent := cell.Spaces(len(plain) - len(rest))
	if bar, _, ok := strings.Cut(rest, "│ "); ok && strings.Trim(bar, "│ ") == "" {
		return indent + strings.Repeat("│ ", 1+strings.Count(bar, "│"))
	}
	marker, _, ok := strings.Cut(rest, " ")
	if ok && (marker == "•" || strings.Trim(marker, "0123456789.") == "" || marker == "[✓]" || marker == "[") {
		return indent + cell.Spaces(cell.Width(marker)+1)
	}
	return indent
}

// plainKind draws lines of an open block of kind k without Glamour.
func (r *Renderer) plainKind(k kind, lines []string, w int) []string {
	if k == code {
		return r.plain(lines, w)
	}
	var out []string
	for _, l := range lines {
		out = append(out, cell.Wrap(r.st.Text.Render(l), w, "")...)
	}
	return out
}

// plain draws code lines without highlighting, where the highlighted ones will stand.
func (r *Renderer) plain(lines []string, w int) []string {
	return fold(code, r.codeLines(lines), w)
}

func (r *Renderer) codeLines(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if l != "" {
			out[i] = r.st.Code.Render(l)
		}
	}
	return out
}

// cache keeps rendered blocks in two generations: when the young one is full it becomes the old one,
// and what the old one held and nobody asked for since is gone.
type cache struct {
	young, old map[string][]string
	size       int
}

func (c *cache) get(key string) ([]string, bool) {
	if v, ok := c.young[key]; ok {
		return v, true
	}
	v, ok := c.old[key]
	if ok {
		c.put(key, v)
	}
	return v, ok
}

func (c *cache) put(key string, lines []string) {
	if c.young == nil || c.size > cacheBytes {
		c.old, c.young, c.size = c.young, map[string][]string{}, 0
	}
	c.young[key] = lines
	c.size += len(key)
	for _, l := range lines {
		c.size += len(l) + 16
	}
}
