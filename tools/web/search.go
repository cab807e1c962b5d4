package web

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"

	"hermes/core"
	"hermes/core/text"
	"hermes/tools"
)

//go:embed web_search.md
var searchText string

// The limits of web_search.
const (
	DefaultResults = 5
	MaxResults     = 20
	maxQuery       = 400 // code points
	maxAnswer      = 4 << 20
)

// Search is the web_search tool. It is safe for concurrent use.
type Search struct {
	service Service
	http    *http.Client
	vault   vault
	agent   string
	timeout time.Duration
}

var _ core.Tool = (*Search)(nil)

// newSearch returns the tool. The service's address was chosen by the person, so it may be a private
// one; its redirects are not followed, because the key must not travel.
func newSearch(opts Options) *Search {
	return &Search{
		service: *opts.Search, vault: vault{opts.Redactor}, agent: opts.UserAgent, timeout: opts.Timeout,
		http: &http.Client{
			Transport:     newTransport(nil),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Spec describes the tool.
func (*Search) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: "web_search", Description: strings.TrimSpace(searchText),
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"query":{"type":"string","description":"What to look for, at most 400 characters."},` +
			`"count":{"type":"integer","description":"Results to give; default 5.","minimum":1,"maximum":20}` +
			`},"required":["query"],"additionalProperties":false}`),
	}
}

// Run asks the search service.
func (t *Search) Run(ctx context.Context, run core.ToolRun) core.ToolResult {
	var a struct {
		Query string `json:"query"`
		Count int    `json:"count"`
	}
	if err := json.Unmarshal(run.Arguments, &a); err != nil {
		return tools.Fail("web_search was not run: read arguments: " + err.Error() + ".")
	}
	query := text.OneLine(a.Query)
	switch n := text.Len(query); {
	case n == 0:
		return tools.Fail("web_search was not run: the query is empty.")
	case n > maxQuery:
		return tools.Fail(fmt.Sprintf("web_search was not run: the query has %d characters, at most %d are sent. Use a few words.", n, maxQuery))
	case t.vault.holds(query):
		return tools.Fail("web_search was not run: the query holds a secret known to hermes. Never send keys or passwords to a search service.")
	}
	count := DefaultResults
	if a.Count > 0 {
		count = min(a.Count, MaxResults)
	}
	hits, err := t.ask(ctx, query, count)
	if err != nil {
		p := failed(err)
		return core.ToolResult{Content: p.content, Detail: &p.detail}
	}
	return t.result(query, hits)
}

func (t *Search) result(query string, hits []hit) core.ToolResult {
	if len(hits) == 0 {
		return core.ToolResult{OK: true, Content: "No results for " + query + ". Try other or fewer words.", Detail: &core.ToolDetail{Summary: "no results"}}
	}
	var b strings.Builder
	for i, h := range hits {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%d. %s\n   %s", i+1, h.title, h.url)
		if h.snippet != "" {
			b.WriteString("\n   " + h.snippet)
		}
	}
	source := t.service.source()
	marked, ids := mark("a search at "+source, b.String())
	d := &core.ToolDetail{Summary: fmt.Sprintf("%d results for %s", len(hits), text.Cut(query, 60)), Taint: "web: " + source}
	if len(ids) > 0 {
		d.Summary += "; " + steering + " (" + strings.Join(ids, ", ") + ")"
	}
	return core.ToolResult{OK: true, Content: marked, Detail: d}
}

// ask sends one query and reads the answer.
func (t *Search) ask(ctx context.Context, query string, count int) ([]hit, error) {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	req, err := t.service.request(ctx, query, count)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	req.Header.Set("User-Agent", t.agent)
	req.Header.Set("Accept", "application/json")
	at := &url.URL{Scheme: req.URL.Scheme, Host: req.URL.Host, Path: req.URL.Path}
	c := &client{timeout: t.timeout}
	resp, err := t.http.Do(req)
	if err != nil {
		return nil, c.fault(ctx, at, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, t.service.statusFault(at, resp)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, c.fault(ctx, at, err)
	}
	hits, err := t.service.hits(body)
	if err != nil || len(body) > maxAnswer {
		return nil, &core.Error{Code: core.CodeProtocol, Op: "search at", Subject: show(at), Err: errors.New("the answer is not the JSON of a search"), Hint: "The person can check web.search_url in config.yaml"}
	}
	return clean(hits, count), nil
}

// hit is one result.
type hit struct{ title, url, snippet string }

// clean makes plain lines of what services send and drops results that lead nowhere.
func clean(hits []hit, count int) []hit {
	var out []hit
	seen := map[string]bool{}
	for _, h := range hits {
		u, err := url.Parse(strings.TrimSpace(h.url))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || len(h.url) > maxLink || seen[u.String()] {
			continue
		}
		u.User = nil
		seen[u.String()] = true
		h.url = u.String()
		h.title = text.Cut(untag(h.title), 160)
		h.snippet = text.Cut(untag(h.snippet), 320)
		if h.title == "" {
			h.title = u.Host
		}
		if out = append(out, h); len(out) == count {
			break
		}
	}
	return out
}

// untag takes tags and escapes out of a line of HTML.
func untag(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return text.OneLine(text.CleanUTF8(s))
	}
	z := html.NewTokenizer(strings.NewReader(s))
	var b strings.Builder
	for {
		switch z.Next() {
		case html.ErrorToken:
			return text.OneLine(text.CleanUTF8(b.String()))
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken, html.CommentToken, html.DoctypeToken:
		}
	}
}
