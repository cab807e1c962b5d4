package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/review"
	"hermes/skills"
	"hermes/skills/guard"
	"hermes/skills/learn"
)

// landed are the skills that the runs wrote, as they stand.
func (s *Session) landed(runs []string) (out []learn.Landed, err error) {
	touched := map[string]bool{}
	for _, run := range runs {
		log, err := s.app.Ledger.Log(ledger.Filter{SessionID: s.ID(), RunID: run, Subject: "skill:"})
		if err != nil {
			return nil, err
		}
		for _, e := range log {
			touched[e.Subject] = true
		}
	}
	if len(touched) == 0 {
		return nil, nil
	}
	checked, err := s.library.Check(s.life, skills.Scope{})
	if err != nil {
		return nil, err
	}
	scanner := skills.Scanned(guard.New(guard.Options{}), guard.AgentCreated)
	for _, c := range checked {
		if !touched[c.Subject()] {
			continue
		}
		files, err := textsBelow(c.Folder)
		if err != nil {
			return nil, err
		}
		main := files[skills.FileName]
		delete(files, skills.FileName)
		verdict, err := scanner.Check(s.life, c.Folder, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, learn.Landed{Entry: c.Entry, Text: main, Files: files, Warnings: c.Warnings, Guard: serious(verdict)})
	}
	return out, nil
}

// serious is what the guard found, when it does not call the skill safe.
func serious(v skills.Verdict) (out []string) {
	if v.Level == skills.LevelSafe {
		return nil
	}
	for _, f := range v.Findings {
		if strings.HasPrefix(f, string(guard.High)+" ") || strings.HasPrefix(f, string(guard.Critical)+" ") {
			out = append(out, f)
		}
	}
	return out
}

// Limits of what is read of a skill's folder for its check.
const (
	checkFiles = 200
	checkBytes = 1 << 20 // of a file
)

// textsBelow reads the regular text files below a folder, by their path with slashes.
func textsBelow(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || len(out) >= checkFiles {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > checkBytes {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || !utf8.Valid(data) {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		return nil, &core.Error{Op: "read skill", Subject: dir, Err: err}
	}
	return out, nil
}

// waiting are the skills that the runs proposed and nobody decided on yet, as accepting would leave them. A whole
// text takes the place of what this lesson proposed about the same skill before.
func (s *Session) waiting(runs []string) ([]learn.Landed, error) {
	list, problems, err := s.app.Inbox.List()
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		s.app.Log.Warn("list proposals", "problems", problems)
	}
	bySubject := map[string][]review.Waiting{}
	var subjects []string
	for _, w := range list {
		if w.Store != core.StoreSkills || w.Action == string(skills.Delete) || w.SessionID != s.ID() || w.ReviewID != "" || !slices.Contains(runs, w.RunID) {
			continue
		}
		if bySubject[w.Subject] == nil {
			subjects = append(subjects, w.Subject)
		}
		if w.Action == string(skills.Create) || w.Action == string(skills.Edit) {
			for _, old := range bySubject[w.Subject] {
				if err := s.app.Inbox.Withdraw(s.life, old.ID); err != nil {
					return nil, err
				}
			}
			bySubject[w.Subject] = nil
		}
		bySubject[w.Subject] = append(bySubject[w.Subject], w)
	}
	var out []learn.Landed
	for _, subject := range subjects {
		l := learn.Landed{Waits: true, Files: map[string]string{}}
		for _, w := range bySubject[subject] {
			d, err := s.library.Draft(s.life, w.Proposal)
			if err != nil {
				s.app.Log.Warn("look at proposal", "proposal", w.ID, "err", err)
				continue // what it was made against has changed: whoever accepts it is told
			}
			for name, data := range d.Files {
				l.Files[name] = string(data)
			}
			l.Entry, l.Warnings, l.Guard = d.Entry, d.Warnings, serious(d.Verdict)
		}
		if l.Entry.Name == "" {
			continue
		}
		l.Text = l.Files[skills.FileName]
		delete(l.Files, skills.FileName)
		out = append(out, l)
	}
	return out, nil
}
