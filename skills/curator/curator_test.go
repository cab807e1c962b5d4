package curator_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
	"hermes/skills"
	"hermes/skills/curator"
)

const day = 24 * time.Hour

// rig is a library whose time is moved, never its files.
type rig struct {
	*curator.Curator

	home home.Home
	lib  *skills.Library
	led  *ledger.Ledger
	now  time.Time
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{home: home.At(t.TempDir()), now: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)}
	r.led = ledger.New(r.home)
	now := func() time.Time { return r.now }
	r.lib = skills.New(skills.Options{Home: r.home, Ledger: r.led, OS: "linux", Now: now})
	r.led.Register(r.lib.Subject())
	r.Curator = curator.New(curator.Options{Home: r.home, Library: r.lib, Ledger: r.led, Now: now, Settings: curator.Settings{
		Backups: 2,
		Enabled: true, Interval: 168 * time.Hour, MinIdle: 2 * time.Hour, StaleAfter: 30 * day, Archive: 90 * day,
	}})
	return r
}

func (r *rig) path(rel string) string { return filepath.Join(r.home.Skills(), filepath.FromSlash(rel)) }

func (r *rig) write(t *testing.T, rel, content string) {
	t.Helper()
	p := r.path(rel)
	if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// skill writes a skill below the category "c".
func (r *rig) skill(t *testing.T, name string) {
	t.Helper()
	r.write(t, "c/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: What "+name+" does\n---\n# "+name+"\n")
	r.write(t, "c/"+name+"/references/more.md", "more of "+name+"\n")
}

// tree hashes every file of the library.
func (r *rig) tree(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(r.home.Skills(), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		out[strings.TrimPrefix(p, r.home.Skills())] = fmt.Sprintf("%x", sha256.Sum256(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func moved(r curator.Report) map[string]curator.Move {
	out := map[string]curator.Move{}
	for _, s := range r.Steps {
		if s.Move != curator.Keep {
			out[s.Name] = s.Move
		}
	}
	return out
}

func TestOpenCU03_whatMustNotBeArchived(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, n := range []string{"pinned-old", "job-old", "new-unused", "future", "no-zone", "zulu", "offset", "no-record", "hub-old", "gone-cold", "plan"} {
		r.skill(t, n)
	}
	at := func(d time.Duration) string { return r.now.Add(-d).Format("2006-01-02T15:04:05") }
	record := func(name, fields string) string {
		return fmt.Sprintf(`%q: {"created_by": "agent", "use_count": 3, "created_at": "%sZ", %s}`, name, at(400*day), fields)
	}
	r.write(t, ".usage.json", "{"+strings.Join([]string{
		record("pinned-old", `"last_used_at": "`+at(400*day)+`Z", "pinned": true`),
		record("job-old", `"last_used_at": "`+at(400*day)+`Z"`),
		`"new-unused": {"created_by": "agent", "use_count": 0, "created_at": "` + at(5*day) + `Z"}`,
		record("future", `"last_used_at": "2999-01-01T00:00:00Z"`),
		record("no-zone", `"last_used_at": "`+at(10*day)+`"`),
		record("zulu", `"last_used_at": "`+at(10*day)+`Z"`),
		record("offset", `"last_used_at": "`+at(10*day)+`+08:00"`),
		record("hub-old", `"last_used_at": "`+at(400*day)+`Z"`),
		record("gone-cold", `"last_used_at": "`+at(100*day)+`Z"`),
		record("plan", `"last_used_at": "`+at(400*day)+`Z"`),
	}, ",\n")+"}")
	r.write(t, ".hub/lock.json", `{"installed": {"hub-old": {}}}`)
	jobs := filepath.Join(r.home.Dir(), "cron", "jobs.json")
	if err := os.MkdirAll(filepath.Dir(jobs), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(jobs, []byte(`{"jobs":[{"id":"x","enabled":false,"skills":["job-old"]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}

	// The first sight starts the clock and does nothing else; nobody idle, no run either.
	for _, idle := range []time.Duration{time.Hour, 3 * time.Hour, 3 * time.Hour} {
		if _, ran, err := r.MaybeRun(t.Context(), idle); err != nil || ran {
			t.Fatalf("ran at first sight: %v, %v", ran, err)
		}
	}
	before := r.tree(t)
	dry, err := r.Run(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, r.tree(t)); d != "" {
		t.Errorf("a dry run changed the library:\n%s", d)
	}
	r.now = r.now.Add(169 * time.Hour)
	if _, ran, err := r.MaybeRun(t.Context(), 90*time.Minute); err != nil || ran {
		t.Fatalf("ran while somebody works: %v, %v", ran, err)
	}
	rep, ran, err := r.MaybeRun(t.Context(), 3*time.Hour)
	if err != nil || !ran {
		t.Fatalf("ran %v, %v", ran, err)
	}
	want := map[string]curator.Move{"c/gone-cold": curator.Archive, "c/no-record": curator.Seed}
	if d := cmp.Diff(want, moved(rep)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(want, moved(dry)); d != "" {
		t.Errorf("the dry run said something else:\n%s", d)
	}
	after := r.tree(t)
	for name, hash := range before {
		moved := strings.Replace(name, "/c/gone-cold/", "/.archive/gone-cold/", 1)
		if strings.HasPrefix(name, "/c/") && after[moved] != hash {
			t.Errorf("%s is not what it was", name)
		}
	}
	if rep.Folder == "" || !strings.Contains(string(must(os.ReadFile(filepath.Join(rep.Folder, "REPORT.md")))), "c/gone-cold: not used for 107 days") {
		t.Errorf("report in %q", rep.Folder)
	}
	// It comes back to where it was, with its state.
	if _, err := r.Rollback(t.Context(), ledger.Change{Actor: ledger.You}, ""); err != nil {
		t.Fatal(err)
	}
	back := r.tree(t)
	for name, hash := range before {
		if strings.HasPrefix(name, "/c/") && back[name] != hash {
			t.Errorf("%s did not come back", name)
		}
	}
}

// What a run archived comes back even when the archive was emptied since; once, and only what still stands is
// taken back. Old backups go.
func TestRollback_fromBackup(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	you := ledger.Change{Actor: ledger.You}
	if _, err := r.Rollback(t.Context(), you, ""); err == nil {
		t.Error("took back nothing")
	}
	var runs []curator.Report
	for _, name := range []string{"one", "two", "three"} {
		r.skill(t, name)
		r.write(t, "c/"+name+"/references/注.md", "note of "+name)
		r.write(t, ".usage.json", `{"`+name+`": {"created_by": "agent", "use_count": 1, "last_used_at": "2026-01-01T00:00:00Z"}}`)
		rep, err := r.Run(t.Context(), false)
		if err != nil || rep.Count(curator.Archive) != 1 || rep.Backup == "" {
			t.Fatalf("%+v %v", rep, err)
		}
		runs = append(runs, rep)
		r.now = r.now.Add(time.Hour)
	}
	if left := must(filepath.Glob(r.path(".curator_backups/*.tar.gz"))); len(left) != 2 || left[1] != runs[2].Backup {
		t.Errorf("%v", left)
	}
	if err := os.RemoveAll(r.path(".archive")); err != nil {
		t.Fatal(err)
	}
	rep, err := r.Rollback(t.Context(), you, "")
	if err != nil || rep.ID != runs[2].ID {
		t.Fatalf("%+v %v", rep, err)
	}
	if got := string(must(os.ReadFile(r.path("c/three/references/注.md")))); got != "note of three" {
		t.Errorf("%q", got)
	}
	if e := must(r.lib.Find(t.Context(), "three")); e.Rel != "c/three" {
		t.Errorf("%+v", e)
	}
	if _, err := r.Rollback(t.Context(), you, runs[2].ID); err == nil || !strings.Contains(err.Error(), "taken back on") {
		t.Errorf("%v", err)
	}
	if rep, err = r.Rollback(t.Context(), you, ""); err != nil || rep.ID != runs[1].ID {
		t.Errorf("the next one back: %s %v", rep.ID, err)
	}
	if _, err := r.Rollback(t.Context(), you, runs[0].ID); err == nil || core.CodeOf(err) == core.CodeNotFound {
		t.Errorf("its backup and its archive are gone: %v", err)
	}
}

func must[T any](v T, _ error) T { return v }

func TestRun_staleAndBack(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.skill(t, "tool")
	r.write(t, ".usage.json", `{"tool": {"created_by": "agent", "use_count": 1, "last_used_at": "2026-05-30T00:00:00Z"}}`)
	state := func() string {
		t.Helper()
		rec, err := r.lib.Usage().Records()
		if err != nil {
			t.Fatal(err)
		}
		return rec["tool"].State
	}
	run := func(want map[string]curator.Move) {
		t.Helper()
		rep, err := r.Run(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, moved(rep)); d != "" {
			t.Error(d)
		}
	}
	run(map[string]curator.Move{})
	r.now = r.now.Add(40 * day)
	run(map[string]curator.Move{"c/tool": curator.MarkStale})
	if state() != skills.StateStale {
		t.Errorf("state %q", state())
	}
	run(map[string]curator.Move{})
	r.lib.Usage().Bump(t.Context(), "tool", skills.Viewed) // using it makes it active at once
	if state() != skills.StateActive {
		t.Errorf("state %q", state())
	}
	r.now = r.now.Add(200 * day)
	run(map[string]curator.Move{"c/tool": curator.Archive})
	if list, err := r.lib.ArchiveList(); err != nil || len(list) != 1 || list[0].From != "c/tool" {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := r.lib.Restore(t.Context(), ledger.Change{Actor: ledger.You}, "tool"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(r.path("c/tool/references/more.md")); err != nil {
		t.Error(err)
	}
}

func TestRun_damagedUsageArchivesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.skill(t, "tool")
	r.write(t, ".usage.json", `{"a":`)
	if rep, err := r.Run(t.Context(), false); err == nil || !strings.Contains(err.Error(), ".usage.json") {
		t.Errorf("%+v, %v", rep, err)
	}
	if _, err := os.Stat(r.path("c/tool/SKILL.md")); err != nil {
		t.Error(err)
	}
}

func TestRun_unreadableJobsArchiveNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.skill(t, "tool")
	r.write(t, "../cron/jobs.json", `{`)
	if _, err := r.Run(t.Context(), false); err == nil || !strings.Contains(err.Error(), "jobs.json") {
		t.Errorf("%v", err)
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.skill(t, "tool")
	r.write(t, ".curator_state", `{"last_run_at":"2026-01-01T00:00:00Z","_note":"mine","run_count":7}`)
	if err := r.Pause(true); err != nil {
		t.Fatal(err)
	}
	if _, ran, err := r.MaybeRun(t.Context(), day); ran || err != nil {
		t.Errorf("ran while paused: %v, %v", ran, err)
	}
	if _, err := r.Run(t.Context(), false); err != nil {
		t.Errorf("by hand it runs: %v", err)
	}
	if raw := string(must(os.ReadFile(r.path(".curator_state")))); !strings.Contains(raw, `"_note": "mine"`) || !strings.Contains(raw, `"run_count": 8`) {
		t.Errorf("%s", raw)
	}
	st, err := r.Status(t.Context())
	if err != nil || !st.State.Paused || !st.Next.IsZero() || !slices.ContainsFunc(st.Steps, func(s curator.Step) bool { return s.Name == "c/tool" }) == (len(st.Steps) > 0) {
		t.Errorf("%+v, %v", st, err)
	}
}

// What a person brings back, one by one or with the whole run, has the full time again: the next run would undo it
// otherwise.
func TestRun_leavesWhatWasBroughtBack(t *testing.T) {
	t.Parallel()
	you := ledger.Change{Actor: ledger.You}
	for name, back := range map[string]func(*testing.T, *rig, curator.Report) error{
		"rollback": func(t *testing.T, r *rig, rep curator.Report) error {
			t.Helper()
			_, err := r.Rollback(t.Context(), you, rep.ID)
			return err
		},
		"rollback of an emptied archive": func(t *testing.T, r *rig, rep curator.Report) error {
			t.Helper()
			if err := os.RemoveAll(r.path(".archive")); err != nil {
				return err
			}
			_, err := r.Rollback(t.Context(), you, rep.ID)
			return err
		},
		"restore": func(t *testing.T, r *rig, _ curator.Report) error {
			t.Helper()
			_, err := r.lib.Restore(t.Context(), you, "tool")
			return err
		},
		"undo": func(t *testing.T, r *rig, rep curator.Report) error {
			t.Helper()
			ids, err := r.led.UndoIDs(ledger.Filter{ReviewID: rep.ID})
			if err == nil {
				_, err = r.led.Undo(t.Context(), you, false, ids...)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.skill(t, "tool")
			r.write(t, ".usage.json", `{"tool": {"created_by": "agent", "use_count": 1, "last_used_at": "2026-01-01T00:00:00Z"}}`)
			rep, err := r.Run(t.Context(), false)
			if err != nil || rep.Count(curator.Archive) != 1 {
				t.Fatalf("%+v, %v", rep, err)
			}
			if err := back(t, r, rep); err != nil {
				t.Fatal(err)
			}
			for _, step := range []struct {
				days int
				want map[string]curator.Move
			}{
				{8, map[string]curator.Move{}}, {24, map[string]curator.Move{"c/tool": curator.MarkStale}}, {60, map[string]curator.Move{"c/tool": curator.Archive}},
			} {
				r.now = r.now.Add(time.Duration(step.days) * day)
				rep, err := r.Run(t.Context(), false)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(step.want, moved(rep)); d != "" {
					t.Errorf("after %d more days: %s", step.days, d)
				}
			}
		})
	}
}

// A clock that was ahead does not silence the curator until then: it begins anew.
func TestMaybeRun_lastRunInTheFuture(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.skill(t, "tool")
	r.write(t, ".curator_state", `{"last_run_at":"2099-01-01T00:00:00Z"}`)
	if _, ran, err := r.MaybeRun(t.Context(), day); ran || err != nil {
		t.Fatalf("%v, %v", ran, err)
	}
	r.now = r.now.Add(169 * time.Hour)
	if _, ran, err := r.MaybeRun(t.Context(), day); !ran || err != nil {
		t.Errorf("ran %v, %v", ran, err)
	}
}

// Runs within one second keep their order.
func TestLoad_theLastOfASecond(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.skill(t, "tool")
	var last curator.Report
	for range 12 {
		var err error
		if last, err = r.Run(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		r.now = r.now.Add(time.Millisecond)
	}
	if got, err := r.Load(""); err != nil || got.ID != last.ID {
		t.Errorf("%s, not %s: %v", got.ID, last.ID, err)
	}
}
