package curator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/text"
)

// State is .curator_state, shared with other programs of the home: keys that are not ours stay.
type State struct {
	LastRun     time.Time // zero before the first sight of the library
	LastSummary string
	LastReport  string // folder
	LastID      string // of the run, for Rollback
	Paused      bool
	Runs        int

	rest map[string]json.RawMessage
}

func (c *Curator) statePath() string { return filepath.Join(c.o.Library.Home(), ".curator_state") }

// loadState reads the state; a damaged file counts as none and is told.
func (c *Curator) loadState() (State, error) {
	s := State{rest: map[string]json.RawMessage{}}
	raw, err := os.ReadFile(c.statePath())
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, &core.Error{Op: "read curator state", Subject: c.statePath(), Err: err}
	}
	if json.Unmarshal(raw, &s.rest) != nil || s.rest == nil {
		s.rest = map[string]json.RawMessage{} // damaged: the clock starts anew, which archives nothing
	}
	get := func(key string, v any) { _ = json.Unmarshal(s.rest[key], v) } // another type counts as absent
	var last string
	get("last_run_at", &last)
	if t, err := time.Parse(time.RFC3339Nano, last); err == nil {
		s.LastRun = t
	}
	get("last_run_summary", &s.LastSummary)
	get("last_report_path", &s.LastReport)
	get("last_run_id", &s.LastID)
	get("paused", &s.Paused)
	get("run_count", &s.Runs)
	return s, nil
}

func (c *Curator) saveState(s State) error {
	out := maps.Clone(s.rest)
	if out == nil {
		out = map[string]json.RawMessage{}
	}
	set := func(key string, v any) {
		if b, err := json.Marshal(v); err == nil {
			out[key] = b
		}
	}
	if !s.LastRun.IsZero() {
		set("last_run_at", s.LastRun.UTC().Format(time.RFC3339Nano))
	}
	set("last_run_summary", s.LastSummary)
	set("last_report_path", s.LastReport)
	set("last_run_id", s.LastID)
	set("paused", s.Paused)
	set("run_count", s.Runs)
	b, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return &core.Error{Op: "write curator state", Err: err}
	}
	if err := home.EnsureDir(c.o.Library.Home()); err != nil {
		return err
	}
	return home.WriteFile(c.statePath(), append(b, '\n'), home.FileMode)
}

// cronSkills are the names of skills in the scheduled jobs of other programs, paused ones too. A file that
// cannot be read is an error: what a job needs must not be guessed.
func (c *Curator) cronSkills() (map[string]bool, error) {
	path := filepath.Join(c.o.Home.Dir(), "cron", "jobs.json")
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &core.Error{Op: "read scheduled jobs", Subject: path, Err: err, Hint: "Nothing is archived while it is not known which skills they need."}
	}
	var any any
	if err := json.Unmarshal(raw, &any); err != nil {
		return nil, &core.Error{Op: "read scheduled jobs", Subject: path, Err: err, Hint: "Repair the file; nothing is archived while it is not known which skills it needs."}
	}
	out := map[string]bool{}
	collect(any, "", out)
	return out, nil
}

// collect finds the values under "skill" and "skills", however the jobs are nested.
func collect(v any, key string, out map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			collect(x, k, out)
		}
	case []any:
		for _, x := range v {
			collect(x, key, out)
		}
	case string:
		if key == "skill" || key == "skills" {
			for name := range strings.SplitSeq(v, ",") {
				if name = strings.TrimSpace(name); name != "" {
					out[name] = true
					out[name[strings.LastIndexByte(name, '/')+1:]] = true
				}
			}
		}
	}
}

// report writes run.json and REPORT.md; it returns their folder.
func (c *Curator) report(r Report) (string, error) {
	base := filepath.Join(c.o.Home.Logs(), "curator", r.At.UTC().Format("20060102-150405"))
	dir := base
	for i := 1; ; i++ {
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			break
		}
		dir = fmt.Sprintf("%s-%d", base, i)
	}
	for _, d := range []string{c.o.Home.Logs(), filepath.Dir(dir), dir} {
		if err := home.EnsureDir(d); err != nil {
			return "", err
		}
	}
	r.Folder = dir
	return dir, r.save()
}

// save writes the report to its folder.
func (r Report) save() error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return &core.Error{Op: "write curator report", Err: err}
	}
	return errors.Join(
		home.WriteFile(filepath.Join(r.Folder, "run.json"), append(b, '\n'), home.FileMode),
		home.WriteFile(filepath.Join(r.Folder, "REPORT.md"), []byte(r.Markdown()), home.FileMode),
	)
}

// Markdown is the report for people.
func (r Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Curator run %s\n\n%s, %s looked at. %s\n", r.ID, r.At.Local().Format("2006-01-02 15:04"), text.Count(r.Checked, "skill", "skills"), r.Summary())
	if !r.RolledBack.IsZero() {
		fmt.Fprintf(&b, "\nThis run was taken back on %s.\n", r.RolledBack.Local().Format("2006-01-02 15:04"))
	}
	if r.Backup != "" {
		fmt.Fprintf(&b, "\nWhat it changed, as it was before: %s\n", r.Backup)
	}
	if r.DryRun {
		b.WriteString("\nThis was a dry run: nothing was changed.\n")
	}
	for _, m := range []struct {
		move Move
		head string
	}{{Archive, "Archived"}, {MarkStale, "Went stale"}, {Reactivate, "Active again"}, {Seed, "First seen"}} {
		var lines []string
		for _, s := range r.Steps {
			if s.Move == m.move {
				line := "- " + s.Name + ": " + s.Reason
				if s.Error != "" {
					line += " — not done: " + s.Error
				}
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 {
			slices.Sort(lines)
			b.WriteString("\n## " + m.head + "\n\n" + strings.Join(lines, "\n") + "\n")
		}
	}
	if !r.DryRun && r.Count(Archive) > 0 {
		b.WriteString("\nBring one back: hermes skills restore NAME. Take the run back: hermes curator rollback " + r.ID + "\n")
	}
	return b.String()
}
