//go:build !windows

package tui

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"hermes/tui/tuitest"
)

var screens = flag.Bool("screens", false, "run the demo and draw its screens into testdata/screens")

// studio is the demo in a pseudo-terminal with an emulator behind it.
type studio struct {
	t    *testing.T
	pty  *os.File
	em   *vt.SafeEmulator
	w, h int
}

// TestScreens makes the pictures of the README from a real run of the demo:
//
//	go test ./tui -run TestScreens -screens -count=1
func TestScreens(t *testing.T) {
	if !*screens {
		t.Skip("drawn with -screens only")
	}
	bin := filepath.Join(t.TempDir(), "hermes")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "../cmd/hermes").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := newStudio(t, bin, 120, 40)
	s.see("Session 1 of 3")
	s.keys("\r")
	s.see("✓ #1 skills")
	s.shot("workspace", "the workspace after a turn: chat, tool calls, skills, memory and a review that wrote a skill")
	s.keys("\x18n")
	s.see("Session 2 of 3")
	s.keys("\r")
	s.see("Allow terminal?")
	time.Sleep(time.Second) // at once the key would count as typed for the composer
	s.keys("o")
	s.see("✓ #2 skills")
	s.keys("\x18r")
	s.see("Django pitfall")
	s.shot("reviews", "what a review learned: facts and a patch of a skill, each to be taken back with one key")
	s.keys("\x1b")
	s.keys("\x18n")
	s.see("Session 3 of 3")
	s.keys("\r")
	s.see("orders is up")
	s.keys("\x18j")
	s.see("Journey", "▌ ")
	s.keys("g")
	s.see("version 2")
	s.shot("journey", "the journey: what was learned when, and what became of the turns that used it")
	s.keys("\x1b")
	s.keys("\x18m")
	s.see("platform team")
	s.shot("memory", "the memory clean-up: what each entry costs and where it came from")
	s.keys("\x1b")
	s.keys("\x18p")
	s.see("What do you want to do?")
	s.shot("palette", "the command palette")
}

func newStudio(t *testing.T, bin string, w, h int) *studio {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin, "--demo")
	cmd.Env = []string{
		"HOME=" + t.TempDir(), "HERMES_HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "TMPDIR=/tmp",
	}
	cmd.Dir = t.TempDir()
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}) //nolint:gosec // small
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	s := &studio{t: t, pty: f, em: vt.NewSafeEmulator(w, h), w: w, h: h}
	go func() { _, _ = io.Copy(s.em, f) }()
	go func() { _, _ = io.Copy(f, s.em) }() // what the emulator answers
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = f.Close()
	})
	return s
}

func (s *studio) keys(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.pty, text); err != nil {
		s.t.Fatal(err)
	}
	time.Sleep(150 * time.Millisecond)
}

func (s *studio) see(texts ...string) {
	s.t.Helper()
	limit := time.Now().Add(30 * time.Second)
	for {
		frame, missing := ansi.Strip(s.em.Render()), ""
		for _, text := range texts {
			if !strings.Contains(frame, text) {
				missing = text
			}
		}
		switch {
		case missing == "":
			return
		case time.Now().After(limit):
			s.t.Fatalf("no %q on the screen:\n%s", missing, frame)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// shot draws the screen once it has come to rest.
func (s *studio) shot(name, title string) {
	s.t.Helper()
	time.Sleep(700 * time.Millisecond)
	path := filepath.Join("..", "testdata", "screens", name+".svg")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	frame := strings.ReplaceAll(s.em.Render(), "\r\n", "\n")
	if err := os.WriteFile(path, tuitest.SVG(frame, s.w, s.h, title), 0o644); err != nil { //nolint:gosec // a file of the project
		s.t.Fatal(err)
	}
}

// Every view becomes a well-formed picture, whatever it shows.
func TestSVG(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	storyRig(r)
	r.emit(hostileEvents()...)
	d := xml.NewDecoder(strings.NewReader(string(tuitest.SVG(r.screen(), 100, 30, "a <title> & 東京"))))
	texts := 0
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "text" {
			texts++
		}
	}
	if texts < 30 {
		t.Errorf("%d texts", texts)
	}
}
