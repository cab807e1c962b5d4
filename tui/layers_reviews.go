package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/core/review"
	"hermes/tui/layout"
	"hermes/tui/reviews"
)

// Reviews is the background learning as the reviews pane and desk see it.
type Reviews interface {
	Reviewer
	Proposals
}

// Reviewer shows and starts reviews.
type Reviewer interface {
	// Sheet lists what waits and what ran. The root asks when a workspace opens and after each event of
	// learning, one call at a time.
	Sheet(ctx context.Context) (reviews.Sheet, error)
	// Detail reads what belongs to one review or proposal.
	Detail(ctx context.Context, id string) (reviews.Detail, error)
	// Run starts a review of the open session; focus says what matters, "" for nothing special.
	Run(ctx context.Context, focus string) error
	// Cancel ends a review of the open session.
	Cancel(ctx context.Context, id string) error
	// Pause stops learning until further notice, or lets it go on.
	Pause(ctx context.Context, pause bool) error
}

// Proposals decides about what was learned.
type Proposals interface {
	// Accept makes the change of a proposal; said is one line about it.
	Accept(ctx context.Context, id string) (said string, err error)
	// Edit replaces the arguments of a proposal; it stays in the inbox with its new difference.
	Edit(ctx context.Context, id string, arguments json.RawMessage) error
	// Move turns a proposal for one store of memory into one for the other.
	Move(ctx context.Context, id string) error
	// Reject takes a proposal off the list and remembers that its lesson is not wanted.
	Reject(ctx context.Context, id string) error
	// Undo takes changes back, as one; said is one line about it.
	Undo(ctx context.Context, ids []string) (said string, err error)
}

// elsewhere is how often reviews of other programs are looked at while they run.
const elsewhere = 2 * time.Second

// reviewsCmd reads the sheet for pane and desk; while a read is under way another follows it.
func (m *Model) reviewsCmd() tea.Cmd {
	switch {
	case m.ws.Reviews == nil:
		return nil
	case m.ws.reviews.active:
		m.ws.reviews.stale = true
		return nil
	}
	m.ws.reviews = memoryRead{active: true}
	return bring(m, m.ws.Reviews.Sheet, func(m *Model, s reviews.Sheet, err error) tea.Cmd {
		again := m.ws.reviews.stale
		m.ws.reviews = memoryRead{}
		var cmds []tea.Cmd
		if err != nil {
			m.opt.Log.Warn("reading reviews failed", "err", err)
			m.reviews.SetError(err.Error())
		} else {
			m.reviews.SetSheet(s)
		}
		for _, l := range m.layers {
			if desk, ok := l.(*reviewsLayer); ok {
				cmds = append(cmds, desk.came(m, s, err))
			}
		}
		if again {
			cmds = append(cmds, m.reviewsCmd())
		} else if m.reviews.Elsewhere(m.ws.Info.SessionID) {
			cmds = append(cmds, m.lookAgain())
		}
		return tea.Batch(append(cmds, m.tickIfBusy())...)
	})
}

// lookAgain reads the reviews once more after a while: those of other programs send no events.
func (m *Model) lookAgain() tea.Cmd {
	gen := m.ws.gen
	return tea.Tick(elsewhere, func(time.Time) tea.Msg {
		return cameMsg{gen: gen, take: func(m *Model) tea.Cmd { return m.reviewsCmd() }}
	})
}

// learned takes an event of background learning.
func (m *Model) learned(e core.Event) tea.Cmd {
	m.reviews.Apply(e)
	switch e := e.(type) {
	case *core.ReviewStep:
		return m.tickIfBusy() // the pane has it already
	case *core.ReviewEnded:
		return tea.Batch(m.reviewsCmd(), m.learnedChanged(), m.saidReview(e))
	case *core.ProposalAdded:
		return tea.Batch(m.reviewsCmd(), m.toast(core.LevelWarn, fmt.Sprintf("%s %s waits for you · Ctrl+X r", e.Action, e.Subject)))
	}
	return m.reviewsCmd()
}

// saidReview is the quiet word at the end of a review (display.memory_notifications).
func (m *Model) saidReview(e *core.ReviewEnded) tea.Cmd {
	if m.opt.Learned == "off" || m.covered() || !review.IsReview(e.Kind) {
		return nil
	}
	var parts []string
	if e.Saved > 0 {
		parts = append(parts, fmt.Sprintf("%d saved", e.Saved))
	}
	if e.Held > 0 {
		parts = append(parts, fmt.Sprintf("%d in the inbox", e.Held))
	}
	switch {
	case e.State == "failed":
		return m.toast(core.LevelWarn, "review failed: "+e.Error)
	case len(parts) == 0:
		return nil
	case m.opt.Learned == "verbose" && e.Note != "":
		parts = append(parts, e.Note)
	}
	return m.toast(core.LevelInfo, "learned: "+strings.Join(parts, ", ")+" · Ctrl+X r")
}

// reviewsLayer is the desk.
type reviewsLayer struct{ view *reviews.Desk }

// showReviews opens the desk at line want, "" at the first one.
func (m *Model) showReviews(want string) tea.Cmd {
	l := &reviewsLayer{view: reviews.NewDesk(m.opt.Now, want)}
	m.push(l)
	return m.reviewsCmd()
}

func whyNoReviews(m *Model) string {
	if m.ws.Reviews == nil {
		return notHere
	}
	return ""
}

func (l *reviewsLayer) came(m *Model, s reviews.Sheet, err error) tea.Cmd {
	if err != nil {
		l.view.SetError(err.Error())
		return nil
	}
	l.view.SetSheet(s)
	return l.do(m, l.view.Missing())
}

func (l *reviewsLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	l.view.SetTick(m.run.tick)
	return l.view.Draw(m.st, w, h), -1, 0
}

func (l *reviewsLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	return l.do(m, l.view.Update(keyName(key)))
}

// do carries out what the desk asks for.
func (l *reviewsLayer) do(m *Model, a reviews.Action) tea.Cmd {
	port := m.ws.Reviews
	switch a.Do {
	case reviews.Close:
		m.pop(l)
	case reviews.Load:
		return bring(m, func(ctx context.Context) (reviews.Detail, error) { return port.Detail(ctx, a.ID) }, func(m *Model, d reviews.Detail, err error) tea.Cmd {
			if err != nil {
				d = reviews.Detail{ID: a.ID, Problem: err.Error()}
			}
			l.view.SetDetail(d)
			return nil
		})
	case reviews.Accept:
		return l.act(m, "", func(ctx context.Context) (string, error) { return port.Accept(ctx, a.ID) })
	case reviews.Reject:
		return l.act(m, "rejected, and remembered", func(ctx context.Context) (string, error) { return "", port.Reject(ctx, a.ID) })
	case reviews.Move:
		return l.act(m, "it is for the other store now", func(ctx context.Context) (string, error) { return "", port.Move(ctx, a.ID) })
	case reviews.Undo:
		return l.act(m, "", func(ctx context.Context) (string, error) { return port.Undo(ctx, a.IDs) })
	case reviews.Run:
		return l.act(m, "the review begins", func(ctx context.Context) (string, error) { return "", port.Run(ctx, "") })
	case reviews.Cancel:
		return l.act(m, "cancelled", func(ctx context.Context) (string, error) { return "", port.Cancel(ctx, a.ID) })
	case reviews.Pause:
		return m.pauseLearning()
	case reviews.Edit:
		return l.edit(m, a.ID, a.Text)
	case reviews.Open:
		if a.ID != "" {
			return m.readOrigin(a.ID, "", "")
		}
	case reviews.Copy:
		if a.Text != "" {
			return m.copyCmd(a.Text)
		}
	case reviews.Nothing:
	}
	return nil
}

// act changes something and reads everything again; said is what the desk says when it worked.
func (l *reviewsLayer) act(m *Model, said string, f func(ctx context.Context) (string, error)) tea.Cmd {
	return bring(m, f, func(m *Model, words string, err error) tea.Cmd {
		switch {
		case err != nil && core.HintOf(err) != "":
			l.view.SetNote(err.Error() + " · " + core.HintOf(err))
		case err != nil:
			l.view.SetNote(err.Error())
		case words != "":
			l.view.SetNote(words)
		default:
			l.view.SetNote(said)
		}
		return tea.Batch(m.reviewsCmd(), m.learnedChanged())
	})
}

// edit hands the arguments of a proposal to the person's editor; what comes back is checked and shown, not
// accepted yet.
func (l *reviewsLayer) edit(m *Model, id, text string) tea.Cmd {
	return m.inEditor("hermes-*.json", text, func(m *Model, now string, err error) tea.Cmd {
		port := m.ws.Reviews
		said := "changed; a accepts it"
		if strings.TrimSpace(now) == strings.TrimSpace(text) {
			said = "as it was; this is what it changes now, a accepts it"
		}
		return l.act(m, said, func(ctx context.Context) (string, error) {
			switch {
			case err != nil:
				return "", &core.Error{Op: "edit proposal", Err: err, Hint: "it is as it was"}
			case !json.Valid([]byte(now)):
				return "", &core.Error{Op: "edit proposal", Err: errors.New("what you wrote is no JSON"), Hint: "it is as it was; e tries again"}
			}
			return "", port.Edit(ctx, id, json.RawMessage(now))
		})
	})
}

// inEditor lets the person change text in their editor; then takes what came of it, in Update. name is the
// pattern of the temporary file: its ending tells the editor what it is.
func (m *Model) inEditor(name, text string, then func(m *Model, now string, err error) tea.Cmd) tea.Cmd {
	gen := m.ws.gen
	write := func(context.Context) (path string, err error) {
		f, err := os.CreateTemp("", name)
		if err != nil {
			return "", err
		}
		_, err = f.WriteString(text)
		return f.Name(), errors.Join(err, f.Close())
	}
	return bring(m, write, func(m *Model, path string, err error) tea.Cmd {
		if err != nil {
			return m.fail(err)
		}
		line := editorLine(m.opt.Editor)
		cmd := exec.CommandContext(m.ctx, line[0], append(line[1:len(line):len(line)], path)...) //nolint:gosec // the person's own editor
		m.tty.lend(cmd)
		return tea.ExecProcess(cmd, func(err error) tea.Msg {
			b, rerr := os.ReadFile(path)
			_ = os.Remove(path)
			err = errors.Join(err, rerr)
			return cameMsg{gen: gen, take: func(m *Model) tea.Cmd { return then(m, string(b), err) }}
		})
	})
}

// pauseLearning stops learning, or lets it go on.
func (m *Model) pauseLearning() tea.Cmd {
	port, pause := m.ws.Reviews, !m.reviews.Paused()
	said := map[bool]string{true: "learning is paused · Ctrl+X . lets it go on", false: "learning goes on"}[pause]
	return bring(m, func(ctx context.Context) (struct{}, error) { return struct{}{}, port.Pause(ctx, pause) }, func(m *Model, _ struct{}, err error) tea.Cmd {
		if err != nil {
			return m.fail(err)
		}
		return tea.Batch(m.reviewsCmd(), m.toast(core.LevelInfo, said))
	})
}

// reviewCommand starts a review of what was done so far.
func reviewCommand(m *Model, focus string) tea.Cmd {
	port := m.ws.Reviews
	return bring(m, func(ctx context.Context) (struct{}, error) { return struct{}{}, port.Run(ctx, focus) }, func(m *Model, _ struct{}, err error) tea.Cmd {
		if err != nil {
			return m.fail(err)
		}
		if m.scr.lay.Visible(layout.Reviews) {
			return m.reviewsCmd()
		}
		return tea.Batch(m.reviewsCmd(), m.toast(core.LevelInfo, "the review begins · Ctrl+X r shows it"))
	})
}
