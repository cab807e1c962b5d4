package session

import (
	"errors"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/home"
)

// Fork copies session id up to and including message (all of it when message is "") into a new
// session with the same frozen prompt and returns the new id. The original may be open elsewhere.
func (st *Store) Fork(id, message string) (string, error) {
	t, err := st.Read(id)
	if err != nil {
		return "", err
	}
	records := t.Records
	if message != "" {
		at := slices.IndexFunc(records, func(r core.Record) bool {
			return r.Type == core.RecordMessage && r.Message.ID == message
		})
		if at < 0 {
			return "", &core.Error{
				Code: core.CodeNotFound, Op: "fork session", Subject: id,
				Err:  errors.New("it has no message " + message),
				Hint: "see the ids with: hermes sessions show " + id,
			}
		}
		records = records[:at+1]
	}
	if err := st.ready(); err != nil {
		return "", err
	}
	h := t.Header
	h.ID, h.V, h.Created = st.NewID(), Version, st.now().UTC()
	h.Parent = &Parent{Session: id, Message: message}
	title := core.Record{Type: core.RecordTitle, Time: h.Created, Title: "fork of " + t.Title()}
	var b strings.Builder
	for _, v := range append([]any{h}, anySlice(append(slices.Clone(records), title))...) {
		line, err := encodeLine(v)
		if err != nil {
			return "", &core.Error{Op: "encode fork", Subject: id, Err: err}
		}
		b.Write(line)
	}
	return h.ID, home.WriteFile(st.home.Transcript(h.ID), []byte(b.String()), home.FileMode)
}

func anySlice(records []core.Record) []any {
	out := make([]any, len(records))
	for i, r := range records {
		out[i] = r
	}
	return out
}
