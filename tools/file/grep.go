package file

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"strings"
	"sync"
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
func (t *Search) contents(ctx context.Context, a searchArguments, re *regexp.Regexp, w *walker) core.ToolResult {
	results := make([]hits, len(w.files))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8) {
		wg.Go(func() {
			for i := range next {
				results[i] = grep(ctx, w.files[i], re, a.Context)
			}
		})
	}
feed:
	for i := range w.files {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil {
		return broken("search_files", ctx.Err())
	}
	total, files := 0, 0
	for _, h := range results {
		total += h.count
		if h.count > 0 {
			files++
		}
	}
	summary := plural(total, "match")
	if total != 1 {
		summary = text.Thousands(total) + " matches"
	}
	detail := &core.ToolDetail{Summary: summary + " in " + plural(files, "file")}
	var b strings.Builder
	if a.Mode == "files_only" || a.Mode == "count" {
		shown := t.perFile(&b, a, results)
		b.WriteString(tail(files, a, shown, "file", w.cut))
	} else {
		shown := t.lines(&b, a, results)
		b.WriteString(strings.ReplaceAll(tail(total, a, shown, "match", w.cut), "matchs", "matches"))
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

// grep searches one file. Files that cannot be read and binary ones give nothing.
func grep(ctx context.Context, f found, re *regexp.Regexp, around int) hits {
	h := hits{file: f}
	o, err := openText(f.path, false)
	if err != nil {
		return h
	}
	defer o.close()
	if o.form.binary != "" {
		return h
	}
	var before []row // the last lines that were not shown
	after, last, read := 0, 0, 0
	for n := 1; ; n++ {
		line, cut, err := o.line(maxSearchLine)
		if err != nil || (n%1024 == 0 && ctx.Err() != nil) || read > maxSearchFile {
			if err != nil && err != io.EOF { //nolint:errorlint // line returns it bare
				return h
			}
			return h
		}
		read += len(line) + cut
		loc := re.FindIndex(line)
		if loc != nil {
			if h.count++; len(h.rows) > maxPerFile {
				continue
			}
			if around == 0 {
				h.rows = append(h.rows, row{line: n, text: excerpt(line, loc), match: true})
				continue
			}
			for i, r := range before {
				r.gap = i == 0 && r.line > last+1
				h.rows = append(h.rows, r)
			}
			gap := len(before) == 0 && n > last+1
			before = before[:0]
			h.rows = append(h.rows, row{line: n, text: excerpt(line, loc), match: true, gap: gap})
			last, after = n, around
			continue
		}
		switch {
		case around == 0 || len(h.rows) > maxPerFile:
		case after > 0:
			after--
			last = n
			h.rows = append(h.rows, row{line: n, text: excerpt(line, nil)})
		default:
			before = append(before, row{line: n, text: excerpt(line, nil)})
			if len(before) > around {
				before = before[1:]
			}
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
