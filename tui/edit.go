package tui

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
)

// The messages of the external editor: the file is written, the editor ended, the file is read.
type (
	editReadyMsg struct {
		path, was string
		err       error
	}
	editEndMsg struct {
		path, was string
		err       error
	}
	editedMsg struct {
		text string
		err  error
	}
)

// editCmd writes the draft to a temporary file that only the person can read.
func (m *Model) editCmd() tea.Cmd {
	text := m.chat.Composer().Text()
	return func() tea.Msg {
		f, err := os.CreateTemp("", "hermes-*.md")
		if err != nil {
			return editReadyMsg{err: fmt.Errorf("write the draft: %w", err)}
		}
		_, err = f.WriteString(text)
		return editReadyMsg{path: f.Name(), was: text, err: errors.Join(err, f.Close())}
	}
}

// editReady hands the terminal to the editor.
func (m *Model) editReady(msg editReadyMsg) tea.Cmd {
	if msg.err != nil {
		return m.fail(msg.err)
	}
	line := editorLine(m.opt.Editor)
	cmd := exec.CommandContext(m.ctx, line[0], append(line[1:len(line):len(line)], msg.path)...) //nolint:gosec // the person's own editor
	m.tty.lend(cmd)
	return tea.ExecProcess(cmd, func(err error) tea.Msg { return editEndMsg{path: msg.path, was: msg.was, err: err} })
}

// editEnd reads the file back and removes it. An editor that failed leaves the draft as it was; what it
// wrote before it failed stays in its file.
func (m *Model) editEnd(msg editEndMsg) tea.Cmd {
	return func() tea.Msg {
		if msg.err != nil {
			hint := "the draft is as it was; set $VISUAL or $EDITOR to an editor that works here"
			b, err := os.ReadFile(msg.path)
			if text := strings.TrimRight(string(b), "\r\n"); err == nil && text != "" && text != strings.TrimRight(msg.was, "\r\n") {
				hint = "the draft is as it was; what was written meanwhile is in " + msg.path
			} else {
				_ = os.Remove(msg.path)
			}
			return editedMsg{err: &core.Error{Code: core.CodeInternal, Op: "run the editor", Err: msg.err, Hint: hint}}
		}
		b, err := os.ReadFile(msg.path)
		_ = os.Remove(msg.path)
		return editedMsg{text: strings.TrimRight(string(b), "\r\n"), err: err}
	}
}

func (m *Model) edited(msg editedMsg) tea.Cmd {
	if msg.err != nil {
		return m.fail(msg.err)
	}
	m.chat.Composer().SetText(msg.text)
	return tea.Batch(m.complete(), m.draftLater())
}

// editorLine splits a command line into words; quotes keep blanks. "" is the usual editor.
func editorLine(line string) []string {
	var words []string
	var b strings.Builder
	var quote rune
	any := false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, any = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if any {
				words = append(words, b.String())
			}
			b.Reset()
			any = false
		default:
			b.WriteRune(r)
			any = true
		}
	}
	if any {
		words = append(words, b.String())
	}
	if len(words) > 0 {
		return words
	}
	if runtime.GOOS == "windows" {
		return []string{"notepad"}
	}
	for _, name := range []string{"editor", "nano", "vi"} {
		if _, err := exec.LookPath(name); err == nil {
			return []string{name}
		}
	}
	return []string{"vi"}
}
