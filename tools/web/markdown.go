package web

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"hermes/core/text"
)

// maxMarkup is how much HTML is understood as a tree, in bytes; what is beyond is left out and named.
const maxMarkup = 5 << 20

// readable is a page as Markdown.
type readable struct {
	title string
	body  string
	cut   bool // the markup was longer than maxMarkup
	plain bool // the markup could not be understood; body is its bare text
}

// markdown turns HTML into Markdown: the main content, links made absolute. It gives up waiting when
// ctx ends. Markup nobody can understand (nested without end, or a fault of the converter) comes back
// as its bare text.
func markdown(ctx context.Context, src string, at *url.URL) (readable, error) {
	var r readable
	if len(src) > maxMarkup {
		src, r.cut = text.CleanUTF8(src[:maxMarkup]), true
	}
	type answer struct {
		title, body string
		err         error
	}
	done := make(chan answer, 1) // the converter cannot be stopped; it is left behind when ctx ends
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- answer{err: fmt.Errorf("convert page: %v", p)}
			}
		}()
		title, body, err := convert(src, at)
		done <- answer{title, body, err}
	}()
	select {
	case <-ctx.Done():
		return r, ctx.Err()
	case a := <-done:
		r.title, r.body = a.title, a.body
		if a.err != nil {
			r.title, r.body, r.plain = "", bareText(src), true
		}
		return r, nil
	}
}

func convert(src string, at *url.URL) (title, body string, err error) {
	doc, err := html.ParseWithOptions(strings.NewReader(src), html.ParseOptionEnableScripting(false))
	if err != nil {
		return "", "", fmt.Errorf("parse page: %w", err)
	}
	title = titleOf(doc)
	if b := find1(doc, func(n *html.Node) bool { return n.DataAtom == atom.Base && attr(n, "href") != "" }); b != nil {
		if u, err := at.Parse(attr(b, "href")); err == nil {
			at = u
		}
	}
	root := find1(doc, func(n *html.Node) bool { return n.DataAtom == atom.Body })
	if root == nil {
		root = doc
	}
	sweep(root, dead)
	all := textLen(root)
	main := mainContent(root, all)
	inside := main != root
	sweep(main, func(n *html.Node) bool { return furniture(n, inside) })
	if kept := textLen(main); kept < 80 && all > 4*kept {
		// The guess threw the content away: take the whole page, furniture and all.
		if doc, err = html.ParseWithOptions(strings.NewReader(src), html.ParseOptionEnableScripting(false)); err != nil {
			return "", "", fmt.Errorf("parse page: %w", err)
		}
		main = doc
		sweep(main, dead)
	}
	tidyLinks(main, at)
	out, err := newConverter().ConvertNode(main)
	if err != nil {
		return "", "", fmt.Errorf("convert page: %w", err)
	}
	return title, squeeze(string(out)), nil
}

// newConverter leaves Markdown's own characters in the text as they are: a model reads "a_b" better than
// "a\_b", and the search for what to escape is quadratic in the converter.
func newConverter() *converter.Converter {
	return converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(table.WithHeaderPromotion(true), table.WithSkipEmptyRows(true), table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)),
	))
}

// titleOf prefers the page's own title to the one made for previews.
func titleOf(doc *html.Node) string {
	if t := find1(doc, func(n *html.Node) bool {
		return n.DataAtom == atom.Title && (n.Namespace == "") && strings.TrimSpace(innerText(n)) != ""
	}); t != nil {
		return text.Cut(text.OneLine(innerText(t)), 200)
	}
	m := find1(doc, func(n *html.Node) bool { return n.DataAtom == atom.Meta && attr(n, "property") == "og:title" })
	if m == nil {
		return ""
	}
	return text.Cut(text.OneLine(attr(m, "content")), 200)
}

// mainContent returns the element that holds the page's own content, root when none stands out. all
// is the length of root's text.
func mainContent(root *html.Node, all int) *html.Node {
	best, most := root, 0
	walk(root, func(n *html.Node) bool {
		if n.DataAtom == atom.Main || attr(n, "role") == "main" {
			if l := textLen(n); l > most {
				best, most = n, l
			}
			return false
		}
		return true
	})
	if most > 0 && most*4 >= all {
		return best
	}
	best, most = root, 0
	articles := 0
	walk(root, func(n *html.Node) bool {
		if n.DataAtom == atom.Article {
			articles++
			if l := textLen(n); l > most {
				best, most = n, l
			}
			return false
		}
		return true
	})
	if articles > 0 && most*2 >= all {
		return best
	}
	return root
}

// bareText is what is left of markup without its tags, scripts and styles.
func bareText(src string) string {
	z := html.NewTokenizer(strings.NewReader(src))
	var b strings.Builder
	skip := ""
	for {
		switch z.Next() {
		case html.ErrorToken:
			return squeeze(b.String())
		case html.TextToken:
			if skip == "" {
				b.Write(z.Text())
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			if n := string(name); skip == "" && (n == "script" || n == "style" || n == "title") {
				skip = n
			} else if blockTag(n) {
				b.WriteByte('\n')
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if n := string(name); n == skip {
				skip = ""
			} else if blockTag(n) {
				b.WriteByte('\n')
			}
		case html.SelfClosingTagToken, html.CommentToken, html.DoctypeToken:
		}
	}
}

func blockTag(name string) bool {
	switch atom.Lookup([]byte(name)) {
	case atom.P, atom.Div, atom.Br, atom.Li, atom.Tr, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Pre, atom.Section, atom.Article, atom.Table, atom.Ul, atom.Ol:
		return true
	default:
		return false
	}
}

// squeeze trims line ends and keeps at most one empty line in a row.
func squeeze(s string) string {
	var b strings.Builder
	empty := 0
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, " \t\r\n\u00a0")
		if line == "" {
			empty++
			continue
		}
		if empty > 0 && b.Len() > 0 {
			b.WriteByte('\n')
		}
		empty = 0
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}

// errEmpty says that a page holds nothing to read.
var errEmpty = errors.New("the page holds no text; it may be built by scripts or want a login")
