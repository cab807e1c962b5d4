package app

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/home"
	"hermes/tui"
)

// Desk is what the screen wants from the desktop and from its own memory.
type Desk struct{ app *App }

// Desk returns the ports to the desktop.
func (a *App) Desk() Desk { return Desk{a} }

// deskPatience bounds the small programs of the desktop.
const deskPatience = 5 * time.Second

var errNoProgram = errors.New("no program for it was found")

// program returns the first of the candidates that is installed.
func program(candidates [][]string) ([]string, error) {
	for _, c := range candidates {
		if _, err := exec.LookPath(c[0]); err == nil {
			return c, nil
		}
	}
	return nil, errNoProgram
}

// Write puts text on the desktop's clipboard; core.CodeNotFound says that there is no program for it.
func (d Desk) Write(ctx context.Context, text string) error {
	var candidates [][]string
	switch runtime.GOOS {
	case "darwin":
		candidates = [][]string{{"pbcopy"}}
	case "windows":
		candidates = [][]string{{"clip.exe"}}
	default:
		if d.app.opts.Getenv("WAYLAND_DISPLAY") != "" {
			candidates = append(candidates, []string{"wl-copy"})
		}
		if d.app.opts.Getenv("DISPLAY") != "" {
			candidates = append(candidates, []string{"xclip", "-selection", "clipboard"}, []string{"xsel", "--clipboard", "--input"})
		}
		candidates = append(candidates, []string{"clip.exe"})
	}
	words, err := program(candidates)
	if err != nil {
		return &core.Error{Code: core.CodeNotFound, Op: "copy to the clipboard", Err: err, Hint: "the terminal's own clipboard (OSC 52) is used"}
	}
	ctx, cancel := context.WithTimeout(ctx, deskPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin = strings.NewReader(text)
	if err := cmd.Run(); err != nil {
		return &core.Error{Op: "copy to the clipboard", Subject: words[0], Err: err}
	}
	return nil
}

// Open hands a link or a file to the desktop.
func (d Desk) Open(ctx context.Context, target string) error {
	if u, err := url.Parse(target); err != nil || u.Scheme == "" || filepath.VolumeName(target) != "" {
		if !filepath.IsAbs(target) {
			target = filepath.Join(d.app.opts.Dir, target)
		}
	} else if s := strings.ToLower(u.Scheme); s != "http" && s != "https" && s != "mailto" && s != "file" {
		return &core.Error{Code: core.CodeDenied, Op: "open", Subject: target, Err: errors.New("only web, mail and file addresses are opened")}
	}
	candidates := [][]string{{"xdg-open"}, {"wslview"}}
	switch runtime.GOOS {
	case "darwin":
		candidates = [][]string{{"open"}}
	case "windows":
		candidates = [][]string{{"rundll32", "url.dll,FileProtocolHandler"}}
	}
	words, err := program(candidates)
	if err != nil {
		return &core.Error{Code: core.CodeNotFound, Op: "open", Subject: target, Err: err, Hint: "copy the link instead"}
	}
	ctx, cancel := context.WithTimeout(ctx, deskPatience)
	defer cancel()
	if err := exec.CommandContext(ctx, words[0], append(words[1:], target)...).Run(); err != nil && ctx.Err() == nil {
		return &core.Error{Op: "open", Subject: target, Err: err}
	}
	return nil
}

// uiState is ui/state.json. Other parts of it are kept.
type uiState struct {
	Layouts map[string]tui.LayoutState `json:"layouts"`
}

// Load returns the remembered layouts. A file that cannot be read is no reason for anything but defaults.
func (d Desk) Load(context.Context) (map[string]tui.LayoutState, error) {
	b, err := os.ReadFile(d.app.Home.UIState())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &core.Error{Op: "read layouts", Subject: d.app.Home.UIState(), Err: err}
	}
	var s uiState
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, &core.Error{Op: "read layouts", Subject: d.app.Home.UIState(), Err: err, Hint: "the usual layout is used; the file is replaced when you change it"}
	}
	return s.Layouts, nil
}

// Save remembers the layouts.
func (d Desk) Save(_ context.Context, states map[string]tui.LayoutState) error {
	if err := uiFiles(d).ready(d.app.Home.UI()); err != nil {
		return err
	}
	b, err := json.MarshalIndent(uiState{states}, "", "  ")
	if err != nil {
		return &core.Error{Op: "encode layouts", Err: err}
	}
	return home.WriteFile(d.app.Home.UIState(), append(b, '\n'), home.FileMode)
}

// Dump writes the screen as plain text, without the secrets this program knows.
func (d Desk) Dump(_ context.Context, text string) (string, error) {
	dir := filepath.Join(d.app.Home.UI(), "dumps")
	if err := uiFiles(d).ready(dir); err != nil {
		return "", err
	}
	path := filepath.Join(dir, d.app.now().Format("20060102-150405.000")+".txt")
	if err := home.WriteFile(path, []byte(d.app.Redactor().Redact(text)), home.FileMode); err != nil {
		return "", err
	}
	return d.app.shortPath(path), nil
}
