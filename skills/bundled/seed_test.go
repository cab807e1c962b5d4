package bundled

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core/home"
	"hermes/core/ledger"
)

// rig is a home with two shipped skills, whose versions a test chooses.
type rig struct {
	t    *testing.T
	home home.Home
	l    *ledger.Ledger
	ours map[string]bool
}

func newRig(t *testing.T) *rig {
	t.Helper()
	h := home.At(t.TempDir())
	return &rig{t: t, home: h, l: ledger.New(h), ours: map[string]bool{}}
}

func skill(name, version string) Skill {
	return Skill{Name: name, Dir: "tools/" + name, Files: map[string][]byte{"SKILL.md": []byte(name + " " + version + "\n"), "references/more.md": []byte("more " + version + "\n")}}
}

func (r *rig) seed(skills ...Skill) Result {
	r.t.Helper()
	for _, s := range skills {
		r.ours[s.Name+":"+s.Hash()] = true
	}
	s := seeder{root: r.home.Skills(), skills: skills, ours: r.ours}
	res, err := s.run(r.t.Context(), r.l)
	if err != nil {
		r.t.Fatal(err)
	}
	return res
}

func (r *rig) path(name string) string {
	return filepath.Join(r.home.Skills(), filepath.FromSlash(name))
}

func (r *rig) write(name, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.path(name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) read(name string) string {
	data, err := os.ReadFile(r.path(name))
	if err != nil {
		return ""
	}
	return string(data)
}

func (r *rig) changes() int {
	r.t.Helper()
	log, err := r.l.Log(ledger.Filter{})
	if err != nil {
		r.t.Fatal(err)
	}
	return len(log)
}

// OPEN-SY-01: the states that a manifest and a library can be in.
func TestSeed_states(t *testing.T) {
	t.Parallel()
	v1, v2 := skill("a", "1"), skill("a", "2")
	tests := []struct {
		name  string
		setup func(r *rig)
		want  Result
		file  string // tools/a/SKILL.md afterwards
		line  string // of the manifest
	}{
		{"new", func(*rig) {}, Result{Added: []string{"a"}}, "a 2\n", "a:" + v2.Hash()},
		{
			"not in manifest, other text of the person", func(r *rig) { r.write("tools/a/SKILL.md", "mine\n") },
			Result{Collisions: []Conflict{{Name: "a", Path: "tools/a"}}},
			"mine\n", "",
		},
		{
			"same name in another category", func(r *rig) { r.write("own/a/SKILL.md", "mine\n") },
			Result{Collisions: []Conflict{{Name: "a", Path: "own/a"}}},
			"", "",
		},
		{
			"in manifest, edited", func(r *rig) { r.seed(v1); r.write("tools/a/SKILL.md", "a 1, edited\n") },
			Result{Modified: []string{"a"}},
			"a 1, edited\n", "a:" + v1.Hash(),
		},
		{
			"in manifest, a file added", func(r *rig) { r.seed(v1); r.write("tools/a/references/own.md", "x\n") },
			Result{Modified: []string{"a"}},
			"a 1\n", "a:" + v1.Hash(),
		},
		{"in manifest, equal to the new one", func(r *rig) {
			r.seed(v1)
			r.write("tools/a/SKILL.md", "a 2\n")
			r.write("tools/a/references/more.md", "more 2\n")
		}, Result{}, "a 2\n", "a:" + v2.Hash()},
		{"untouched", func(r *rig) { r.seed(v1) }, Result{Updated: []string{"a"}}, "a 2\n", "a:" + v2.Hash()},
		{"deleted", func(r *rig) { r.seed(v1); _ = os.RemoveAll(r.path("tools/a")) }, Result{}, "", "a:" + v1.Hash()},
		{"archived", func(r *rig) {
			r.seed(v1)
			_ = os.MkdirAll(r.path(".archive"), 0o700)
			_ = os.Rename(r.path("tools/a"), r.path(".archive/a"))
		}, Result{}, "", "a:" + v1.Hash()},
		{"suppressed", func(r *rig) { r.write(".curator_suppressed", "# pruned\na\n") }, Result{}, "", ""},
		{"a copy that was cut off", func(r *rig) { r.write("tools/a/SKILL.md", "a 2\n") }, Result{Added: []string{"a"}}, "a 2\n", "a:" + v2.Hash()},
		{"a line without hash, deleted", func(r *rig) { r.write(".bundled_manifest", "a\n") }, Result{}, "", "a"},
		{"of the reference, untouched", func(r *rig) {
			r.write("tools/a/SKILL.md", "theirs\n")
			r.write(".bundled_manifest", "a:"+hash(map[string][]byte{"SKILL.md": []byte("theirs\n")})+"\n")
		}, Result{Modified: []string{"a"}}, "theirs\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			tt.setup(r)
			got := r.seed(v2)
			for i, c := range got.Collisions {
				rel, err := filepath.Rel(r.home.Skills(), c.Path)
				if err != nil || !strings.Contains(got.Message(), c.Path) {
					t.Errorf("message %q: %v", got.Message(), err)
				}
				got.Collisions[i].Path = filepath.ToSlash(rel)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if f := r.read("tools/a/SKILL.md"); f != tt.file {
				t.Errorf("file %q, want %q", f, tt.file)
			}
			lines := strings.Split(r.read(manifestFile), "\n")
			if tt.line != "" && !slices.Contains(lines, tt.line) {
				t.Errorf("manifest %q, want %q", lines, tt.line)
			}
			if len(got.Collisions) > 0 && strings.Contains(r.read(manifestFile), "a:") {
				t.Errorf("the collision is in the manifest: %q", lines)
			}
			// Twice changes nothing.
			n, before := r.changes(), r.read(manifestFile)
			r.seed(v2)
			if r.changes() != n || r.read(manifestFile) != before {
				t.Errorf("the second run changed something: %d changes, %d before", r.changes(), n)
			}
		})
	}
}

func TestSeed_removesFilesThatTheNewVersionLacks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.seed(skill("a", "1"))
	v2 := skill("a", "2")
	delete(v2.Files, "references/more.md")
	r.seed(v2)
	if r.read("tools/a/references/more.md") != "" || r.read("tools/a/SKILL.md") != "a 2\n" {
		t.Error("two versions are mixed")
	}
}

func TestSeed_keepsLinesOfOthers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.write(manifestFile, "theirs:0123\r\n\r\n# note\r\nodd line: with: colons\r\nb\r\n")
	r.seed(skill("a", "1"), skill("b", "1"))
	got := r.read(manifestFile)
	for _, want := range []string{"theirs:0123\n", "# note\n", "odd line: with: colons\n", "\nb\n", "a:" + skill("a", "1").Hash() + "\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if r.read("tools/b/SKILL.md") != "" || r.read("tools/a/SKILL.md") == "" {
		t.Error("a is to be added, b was deleted by the person")
	}
}

// The whole of what we ship goes in as one change, the second time costs one read, and an undo takes it away.
func TestSeed_real(t *testing.T) {
	t.Parallel()
	h := home.At(t.TempDir())
	l := ledger.New(h)
	res, err := Seed(t.Context(), h, l)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Skills()
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Added) != len(all) || len(res.Collisions) != 0 {
		t.Errorf("%+v", res)
	}
	log, err := l.Log(ledger.Filter{})
	if err != nil || len(log) != 1 || log[0].Actor != ledger.Hub || len(log[0].Subjects()) < len(all) {
		t.Errorf("%v: %+v", err, log)
	}
	if res, err = Seed(t.Context(), h, l); err != nil || cmp.Diff(Result{}, res) != "" {
		t.Errorf("second run: %v %+v", err, res)
	}
	if err := os.WriteFile(filepath.Join(h.Dir(), ".no-bundled-skills"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if res, err = Seed(t.Context(), h, l); err != nil || !res.OptedOut {
		t.Errorf("opted out: %v %+v", err, res)
	}
}

// The hash is the reference's: MD5 over sorted relative paths and bytes.
func TestSkill_Hash(t *testing.T) {
	t.Parallel()
	sum := md5.Sum([]byte("SKILL.md" + "x 1\n" + "references/more.md" + "more 1\n"))
	if got := skill("x", "1").Hash(); got != hex.EncodeToString(sum[:]) {
		t.Error(got)
	}
}

func FuzzParseManifest(f *testing.F) {
	f.Add("a:1\r\n\n# c\nb\n:x\n")
	f.Fuzz(func(t *testing.T, data string) {
		m := parseManifest(data)
		m.set("n", "h")
		again := parseManifest(string(m.bytes()))
		if again.hash["n"] != "h" || len(again.hash) != len(m.hash) {
			t.Fatalf("%q → %q", data, m.bytes())
		}
	})
}

func BenchmarkSeed_nothingToDo(b *testing.B) {
	h := home.At(b.TempDir())
	l := ledger.New(h)
	if _, err := Seed(b.Context(), h, l); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Seed(b.Context(), h, l); err != nil {
			b.Fatal(err)
		}
	}
}

// A seeding that is stopped leaves nothing; the next one does all of it.
func TestSeed_whenInterrupted(t *testing.T) {
	t.Parallel()
	h := home.At(t.TempDir())
	l := ledger.New(h)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Seed(ctx, h, l); err == nil {
		t.Fatal("a stopped seeding succeeded")
	}
	if left, err := filepath.Glob(filepath.Join(h.Skills(), "*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if res, err := Seed(t.Context(), h, l); err != nil || len(res.Added) < 10 {
		t.Errorf("%v %+v", err, res)
	}
}
