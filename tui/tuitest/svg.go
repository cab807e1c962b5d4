package tuitest

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The measures of a picture: a cell in pixels, the frame around them, the colours of the terminal.
const (
	cellW, cellH = 8.4, 18.0
	margin       = 12.0
	paper, ink   = "#15181d", "#d7dae0"
)

// look is how a run of cells is drawn.
type look struct {
	fg, bg                               string
	bold, faint, italic, under, reversed bool
}

// SVG draws a frame of w by h cells (text with style sequences only) as a picture of a dark terminal.
func SVG(frame string, w, h int, title string) []byte {
	var back, text bytes.Buffer
	for y, line := range strings.Split(frame, "\n") {
		if y < h {
			drawLine(&back, &text, line, y)
		}
	}
	width, height := float64(w)*cellW+2*margin, float64(h)*cellH+2*margin
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img">`+"\n", width, height, width, height)
	fmt.Fprintf(&out, "<title>%s</title>\n", escape(title))
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", paper)
	out.WriteString(`<g font-family="ui-monospace, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', Menlo, Consolas, monospace" font-size="14" xml:space="preserve">` + "\n")
	out.Write(back.Bytes())
	out.Write(text.Bytes())
	out.WriteString("</g>\n</svg>\n")
	return out.Bytes()
}

// drawLine splits a line into runs of one look; wide characters stand alone, so that a font whose
// wide characters are not two cells cannot shift the rest.
func drawLine(back, text *bytes.Buffer, line string, y int) {
	var now look
	var run strings.Builder
	x, from, cells := 0, 0, 0
	flush := func() {
		if cells > 0 {
			now.draw(back, text, run.String(), from, y, cells)
		}
		run.Reset()
		from, cells = x, 0
	}
	state := byte(0)
	for line != "" {
		seq, width, n, next := ansi.DecodeSequence(line, state, nil)
		line, state = line[n:], next
		switch {
		case width > 1:
			flush()
			run.WriteString(seq)
			x += width
			cells = width
			flush()
		case width == 1:
			run.WriteString(seq)
			x++
			cells++
		case strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m"):
			flush()
			now.apply(strings.TrimSuffix(seq[2:], "m"))
		}
	}
	flush()
}

func (l *look) draw(back, text *bytes.Buffer, s string, x, y, cells int) {
	fg, bg := l.fg, l.bg
	if fg == "" {
		fg = ink
	}
	if l.reversed {
		if bg == "" {
			bg = paper
		}
		fg, bg = bg, fg
	}
	px, py := margin+float64(x)*cellW, margin+float64(y)*cellH
	if bg != "" {
		fmt.Fprintf(back, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", px, py, float64(cells)*cellW, cellH, bg)
	}
	if strings.TrimSpace(s) == "" {
		return
	}
	if bars := strings.Trim(s, "│"); bars == "" { // drawn as lines, so that they meet
		for k := range cells {
			fmt.Fprintf(text, `<rect x="%.1f" y="%.1f" width="1.2" height="%.1f" fill="%s"/>`+"\n", px+(float64(k)+0.5)*cellW-0.6, py, cellH, fg)
		}
		return
	}
	var more string
	if l.bold {
		more += ` font-weight="bold"`
	}
	if l.italic {
		more += ` font-style="italic"`
	}
	if l.under {
		more += ` text-decoration="underline"`
	}
	if l.faint {
		more += ` opacity="0.6"`
	}
	fmt.Fprintf(text, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`+"\n",
		px, py+13.5, float64(cells)*cellW, fg, more, escape(s))
}

// apply takes the parameters of one style sequence.
func (l *look) apply(params string) {
	p := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	if len(p) == 0 {
		*l = look{}
	}
	for i := 0; i < len(p); i++ {
		n, _ := strconv.Atoi(p[i])
		switch {
		case n == 0:
			*l = look{}
		case n == 1:
			l.bold = true
		case n == 2:
			l.faint = true
		case n == 3:
			l.italic = true
		case n == 4:
			l.under = true
		case n == 7:
			l.reversed = true
		case n == 22:
			l.bold, l.faint = false, false
		case n == 23:
			l.italic = false
		case n == 24:
			l.under = false
		case n == 27:
			l.reversed = false
		case n == 38:
			l.fg, i = extended(p, i)
		case n == 48:
			l.bg, i = extended(p, i)
		case n == 39:
			l.fg = ""
		case n == 49:
			l.bg = ""
		case n >= 30 && n <= 37:
			l.fg = indexed(n - 30)
		case n >= 90 && n <= 97:
			l.fg = indexed(n - 82)
		case n >= 40 && n <= 47:
			l.bg = indexed(n - 40)
		case n >= 100 && n <= 107:
			l.bg = indexed(n - 92)
		}
	}
}

// extended reads the colour behind a 38 or 48 at p[i] and returns where it ends.
func extended(p []string, i int) (colour string, end int) {
	num := func(k int) int {
		if k < len(p) {
			n, _ := strconv.Atoi(p[k])
			return n
		}
		return 0
	}
	switch num(i + 1) {
	case 2:
		return fmt.Sprintf("#%02x%02x%02x", num(i+2)&255, num(i+3)&255, num(i+4)&255), i + 4
	case 5:
		return indexed(num(i + 2)), i + 2
	default:
		return "", i + 1
	}
}

// indexed is a colour of the 256.
func indexed(n int) string {
	base := [...]string{
		"#1d2128", "#ff8580", "#7fd18b", "#e8c06a", "#7cb7ff", "#c7a0ff", "#6fd3d3", "#c5c9d1",
		"#69717d", "#ffa39f", "#9fe0a8", "#f2d491", "#a3cdff", "#d9c0ff", "#97e3e3", "#ffffff",
	}
	switch {
	case n < 0 || n > 255:
		return ""
	case n < 16:
		return base[n]
	case n < 232:
		step := func(k int) int {
			if k == 0 {
				return 0
			}
			return 55 + 40*k
		}
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", step(n/36), step(n/6%6), step(n%6))
	default:
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
}

func escape(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}
