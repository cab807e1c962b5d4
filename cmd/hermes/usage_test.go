//go:build !windows

package main

import (
	"strings"
	"testing"
)

// Wrong words end with code 2, say what the command takes, and start nothing.
func TestE2E_wrongWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for line, want := range map[string]string{
		"memory replace memory":                 "STORE OLD NEW",
		"memory add":                            "STORE TEXT",
		"memory add memory -x":                  "--",
		"memory list all":                       `"all"`,
		"memory forget":                         `"forget"`,
		"version --long":                        "hermes version --help",
		"sessions search tea --limit many":      "a whole number is expected",
		"sessions search tea --limit -1":        "1 or more",
		"sessions search tea --role bogus":      "user, assistant or tool",
		"sessions search tea --since 2026-13-4": "2d, 3w",
	} {
		o := w.hermes(t, "", strings.Fields(line)...)
		if o.code != 2 || !strings.Contains(o.err, want) || strings.Contains(o.err, "strconv") {
			t.Errorf("%s: %+v", line, o)
		}
	}
}
