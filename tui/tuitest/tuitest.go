// Package tuitest helps the tests of the screen: golden frames, exact-fit checks and key strokes. It
// is imported by tests only. It must not know any pane.
package tuitest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

// update rewrites golden files instead of comparing. A flag has to be registered before flags are parsed.
var update = flag.Bool("update", false, "rewrite golden files") //nolint:gochecknoglobals // flags are process-wide

// Updating tells whether golden files are being rewritten.
func Updating() bool { return *update }

// Golden compares frame without colours to testdata/<name>.golden beside the test; go test -update
// rewrites the file. Trailing spaces are kept: they are part of the frame.
func Golden(tb testing.TB, name, frame string) {
	tb.Helper()
	compare(tb, name, []byte(ansi.Strip(frame)+"\n"))
}

// GoldenColour is Golden with the colours: escape bytes are written as ␛.
func GoldenColour(tb testing.TB, name, frame string) {
	tb.Helper()
	compare(tb, name, []byte(strings.ReplaceAll(frame, "\x1b", "␛")+"\n"))
}

func compare(tb testing.TB, name string, got []byte) {
	tb.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			tb.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatalf("no golden frame (run with -update): %v", err)
	}
	want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		tb.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

// Fits fails when frame has more than h lines, a line wider than w, an escape sequence other than a
// style, a control character or broken UTF-8.
func Fits(tb testing.TB, frame string, w, h int) {
	tb.Helper()
	lines := strings.Split(frame, "\n")
	if len(lines) > h && frame != "" {
		tb.Errorf("%dx%d: %d lines", w, h, len(lines))
	}
	for i, line := range lines {
		if n := ansi.StringWidth(line); n > w {
			tb.Errorf("%dx%d: line %d is %d cells: %q", w, h, i, n, line)
		}
		if n := ansi.WcWidth.StringWidth(line); n > w {
			tb.Errorf("%dx%d: line %d is %d cells by code point: %q", w, h, i, n, line)
		}
		if !utf8.ValidString(line) {
			tb.Errorf("%dx%d: line %d is not valid UTF-8: %q", w, h, i, line)
		}
	}
	OnlyStyles(tb, frame)
}

// Fills is Fits, and every line is exactly w cells and there are exactly h.
func Fills(tb testing.TB, frame string, w, h int) {
	tb.Helper()
	Fits(tb, frame, w, h)
	lines := strings.Split(frame, "\n")
	if len(lines) != h {
		tb.Errorf("%dx%d: %d lines, want all", w, h, len(lines))
	}
	for i, line := range lines {
		if n := ansi.StringWidth(line); n != w {
			tb.Errorf("%dx%d: line %d is %d cells: %q", w, h, i, n, line)
		}
	}
}

// OnlyStyles fails when frame holds an escape sequence that is not CSI … m, or a control character.
func OnlyStyles(tb testing.TB, frame string) {
	tb.Helper()
	rest := frame
	for len(rest) > 0 {
		i := strings.IndexFunc(rest, func(r rune) bool {
			return (r < 0x20 && r != '\n') || (r >= 0x7f && r < 0xa0) || (r >= 0x202a && r <= 0x202e)
		})
		if i < 0 {
			return
		}
		rest = rest[i:]
		end := strings.IndexByte(rest, 'm')
		if !strings.HasPrefix(rest, "\x1b[") || end < 0 || strings.Trim(rest[2:end], "0123456789;:") != "" {
			tb.Errorf("forbidden sequence at %q", rest[:min(len(rest), 20)])
			return
		}
		rest = rest[end+1:]
	}
}

// Key turns a keystroke name ("ctrl+x", "enter", "a", "東") into the message a terminal sends.
func Key(name string) tea.KeyPressMsg {
	var k tea.Key
	for {
		switch {
		case strings.HasPrefix(name, "ctrl+"):
			k.Mod |= tea.ModCtrl
			name = name[5:]
			continue
		case strings.HasPrefix(name, "alt+"):
			k.Mod |= tea.ModAlt
			name = name[4:]
			continue
		case strings.HasPrefix(name, "shift+"):
			k.Mod |= tea.ModShift
			name = name[6:]
			continue
		}
		break
	}
	named := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace,
		"delete": tea.KeyDelete, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "space": tea.KeySpace,
	}
	if code, ok := named[name]; ok {
		k.Code = code
		if code == tea.KeySpace && k.Mod == 0 {
			k.Text = " "
		}
		return tea.KeyPressMsg(k)
	}
	r, n := utf8.DecodeRuneInString(name)
	k.Code = r
	if n < len(name) {
		k.Code = tea.KeyExtended
	}
	if k.Mod&^tea.ModShift == 0 {
		k.Text = name
	}
	return tea.KeyPressMsg(k)
}

// Cells is the width of s in cells.
func Cells(s string) int { return ansi.StringWidth(s) }

// Size is the message of a terminal of w by h cells.
func Size(w, h int) tea.WindowSizeMsg { return tea.WindowSizeMsg{Width: w, Height: h} }
