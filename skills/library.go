package skills

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
	"hermes/core/threat"
	"hermes/skills/guard"
)

// Options configures a library. Home is required; Ledger is for those who change skills.
type Options struct {
	Home     home.Home
	Ledger   *ledger.Ledger
	External []string // skills.external_dirs as written
	Disabled []string // skills.disabled
	// Project is a folder in a project whose skills are trusted; "" for none. See ProjectRoots.
	Project string
	// Settings is skills.config.
	Settings map[string]any
	// Guard looks at what the agent writes before it takes effect; nil looks at nothing.
	Guard Guard
	// Budget is skills.index_token_budget; 0 decides from the context window.
	Budget int
	Emit   func(core.Event)    // hears of each change after the locks are released; nil drops them
	OS     string              // runtime.GOOS when empty
	Getenv func(string) string // os.Getenv when nil
	Now    func() time.Time    // time.Now when nil
}

// Library is all skills that one home can see from one project. It is safe for concurrent use, also
// beside other processes: every answer is validated against the disk.
type Library struct {
	opts   Options
	roots  []Root
	shared *shared

	mu         sync.Mutex
	dirs       map[string]dirRecord
	files      map[string]fileRecord
	generation int   // rises whenever anything in dirs or files says something else than before
	epoch      int64 // of shared when dirs and files were filled
	rendered   lru
	problems   []error
}

// shared is what libraries over one home have in common, whatever their options.
type shared struct {
	usage *Usage
	guard *guard.Scanner // its patterns are compiled when it is needed first
	epoch atomic.Int64   // rises when everything cached must go; it begins at 1

	mu     sync.Mutex
	judged map[string]*threat.Finding // by hash of a file: what View found in it
}

// New returns the library. It reads and creates nothing.
func New(o Options) *Library {
	if o.OS == "" {
		o.OS = runtime.GOOS
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Library{opts: o, roots: roots(o), shared: &shared{usage: NewUsage(o.Home, o.Now), guard: guard.New(guard.Options{})}}
	l.shared.epoch.Store(1)
	if o.Ledger != nil {
		o.Ledger.OnChange(l.changed)
	}
	return l
}

// With returns a library over the same home with options changed by f. It shares the usage, and changes
// made through either are seen by both.
func (l *Library) With(f func(*Options)) *Library {
	o := l.opts
	f(&o)
	return &Library{opts: o, roots: roots(o), shared: l.shared}
}

// Roots are the folders that are read, in the order of precedence.
func (l *Library) Roots() []Root { return slices.Clone(l.roots) }

// Home is the root that is written.
func (l *Library) Home() string { return l.opts.Home.Skills() }

// Usage is the sidecar with the counters.
func (l *Library) Usage() *Usage { return l.shared.usage }

// changed drops both layers of the cache after a change to any skill.
func (l *Library) changed(e ledger.Entry) {
	if len(e.Of(kind).Files) == 0 && !strings.HasPrefix(e.Subject, kind+":") {
		return
	}
	l.Drop()
	l.follow(e)
}

// Drop forgets what is cached, in memory and on disk.
func (l *Library) Drop() {
	_ = os.Remove(l.opts.Home.SkillsSnapshot()) // what cannot be removed is still validated when read
	l.shared.epoch.Add(1)
}

// roots resolves the options to folders; one that is given twice counts once.
func roots(o Options) []Root {
	var out []Root
	seen := map[string]bool{}
	add := func(k RootKind, dir string) {
		dir = filepath.Clean(dir)
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			real = dir
		}
		if !seen[real] {
			seen[real] = true
			out = append(out, Root{Kind: k, Path: dir})
		}
	}
	homeDir := o.Home.Skills()
	if o.Project != "" {
		for _, dir := range ProjectRoots(o.Project) {
			if !home.Within(dir, homeDir) && !home.Within(homeDir, dir) {
				add(RootProject, dir)
			}
		}
	}
	add(RootHome, homeDir)
	for _, dir := range o.External {
		if dir = expand(dir, o); dir != "" {
			add(RootExternal, dir)
		}
	}
	return out
}

// expand resolves "~", ${VAR} and folders relative to the home.
func expand(dir string, o Options) string {
	dir = os.Expand(strings.TrimSpace(dir), o.Getenv)
	if dir == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		user, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(user, rest)
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(o.Home.Dir(), dir)
	}
	return dir
}

// ProjectRoots are the folders with skills of the project that folder lies in: the nearest folder above
// with a .git. The person's home folder is no project.
func ProjectRoots(folder string) []string {
	user, _ := os.UserHomeDir() // unknown: no folder equals it
	for dir, i := filepath.Clean(folder), 0; i < 64; i++ {
		if dir == user {
			return nil
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return existing(filepath.Join(dir, ".hermes", "skills"), filepath.Join(dir, ".agents", "skills"))
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil
		}
		dir = up
	}
	return nil
}

func existing(dirs ...string) []string {
	var out []string
	for _, d := range dirs {
		if info, err := os.Stat(d); err == nil && info.IsDir() {
			out = append(out, d)
		}
	}
	return out
}

// Entries lists all skills of all roots, as they stand on disk now: by root, then by place.
func (l *Library) Entries(ctx context.Context) ([]Entry, error) {
	list, _, _, err := l.load(ctx)
	return list, err
}

// Problems are the folders that could not be read when Entries was last called.
func (l *Library) Problems() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.problems)
}

// load brings the caches up to date and returns the skills, the texts of categories, and a number that
// changes whenever the answer does.
func (l *Library) load(ctx context.Context) ([]Entry, map[string]string, int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.shared.epoch.Load(); l.epoch != now {
		l.dirs, l.files = readSnapshot(l.opts.Home)
		l.epoch, l.rendered = now, lru{}
		l.generation++
	}
	w := walk(l.roots, l.dirs, l.opts.Now())
	s := w.out
	files, news, err := l.read(ctx, s)
	if err != nil {
		return nil, nil, 0, err
	}
	news.add(w.news)
	if news.changed {
		l.generation++
	}
	l.dirs, l.files, l.problems = w.dirs, files, s.problems
	if news.changed || news.proven {
		writeSnapshot(l.opts.Home, l.roots, w.dirs, files)
	}
	list := make([]Entry, 0, len(s.skills))
	for _, f := range s.skills {
		r := files[f.file]
		list = append(list, r.entry(f))
	}
	categories := map[string]string{}
	for c, file := range s.categories {
		if r := files[file]; r.Meta.Description != "" && r.Threat == "" {
			categories[c] = oneLine(r.Meta.Description)
		}
	}
	return list, categories, l.generation, nil
}

// news is what a look at the disk brought.
type news struct {
	changed bool // something says something else
	proven  bool // something that had to be read again because it was so new is now proven by its time stamp
}

func (n *news) add(o news) { n.changed, n.proven = n.changed || o.changed, n.proven || o.proven }

// read gives the record of every file of s, from memory where it is still true.
func (l *Library) read(ctx context.Context, s *survey) (files map[string]fileRecord, n news, err error) {
	files = make(map[string]fileRecord, len(s.infos))
	var stale []string
	for file, info := range s.infos {
		if r, ok := l.files[file]; ok && r.Mtime == info.ModTime().UnixNano() && r.Size == info.Size() && r.Read-r.Mtime > racy {
			files[file] = r
			continue
		}
		stale = append(stale, file)
	}
	slices.Sort(stale)
	fresh := make([]fileRecord, len(stale))
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(stale)) {
		wg.Go(func() {
			for i := range next {
				fresh[i] = readRecord(stale[i], l.opts.Now())
			}
		})
	}
	for i := range stale {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil {
		return nil, n, &core.Error{Code: core.CodeInterrupted, Op: "read skills", Err: ctx.Err()}
	}
	n.changed = len(files)+len(stale) != len(l.files)
	for i, file := range stale {
		r := fresh[i]
		files[file] = r
		old, ok := l.files[file]
		n.add(news{!ok || old.Hash != r.Hash || old.Mtime != r.Mtime, r.Read-r.Mtime > racy})
	}
	return files, n, nil
}
