package app

import (
	"context"
	"strings"

	"hermes/core/ledger"
	"hermes/core/memory"
	"hermes/tui/cleanup"
)

// cleaner is the memory clean-up of an open session: what it writes, the person wrote, and the screen
// hears of it.
type cleaner struct{ s *Session }

// Sheets reads the stores that are in use.
func (c cleaner) Sheets(ctx context.Context) ([]memory.Sheet, error) {
	return c.s.app.Memory.Sheets(ctx)
}

// Background counts the requests that carried each entry: those of every session whose frozen prompt holds
// its text.
func (c cleaner) Background(ctx context.Context) (cleanup.Background, error) {
	a := c.s.app
	b := cleanup.Background{Requests: map[string]int{}, Titles: map[string]string{}}
	rows, _, err := a.Sessions.List()
	if err != nil {
		return b, err
	}
	requests := map[string]int{} // by prompt
	for _, r := range rows {
		b.Titles[r.ID] = r.Title
		if r.Prompt != "" {
			requests[r.Prompt] += r.Requests
		}
	}
	sheets, err := c.Sheets(ctx)
	if err != nil {
		return b, err
	}
	for prompt, n := range requests {
		if err := ctx.Err(); err != nil {
			return b, err
		}
		system, err := a.Sessions.PromptText(prompt)
		if err != nil || n == 0 {
			continue // a prompt that is gone cannot be counted
		}
		for _, sheet := range sheets {
			for _, e := range sheet.Entries {
				if strings.Contains(system, e.Text) {
					b.Requests[e.ID] += n
				}
			}
		}
	}
	return b, nil
}

// Tidy writes a draft as one change.
func (c cleaner) Tidy(ctx context.Context, d memory.Draft) (memory.Tidied, error) {
	return c.s.app.memoryStore(c.s.learned).Tidy(ctx, ledger.Change{Actor: ledger.You, SessionID: c.s.ID()}, d)
}

// History tells the life of an entry.
func (c cleaner) History(_ context.Context, id string) ([]memory.Moment, error) {
	return c.s.app.Memory.History(id)
}

// Deleted lists what can be restored.
func (c cleaner) Deleted(context.Context) ([]memory.Moment, error) { return c.s.app.Memory.Deleted() }
