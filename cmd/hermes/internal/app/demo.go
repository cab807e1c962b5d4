package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"hermes/core"
	"hermes/core/provider/scripted"
	"hermes/core/rehearsal"
	"hermes/core/text"
	"hermes/tui"
)

// demoDelay is the pause between the pieces of an answer: a person reads along.
const demoDelay = 18 * time.Millisecond

// demo lets a person play a story in the workspace, session by session, in a throw-away home.
type demo struct {
	st *stageSet

	mu   sync.Mutex
	open int // workspaces; with the last one everything is removed
	next int // session of the story
	last *App
	from *Session // opened last
}

// demoPatience bounds how long the story's next session waits for the lesson of the one before.
const demoPatience = 30 * time.Second

// learn lets the review of the session before come to its end: what it learns is what the next one shows.
func (d *demo) learn(ctx context.Context) {
	d.mu.Lock()
	s := d.from
	d.mu.Unlock()
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, demoPatience)
	defer cancel()
	s.WaitReviews(ctx)
}

// DemoWorkspace opens the demo for the screen; closing the workspace removes it.
func (a *App) DemoWorkspace(ctx context.Context) (tui.Workspace, error) {
	story, _ := rehearsal.Named(rehearsal.Names()[0])
	st, err := a.stage(ctx, story, RehearsalOptions{Story: story.Name, delay: scripted.Duration(demoDelay)})
	if err != nil {
		return tui.Workspace{}, err
	}
	d := &demo{st: st}
	w, err := d.New(ctx)
	if err != nil {
		return w, errors.Join(err, st.close())
	}
	return w, nil
}

// New opens the story's next session; after the last one a session of its folder.
func (d *demo) New(ctx context.Context) (tui.Workspace, error) {
	d.mu.Lock()
	n := d.next
	if n > 0 && d.from != nil && len(d.from.ses.Messages()) == 0 {
		n-- // nothing was asked in it yet: the story does not go on without its question
	}
	d.mu.Unlock()
	d.learn(ctx)
	parts := d.st.story.Sessions
	part := parts[min(n, len(parts)-1)]
	w, a, err := d.session(ctx, part, "")
	if err != nil {
		return w, err
	}
	d.mu.Lock()
	d.next, d.last = n+1, a
	d.mu.Unlock()
	if n < len(parts) {
		a.invitation = part.Ask[0]
		w.Info.Notices = append(w.Info.Notices, d.notice(n))
	} else {
		w.Info.Notices = append(w.Info.Notices, d.ending(a))
	}
	return w, nil
}

// notice says what is played, and how it goes on.
func (d *demo) notice(n int) core.Notice {
	parts := d.st.story.Sessions
	out := core.Notice{
		Level:  core.LevelInfo,
		Text:   fmt.Sprintf("Session %d of %d of a scripted story, in a throw-away home (%s): nothing of yours is touched.", n+1, len(parts), d.st.home),
		Remedy: "press Enter to send the question below, watch the review afterwards, then Ctrl+X n for the next session",
	}
	if n == len(parts)-1 {
		out.Remedy = "press Enter to send the question below, then Ctrl+X n for what came of it"
	}
	return out
}

// ending says what came of the story: the calls of each session, as they were counted.
func (d *demo) ending(a *App) core.Notice {
	out := core.Notice{
		Level: core.LevelInfo, Text: "The story is over.",
		Remedy: "look at what was learned: Ctrl+X j (the map), Ctrl+X k (skills), Ctrl+X r (reviews); hermes without --demo works with your own model",
	}
	stats, err := a.Sessions.Stats()
	if err != nil {
		return out
	}
	var told []string
	for _, s := range stats {
		calls, failed := 0, 0
		t, err := a.Sessions.Read(s.ID)
		if err != nil {
			continue
		}
		for _, r := range t.Records {
			if r.Type == core.RecordMessage && r.Message != nil && r.Message.Role == core.RoleTool {
				calls++
				if r.OK != nil && !*r.OK {
					failed++
				}
			}
		}
		if calls > 0 {
			told = append(told, fmt.Sprintf("%s, %s", text.Count(calls, "call", "calls"), text.Count(failed, "error", "errors")))
		}
	}
	if len(told) > 0 {
		out.Text += " Tool calls: " + strings.Join(told, " → ")
	}
	return out
}

// Open resumes session id of the demo's home.
func (d *demo) Open(ctx context.Context, id string) (tui.Workspace, error) {
	w, _, err := d.session(ctx, d.part(), id)
	return w, err
}

// Fork copies session id into a new one and opens that.
func (d *demo) Fork(ctx context.Context, id, messageID string) (tui.Workspace, error) {
	d.mu.Lock()
	a := d.last
	d.mu.Unlock()
	fork, err := a.Sessions.Fork(id, messageID)
	if err != nil {
		return tui.Workspace{}, err
	}
	return d.Open(ctx, fork)
}

// part is where the person is in the story.
func (d *demo) part() rehearsal.Part {
	d.mu.Lock()
	defer d.mu.Unlock()
	parts := d.st.story.Sessions
	return parts[min(max(d.next-1, 0), len(parts)-1)]
}

// session opens one session of the demo.
func (d *demo) session(ctx context.Context, part rehearsal.Part, id string) (tui.Workspace, *App, error) {
	a, err := d.st.open(part.Folder, false)
	if err != nil {
		return tui.Workspace{}, nil, err
	}
	s, err := a.OpenSession(ctx, SessionOptions{Resume: id})
	if err != nil {
		return tui.Workspace{}, nil, errors.Join(err, a.Close())
	}
	w := a.workspace(s)
	w.Opener, w.Info.Folder = d, "demo/"+part.Folder
	d.mu.Lock()
	d.open++
	d.from = s
	d.mu.Unlock()
	w.Close = func(ctx context.Context) error {
		err := errors.Join(s.Close(ctx), a.Close())
		d.mu.Lock()
		d.open--
		gone := d.open == 0
		d.mu.Unlock()
		if gone {
			err = errors.Join(err, d.st.close())
		}
		return err
	}
	return w, a, nil
}
