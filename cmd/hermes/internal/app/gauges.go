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
	for _, t := range s.a.Memory.Enabled() {
		sheet, err := s.a.Memory.Sheet(ctx, t)
		if err != nil {
			return nil, err
		}
		name := "MEMORY"
		if t == memory.User {
			name = "USER"
		}
		g := gauges.Sheet{Name: name, Used: sheet.Used, Limit: sheet.Limit, Problem: sheet.Problem}
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
