package web

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hermes/core"
	"hermes/core/text"
	"hermes/tools"
)

//go:embed web_extract.md
var extractText string

// convertTime is how long one page may take to become Markdown.
const convertTime = 15 * time.Second

// Extract is the web_extract tool. It is safe for concurrent use.
type Extract struct {
	client *client
	spills *tools.Spills
	pages  *shelf
	desks  chan struct{} // one token a page being converted: each needs many times its size in memory
}

var (
	_ core.Tool    = (*Extract)(nil)
	_ tools.Capped = (*Extract)(nil)
)

func newExtract(opts Options) *Extract {
	return &Extract{client: newClient(opts), spills: opts.Spills, pages: newShelf(), desks: make(chan struct{}, 2)}
}

// Spec describes the tool.
func (*Extract) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: "web_extract", Description: strings.TrimSpace(extractText),
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"url":{"type":"string","description":"Address of one page."},` +
			`"urls":{"type":"array","description":"Addresses of several pages, at most 5.","items":{"type":"string"}},` +
			`"offset":{"type":"integer","description":"First character to give, from 0; with one address only.","minimum":0}` +
			`},"additionalProperties":false}`),
	}
}

// OutputLimit is the tool's own bound and a margin for its lines: pages are cut one by one.
func (*Extract) OutputLimit() int { return MaxURLs * (MaxPage + 2_500) }

// parse reads the checked arguments.
func (t *Extract) parse(run core.ToolRun) (urls []string, offset int, err error) {
	var a struct {
		URL    string   `json:"url"`
		URLs   []string `json:"urls"`
		Offset int      `json:"offset"`
	}
	if err := json.Unmarshal(run.Arguments, &a); err != nil {
		return nil, 0, fmt.Errorf("read arguments: %w", err)
	}
	if a.URL != "" {
		a.URLs = append([]string{a.URL}, a.URLs...)
	}
	for _, u := range a.URLs {
		if u = strings.TrimSpace(u); u != "" && !slices.Contains(urls, u) {
			urls = append(urls, u)
		}
	}
	switch {
	case len(urls) == 0:
		return nil, 0, errors.New("it names no address; give url or urls")
	case len(urls) > MaxURLs:
		return nil, 0, fmt.Errorf("it names %d addresses, at most %d are opened in one call", len(urls), MaxURLs)
	case a.Offset > 0 && len(urls) > 1:
		return nil, 0, errors.New("offset goes with one address only")
	}
	return urls, max(a.Offset, 0), nil
}

// Run reads the pages of one call, at the same time.
func (t *Extract) Run(ctx context.Context, run core.ToolRun) core.ToolResult {
	urls, offset, err := t.parse(run)
	if err != nil {
		return tools.Fail("web_extract was not run: " + err.Error() + ".")
	}
	parts := make([]part, len(urls))
	var wg sync.WaitGroup
	for i, u := range urls {
		at := run
		if len(urls) > 1 {
			at.CallID += "-" + strconv.Itoa(i+1)
		}
		wg.Go(func() { parts[i] = t.guarded(ctx, at, u, offset) })
	}
	wg.Wait()
	return join(parts)
}

// part is what one address gave.
type part struct {
	ok      bool
	content string
	detail  core.ToolDetail
}

// join makes one result of the parts. It is OK when any page was read.
func join(parts []part) core.ToolResult {
	res := core.ToolResult{Detail: &core.ToolDetail{}}
	var contents, taints []string
	read := 0
	for _, p := range parts {
		contents = append(contents, p.content)
		if p.ok {
			read++
		}
		if p.detail.Taint != "" {
			taints = append(taints, p.detail.Taint)
		}
		if res.Detail.Spill == "" {
			res.Detail.Spill = p.detail.Spill
		}
		res.Detail.Cut += p.detail.Cut
	}
	res.OK = read > 0
	res.Content = strings.Join(contents, "\n\n")
	res.Detail.Taint = strings.Join(taints, "\n")
	res.Detail.Summary = parts[0].detail.Summary
	if len(parts) > 1 {
		res.Detail.Summary = fmt.Sprintf("%d of %d pages", read, len(parts))
		for _, p := range parts {
			if _, steers, ok := strings.Cut(p.detail.Summary, "; "+steering); ok {
				res.Detail.Summary += "; " + steering + steers
				break
			}
		}
	}
	return res
}

// guarded keeps a fault of ours in one page from ending the program: pages are read in goroutines that
// nobody else watches.
func (t *Extract) guarded(ctx context.Context, run core.ToolRun, raw string, offset int) (p part) {
	defer func() {
		if v := recover(); v != nil {
			p = failed(fmt.Errorf("web_extract failed inside hermes: %v", v))
		}
	}()
	p, err := t.one(ctx, run, raw, offset)
	if err != nil {
		return failed(err)
	}
	return p
}

func failed(err error) part {
	msg := strings.TrimSuffix(err.Error(), ".") + "."
	if hint := core.HintOf(err); hint != "" {
		msg += " " + strings.TrimSuffix(hint, ".") + "."
	}
	return part{content: msg, detail: core.ToolDetail{Summary: text.Cut(text.OneLine(err.Error()), 120), Aborted: core.CodeOf(err) == core.CodeInterrupted}}
}

// one reads the page at raw and gives the part from offset on.
func (t *Extract) one(ctx context.Context, run core.ToolRun, raw string, offset int) (part, error) {
	u, err := t.client.vault.parseURL(raw)
	switch {
	case errors.Is(err, errSecret):
		return part{}, err // the address is not repeated
	case errors.Is(err, errAccount):
		return part{}, &core.Error{Op: "open", Subject: show(u), Err: err}
	case err != nil:
		return part{}, &core.Error{Op: "open", Subject: text.Cut(text.OneLine(raw), 200), Err: err}
	}
	key := run.SessionID + "\x00" + u.String()
	pg := t.pages.get(key)
	if pg == nil || offset == 0 {
		if pg, err = t.load(ctx, run, u); err != nil {
			return part{}, err
		}
		t.pages.put(key, pg)
	}
	return pg.part(offset)
}

// load fetches u and makes text of it.
func (t *Extract) load(ctx context.Context, run core.ToolRun, u *url.URL) (*page, error) {
	f, err := t.client.fetch(ctx, u)
	if err != nil {
		return nil, err
	}
	pg := &page{asked: show(u), final: show(f.url)}
	if f.kind.form != formOther {
		f.kind = sniff(f.kind, f.body)
	}
	if f.kind.form == formOther {
		pg.other = other(f)
		return pg, nil
	}
	src, set, broken := decodeText(f.body, f.kind.label)
	if f.kind.form == formHTML {
		r, err := t.convert(ctx, src, f.url)
		if err != nil {
			if ctx.Err() != nil {
				return nil, t.client.fault(ctx, f.url, ctx.Err())
			}
			return nil, &core.Error{Code: core.CodeProtocol, Op: "read", Subject: show(f.url), Err: errors.New("its markup takes too long to understand"), Hint: "Look for another source"}
		}
		pg.title, src = r.title, r.body
		pg.note(r.cut, "the page is longer than 5 MiB of markup; the rest was left out")
		pg.note(r.plain, "the markup is broken; this is its bare text")
	}
	pg.setText(src)
	if pg.count == 0 {
		return nil, &core.Error{Code: core.CodeNotFound, Op: "read", Subject: show(f.url), Err: errEmpty, Hint: "Look for another source, or for the data behind the page"}
	}
	pg.note(f.cut, "the answer is longer than 10 MiB; the rest was not read")
	pg.note(f.flaw != "", f.flaw)
	pg.note(set != "", "decoded from "+set)
	pg.note(broken, "some bytes are no text and were replaced")
	t.spill(run, pg)
	return pg, nil
}

// convert makes Markdown of src when a desk is free.
func (t *Extract) convert(ctx context.Context, src string, at *url.URL) (readable, error) {
	select {
	case t.desks <- struct{}{}:
	case <-ctx.Done():
		return readable{}, ctx.Err()
	}
	defer func() { <-t.desks }()
	limited, cancel := context.WithTimeout(ctx, convertTime)
	defer cancel()
	return markdown(limited, src, at)
}

// spill keeps the full text of a page that does not fit; a disk that refuses costs the file only.
func (t *Extract) spill(run core.ToolRun, pg *page) {
	if t.spills == nil || pg.count <= MaxPage {
		return
	}
	s, err := t.spills.Open(run.SessionID, run.CallID)
	if err != nil {
		return
	}
	marked, _ := mark(pg.final, pg.head()+pg.text)
	_, _ = s.Write([]byte(marked)) // never fails; Close tells
	if path, err := s.Close(); err == nil {
		pg.spill = path
	}
}

// other names a body that is no text.
func other(f *fetched) string {
	what := f.kind.media
	if what == "" || what == "application/octet-stream" {
		what = "binary data"
	}
	if f.size >= 0 {
		what += ", " + text.Thousands(int(f.size)) + " bytes"
	}
	if base := f.url.Path[strings.LastIndexByte(f.url.Path, '/')+1:]; base != "" {
		what += ", named " + strconv.Quote(text.Cut(text.OneLine(base), 80))
	}
	return what
}
