//go:build !windows

package main

import (
	"strings"
	"testing"
)

// Wrong words say what the command takes, repeat no more than a glance of what was given, and end with 2.
func TestE2E_wrongWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"memory", "add", strings.Repeat("long ", 500)}, `memory add: it takes STORE TEXT; here is 1: "long long`},
		{[]string{"memory", "list", "a", "b"}, `memory list: it takes no words, and here is "a"`},
		{[]string{"sessions", "rename"}, "sessions rename: it needs ID TITLE…"},
		{[]string{"sessions", "list", "--limit", "x"}, "a whole number is expected"},
		{[]string{"memory", "add", "memory", "-x"}, "a text that begins with - goes behind --"},
	} {
		o := w.hermes(t, "", c.args...)
		if o.code != 2 || !strings.Contains(o.err, c.want) || !strings.Contains(o.err, "--help") || len(o.err) > 400 {
			t.Errorf("%.60q: %d %q", c.args, o.code, o.err)
		}
	}
}
