package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"hermes/core"
	"hermes/core/text"
	"hermes/tools"
)

// Read is the read_file tool.
type Read struct{ opts Options }

var (
	_ tools.Guarded = (*Read)(nil)
	_ tools.Capped  = (*Read)(nil)
)

// Spec describes the tool.
func (*Read) Spec() core.ToolSpec {
	return spec("read_file", readText, `{"type":"object","properties":{`+
		`"path":{"type":"string","description":"File to read, absolute or relative to the working folder."},`+
		`"offset":{"type":"integer","description":"First line to read, from 1.","minimum":1},`+
		`"limit":{"type":"integer","description":"Lines to read.","minimum":1,"maximum":2000}`+
		`},"required":["path"],"additionalProperties":false}`)
}

// OutputLimit is the tool's own bound and a margin for its notes: its results are never spilled.
func (*Read) OutputLimit() int { return MaxRead + 5_000 }

type readArguments struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

// Guard refuses protected files and asks for files with credentials.
func (t *Read) Guard(_ context.Context, run core.ToolRun) tools.Verdict {
	var a readArguments
	if err := json.Unmarshal(run.Arguments, &a); err != nil {
		return tools.Unable(broken("read_file", err))
	}
	path, err := t.opts.resolve(a.Path)
	if err != nil {
		return tools.Unable(broken("read_file "+a.Path, err))
	}
	action, why := t.opts.Policy.Read(path, run.SessionID)
	v := tools.Verdict{Action: action, Subject: path}
	if action != tools.ActionAllow {
		v.Reasons = []string{path + " " + why}
		v.Rule = "read_file: exactly " + path
	}
	v.Run = func(ctx context.Context, _ core.ToolRun) core.ToolResult { return t.read(ctx, a, path, run.SessionID) }
	return v
}

// Run reads without judging the path; the registry has.
func (t *Read) Run(ctx context.Context, run core.ToolRun) core.ToolResult {
	var a readArguments
	if err := json.Unmarshal(run.Arguments, &a); err != nil {
		return broken("read_file", err)
	}
	path, err := t.opts.resolve(a.Path)
	if err != nil {
		return broken("read_file", err)
	}
	return t.read(ctx, a, path, run.SessionID)
}

func (t *Read) read(ctx context.Context, a readArguments, path, session string) core.ToolResult {
	if err := unchanged(path); err != nil {
		return broken("read_file "+a.Path, err)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t.opts.notFound(a.Path, path)
	case err != nil:
		return broken("read_file "+a.Path, err)
	case info.IsDir():
		return t.opts.listFolder(a.Path, path, session)
	case !info.Mode().IsRegular():
		return tools.Fail(a.Path + " is no regular file (" + info.Mode().Type().String() + ") and is not read.")
	}
	f, err := openText(path, true)
	if err != nil {
		return broken("read_file "+a.Path, err)
	}
	defer f.close()
	detail := &core.ToolDetail{Path: path, Taint: t.opts.taint(path)}
	if f.form.binary != "" {
		detail.Summary = f.form.binary + ", " + text.Thousands(int(info.Size())) + " bytes"
		return core.ToolResult{OK: true, Content: a.Path + " is not text: " + detail.Summary + ".", Detail: detail}
	}
	p := page{first: max(a.Offset, 1), limit: MaxLines}
	if a.Limit > 0 {
		p.limit = min(a.Limit, MaxLines)
	}
	if err := p.fill(ctx, f); err != nil {
		return broken("read_file "+a.Path, err)
	}
	res := p.result(a.Path, f.form, detail)
	g := glimpse{
		info: info, view: lineRange{p.first, p.limit}, shown: lineRange{p.first, p.first + p.shown - 1}, total: p.total, cut: p.cutLines > 0,
	}
	if !p.more {
		g.hash = f.sum()
	}
	if res.OK && t.opts.Seen.read(session, path, g) && len(res.Content) > repeatFrom {
		detail.Summary = "unchanged"
		res.Content = repeatMark + a.Path + ", " + fmt.Sprintf("lines %d-%d, is the same as when you read it before; it is not shown again]", g.shown.first, g.shown.last)
	}
	return res
}

// repeatFrom is how long a page must be, in bytes, before a repeated read is answered short.
const repeatFrom = 400

// Forget lets the next read of path ("" for all) of a session answer in full; see Seen.
func (t *Read) Forget(session, path string) { t.opts.Seen.Forget(session, path) }

// page is the part of a file that one call shows.
type page struct {
	first, limit int
	out          strings.Builder
	chars        int
	shown        int
	total        int  // lines seen; all of the file's unless more
	more         bool // counting was given up
	full         bool // stopped by MaxRead, not by limit
	cutLines     int
}

// countLimit bounds how far a file is read only to tell how many lines it has, in bytes.
const countLimit = 64 << 20

func (p *page) fill(ctx context.Context, f *opened) error {
	counted := 0
	for {
		done := p.full || p.shown == p.limit
		line, cut, err := f.line(4*MaxLine + 4)
		if err == io.EOF { //nolint:errorlint // line returns it bare
			return nil
		}
		if err != nil {
			return err
		}
		if p.total++; p.total%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case p.total < p.first:
		case !done:
			p.add(text.CleanUTF8(string(line)), cut)
		default:
			if counted += len(line) + cut + 1; counted > countLimit {
				p.more = true
				return nil
			}
		}
	}
}

// add puts one line on the page unless there is no more room.
func (p *page) add(line string, cut int) {
	if n := text.Len(line); cut > 0 || n > MaxLine {
		left := max(n-MaxLine, 0) + cut // of what was not even read only the bytes are known
		head := []rune(line)
		line = string(head[:min(len(head), MaxLine)]) + " [... about " + text.Thousands(left) + " more characters on this line]"
		p.cutLines++
	}
	row := fmt.Sprintf("%6d|%s\n", p.total, line)
	n := text.Len(row)
	if p.chars+n > MaxRead && p.shown > 0 {
		p.full = true
		return
	}
	p.out.WriteString(row)
	p.chars += n
	p.shown++
}

func (p *page) result(path string, f form, detail *core.ToolDetail) core.ToolResult {
	of := text.Thousands(p.total)
	if p.more {
		of = "more than " + of
	}
	switch {
	case p.total == 0:
		detail.Summary = "empty"
		return core.ToolResult{OK: true, Content: path + " is empty.", Detail: detail}
	case p.shown == 0:
		return core.ToolResult{Content: fmt.Sprintf("%s has only %s lines; there is no line %d.", path, of, p.first), Detail: detail}
	}
	last := p.first + p.shown - 1
	var notes []string
	if p.first > 1 || last < p.total || p.more {
		notes = append(notes, fmt.Sprintf("lines %d-%d of %s", p.first, last, of))
	}
	if last < p.total || p.more {
		why := ""
		if p.full {
			why = "the limit of 100,000 characters is reached; "
		}
		notes = append(notes, fmt.Sprintf("%scontinue with offset %d, or find the place with search_files", why, last+1))
	}
	if f.encoding != "" {
		notes = append(notes, "the file is "+f.encoding)
	}
	if f.crlf {
		notes = append(notes, "line ends are CR LF; write_file keeps them")
	}
	out := p.out.String()
	if len(notes) > 0 {
		out += "[" + strings.Join(notes, "; ") + "]"
	}
	detail.Summary = fmt.Sprintf("lines %d-%d of %s", p.first, last, of)
	return core.ToolResult{OK: true, Content: out, Detail: detail}
}
