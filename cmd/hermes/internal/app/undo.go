package app

import (
	"context"
	"errors"
	"slices"

	"hermes/core"
	"hermes/core/session"
	"hermes/core/undo"
)

// Undone is what taking the last turn back did, or would do.
type Undone struct {
	Session  string      `json:"session_id"`
	From     string      `json:"from"`     // the first message that is taken back
	Text     string      `json:"text"`     // what the person had sent
	Messages int         `json:"messages"` // taken back
	Files    []undo.File `json:"files"`
	Dry      bool        `json:"dry,omitempty"`
}

var errNothingToUndo = errors.New("there is no turn to take back")

// lastTurn finds the last turn of a conversation: the message the person sent, how many messages came
// with it, and the runs that belong to it (a turn and its retries).
func lastTurn(msgs []core.Message, records []core.Record) (first core.Message, n int, runs []string, err error) {
	at := -1
	for i, m := range msgs {
		if m.Role == core.RoleUser && !m.Note {
			at = i
		}
	}
	if at < 0 || msgs[at].ID == "" {
		return first, 0, nil, &core.Error{Code: core.CodeNotFound, Op: "undo", Err: errNothingToUndo}
	}
	seen := false
	for _, r := range records {
		seen = seen || r.Type == core.RecordMessage && r.Message.ID == msgs[at].ID
		if seen && r.RunID != "" && (len(runs) == 0 || runs[len(runs)-1] != r.RunID) {
			runs = append(runs, r.RunID)
		}
	}
	return msgs[at], len(msgs) - at, runs, nil
}

// undoTurn takes the last turn of ses back: the files it changed and its messages. With dry it only says
// what it would do.
func (a *App) undoTurn(ctx context.Context, ses *session.Session, dry bool) (Undone, error) {
	first, n, runs, err := lastTurn(ses.Messages(), ses.Records())
	if err != nil {
		return Undone{}, err
	}
	u := Undone{Session: ses.ID(), From: first.ID, Text: first.Display(), Messages: n, Dry: dry, Files: []undo.File{}}
	report, err := a.copies.Undo(ctx, ses.ID(), dry, runs...)
	if err != nil && core.CodeOf(err) != core.CodeNotFound { // a turn without changed files is fine
		return u, err
	}
	u.Files = append(u.Files, report.Files...)
	for _, r := range ses.Records() {
		if r.Type == core.RecordNote && r.Reason == taskNote && slices.Contains(runs, r.RunID) {
			child, err := a.undoAll(ctx, r.Target, dry)
			if err != nil {
				return u, err
			}
			u.Files = append(u.Files, child...)
		}
	}
	if dry {
		return u, nil
	}
	return u, errors.Join(ses.Append(core.Record{Type: core.RecordUndo, Target: first.ID}), ses.Sync())
}

// undoAll takes back what a sub-agent's session changed.
func (a *App) undoAll(ctx context.Context, session string, dry bool) ([]undo.File, error) {
	done, err := a.copies.Runs(session)
	if err != nil || len(done) == 0 {
		return nil, nil //nolint:nilerr // a sub-agent that changed nothing has no journal
	}
	ids := make([]string, len(done))
	for i, r := range done {
		ids[i] = r.ID
	}
	report, err := a.copies.Undo(ctx, session, dry, ids...)
	return report.Files, err
}

// Undo takes the last turn of an open session back; it is refused while a run is under way.
func (s *Session) Undo(ctx context.Context, dry bool) (Undone, error) {
	if s.Conversation.Running() {
		return Undone{}, &core.Error{Code: core.CodeBusy, Op: "undo", Err: errors.New("a run is under way"), Hint: "interrupt it first"}
	}
	u, err := s.app.undoTurn(ctx, s.ses, dry)
	if err == nil && !dry {
		s.tools.Forget(s.ID(), "")
		e := &core.Undone{From: u.From, Messages: u.Messages}
		e.SessionID, e.Channel = s.ID(), core.ChannelChat
		s.Feed.Emit(e)
	}
	return u, err
}

// UndoStored takes the last turn of a stored session back.
func (a *App) UndoStored(ctx context.Context, name string, dry bool) (Undone, error) {
	id, err := a.Sessions.Resolve(name)
	if err != nil {
		return Undone{}, err
	}
	ses, err := a.Sessions.Open(ctx, id)
	if err != nil {
		return Undone{}, err
	}
	u, err := a.undoTurn(ctx, ses, dry)
	return u, errors.Join(err, ses.Close())
}
