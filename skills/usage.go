package skills

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
)

// Event is something that happened to a skill.
type Event string

// The events that are counted.
const (
	Viewed  Event = "view"  // skill_view gave it, or one of its files: counts as use, too
	Used    Event = "use"   // it entered by slash command or flag
	Patched Event = "patch" // it was changed

	pinned   Event = "pin"
	unpinned Event = "unpin"
	archived Event = "archive"
	restored Event = "restore"
)

// flushAfter is how long counts may wait for others before they are written.
const flushAfter = 800 * time.Millisecond

// Usage is the sidecar .usage.json: counters and state of each skill, by the name of its folder. Other
// programs write it, too: unknown keys stay, odd values count for that field only, and a file that is
// damaged is set aside under another name.
type Usage struct {
	file string
	now  func() time.Time

	mu      sync.Mutex
	waiting []bump
	timer   *time.Timer
	problem error             // of the last write that nobody waited for
	last    []byte            // what Records read last
	parsed  map[string]Record // and what it says
}

type bump struct {
	key   string
	event Event
	at    time.Time
}

// NewUsage returns the sidecar of h. It reads and creates nothing.
func NewUsage(h home.Home, now func() time.Time) *Usage {
	return &Usage{file: filepath.Join(h.Skills(), ".usage.json"), now: now}
}

// Path is the file.
func (u *Usage) Path() string { return u.file }

// Bump counts an event. It returns at once; the count is on disk within a second, and when Flush returns.
func (u *Usage) Bump(ctx context.Context, key string, e Event) {
	u.queue(key, e)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.timer == nil {
		ctx = context.WithoutCancel(ctx) // the count outlives the call
		u.timer = time.AfterFunc(flushAfter, func() { u.late(ctx) })
	}
}

// queue adds an event that is written with the next ones, or by Flush.
func (u *Usage) queue(key string, e Event) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.waiting = append(u.waiting, bump{key, e, u.now()})
}

// late writes what waits when nobody asked for it.
func (u *Usage) late(ctx context.Context) {
	if err := u.write(ctx); err != nil {
		u.mu.Lock()
		u.problem = err
		u.mu.Unlock()
	}
}

// Flush writes all counts that wait. Call it before the program ends. It also tells of an earlier write
// that failed.
func (u *Usage) Flush(ctx context.Context) error {
	err := u.write(ctx)
	u.mu.Lock()
	defer u.mu.Unlock()
	err = errors.Join(err, u.problem)
	u.problem = nil
	return err
}

// write takes what waits and adds it to the file. On failure it waits again.
func (u *Usage) write(ctx context.Context) error {
	u.mu.Lock()
	list := u.waiting
	if u.timer != nil {
		u.timer.Stop()
	}
	u.waiting, u.timer = nil, nil
	u.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	err := u.change(ctx, func(t *table) {
		for _, b := range list {
			r := t.record(b.key)
			r.bump(b)
			t.put(b.key, r)
		}
	})
	if err != nil && !errors.Is(err, errAside) {
		u.mu.Lock()
		u.waiting = append(list, u.waiting...)
		u.mu.Unlock()
	}
	return err
}

// Update changes the record of key under the lock. The record is made when there is none.
func (u *Usage) Update(ctx context.Context, key string, f func(*Record)) error {
	if err := u.write(ctx); err != nil && !errors.Is(err, errAside) {
		return err
	}
	err := u.change(ctx, func(t *table) {
		r := t.record(key)
		f(&r)
		t.put(key, r)
	})
	if errors.Is(err, errAside) {
		u.mu.Lock()
		u.problem = err
		u.mu.Unlock()
		return nil
	}
	return err
}

// Records reads all records, with what waits to be written. A damaged file is an error that names it; it
// is not touched.
func (u *Usage) Records() (map[string]Record, error) {
	data, err := u.bytes()
	if err != nil {
		return nil, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.parsed == nil || !bytes.Equal(u.last, data) {
		t, err := u.parse(data)
		if err != nil {
			return nil, err
		}
		u.last, u.parsed = data, map[string]Record{}
		for k := range t.raw {
			if t.fields(k) != nil {
				u.parsed[k] = t.record(k)
			}
		}
	}
	out := maps.Clone(u.parsed)
	for _, b := range u.waiting {
		r, ok := out[b.key]
		if !ok {
			r = newRecord(b.at)
		}
		r.bump(b)
		out[b.key] = r
	}
	return out, nil
}

// errAside marks a write that found the file damaged, set it aside and began anew.
var errAside = errors.New("the file was damaged")

// change rewrites the file under its lock, which other programs take as well.
func (u *Usage) change(ctx context.Context, f func(*table)) error {
	if err := home.EnsureDir(filepath.Dir(u.file)); err != nil {
		return err
	}
	lock, err := ledger.Lock(ctx, u.file+".lock")
	if err != nil {
		return err
	}
	err = u.rewrite(f)
	return errors.Join(err, lock.Unlock())
}

func (u *Usage) rewrite(f func(*table)) error {
	t, err := u.read()
	var aside error
	if err != nil {
		var damaged *core.Error
		if !errors.As(err, &damaged) || damaged.Code != core.CodeConfig {
			return err
		}
		if aside, err = u.setAside(); err != nil {
			return err
		}
		t = &table{raw: map[string]json.RawMessage{}, now: u.now}
	}
	f(t)
	data, err := t.encode()
	if err != nil {
		return err
	}
	if err := home.WriteFile(u.file, data, home.FileMode); err != nil {
		return err
	}
	return aside
}

// setAside renames a damaged file to a free name and says so.
func (u *Usage) setAside() (aside, err error) {
	name := fmt.Sprintf("%s.damaged-%d", u.file, u.now().Unix())
	for i := 1; ; i++ {
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			break
		}
		name = fmt.Sprintf("%s.damaged-%d-%d", u.file, u.now().Unix(), i)
	}
	if err := os.Rename(u.file, name); err != nil {
		return nil, &core.Error{Op: "set aside", Subject: u.file, Err: err}
	}
	return &core.Error{
		Code: core.CodeConfig, Op: "read usage of skills", Subject: u.file, Err: fmt.Errorf("%w and is kept as %s", errAside, name),
		Hint: "Counters and pins begin anew; repair the copy and put it back to have them again.",
	}, nil
}

func (u *Usage) read() (*table, error) {
	data, err := u.bytes()
	if err != nil {
		return nil, err
	}
	return u.parse(data)
}

// bytes is what the file holds; nothing when there is none.
func (u *Usage) bytes() ([]byte, error) {
	data, err := os.ReadFile(u.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &core.Error{Op: "read usage of skills", Subject: u.file, Err: err}
	}
	return data, nil
}

func (u *Usage) parse(data []byte) (*table, error) {
	t := &table{raw: map[string]json.RawMessage{}, now: u.now}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if len(bytes.TrimSpace(data)) == 0 {
		return t, nil
	}
	if err := json.Unmarshal(data, &t.raw); err != nil || t.raw == nil {
		return nil, &core.Error{
			Code: core.CodeConfig, Op: "read usage of skills", Subject: u.file, Err: fmt.Errorf("it is damaged: %v", err), //nolint:errorlint // a description
			Hint: "It is set aside at the next count; repair or remove it.",
		}
	}
	return t, nil
}

// stamp changes when the file does.
func (u *Usage) stamp() string {
	info, err := os.Stat(u.file)
	if err != nil {
		return "none"
	}
	return fmt.Sprintf("%d/%d", info.ModTime().UnixNano(), info.Size())
}

// scores is how often each skill was used; nothing when the file cannot be read.
func (u *Usage) scores() map[string]int {
	out := map[string]int{}
	t, err := u.read()
	if err != nil {
		return out
	}
	for k := range t.raw {
		r := t.record(k)
		out[k] = r.UseCount
	}
	return out
}

// table is the file in memory: raw JSON by key, so that what we do not know stays.
type table struct {
	raw map[string]json.RawMessage
	now func() time.Time
}

// fields are the fields of a record, nil when it is none.
func (t *table) fields(key string) map[string]json.RawMessage {
	var f map[string]json.RawMessage
	if json.Unmarshal(t.raw[key], &f) != nil {
		return nil
	}
	return f
}

func (t *table) record(key string) Record {
	f := t.fields(key)
	if f == nil {
		return newRecord(t.now())
	}
	return decodeRecord(f)
}

// put writes r over the fields that are there; fields of others stay.
func (t *table) put(key string, r Record) {
	f := t.fields(key)
	if f == nil {
		f = map[string]json.RawMessage{}
	}
	maps.Copy(f, r.fields())
	if raw, err := plain(f); err == nil {
		t.raw[key] = raw
	}
}

func (t *table) encode() ([]byte, error) {
	raw, err := plain(t.raw)
	if err != nil {
		return nil, fmt.Errorf("write usage of skills: %w", err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil, fmt.Errorf("write usage of skills: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// plain encodes v with sorted keys and other scripts as they are.
func plain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}
