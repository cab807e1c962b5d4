package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
)

// Purge removes a leaked secret from everything this home keeps: history and learned files, transcripts with
// their spilled results and prompts, copies for undo, proposals, reviews, drafts and logs. The search index is
// made anew.
func (a *App) Purge(ctx context.Context, secret string) (ledger.PurgeResult, error) {
	r, err := a.Ledger.Purge(ctx, secret, kept{a})
	a.Skills.Drop()
	return r, err
}

// kept is what the home keeps beside the ledger.
type kept struct{ a *App }

// Purge cleans the files that hold secret and returns how many there were. Transcripts that another program
// holds are named in the error.
func (k kept) Purge(ctx context.Context, secret string) (int, error) {
	h := k.a.Home
	forms := spellings(secret)
	n := 0
	var errs []error
	for _, dir := range []string{h.Sessions(), h.Undo(), h.Pending(), h.Reviews(), h.UI(), h.Logs(), h.Skills()} { // skills: those that no change ever touched
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case ctx.Err() != nil:
				return ctx.Err()
			case !d.Type().IsRegular() || strings.HasSuffix(path, ".lock"):
				return nil
			}
			found, err := k.file(path, forms)
			if found {
				n++
			}
			if err != nil {
				errs = append(errs, err)
			}
			return nil
		})
		errs = append(errs, err)
	}
	for _, path := range []string{h.ReviewState(), h.Insights()} {
		found, err := k.file(path, forms)
		if found {
			n++
		}
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	backups, err := k.a.Curator().BackupsWith(forms)
	errs = append(errs, err)
	for _, file := range backups { // the skills themselves are clean by now
		n++
		errs = append(errs, os.Remove(file))
	}
	if err := k.a.Index.Close(); err != nil {
		errs = append(errs, err)
	}
	errs = append(errs, os.RemoveAll(h.Index())) // it is made of the transcripts again
	return n, errors.Join(errs...)
}

// spellings are the ways in which secret can stand in a file: as it is, inside JSON, and inside JSON that is
// text of JSON (the arguments of a call in a transcript).
func spellings(secret string) [][]byte {
	out := []string{secret}
	for level := []string{secret}; len(out) < 8; {
		var next []string
		for _, s := range level {
			for _, html := range []bool{false, true} {
				if e := escaped(s, html); e != "" && !slices.Contains(out, e) {
					out, next = append(out, e), append(next, e)
				}
			}
		}
		if level = next; len(next) == 0 {
			break
		}
	}
	slices.SortFunc(out, func(a, b string) int { return len(b) - len(a) }) // the longest first: it holds no other
	forms := make([][]byte, len(out))
	for i, s := range out {
		forms[i] = []byte(s)
	}
	return forms
}

// escaped is s as it stands between the quotes of a JSON string.
func escaped(s string, html bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if enc.Encode(s) != nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// file cleans one file; found tells whether it held the secret. A copy for undo is named by its content, so
// that it goes as a whole: it could not be put back any more.
func (k kept) file(path string, forms [][]byte) (found bool, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	clean := data
	for _, f := range forms {
		clean = bytes.ReplaceAll(clean, f, []byte(ledger.Purged))
	}
	if bytes.Equal(clean, data) {
		return false, nil
	}
	if home.Within(filepath.Join(k.a.Home.Undo(), "blobs"), path) {
		return true, os.Remove(path)
	}
	if id, ok := strings.CutSuffix(filepath.Base(path), ".jsonl"); ok && filepath.Dir(path) == k.a.Home.Sessions() {
		lock, err := home.TryLock(k.a.Home.TranscriptLock(id))
		if err != nil {
			return true, &core.Error{Code: core.CodeBusy, Op: "purge session", Subject: id, Err: fmt.Errorf("a program has it open"), Hint: "Close it and purge again."}
		}
		defer func() { err = errors.Join(err, lock.Unlock()) }()
	}
	mode := home.FileMode
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm() // a script stays one
	}
	return true, home.WriteFile(path, clean, mode)
}
