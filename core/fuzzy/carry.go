package fuzzy

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// carry fits new to the indentation of the region: the base of old's first line is swapped for the
// region's, line by line. Lines that old and new share keep the region's own bytes.
func carry(region, old, new string) string {
	oldBase, regionBase := base(old), base(region)
	rl, ol, nl := strings.Split(region, "\n"), strings.Split(old, "\n"), strings.Split(new, "\n")
	head := 0
	for head < min(len(ol), len(nl), len(rl)) && ol[head] == nl[head] {
		head++
	}
	tail := 0
	for tail < min(len(ol), len(nl), len(rl))-head && ol[len(ol)-1-tail] == nl[len(nl)-1-tail] {
		tail++
	}
	out := slices.Clone(rl[:head])
	for _, line := range nl[head : len(nl)-tail] {
		out = append(out, reindent(line, oldBase, regionBase))
	}
	return strings.Join(append(out, rl[len(rl)-tail:]...), "\n")
}

func reindent(line, from, to string) string {
	if from == to || strings.TrimSpace(line) == "" {
		return line
	}
	if rest, ok := strings.CutPrefix(line, from); ok {
		return to + rest
	}
	return to + strings.TrimLeft(line, " \t")
}

// base is the indentation of the first line that has text.
func base(s string) string {
	for line := range strings.Lines(s) {
		if t := strings.TrimLeft(line, " \t"); strings.TrimSpace(t) != "" {
			return line[:len(line)-len(t)]
		}
	}
	return ""
}

// keepTypography makes the change from old to new on the region, so that what both share keeps the
// region's own quotes, dashes and spaces. Where region and old do not line up, new is taken as it is.
func keepTypography(region, old, new string) string {
	r, o := asciiView(region), asciiView(old)
	if r.text != o.text {
		return new
	}
	var b strings.Builder
	at := 0
	for _, e := range udiff.Strings(old, new) {
		from, to := r.start(forward(o, e.Start)), r.end(forward(o, e.End))
		if e.Start == e.End {
			to = from
		}
		if from < at || to < from {
			return new
		}
		b.WriteString(region[at:from])
		b.WriteString(e.New)
		at = to
	}
	return b.String() + region[at:]
}

// forward finds the place in a mapped text that source byte i became.
func forward(m mapped, i int) int {
	if m.starts == nil {
		return i
	}
	n, _ := slices.BinarySearch(m.starts, i)
	return n
}

// damage says why replacing region would harm the text: signs that the model's escaping went wrong.
func (p *problem) damage(region string) string {
	for _, q := range []string{`\'`, `\"`} {
		if strings.Contains(p.old, q) && strings.Contains(p.new, q) && !strings.Contains(region, q) {
			return "old and new text hold " + q + " where the file has the plain quote; send them without the backslash"
		}
	}
	ro, rr, rn := runs(p.old), runs(region), runs(p.new)
	if len(ro) == 0 || len(ro) != len(rr) || slices.Equal(rn, rr) {
		return ""
	}
	for i := range ro {
		if ro[i] != 2*rr[i] {
			return ""
		}
	}
	if len(rr) >= 2 || slices.Max(rr) >= 2 {
		return "every backslash in the old text is doubled compared with the file; send the text as it stands there"
	}
	return ""
}

// runs are the lengths of the runs of backslashes in s.
func runs(s string) []int {
	var out []int
	n := 0
	for i := range len(s) + 1 {
		if i < len(s) && s[i] == '\\' {
			n++
			continue
		}
		if n > 0 {
			out = append(out, n)
		}
		n = 0
	}
	return out
}
