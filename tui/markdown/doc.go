// Package markdown renders Markdown that is still being written. A document is cut into top-level
// blocks; each closed block is rendered once by Glamour, cached without regard to width, and only
// wrapped again when the width changes. The open block at the end is short or drawn as plain lines,
// so the cost of a delta does not grow with the answer.
//
// It must not know panes or messages. Start at Doc (the text), then Renderer (the drawing).
package markdown

import "strings"

// liveLimit is the size in bytes up to which the open block is rendered anew for every frame; a
// larger one is drawn as plain lines until it closes.
const liveLimit = 2048

// Doc is one growing Markdown text and its rendered lines. It is not safe for concurrent use.
type Doc struct {
	raw     strings.Builder
	split   splitter
	partial string // the last line, not yet ended
	closed  bool

	lines lineCache
}

// lineCache holds the drawn lines of the closed blocks at one width.
type lineCache struct {
	width int
	by    *Renderer
	head  []string // lines of split.out[:done]
	done  int
	// of an open block drawn plainly: lines of split.cur[:plainDone], after base (index of the block)
	plain     []string
	plainDone int
	plainOf   int
}

// NewDoc returns a document holding text, closed when complete says so.
func NewDoc(text string, complete bool) *Doc {
	d := &Doc{}
	d.Append(text)
	if complete {
		d.Close()
	}
	return d
}

// Append adds raw text at the end. Nothing may be appended after Close.
func (d *Doc) Append(text string) {
	d.raw.WriteString(text)
	d.partial += text
	for {
		i := strings.IndexByte(d.partial, '\n')
		if i < 0 {
			return
		}
		d.split.line(cleanLine(d.partial[:i]))
		d.partial = d.partial[i+1:]
	}
}

// Close ends the document: the open block is final.
func (d *Doc) Close() {
	if d.closed {
		return
	}
	if d.partial != "" {
		d.split.line(cleanLine(d.partial))
		d.partial = ""
	}
	d.split.close()
	d.closed = true
}

// Raw returns the text as it came.
func (d *Doc) Raw() string { return d.raw.String() }

// Empty tells whether nothing but white space came so far.
func (d *Doc) Empty() bool { return len(d.split.out) == 0 && strings.TrimSpace(d.raw.String()) == "" }

// Forget drops the rendered lines; they come back when drawn again.
func (d *Doc) Forget() { d.lines = lineCache{} }

// Lines returns the drawn document at width w in two parts that follow each other: head never
// changes but by growing, tail is the open block. The slices belong to d.
func (d *Doc) Lines(r *Renderer, w int) (head, tail []string) {
	c := &d.lines
	if c.width != w || c.by != r {
		*c = lineCache{width: w, by: r}
	}
	for ; c.done < len(d.split.out); c.done++ {
		b := d.split.out[c.done]
		if b.gap {
			c.head = append(c.head, "")
		}
		c.head = append(c.head, r.block(b, w)...)
	}
	return c.head, d.tail(r, w)
}

// tail draws the open block.
func (d *Doc) tail(r *Renderer, w int) []string {
	if d.closed || (len(d.split.cur) == 0 && d.partial == "") {
		return nil
	}
	if len(d.split.cur) > 0 && (d.split.kind == code || d.split.size > liveLimit) {
		return d.plainTail(r, w)
	}
	// The unfinished line is shown as if it had ended: a copy of the splitter takes it.
	s := d.split
	s.out = append([]block(nil), s.out[max(len(s.out)-1, 0):]...)
	n := len(s.out)
	s.cur = append([]string(nil), s.cur...)
	if d.partial != "" {
		s.line(cleanLine(d.partial))
	}
	s.close()
	var out []string
	for _, b := range s.out[n:] {
		if b.gap && (n > 0 || len(out) > 0) {
			out = append(out, "")
		}
		if b.kind == code {
			out = append(out, r.plain(strings.Split(b.text, "\n")[1:], w)...)
			continue
		}
		out = append(out, r.live(b, w)...)
	}
	return out
}

// plainTail draws the open block line by line, keeping what is drawn already.
func (d *Doc) plainTail(r *Renderer, w int) []string {
	c := &d.lines
	if c.plainOf != len(d.split.out)+1 {
		c.plain, c.plainDone, c.plainOf = nil, 0, len(d.split.out)+1
		if d.split.gap && len(d.split.out) > 0 {
			c.plain = append(c.plain, "")
		}
		if d.split.kind == code {
			c.plainDone = 1 // the fence itself is not drawn
		}
	}
	if c.plainDone < len(d.split.cur) {
		c.plain = append(c.plain, r.plainKind(d.split.kind, d.split.cur[c.plainDone:], w)...)
		c.plainDone = len(d.split.cur)
	}
	if d.partial == "" {
		return c.plain
	}
	last := cleanLine(d.partial)
	if d.split.kind == code && strings.HasPrefix(d.split.fence, strings.TrimSpace(last)) {
		return c.plain // the closing fence is being written
	}
	return append(c.plain[:len(c.plain):len(c.plain)], r.plainKind(d.split.kind, []string{last}, w)...)
}
