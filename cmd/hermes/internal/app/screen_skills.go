package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/text"
	"hermes/skills"
	"hermes/skills/guard"
	toolskill "hermes/tools/skill"
	"hermes/tui"
	"hermes/tui/browser"
	"hermes/tui/skillpane"
)

// know shows the skills of a session and does what a person asks for.
type know struct{ s *Session }

// Sheet reads what the session was told and what there is now.
func (k know) Sheet(ctx context.Context) (tui.SkillSheet, error) {
	s := k.s
	var out tui.SkillSheet
	var err error
	scope := s.skillScope()
	if out.Pane.Checked, err = s.library.Check(ctx, scope); err != nil {
		return out, err
	}
	if !slices.Contains(scope.Tools, toolskill.View) {
		out.Pane.Off = true
	} else if out.Next, err = s.library.Index(ctx, scope); err != nil {
		return out, err
	}
	if out.Archived, err = s.library.ArchiveList(); err != nil {
		return out, err
	}
	out.Pane.Prompt = skills.ReadIndex(s.ses.Prompt().System)
	out.Pane.Loaded = loadedIn(s.ses.Records())
	out.Pane.Made, err = k.made()
	return out, err
}

// made are the changes to skills since the session began that were made in its name.
func (k know) made() ([]skillpane.Mark, error) {
	log, err := k.s.app.Ledger.Log(ledger.Filter{Subject: "skill:", SessionID: k.s.ID()})
	if err != nil {
		return nil, err
	}
	var out []skillpane.Mark
	for _, e := range slices.Backward(log) { // oldest first
		rel, ok := strings.CutPrefix(e.Subject, "skill:")
		if !ok {
			continue
		}
		category := path.Dir(rel)
		if category == "." {
			category = ""
		}
		out = append(out, skillpane.Mark{Category: category, Name: path.Base(rel), Action: e.Action})
	}
	return out, nil
}

// loadedIn are the skills that the transcript brought: by the tool, by a slash command, by a flag.
func loadedIn(records []core.Record) []skillpane.Mark {
	var out []skillpane.Mark
	for _, r := range records {
		if r.Type != core.RecordMessage || r.Message == nil {
			continue
		}
		switch m := r.Message; {
		case m.Role == core.RoleTool && m.ToolName == toolskill.View && r.OK != nil && *r.OK:
			var a struct {
				Name   string `json:"name"`
				Folder string `json:"skill_dir"`
			}
			if json.Unmarshal([]byte(m.Content), &a) == nil && a.Name != "" {
				out = append(out, skillpane.Mark{Name: a.Name, Folder: a.Folder})
			}
		case m.Role == core.RoleUser:
			if name, ok := skills.Invoked(m.Content); ok {
				out = append(out, skillpane.Mark{Name: name, Anywhere: true})
			}
		}
	}
	return out
}

// Detail reads one skill whole, of the library or of the archive.
func (k know) Detail(ctx context.Context, file string) (browser.Detail, error) {
	d := browser.Detail{Path: file}
	l := k.s.library
	name, e, err := k.named(ctx, file)
	if err != nil {
		return d, err
	}
	data, err := skills.ReadSome(file)
	if err != nil {
		return d, &core.Error{Op: "read skill", Subject: file, Err: err}
	}
	note := func(what string, err error) {
		if err != nil {
			d.Problems = append(d.Problems, what+": "+err.Error())
		}
	}
	d.Text = string(data)
	if int64(len(data)) < e.Size {
		d.Problems = append(d.Problems, fmt.Sprintf("only the first %s of %s bytes are shown", text.Thousands(len(data)), text.Thousands(int(e.Size))))
	}
	d.Files = skills.Files(filepath.Dir(file))
	d.Scan, err = guard.New(guard.Options{}).Dir(ctx, filepath.Dir(file), nil)
	note("the guard cannot look at it", err)
	if k.s.app.Ledger != nil {
		d.Versions, err = l.History(ctx, name)
		note("its history cannot be read", err)
	}
	needs := l.Needs(e, func(name string) bool { return k.s.app.lookup(name) != "" })
	for _, v := range needs.Missing {
		d.Missing = append(d.Missing, v.Name)
	}
	d.Missing = append(d.Missing, needs.Files...)
	return d, nil
}

// named is how the library calls the skill with this SKILL.md, and the skill.
func (k know) named(ctx context.Context, file string) (string, skills.Entry, error) {
	list, err := k.s.library.Entries(ctx)
	if err != nil {
		return "", skills.Entry{}, err
	}
	if i := slices.IndexFunc(list, func(e skills.Entry) bool { return e.Path == file }); i >= 0 {
		return list[i].Path, list[i], nil // other skills may stand at the same place of another root
	}
	archive, err := k.s.library.ArchiveList()
	if err != nil {
		return "", skills.Entry{}, err
	}
	for _, a := range archive {
		if a.Folder == filepath.Dir(file) {
			return a.Name, a.Entry, nil
		}
	}
	return "", skills.Entry{}, &core.Error{Code: core.CodeNotFound, Op: "find skill", Subject: file, Err: errors.New("it is no longer there")}
}

// Diff shows what changed between two changes.
func (k know) Diff(ctx context.Context, file, from, to string) (string, error) {
	name, _, err := k.named(ctx, file)
	if err != nil {
		return "", err
	}
	return k.s.library.Diff(ctx, name, from, to)
}

// Do carries out t in the person's name.
func (k know) Do(ctx context.Context, t browser.Task) (browser.Done, error) {
	l, by := k.s.library, ledger.Change{Actor: ledger.You, SessionID: k.s.ID()}
	if t.Verb == browser.Restore {
		e, err := l.Restore(ctx, by, t.Name)
		return browser.Done{Said: "restored: " + e.Qualified() + "; the next session sees it", Path: e.Path}, plain(err)
	}
	name, e, err := k.named(ctx, t.Path)
	if err != nil {
		return browser.Done{}, err
	}
	var done browser.Done
	switch t.Verb {
	case browser.Pin:
		done.Said = "pinned: it is not archived or deleted, and reviews only propose changes"
		_, err = l.Pin(ctx, by, name)
	case browser.Unpin:
		done.Said = "no longer pinned"
		_, err = l.Unpin(ctx, by, name)
	case browser.Archive:
		var out skills.Outcome
		out, err = l.Archive(ctx, by, name, "")
		done = browser.Done{Said: "archived: " + e.Qualified() + "; u restores it", Path: filepath.Join(out.Archived, skills.FileName)}
	case browser.Rollback:
		done.Said = "rolled back; the next session sees it"
		var id string
		if _, id, err = l.Rollback(ctx, by, name, t.ID); err == nil && id == "" {
			done.Said = "it is as it was then; nothing had to change"
		}
	case browser.Edit:
		done.Said, err = WriteSkill(ctx, l, by, name, t.Text, t.Base, "edited by hand")
	case browser.Describe:
		done.Said, err = DescribeSkill(ctx, l, by, e, t.Text)
	case browser.Restore:
	}
	return done, plain(err)
}

// DescribeSkill gives a skill another description, through the gates of the library. It says what came of it.
func DescribeSkill(ctx context.Context, l *skills.Library, by ledger.Change, e skills.Entry, description string) (string, error) {
	data, err := os.ReadFile(e.Path)
	if err != nil {
		return "", &core.Error{Op: "read skill", Subject: e.Path, Err: err}
	}
	now, err := skills.Describe(data, description)
	if err != nil {
		return "", err
	}
	return WriteSkill(ctx, l, by, e.Path, string(now), ledger.Hash(data), "a description that the prompt shows whole")
}

// WriteSkill replaces the SKILL.md of a skill through the gates of the library; base is the hash of the text
// that content was made of. It says what came of it.
func WriteSkill(ctx context.Context, l *skills.Library, by ledger.Change, name, content, base, reason string) (string, error) {
	out, err := l.Do(ctx, by, skills.Op{Action: skills.Edit, Name: name, Content: &content, Base: base, Reason: reason}, nil)
	if err != nil {
		return "", plain(err)
	}
	said := "saved: " + out.Entry.Qualified() + "; the next session sees it"
	if level := out.Plan.Verdict.Level; level != "" && level != skills.LevelSafe {
		said += " · ⚠ the guard says " + level
	}
	if len(out.Plan.Warnings) > 0 {
		said += " · ⚠ " + out.Plan.Warnings[0].Message
	}
	return said, nil
}

// plain says a refusal with its details on one line.
func plain(err error) error {
	var r *skills.RefusedError
	if !errors.As(err, &r) {
		return err
	}
	what := r.Message
	if len(r.Findings) > 0 {
		what += " " + strings.Join(r.Findings, "; ")
	}
	return &core.Error{Code: core.CodeOf(err), Op: "change skill", Subject: r.Name, Err: errors.New(text.OneLine(what)), Hint: r.Hint}
}
