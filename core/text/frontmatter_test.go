package text

import (
	"strings"
	"testing"
)

func TestFrontmatter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in, meta, body string
		open, found    bool
	}{
		"plain":          {"---\na: b\n---\nbody\n", "a: b\n", "body\n", true, true},
		"crlf and bom":   {"\uFEFF---\r\na: b\r\n---\r\nbody\r\n", "a: b\r\n", "body\r\n", true, true},
		"two marks":      {"\uFEFF\uFEFF---\na: b\n---\n", "a: b\n", "", true, true},
		"old mac":        {"---\ra: b\r---\rbody", "a: b\r", "body", true, true},
		"blanks":         {"--- \na: b\n---  \t\nbody", "a: b\n", "body", true, true},
		"end of file":    {"---\na: b\n---", "a: b\n", "", true, true},
		"four dashes":    {"---\na: b\n----\nbody", "", "", true, false},
		"indented":       {"---\na: |\n  ---\n  x\n---\nbody", "a: |\n  ---\n  x\n", "body", true, true},
		"within a value": {"---\na: \"x---y\"\n---\nbody\n---\nmore", "a: \"x---y\"\n", "body\n---\nmore", true, true},
		"empty block":    {"---\n---\nbody", "", "body", true, true},
		"not first":      {"\n---\na: b\n---\n", "", "", false, false},
		"none":           {"# Title\n", "", "", false, false},
		"nothing":        {"", "", "", false, false},
		"only a fence":   {"---", "", "", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := Frontmatter(c.in)
			if f.Open != c.open || f.Found != c.found {
				t.Fatalf("%+v", f)
			}
			if f.Found && (c.in[f.Start:f.End] != c.meta || c.in[f.Body:] != c.body) {
				t.Errorf("%q %q", c.in[f.Start:f.End], c.in[f.Body:])
			}
		})
	}
}

func FuzzFrontmatter(f *testing.F) {
	for _, s := range []string{"---\na: b\n---\nx", "\uFEFF---\r\n---", "---\r\r\n---\n", "---"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := Frontmatter(s)
		if r.Found && (!r.Open || r.Start > r.End || r.End >= r.Body || r.Body > len(s) || !strings.HasPrefix(s[r.End:], "---")) {
			t.Errorf("%+v of %q", r, s)
		}
	})
}
