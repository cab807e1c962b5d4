package file

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"hermes/core"
	"hermes/core/text"
)

const (
	maxSearchLine = 1 << 20   // bytes of a line that are matched
	maxPerFile    = 2_000     // matches a file, beyond which it is only counted
	maxSearchFile = 512 << 20 // bytes of a file that are looked at
)

// hits is what one file gave.
type hits struct {
	file  found
	count int
	rows  []row
}

// row is a line of a result; match is false for context.
type row struct {
	line  int
	text  string
	match bool
	gap   bool // lines were left out before it
}

// contents answers a search for file contents. Files are read in parallel; results keep the order of
// the walk, so that equal trees give equal answers.
func (t *Search) contents(ctx context.Context, a searchArguments, m *matcher, w *walker) core.ToolResult {
	results := make([]hits, len(w.files))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8) {
		wg.Go(func() {
			var b buffers
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(w.files) {
					return
				}
				results[i] = m.grep(ctx, &b, w.files[i], a.Context)
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return broken("search_files", ctx.Err())
	}
	total, files := 0, 0
	taint := ""
	for _, h := range results {
		total += h.count
		if h.count > 0 {
			files++
			if taint == "" { // one source is enough to know
				taint = t.opts.taint(h.file.path)
			}
		}
	}
	summary := text.Count(total, "match", "matches")
	detail := &core.ToolDetail{Summary: summary + " in " + text.Count(files, "file", "files"), Taint: taint}
	var b strings.Builder
	if a.Mode == "files_only" || a.Mode == "count" {
		shown := t.perFile(&b, a, results)
		b.WriteString(tail(files, a, shown, "file", "files", w.cut))
	} else {
		shown := t.lines(&b, a, results)
		b.WriteString(tail(total, a, shown, "match", "matches", w.cut))
	}
	return core.ToolResult{OK: true, Content: b.String(), Detail: detail}
}

func (t *Search) perFile(b *strings.Builder, a searchArguments, results []hits) (shown int) {
	n := 0
	for _, h := range results {
		if h.count == 0 {
			continue
		}
		if n++; n <= a.Offset || shown == a.Limit {
			continue
		}
		shown++
		b.WriteString(text.OneLine(t.opts.Workdir.Show(h.file.path)))
		if a.Mode == "count" {
			fmt.Fprintf(b, ": %d", h.count)
		}
		b.WriteByte('\n')
	}
	return shown
}

// lines writes matches from a.Offset on, a.Limit of them, with their context.
func (t *Search) lines(b *strings.Builder, a searchArguments, results []hits) (shown int) {
	n := 0
	for _, h := range results {
		if h.count == 0 || n+h.count <= a.Offset {
			n += h.count
			continue
		}
		name := text.OneLine(t.opts.Workdir.Show(h.file.path))
		in := h.rows
		for i, r := range in {
			if r.match {
				n++
			}
			// Context before a match counts with the match that follows it.
			at := n
			if !r.match && i+1 < len(in) {
				at = n + 1
			}
			if at <= a.Offset || (shown == a.Limit && (r.match || r.gap)) {
				continue
			}
			if shown == a.Limit && n > a.Offset+a.Limit {
				break
			}
			if r.gap && b.Len() > 0 {
				b.WriteString("--\n")
			}
			sep := "-"
			if r.match {
				sep = ":"
				shown++
			}
			fmt.Fprintf(b, "%s%s%d%s %s\n", name, sep, r.line, sep, r.text)
		}
		n += h.count - matches(in)
	}
	return shown
}

func matches(rows []row) (n int) {
	for _, r := range rows {
		if r.match {
			n++
		}
	}
	return n
}

// buffers are reused from file to file.
type buffers struct{ text, lower []byte }

// maxSlurp is how large a file may be to be searched in memory; larger ones are read line by line.
const maxSlurp = 4 << 20

// grep searches one file. Files that cannot be read and binary ones give nothing.
func (m *matcher) grep(ctx context.Context, b *buffers, f found, around int) hits {
	if b.text == nil {
		b.text = make([]byte, 0, 64<<10)
	}
	text, whole, err := slurp(f.path, b.text[:0], maxSlurp)
	b.text = text[:0]
	if err != nil {
		return hits{file: f}
	}
	if !whole || bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return m.stream(ctx, f, around)
	}
	h := m.prepare(text, b.lower)
	b.lower = h.lower
	if m.none(h) || sniff(text[:min(len(text), sniffLen)]).binary != "" {
		return hits{file: f}
	}
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) { // rare, and decoded before it is matched
		return m.stream(ctx, f, around)
	}
	g := gatherer{hits: hits{file: f}, m: m, around: around}
	if around == 0 && len(m.need) > 0 {
		g.jump(h)
	} else {
		g.all(ctx, text)
	}
	return g.hits
}

// jump looks only at lines that can match.
func (g *gatherer) jump(h haystack) {
	n, at := 1, 0 // line n starts at at
	for at < len(h.text) {
		i := g.m.next(h, at)
		if i < 0 {
			return
		}
		start := bytes.LastIndexByte(h.text[:i], '\n') + 1
		n += bytes.Count(h.text[at:start], []byte("\n"))
		end := len(h.text)
		at = end
		if j := bytes.IndexByte(h.text[i:], '\n'); j >= 0 {
			end, at = i+j, i+j+1
		}
		g.line(n, trimLine(h.text[start:end]))
		n++
	}
}

// all looks at every line.
func (g *gatherer) all(ctx context.Context, text []byte) {
	for n := 1; len(text) > 0; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return
		}
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		g.line(n, trimLine(line))
	}
}

// trimLine is a line as it is matched: without CR and what is too long.
func trimLine(line []byte) []byte {
	if len(line) > maxSearchLine {
		return line[:maxSearchLine]
	}
	return bytes.TrimSuffix(line, []byte("\r"))
}

// stream searches a file of any size and encoding line by line.
func (m *matcher) stream(ctx context.Context, f found, around int) hits {
	g := gatherer{hits: hits{file: f}, m: m, around: around}
	o, err := openText(f.path, false)
	if err != nil {
		return g.hits
	}
	defer o.close()
	if o.form.binary != "" {
		return g.hits
	}
	read := 0
	for n := 1; ; n++ {
		line, cut, err := o.line(maxSearchLine)
		if err != nil || (n%1024 == 0 && ctx.Err() != nil) || read > maxSearchFile {
			return g.hits
		}
		read += len(line) + cut
		g.line(n, line)
	}
}

// gatherer collects the rows of one file.
type gatherer struct {
	hits

	m      *matcher
	around int
	before []row // the last lines that were not shown
	after  int   // lines to show behind the last match
	last   int   // the last line shown
}

// line takes line n.
func (g *gatherer) line(n int, line []byte) {
	loc := g.m.re.FindIndex(line)
	if loc == nil {
		g.context(n, line)
		return
	}
	if g.count++; len(g.rows) > maxPerFile {
		return
	}
	if g.around == 0 {
		g.rows = append(g.rows, row{line: n, text: excerpt(line, loc), match: true})
		return
	}
	for i, r := range g.before {
		r.gap = i == 0 && r.line > g.last+1
		g.rows = append(g.rows, r)
	}
	gap := len(g.before) == 0 && n > g.last+1
	g.before = g.before[:0]
	g.rows = append(g.rows, row{line: n, text: excerpt(line, loc), match: true, gap: gap})
	g.last, g.after = n, g.around
}

// context takes a line that does not match.
func (g *gatherer) context(n int, line []byte) {
	switch {
	case g.around == 0 || len(g.rows) > maxPerFile:
	case g.after > 0:
		g.after--
		g.last = n
		g.rows = append(g.rows, row{line: n, text: excerpt(line, nil)})
	default:
		g.before = append(g.before, row{line: n, text: excerpt(line, nil)})
		if len(g.before) > g.around {
			g.before = g.before[1:]
		}
	}
}

// excerpt is a line fit for a result: long ones cut around the match.
func excerpt(line []byte, loc []int) string {
	if len(line) <= maxShownLine {
		return text.CleanUTF8(string(line))
	}
	from := 0
	if loc != nil && loc[0] > maxShownLine/2 {
		from = loc[0] - maxShownLine/4
		for from > 0 && !utf8.RuneStart(line[from]) {
			from--
		}
	}
	end := min(len(line), from+4*maxShownLine)
	out := text.Cut(text.CleanUTF8(string(line[from:end])), maxShownLine)
	if from > 0 {
		out = "..." + out
	}
	return out
}
