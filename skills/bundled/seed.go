package bundled

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
)

// Result tells what [Seed] did with each shipped skill that needed a thought; names, sorted.
type Result struct {
	Added      []string   // put into the library
	Updated    []string   // untouched by the person, now the new version
	Modified   []string   // edited by the person: kept as they are
	Collisions []Conflict // another skill has the name: kept, ours is not there
	OptedOut   bool       // the person wants no shipped skills
}

// Conflict is a skill of the person that has the name of a shipped one.
type Conflict struct {
	Name string
	Path string // of the person's skill
}

// Message names what the person should know; "" when there is nothing.
func (r Result) Message() string {
	var parts []string
	for _, c := range r.Collisions {
		parts = append(parts, fmt.Sprintf("the shipped skill %q is not installed: %s has its name", c.Name, c.Path))
	}
	return strings.Join(parts, "; ")
}

const (
	skillFile  = "SKILL.md"
	optOutFile = ".no-bundled-skills"    // in the home
	suppressed = ".curator_suppressed"   // in the library
	fileMode   = fs.FileMode(0o600)      // as all of the home
	reason     = "came with the program" // in the ledger
)

// Seed brings the library of h up to the shipped skills in one change of l, so that an interruption
// leaves all of it or none: new skills are added, those that the person did not touch are updated,
// edited ones and ones of the same name are kept, and deleted or archived ones stay away. When there is
// nothing to do it reads one file. The actor is the hub.
func Seed(ctx context.Context, h home.Home, l *ledger.Ledger) (Result, error) {
	all, err := Skills()
	if err != nil {
		return Result{}, err
	}
	s := seeder{root: h.Skills(), skills: all, ours: parseVersions(versions)}
	if _, err := os.Lstat(filepath.Join(h.Dir(), optOutFile)); err == nil {
		return Result{OptedOut: true}, nil
	}
	return s.run(ctx, l)
}

// parseVersions reads "name:hash" lines.
func parseVersions(text string) map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(text) {
		out[strings.TrimSpace(line)] = true
	}
	return out
}

// seeder decides and, with tx, stages. Without tx it only finds out whether there is anything to do.
type seeder struct {
	root   string // the library
	skills []Skill
	ours   map[string]bool // "name:hash" of every version ever shipped
	tx     *ledger.Tx
	m      manifest
	result Result
	first  string // the first skill that changes
}

func (s *seeder) run(ctx context.Context, l *ledger.Ledger) (Result, error) {
	changes, err := s.decide()
	if err != nil || !changes {
		return s.result, s.fail(err)
	}
	about := ledger.Change{Actor: ledger.Hub, Action: "seed", Subject: "skill:" + s.first, Reason: reason}
	_, err = l.Apply(ctx, about, func(tx *ledger.Tx) error {
		s.tx = tx
		defer func() { s.tx = nil }()
		changes, err := s.decide()
		if err != nil || !changes {
			return err
		}
		tx.On("skill:" + manifestFile)
		return tx.Write(filepath.Join(s.root, manifestFile), s.m.bytes(), fileMode)
	})
	return s.result, s.fail(err)
}

func (s *seeder) fail(err error) error {
	if err == nil {
		return nil
	}
	return &core.Error{Op: "put the shipped skills into the library", Subject: s.root, Err: err, Hint: "Nothing was changed; create " + optOutFile + " in the home to do without them."}
}

// decide goes through all skills; changes says whether the manifest is another one afterwards.
func (s *seeder) decide() (changes bool, err error) {
	s.result, s.first = Result{}, manifestFile
	data, err := s.read(filepath.Join(s.root, manifestFile))
	if err != nil {
		return false, err
	}
	s.m = parseManifest(string(data))
	if !slices.ContainsFunc(s.skills, func(k Skill) bool { return s.m.hash[k.Name] != k.Hash() }) {
		return false, nil
	}
	away, err := s.suppressed()
	if err != nil {
		return false, err
	}
	before := string(s.m.bytes())
	for _, k := range s.skills {
		if away[k.Name] {
			continue
		}
		if err := s.one(k); err != nil {
			return false, err
		}
	}
	return string(s.m.bytes()) != before, nil
}

// read returns the bytes of a file, none when it is not there. Within a change it makes sure that nobody
// else writes the file meanwhile.
func (s *seeder) read(file string) ([]byte, error) {
	get := os.ReadFile
	if s.tx != nil {
		get = s.tx.Read
	}
	data, err := get(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// suppressed are names that were pruned for good.
func (s *seeder) suppressed() (map[string]bool, error) {
	data, err := os.ReadFile(filepath.Join(s.root, suppressed))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	out := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out[line] = true
		}
	}
	return out, nil
}

// one decides about k.
func (s *seeder) one(k Skill) error {
	have, err := onDisk(s.root, k.Dir)
	if err != nil {
		return err
	}
	known, listed := s.m.hash[k.Name]
	shipped, got := k.Hash(), hash(have)
	switch {
	case have != nil && got == shipped: // also one that was equal by chance: from now on it follows
		s.m.set(k.Name, shipped)
	case known == shipped: // nothing new; edits and deletions are the person's
	case !listed && have == nil:
		return s.add(k)
	case !listed && unfinished(have, k.Files):
		s.result.Added = append(s.result.Added, k.Name)
		return s.put(k, have)
	case !listed:
		s.result.Collisions = append(s.result.Collisions, Conflict{k.Name, filepath.Join(s.root, filepath.FromSlash(k.Dir))})
	case have == nil: // deleted, archived or moved
	case got == known && s.ours[k.Name+":"+known]:
		s.result.Updated = append(s.result.Updated, k.Name)
		return s.put(k, have)
	default:
		s.result.Modified = append(s.result.Modified, k.Name)
	}
	return nil
}

// unfinished reports whether have is a part of want: what a copy that was cut off leaves.
func unfinished(have, want map[string][]byte) bool {
	for name, data := range have {
		if string(want[name]) != string(data) {
			return false
		}
	}
	return true
}

// add puts a new skill there, unless the person has one of its name elsewhere.
func (s *seeder) add(k Skill) error {
	other, err := s.named(k.Name)
	if err != nil {
		return err
	}
	if other != "" {
		s.result.Collisions = append(s.result.Collisions, Conflict{k.Name, other})
		return nil
	}
	s.result.Added = append(s.result.Added, k.Name)
	if err := s.label(path.Dir(k.Dir)); err != nil {
		return err
	}
	return s.put(k, nil)
}

// put stages the files of k over have, and the manifest's line.
func (s *seeder) put(k Skill, have map[string][]byte) error {
	if s.first == manifestFile {
		s.first = k.Dir
	}
	s.m.set(k.Name, k.Hash())
	if s.tx == nil {
		return nil
	}
	s.tx.On("skill:" + k.Dir)
	dir := filepath.Join(s.root, filepath.FromSlash(k.Dir))
	for _, name := range slices.Sorted(maps.Keys(k.Files)) {
		full := filepath.Join(dir, filepath.FromSlash(name))
		now, err := s.read(full)
		if err == nil && string(now) != string(have[name]) {
			err = fmt.Errorf("%s changed meanwhile", full)
		}
		if err := errors.Join(err, s.tx.Write(full, k.Files[name], fileMode)); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if _, stays := k.Files[name]; stays {
			continue
		}
		if err := s.tx.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	return nil
}

// label writes the description of a category that has none.
func (s *seeder) label(category string) error {
	if s.tx == nil {
		return nil
	}
	data, err := shipped.ReadFile("skills/" + category + "/DESCRIPTION.md")
	full := filepath.Join(s.root, filepath.FromSlash(category), "DESCRIPTION.md")
	if err != nil || s.tx.Exists(filepath.Dir(full)) {
		return nil //nolint:nilerr // a category without a label, or one that the person has already
	}
	s.tx.On("skill:" + category)
	return s.tx.Write(full, data, fileMode)
}

// named finds a skill of the library whose folder is called name; "" when there is none.
func (s *seeder) named(name string) (string, error) {
	found := ""
	err := filepath.WalkDir(s.root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case p != s.root && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		}
		if _, err := os.Lstat(filepath.Join(p, skillFile)); err == nil && p != s.root {
			if d.Name() == name {
				found = p
				return fs.SkipAll
			}
			return fs.SkipDir
		}
		return nil
	})
	return found, err
}
