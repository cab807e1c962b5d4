package web

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return true
		}
	}
	return false
}

// walk visits the elements below n in order; into says whether to go below an element.
func walk(n *html.Node, into func(*html.Node) bool) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode || into(c) {
			walk(c, into)
		}
	}
}

// find1 returns the first element below n that is wanted, or nil.
func find1(n *html.Node, wanted func(*html.Node) bool) *html.Node {
	var hit *html.Node
	walk(n, func(c *html.Node) bool {
		if hit == nil && wanted(c) {
			hit = c
		}
		return hit == nil
	})
	return hit
}

// sweep removes comments and the elements that go.
func sweep(n *html.Node, goes func(*html.Node) bool) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == html.CommentNode || c.Type == html.ElementNode && goes(c) {
			n.RemoveChild(c)
		} else {
			sweep(c, goes)
		}
		c = next
	}
}

// dead reports whether nobody reads n: it is code, it is drawn, or it is hidden. Hidden text is a
// favourite place for words meant for machines only.
func dead(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Canvas, atom.Iframe, atom.Object, atom.Embed,
		atom.Head, atom.Link, atom.Meta, atom.Input, atom.Select, atom.Textarea, atom.Button, atom.Datalist, atom.Dialog,
		atom.Audio, atom.Video:
		return n.DataAtom != atom.Dialog || !has(n, "open")
	default:
	}
	if has(n, "hidden") && attr(n, "hidden") != "until-found" || attr(n, "aria-hidden") == "true" {
		return true
	}
	style := strings.ToLower(strings.ReplaceAll(attr(n, "style"), " ", ""))
	for _, s := range []string{"display:none", "visibility:hidden", "font-size:0;", "font-size:0px", "opacity:0;"} {
		if strings.Contains(style+";", s) {
			return true
		}
	}
	return false
}

// furniture reports whether n stands around the content. inside tells that the content element is
// known: an aside or footer in there is often content too, unless it is mostly links.
func furniture(n *html.Node, inside bool) bool {
	switch n.DataAtom {
	case atom.Nav:
		return true
	case atom.Aside, atom.Footer:
		return !inside || linky(n)
	case atom.Form: // some sites wrap the whole page in one
		return textLen(n) < 400 || linky(n)
	default:
	}
	switch attr(n, "role") {
	case "navigation", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar":
		return true
	case "complementary", "contentinfo", "banner":
		return !inside || linky(n)
	}
	return false
}

// linky reports whether at least half of n's text is links.
func linky(n *html.Node) bool {
	links := 0
	walk(n, func(c *html.Node) bool {
		if c.DataAtom == atom.A {
			links += textLen(c)
			return false
		}
		return true
	})
	return 2*links >= textLen(n)
}

// textLen counts the code points of n's text without white space.
func textLen(n *html.Node) int {
	total := 0
	eachText(n, func(s string) {
		for _, w := range strings.Fields(s) {
			total += utf8.RuneCountInString(w)
		}
	})
	return total
}

func innerText(n *html.Node) string {
	var b strings.Builder
	eachText(n, func(s string) { b.WriteString(s) })
	return b.String()
}

func eachText(n *html.Node, f func(string)) {
	if n.Type == html.TextNode {
		f(n.Data)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		eachText(c, f)
	}
}

// maxLink is the longest address kept in a page, in bytes.
const maxLink = 1_000

// tidyLinks makes addresses absolute and takes out those that help nobody: jumps within the page,
// scripts, embedded data, and pictures without a description. Formulas become their source.
func tidyLinks(n *html.Node, at *url.URL) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch {
		case c.Type == html.ElementNode && c.DataAtom == atom.A:
			if to := absolute(at, attr(c, "href")); to == "" {
				c.Data, c.DataAtom, c.Attr = "span", atom.Span, nil
			} else {
				c.Attr = []html.Attribute{{Key: "href", Val: to}}
			}
		case c.Type == html.ElementNode && c.DataAtom == atom.Img:
			alt, to := strings.TrimSpace(attr(c, "alt")), absolute(at, attr(c, "src"))
			switch {
			case alt == "":
				n.RemoveChild(c)
			case to == "":
				c.Type, c.Data, c.DataAtom, c.Attr = html.TextNode, "["+alt+"]", 0, nil
			default:
				c.Attr = []html.Attribute{{Key: "src", Val: to}, {Key: "alt", Val: alt}}
			}
		case c.Type == html.ElementNode && c.DataAtom == atom.Math:
			if tex := formula(c); tex != "" {
				n.InsertBefore(&html.Node{Type: html.ElementNode, Data: "code", DataAtom: atom.Code}, c)
				c.PrevSibling.AppendChild(&html.Node{Type: html.TextNode, Data: tex})
				n.RemoveChild(c)
				c = &html.Node{Type: html.TextNode}
			}
		}
		tidyLinks(c, at)
		c = next
	}
}

// absolute returns ref as a full http, https or mailto address, "" when it is none worth keeping.
func absolute(at *url.URL, ref string) string {
	ref = strings.TrimSpace(ref)
	if ref == "" || ref[0] == '#' {
		return ""
	}
	u, err := at.Parse(ref)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
		return ""
	}
	u.User = nil
	if s := u.String(); len(s) <= maxLink {
		return s
	}
	return ""
}

// formula returns the source of a formula where the page gives it, "" elsewhere.
func formula(n *html.Node) string {
	if t := strings.TrimSpace(attr(n, "alttext")); t != "" {
		return t
	}
	a := find1(n, func(c *html.Node) bool { return c.Data == "annotation" && strings.Contains(attr(c, "encoding"), "tex") })
	if a == nil {
		return ""
	}
	return strings.TrimSpace(innerText(a))
}
