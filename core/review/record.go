package review

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/home"
)

// keepRecords is how many reviews are kept, the newest.
const keepRecords = 300

// silence is how long a running review may say nothing before its process counts as dead.
const silence = 15 * time.Minute

// Records keeps every review of a home, a file each. The file of a running one is written at each step, so
// that other programs on this home see it too.
type Records struct {
	home home.Home
	now  func() time.Time
}

// NewRecords returns the records of h. It reads and creates nothing.
func NewRecords(h home.Home) *Records { return &Records{home: h, now: time.Now} }

func (r *Records) path(id string) string { return filepath.Join(r.home.Reviews(), id+".json") }

// Save writes rec.
func (r *Records) Save(rec Record) error {
	rec.Version, rec.UpdatedAt = Version, r.now().UTC()
	b, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return &core.Error{Op: "save review", Subject: rec.ID, Err: err}
	}
	if err := home.EnsureDir(r.home.Reviews()); err != nil {
		return err
	}
	return home.WriteFile(r.path(rec.ID), append(b, '\n'), home.FileMode)
}

// List returns the newest n reviews, newest first; 0 is all. Files that cannot be read are left out and
// named in problems. A review whose process is gone is shown as cancelled.
func (r *Records) List(n int) (list []Record, problems []string, err error) {
	names, err := r.names()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		if n > 0 && len(list) == n {
			break
		}
		rec, err := r.read(filepath.Join(r.home.Reviews(), name))
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		list = append(list, rec)
	}
	slices.SortStableFunc(list, func(a, b Record) int { return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(b.ID, a.ID)) })
	return list, problems, nil
}

// Count is how many reviews are kept.
func (r *Records) Count() (int, error) {
	names, err := r.names()
	return len(names), err
}

// names lists the files, newest first: ids begin with their time.
func (r *Records) names() ([]string, error) {
	files, err := os.ReadDir(r.home.Reviews())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &core.Error{Op: "list reviews", Err: err}
	}
	var out []string
	for _, f := range files {
		if filepath.Ext(f.Name()) == ".json" && !strings.HasPrefix(f.Name(), ".") {
			out = append(out, f.Name())
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(timed(b), timed(a)), cmp.Compare(b, a)) })
	return out, nil
}

// timed is the part of a name that sorts by time, behind what kind of agent it is.
func timed(name string) string {
	if _, rest, ok := strings.Cut(name, "-"); ok {
		return rest
	}
	return name
}

func (r *Records) read(path string) (Record, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return Record{}, &core.Error{Op: "read review", Err: err}
	}
	var rec Record
	if err := json.Unmarshal(raw, &rec); err != nil {
		return Record{}, &core.Error{Op: "read review", Subject: path, Err: err, Hint: "Remove the file: it is a report only."}
	}
	if !rec.State.Ended() && (r.now().Sub(rec.UpdatedAt) > silence || !home.Alive(rec.PID)) {
		rec.State, rec.Error = Cancelled, "its program ended"
	}
	return rec, nil
}

// Get finds a review by its id, a part of it that no other has, "last", or its number as the workspace shows it: "#3"
// or "3" is the third of those that are kept, oldest first.
func (r *Records) Get(id string) (Record, error) {
	list, _, err := r.List(0)
	if err != nil {
		return Record{}, err
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(id, "#")); err == nil && len(id) < 5 {
		total, err := r.Count()
		if i := total - n; err == nil && i >= 0 && i < len(list) {
			return list[i], nil
		}
	}
	var hits []Record
	for i, rec := range list {
		switch {
		case rec.ID == id, id == "last" && i == 0:
			return rec, nil
		case len(id) >= 4 && (strings.HasPrefix(rec.ID, id) || strings.HasSuffix(rec.ID, id)):
			hits = append(hits, rec)
		}
	}
	if len(hits) == 1 {
		return hits[0], nil
	}
	return Record{}, &core.Error{
		Code: core.CodeNotFound, Op: "find review", Subject: id, Err: errors.New("no such review"),
		Hint: "hermes reviews list shows them.",
	}
}

// Prune removes the oldest reviews beyond what is kept.
func (r *Records) Prune() error {
	names, err := r.names()
	if err != nil || len(names) <= keepRecords {
		return err
	}
	var errs []error
	for _, name := range names[keepRecords:] {
		errs = append(errs, os.Remove(filepath.Join(r.home.Reviews(), name)))
	}
	return errors.Join(errs...)
}
