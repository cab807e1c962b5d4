package app

import (
	"context"

	"hermes/core"
	"hermes/core/session"
	"hermes/index"
	"hermes/tools/search"
)

// SearchSessions finds what was said.
func (a *App) SearchSessions(ctx context.Context, query string, o index.Options) (index.Results, error) {
	o.Now = a.now()
	q := index.Parse(query, o.Now)
	if q.Session != "" { // a part of an id does here as everywhere
		id, err := a.Sessions.Resolve(q.Session)
		if err == nil {
			q.Session = id
		} else {
			q.Notes = append(q.Notes, err.Error())
		}
	}
	return a.Index.Search(ctx, q, o)
}

// archive reads stored sessions for the tool.
type archive struct{ s *Session }

// Recent lists the sessions, last used first.
func (r archive) Recent() ([]search.Summary, error) {
	rows, _, err := r.s.app.Sessions.List()
	if err != nil {
		return nil, err
	}
	out := make([]search.Summary, len(rows))
	for i, row := range rows {
		out[i] = summaryOf(row)
	}
	return out, nil
}

func summaryOf(r session.Row) search.Summary {
	return search.Summary{ID: r.ID, Title: r.Title, Started: r.Created, Updated: r.Updated, Messages: r.Messages}
}

// Messages reads one session.
func (r archive) Messages(name string) (search.Summary, []core.Message, error) {
	id, err := r.s.app.Sessions.Resolve(name)
	if err != nil {
		return search.Summary{}, nil, err
	}
	t, err := r.s.app.Sessions.Read(id)
	if err != nil {
		return search.Summary{}, nil, err
	}
	msgs := t.Messages()
	s := search.Summary{ID: id, Title: t.Title(), Started: t.Header.Created, Updated: t.Header.Created, Messages: len(msgs)}
	if len(msgs) > 0 {
		s.Updated = msgs[len(msgs)-1].Time
	}
	return s, msgs, nil
}

// Compacted lists what the model of the live session no longer sees.
func (r archive) Compacted(id string) []string {
	if r.s.ses == nil || id != r.s.ID() {
		return nil
	}
	seen := map[string]bool{}
	for _, m := range r.s.ses.Messages() {
		seen[m.ID] = true
	}
	var out []string
	for _, rec := range r.s.ses.Records() {
		if rec.Type == core.RecordMessage && !seen[rec.Message.ID] {
			out = append(out, rec.Message.ID)
		}
	}
	return out
}
