package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"hermes/core"
	"hermes/core/home"
)

// uiFiles are the small files of the screen under ui/ in the home.
type uiFiles struct{ app *App }

// ready makes the folder. The demo's home is thrown away, so it may be written like any other.
func (u uiFiles) ready(dir string) error {
	if err := u.app.Home.Open(); err != nil {
		return err
	}
	return home.EnsureDir(dir)
}

// historyLimit is how many entries are kept when the history is read.
const historyLimit = 2000

// history is the composer's, one JSON string a line.
type history struct{ uiFiles }

// Load returns the entries, oldest first. Torn lines are skipped.
func (h history) Load(context.Context) ([]string, error) {
	b, err := os.ReadFile(h.app.Home.History())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &core.Error{Op: "read history", Subject: h.app.Home.History(), Err: err}
	}
	var out []string
	sc := bufio.NewScanner(bytes.NewReader(b))
	sc.Buffer(nil, len(b)+1)
	for sc.Scan() {
		var line string
		if json.Unmarshal(sc.Bytes(), &line) == nil && line != "" {
			out = append(out, line)
		}
	}
	return out[max(0, len(out)-historyLimit):], nil
}

// Append adds one entry.
func (h history) Append(_ context.Context, text string) error {
	if err := h.ready(h.app.Home.UI()); err != nil {
		return err
	}
	b, err := json.Marshal(h.app.Redactor().Redact(text))
	if err != nil {
		return &core.Error{Op: "write history", Err: err}
	}
	return home.Append(h.app.Home.History(), append(b, '\n'), false)
}
