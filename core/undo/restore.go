package undo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/home"
)

// Action is what was done (or would be done) to one file.
type Action string

// The actions.
const (
	Restored  Action = "restored"  // it has its former content again
	Recreated Action = "recreated" // it was deleted and is back
	Removed   Action = "removed"   // it was created and is gone
	Unchanged Action = "unchanged" // it is as it was before the turn already
	Kept      Action = "kept"      // it was left as it is; Reason says why
)

// File is the fate of one file.
type File struct {
	Path   string `json:"path"`
	Action Action `json:"action"`
	Reason string `json:"reason,omitempty"` // why it was kept
	Note   string `json:"note,omitempty"`   // what else is worth knowing
}

// Report is what an undo did, in the order of the paths' first change.
type Report struct {
	Session string   `json:"session_id"`
	Runs    []string `json:"runs"`
	Dry     bool     `json:"dry,omitempty"` // nothing was done; this is what would be
	// Redo is the run that takes this undo back when it is undone itself; "" when nothing was changed.
	Redo  string `json:"redo,omitempty"`
	Files []File `json:"files"`
}

// undoRun begins the run ids of undos.
const undoRun = "undo-"

// Run is a turn that changed files.
type Run struct {
	ID    string   `json:"run_id"`
	Paths []string `json:"paths"` // in the order of their first change
}

// Runs lists the turns of a session whose changes can be taken back, oldest first.
func (s *Store) Runs(session string) ([]Run, error) {
	lines, err := s.load(session)
	var out []Run
	for _, l := range lines {
		if strings.HasPrefix(l.Run, undoRun) {
			continue
		}
		i := slices.IndexFunc(out, func(r Run) bool { return r.ID == l.Run })
		if i < 0 {
			i = len(out)
			out = append(out, Run{ID: l.Run})
		}
		if !slices.Contains(out[i].Paths, l.Path) {
			out[i].Paths = append(out[i].Paths, l.Path)
		}
	}
	return out, err
}

// step is what has to happen to one file.
type step struct {
	File

	lines []line // the changes that are taken back
	want  state
}

// Undo puts the files that runs of a session changed back to what they were before the first of them.
// Files that are no longer as the last of them left them are kept. With dry it only tells what it would
// do. The state before the undo is kept too: undoing the run Report.Redo brings it back.
func (s *Store) Undo(ctx context.Context, session string, dry bool, runs ...string) (Report, error) {
	r := Report{Session: session, Runs: runs, Dry: dry}
	lines, err := s.load(session)
	if err != nil {
		return r, err
	}
	steps := plan(lines, runs)
	for i := range steps {
		s.check(&steps[i], lines, runs)
	}
	if dry {
		return r.with(steps), nil
	}
	if err := home.EnsureDir(s.home.Undo()); err != nil {
		return r, err
	}
	err = home.WithLock(ctx, filepath.Join(s.home.Undo(), ".lock"), func() error {
		return s.carryOut(session, steps, &r)
	})
	return r.with(steps), err
}

func (r Report) with(steps []step) Report {
	r.Files = make([]File, 0, len(steps))
	for _, st := range steps {
		r.Files = append(r.Files, st.File)
	}
	return r
}

// plan gathers the changes of runs by file.
func plan(lines []line, runs []string) []step {
	var out []step
	at := map[string]int{}
	for _, l := range lines {
		if !slices.Contains(runs, l.Run) {
			continue
		}
		i, ok := at[l.Path]
		if !ok {
			i = len(out)
			at[l.Path] = i
			out = append(out, step{File: File{Path: l.Path}, want: *l.Before})
		}
		out[i].lines = append(out[i].lines, l)
	}
	return out
}

// check decides what happens to one file.
func (s *Store) check(st *step, all []line, runs []string) {
	first, last := st.lines[0], st.lines[len(st.lines)-1]
	now, _, err := look(st.Path, false)
	switch {
	case err != nil:
		st.keep("it cannot be read: " + err.Error())
		return
	case now.same(st.want):
		st.Action = Unchanged
		return
	case last.After == nil:
		st.keep("hermes ended while a command worked on it, so nobody knows who changed it last")
		return
	case !now.same(*last.After):
		st.keep(changedSince(st.Path, now, all, runs))
		return
	}
	for i, l := range st.lines[1:] {
		if before := st.lines[i].After; before == nil || !before.same(*l.Before) {
			st.Note = "it also changed between the agent's edits, by another program or by hand; that is taken back too"
		}
	}
	if dir := filepath.Dir(st.Path); !leadsToItself(dir) {
		st.keep("its folder leads somewhere else now")
		return
	}
	switch st.want.Is {
	case absent:
		st.Action = Removed
	case link:
		st.Action = Restored
	case file:
		st.Action = Restored
		if first.Missing != "" {
			st.keep("there is no copy: " + first.Missing)
		} else if !exists(s.blob(st.want.Hash)) {
			st.keep("its copy was pruned to save room (undo.max_bytes)")
		}
	default:
		st.keep("it was no file before")
	}
	if st.Action == Restored && now.Is == absent {
		st.Action = Recreated
	}
}

func (st *step) keep(reason string) { st.Action, st.Reason = Kept, reason }

// changedSince words why now is not what the agent left.
func changedSince(path string, now state, all []line, runs []string) string {
	for _, l := range all {
		if l.Path == path && !slices.Contains(runs, l.Run) && l.After != nil && l.After.same(now) {
			return "another turn changed it; undo that one too"
		}
	}
	if now.Is == absent {
		return "it was removed since"
	}
	return "it was changed since"
}

// leadsToItself reports whether the folder is reached without a link, or is gone.
func leadsToItself(dir string) bool {
	real, err := home.ResolvePath(dir)
	return err == nil && real == filepath.Clean(dir)
}

// carryOut does the steps: removals first, newest first, so that made folders are empty in time.
func (s *Store) carryOut(session string, steps []step, r *Report) error {
	run := core.ToolRun{SessionID: session, RunID: undoRun + rand.Text()[:12]}
	var edits []core.FileEdit
	for _, st := range steps {
		switch {
		case st.Action == Kept || st.Action == Unchanged:
		case st.want.Is == link: // the journal knows ends by hash or by looking
			edits = append(edits, core.FileEdit{Path: st.Path, Open: true})
		default:
			edits = append(edits, core.FileEdit{Path: st.Path, After: st.want.Hash})
		}
	}
	settle := func() error { return nil }
	if len(edits) > 0 {
		var err error
		if settle, err = s.Keep(run, edits); err != nil {
			return &core.Error{Op: "undo", Err: err, Hint: "What is there now could not be copied first, so nothing was changed. Free some space and try again."}
		}
		r.Redo = run.RunID
	}
	var done []string
	for _, remove := range []bool{true, false} {
		for i := range steps {
			st := &steps[i]
			if remove {
				st = &steps[len(steps)-1-i]
			}
			if st.Action == Kept || (st.Action == Removed) != remove {
				continue
			}
			if st.Action != Unchanged {
				if err := s.restore(st); err != nil {
					st.keep(err.Error())
					continue
				}
			}
			for _, l := range st.lines {
				done = append(done, l.ID)
			}
		}
	}
	err := settle()
	if len(done) > 0 {
		err = errors.Join(err, s.append(session, line{Kind: kindUndone, IDs: done}))
	}
	return err
}

// restore makes one file what it was.
func (s *Store) restore(st *step) error {
	last := st.lines[len(st.lines)-1]
	now, _, err := look(st.Path, false) // again: the lock may have taken its time
	if err == nil && now.same(st.want) {
		return nil // a folder that went with its last file
	}
	if err != nil || !now.same(*last.After) {
		return errors.New("it was changed since")
	}
	if st.want.Is == absent {
		if err := os.Remove(st.Path); err != nil {
			return err
		}
		st.sweep()
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(st.Path), 0o755); err != nil {
		return err
	}
	if st.want.Is == link {
		return relink(st.Path, st.want.Target)
	}
	data, err := os.ReadFile(s.blob(st.want.Hash))
	if err != nil || hashOf(data) != st.want.Hash {
		return errors.New("its copy is damaged")
	}
	if now.Is == link { // a write would go through it
		if err := os.Remove(st.Path); err != nil {
			return err
		}
	}
	if err := home.WriteFile(st.Path, data, st.want.Mode); err != nil {
		return err
	}
	if now, err := os.Stat(st.Path); err == nil && now.Mode()&fs.ModePerm != st.want.Mode&fs.ModePerm {
		return os.Chmod(st.Path, st.want.Mode)
	}
	return nil
}

// relink puts a link back in one step.
func relink(path, target string) error {
	tmp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.link-%s", filepath.Base(path), rand.Text()[:8]))
	if err := os.Symlink(target, tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}

// sweep removes the folders that were made for a removed file, as far as they are empty.
func (st *step) sweep() {
	made := ""
	for _, l := range st.lines {
		if l.Made != "" && (made == "" || len(l.Made) < len(made)) {
			made = l.Made
		}
	}
	if made == "" {
		return
	}
	for dir := filepath.Dir(st.Path); home.Within(made, dir); dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil { // not empty: it stays
			return
		}
	}
}
