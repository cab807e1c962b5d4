package app

import (
	"context"
	"fmt"
	"slices"

	"hermes/core/memory"
	"hermes/tui/gauges"
)

// sheets shows the memory stores.
type sheets struct{ a *App }

// Sheets reads the stores that are in use.
func (s sheets) Sheets(ctx context.Context) ([]gauges.Sheet, error) {
	var out []gauges.Sheet
	stores, err := s.a.Memory.Sheets(ctx)
	if err != nil {
		return nil, err
	}
	for _, sheet := range stores {
		name := "MEMORY"
		if sheet.Target == memory.User {
			name = "USER"
		}
		g := gauges.Sheet{Name: name, Used: sheet.Used, Limit: sheet.Limit, Problem: sheet.Problem, Unreadable: sheet.Unreadable}
		for _, e := range sheet.Entries {
			g.Entries = append(g.Entries, gaugeEntry(e, sheet.Entries))
		}
		out = append(out, g)
	}
	return out, nil
}

func gaugeEntry(e memory.Entry, all []memory.Entry) gauges.Entry {
	out := gauges.Entry{ID: e.ID, Text: e.Text, Chars: e.Chars, Blocked: e.Blocked()}
	for _, f := range e.Flags {
		note := f.Message
		if f.Code == memory.FlagNear {
			out.Near = true
			if i := slices.IndexFunc(all, func(o memory.Entry) bool { return o.ID == f.Of }); i >= 0 {
				note = fmt.Sprintf("near-duplicate of entry %d", i+1)
			}
		}
		out.Notes = append(out.Notes, note)
	}
	if e.Origin != nil {
		out.Origin = gauges.Origin{Actor: string(e.Origin.Actor), Time: e.Origin.Time.Local(), SessionID: e.Origin.SessionID, Reason: e.Origin.Reason}
	}
	return out
}
