package web

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"hermes/core"
	"hermes/core/text"
)

// page is a page as text, ready to be given in parts. It does not change once it is on the shelf.
type page struct {
	asked, final string
	other        string // what it is, when it is no text
	title        string
	text         string
	count        int // code points of text
	notes        []string
	spill        string
}

func (p *page) setText(s string) {
	p.text = strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
	p.count = utf8.RuneCountInString(p.text)
}

func (p *page) note(when bool, words string) {
	if when {
		p.notes = append(p.notes, words)
	}
}

// head is what stands above the text. The title and a redirect's address are foreign too.
func (p *page) head() string {
	h := ""
	if p.title != "" {
		h = "Title: " + p.title + "\n"
	}
	return h + "Address: " + p.final + "\n\n"
}

// steering starts the warning in a summary.
const steering = "tries to steer agents"

// part gives the page from offset on, at most MaxPage code points, ended at a line where one is near.
func (p *page) part(offset int) (part, error) {
	out := part{ok: true, detail: core.ToolDetail{Spill: p.spill}}
	if p.other != "" {
		out.content = p.final + " is no text page: " + p.other + ". It is not shown; download it with a command if you need it."
		out.detail.Summary = p.other
		return out, nil
	}
	if offset >= p.count {
		return out, &core.Error{Op: "read", Subject: p.final, Err: fmt.Errorf("it has only %s characters; offset %d is behind its end", text.Thousands(p.count), offset)}
	}
	shown := window(p.text, offset, MaxPage)
	end := offset + utf8.RuneCountInString(shown)
	marked, ids := mark(p.final, p.head()+strings.TrimRight(shown, "\n"))
	notes := slices.Clone(p.notes)
	if p.final != p.asked {
		notes = append(notes, "redirected from "+p.asked)
	}
	if offset > 0 || end < p.count {
		notes = append(notes, fmt.Sprintf("characters %d-%d of %d", offset, end, p.count))
		out.detail.Cut = p.count - (end - offset)
	}
	if end < p.count {
		notes = append(notes, fmt.Sprintf("continue with offset %d", end))
	}
	if p.spill != "" {
		notes = append(notes, "full text in "+filepath.ToSlash(p.spill))
	}
	out.content = marked
	if len(notes) > 0 {
		out.content += "\n[" + strings.Join(notes, "; ") + "]"
	}
	out.detail.Taint = "web: " + p.final
	out.detail.Summary = summary(p, ids)
	return out, nil
}

func summary(p *page, ids []string) string {
	name := p.title
	if name == "" {
		name = p.final
	}
	s := text.Cut(text.OneLine(name), 80) + ", " + text.Thousands(p.count) + " characters"
	if len(ids) > 0 {
		s += "; " + steering + " (" + strings.Join(ids, ", ") + ")"
	}
	return s
}

// window returns at most n code points of s from offset on, ended at a line where one is near.
func window(s string, offset, n int) string {
	from, to, count := len(s), len(s), 0
	for i := range s {
		if count == offset {
			from = i
		}
		if count == offset+n {
			to = i
			break
		}
		count++
	}
	if cut := strings.LastIndexByte(s[from:to], '\n') + 1; to < len(s) && cut > (to-from)*9/10 {
		to = from + cut
	}
	return s[from:to]
}
