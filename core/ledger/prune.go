package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

// The bounds of what is kept when a Policy leaves them open.
const (
	KeepChanges = 50 // of each subject, at least
	KeepAge     = 180 * 24 * time.Hour
	KeepBytes   = 256 << 20
	orphanAge   = time.Hour // of versions no change refers to: a writer may be about to
)

// Policy bounds the kept versions. Zero fields mean the constants above.
type Policy struct {
	Age   time.Duration // versions last used longer ago go
	Bytes int64         // when all take more, the oldest go first
}

// Pruned says what a pruning removed and what is left.
type Pruned struct {
	Removed int   `json:"removed"` // versions
	Freed   int64 `json:"freed_bytes"`
	Kept    int   `json:"kept"`
	Bytes   int64 `json:"bytes"`
}

// Prune removes old versions by age and size. What the last KeepChanges changes of any subject refer to
// stays, whatever its age and size, and so does the present state of every file. The journal stays whole.
func (l *Ledger) Prune(ctx context.Context, p Policy) (Pruned, error) {
	var out Pruned
	err := l.locked(ctx, func() error {
		var err error
		out, err = l.prune(p)
		return err
	})
	return out, err
}

// kept is a version on the disk.
type kept struct {
	hash string
	size int64
	used time.Time // by the newest change that refers to it
	safe bool
}

func (l *Ledger) prune(p Policy) (Pruned, error) {
	age, limit := cmp.Or(p.Age, KeepAge), cmp.Or(p.Bytes, int64(KeepBytes))
	all, err := l.versions()
	if err != nil {
		return Pruned{}, err
	}
	var out Pruned
	for _, k := range all {
		out.Bytes += k.size
		out.Kept++
	}
	slices.SortFunc(all, func(a, b kept) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.hash, b.hash)) })
	old := l.now().Add(-age)
	for _, k := range all {
		if k.safe || k.used.After(old) && out.Bytes <= limit {
			continue
		}
		if err := os.Remove(l.blobPath(k.hash)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return out, fmt.Errorf("prune versions: %w", err)
		}
		out.Removed++
		out.Freed += k.size
		out.Kept--
		out.Bytes -= k.size
	}
	return out, nil
}

// versions lists the blobs with what the journal says about their use.
func (l *Ledger) versions() ([]kept, error) {
	used, safe := l.uses()
	entries, err := os.ReadDir(l.blobs())
	if err != nil {
		return nil, fmt.Errorf("list versions: %w", err)
	}
	var out []kept
	for _, d := range entries {
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || d.Name() == unfinished {
			continue
		}
		k := kept{hash: d.Name(), size: info.Size(), used: used[d.Name()], safe: safe[d.Name()]}
		if k.used.IsZero() {
			k.used = info.ModTime()
			k.safe = l.now().Sub(k.used) < orphanAge
		}
		out = append(out, k)
	}
	return out, nil
}

// uses tells when each version was last referred to, and which must stay.
func (l *Ledger) uses() (used map[string]time.Time, safe map[string]bool) {
	used, safe = map[string]time.Time{}, map[string]bool{}
	count := map[string]int{}
	for _, e := range slices.Backward(l.index.all()) {
		recent := false
		for _, s := range e.Subjects() {
			count[s]++
			recent = recent || count[s] <= KeepChanges
		}
		for _, f := range e.Files {
			for _, hash := range []string{f.Before, f.After} {
				if _, ok := used[hash]; !ok {
					used[hash] = e.Time
				}
				if recent || e.State == Open {
					safe[hash] = true
				}
			}
		}
	}
	l.index.mu.Lock()
	defer l.index.mu.Unlock()
	for _, hash := range l.index.heads {
		safe[hash] = true
	}
	return used, safe
}
