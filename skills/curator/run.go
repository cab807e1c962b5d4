package curator

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
	"hermes/skills"
)

// Settings are today's settings.
type Settings struct {
	Enabled    bool
	Interval   time.Duration // between runs
	MinIdle    time.Duration // how long nobody must have worked
	StaleAfter time.Duration
	Archive    time.Duration
	Backups    int // how many are kept; 0 makes none
}

// Options configures a curator. All fields are required but Now.
type Options struct {
	Home     home.Home
	Library  *skills.Library
	Ledger   *ledger.Ledger
	Settings Settings
	Now      func() time.Time // nil is the system clock
}

// Curator tends one library.
type Curator struct{ o Options }

// New returns a curator. It reads and creates nothing.
func New(o Options) *Curator {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Curator{o}
}

// Report is what a run did, or would do.
type Report struct {
	ID      string    `json:"id"`
	At      time.Time `json:"started_at"`
	DryRun  bool      `json:"dry_run,omitempty"`
	Checked int       `json:"checked"`
	Steps   []Step    `json:"steps"` // those that are not "keep", and the kept ones with their reason
	Folder  string    `json:"folder,omitempty"`
	TookMS  int64     `json:"duration_ms"`
	Backup  string    `json:"backup,omitempty"` // file with what the run changed, as it was
	// RolledBack is when the run was taken back; zero for never.
	RolledBack time.Time `json:"rolled_back,omitzero"`
}

// Count is how many steps are of a move and were done.
func (r Report) Count(m Move) int {
	n := 0
	for _, s := range r.Steps {
		if s.Move == m && s.Error == "" {
			n++
		}
	}
	return n
}

// Summary is the run in one line.
func (r Report) Summary() string {
	var parts []string
	for _, m := range []struct {
		move Move
		word string
	}{{Archive, "archived"}, {MarkStale, "went stale"}, {Reactivate, "active again"}, {Seed, "first seen"}} {
		if n := r.Count(m.move); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, m.word))
		}
	}
	if len(parts) == 0 {
		return "Nothing to do."
	}
	return strings.Join(parts, ", ") + "."
}

// Status is what "hermes curator status" shows.
type Status struct {
	State  State
	Next   time.Time // when a run by itself is due at the earliest; zero when never
	Counts map[string]int
	Steps  []Step // what a run would do now
}

// Status looks without changing anything.
func (c *Curator) Status(ctx context.Context) (Status, error) {
	st, err := c.loadState()
	if err != nil {
		return Status{}, err
	}
	out := Status{State: st, Counts: map[string]int{}}
	if c.o.Settings.Enabled && !st.Paused && !st.LastRun.IsZero() {
		out.Next = st.LastRun.Add(c.o.Settings.Interval)
	}
	if out.Steps, err = c.plan(ctx); err != nil {
		return out, err
	}
	for _, s := range out.Steps {
		out.Counts[cmp.Or(s.From, skills.StateActive)]++
	}
	return out, nil
}

// MaybeRun runs when it is time: switched on, not paused, the interval over and nobody at work for a while.
// The first time it only starts the clock. ran tells whether there is a report.
func (c *Curator) MaybeRun(ctx context.Context, idle time.Duration) (r Report, ran bool, err error) {
	if !c.o.Settings.Enabled || idle < c.o.Settings.MinIdle {
		return r, false, nil
	}
	if _, err := os.Stat(c.o.Library.Home()); errors.Is(err, fs.ErrNotExist) {
		return r, false, nil // nothing was learned yet
	}
	st, err := c.loadState()
	if err != nil || st.Paused {
		return r, false, err
	}
	if st.LastRun.After(c.o.Now()) {
		st.LastRun = time.Time{} // the clock was wrong then: begin anew, or it would not run for as long
	}
	if st.LastRun.IsZero() {
		st.LastRun, st.LastSummary = c.o.Now(), "Seen for the first time: the clock starts."
		return r, false, c.saveState(st)
	}
	if c.o.Now().Sub(st.LastRun) < c.o.Settings.Interval {
		return r, false, nil
	}
	r, err = c.Run(ctx, false)
	return r, err == nil, err
}

// Pause stops runs by themselves, or lets them go on.
func (c *Curator) Pause(paused bool) error {
	st, err := c.loadState()
	if err != nil {
		return err
	}
	st.Paused = paused
	return c.saveState(st)
}

// Run looks at every skill that an agent wrote and moves what its time says. A dry run changes no byte of the
// library. Two runs at a time are refused.
func (c *Curator) Run(ctx context.Context, dry bool) (Report, error) {
	now := c.o.Now()
	r := Report{ID: "cu-" + now.UTC().Format("20060102-150405.000"), At: now, DryRun: dry}
	if dry {
		steps, err := c.plan(ctx)
		r.Steps, r.Checked = steps, len(steps)
		return r, err
	}
	claim := filepath.Join(c.o.Library.Home(), ".locks")
	if err := home.EnsureDir(claim); err != nil {
		return r, err
	}
	lock, err := home.TryLock(filepath.Join(claim, "curator-run"))
	if err != nil {
		return r, &core.Error{Code: core.CodeBusy, Op: "run curator", Err: errors.New("another run is under way"), Hint: "Wait for its end."}
	}
	defer func() { _ = lock.Unlock() }()
	steps, err := c.plan(ctx)
	if err != nil {
		return r, err
	}
	r.Checked = len(steps)
	if err := c.backup(r.ID, steps); err != nil {
		return r, err
	}
	if _, err := os.Stat(c.backupPath(r.ID)); err == nil {
		r.Backup = c.backupPath(r.ID)
	}
	for _, s := range steps {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if err := c.do(ctx, r.ID, s); err != nil {
			s.Error = err.Error()
		}
		r.Steps = append(r.Steps, s)
	}
	r.TookMS = c.o.Now().Sub(now).Milliseconds()
	st, err := c.loadState()
	if err != nil {
		return r, err
	}
	st.LastRun, st.LastSummary, st.LastID = now, r.Summary(), r.ID
	st.Runs++
	var rerr error
	r.Folder, rerr = c.report(r)
	st.LastReport = r.Folder
	return r, errors.Join(c.saveState(st), rerr)
}

// plan decides for every skill that the curator may touch.
func (c *Curator) plan(ctx context.Context) ([]Step, error) {
	list, err := c.o.Library.Entries(ctx)
	if err != nil {
		return nil, err
	}
	origins, err := c.o.Library.Origins() // a damaged usage file ends it here: all skills would look unused
	if err != nil {
		return nil, err
	}
	records, err := c.o.Library.Usage().Records()
	if err != nil {
		return nil, err
	}
	cron, err := c.cronSkills()
	if err != nil {
		return nil, err
	}
	rules := rules{now: c.o.Now(), stale: c.o.Settings.StaleAfter, archive: c.o.Settings.Archive, cron: cron}
	steps := []Step{}
	for _, e := range list {
		o := origins(e)
		_, known := records[e.Dir]
		if e.Root.Kind != skills.RootHome || e.Linked || o.By != skills.OriginAgent && (o.By != skills.OriginHand || known) {
			continue // what a person wrote is only given a record, once
		}
		steps = append(steps, rules.decide(e, o, known))
	}
	slices.SortFunc(steps, func(a, b Step) int { return strings.Compare(a.Name, b.Name) })
	return steps, nil
}

// Exempt returns what says why a skill never goes by itself: it is pinned, protected, or a scheduled job needs it;
// "" when it may go.
func (c *Curator) Exempt() (func(skills.Entry, skills.Origin) string, error) {
	cron, err := c.cronSkills()
	if err != nil {
		return nil, err
	}
	return rules{cron: cron}.exempt, nil
}

// do makes one move.
func (c *Curator) do(ctx context.Context, run string, s Step) error {
	key := filepath.Base(filepath.FromSlash(s.Name))
	usage := c.o.Library.Usage()
	switch s.Move {
	case Archive:
		_, err := c.o.Library.Archive(ctx, ledger.Change{Actor: ledger.Curator, ReviewID: run}, s.Name, s.Reason)
		return err
	case MarkStale:
		return usage.Update(ctx, key, func(r *skills.Record) { r.State = skills.StateStale })
	case Reactivate:
		return usage.Update(ctx, key, func(r *skills.Record) { r.State = skills.StateActive })
	case Seed:
		return usage.Update(ctx, key, func(r *skills.Record) {
			if r.Created.IsZero() {
				r.Created = c.o.Now()
			}
		})
	case Keep:
	}
	return nil
}

// Rollback takes a run back: what it archived returns to its place, states become what they were. id "" is the
// last run that changed something and still stands.
func (c *Curator) Rollback(ctx context.Context, by ledger.Change, id string) (Report, error) {
	r, err := c.Standing()
	if id != "" {
		r, err = c.Load(id)
	}
	if err != nil {
		return r, err
	}
	if !changing(r.Steps) || !r.RolledBack.IsZero() {
		why := errors.New("it changed nothing")
		if !r.RolledBack.IsZero() {
			why = fmt.Errorf("it was taken back on %s", r.RolledBack.Local().Format("2006-01-02 15:04"))
		}
		return r, &core.Error{Code: core.CodeNotFound, Op: "take back curator run", Subject: r.ID, Err: why}
	}
	ids, err := c.o.Ledger.UndoIDs(ledger.Filter{ReviewID: r.ID, Actor: ledger.Curator})
	if err != nil {
		return r, err
	}
	by.ReviewID = r.ID
	var undone error
	if len(ids) > 0 {
		_, undone = c.o.Ledger.Undo(ctx, by, true, ids...)
	}
	for _, s := range r.Steps {
		if s.Error != "" || s.Move != MarkStale && s.Move != Reactivate && s.Move != Archive {
			continue
		}
		if s.Move == Archive && undone != nil {
			if err := c.bringBack(ctx, by, r.ID, s.Name); err != nil {
				return r, errors.Join(undone, err)
			}
		}
		key := filepath.Base(filepath.FromSlash(s.Name))
		if err := c.o.Library.Usage().Update(ctx, key, func(rec *skills.Record) {
			rec.State, rec.Restored = cmp.Or(s.From, skills.StateActive), c.o.Now() // what was taken back is not done again next week
		}); err != nil {
			return r, err
		}
	}
	r.RolledBack = c.o.Now()
	return r, r.save()
}

// Standing is the last run that changed something and was not taken back.
func (c *Curator) Standing() (Report, error) {
	return c.find(func(r Report) bool { return changing(r.Steps) && r.RolledBack.IsZero() }, "")
}

// Load reads the report of a run, "" the last one's.
func (c *Curator) Load(id string) (Report, error) {
	return c.find(func(r Report) bool { return id == "" || r.ID == id }, id)
}

// find is the newest report that fits; id is only told.
func (c *Curator) find(fits func(Report) bool, id string) (Report, error) {
	dirs, err := filepath.Glob(filepath.Join(c.o.Home.Logs(), "curator", "*", "run.json"))
	if err != nil {
		return Report{}, err
	}
	slices.SortFunc(dirs, func(a, b string) int { // "20260601-120000-2" comes after "20260601-120000"
		second := func(path string) string {
			name := filepath.Base(filepath.Dir(path))
			return name[:min(len(name), len("20060102-150405"))]
		}
		return cmp.Or(strings.Compare(second(a), second(b)), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	for _, path := range slices.Backward(dirs) {
		raw, err := os.ReadFile(path)
		if err != nil {
			return Report{}, &core.Error{Op: "read curator report", Err: err}
		}
		var r Report
		if json.Unmarshal(raw, &r) == nil && r.ID != "" && fits(r) {
			r.Folder = filepath.Dir(path)
			return r, nil
		}
	}
	why := errors.New("no such run")
	if id == "" {
		why = errors.New("no run changed something that still stands")
	}
	return Report{}, &core.Error{Code: core.CodeNotFound, Op: "find curator run", Subject: id, Err: why, Hint: "hermes curator status names the last one."}
}
