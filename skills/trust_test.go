package skills

import (
	"path/filepath"
	"testing"

	"hermes/core/home"
)

func TestTrusts_areInContent(t *testing.T) {
	t.Parallel()
	project, h := t.TempDir(), home.At(t.TempDir())
	write(t, project, ".git/HEAD", "x")
	if Project(project) != "" {
		t.Error("a project without skills counts")
	}
	write(t, project, ".agents/skills/a/SKILL.md", skill("a", "d"))
	if got := Project(filepath.Join(project, "deep", "er")); got != project {
		t.Errorf("%q", got)
	}
	trusts := NewTrusts(h)
	same := func() bool {
		ok, err := trusts.Same(t.Context(), project)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if !same() || !same() {
		t.Error("not remembered as it was")
	}
	write(t, project, ".agents/skills/a/scripts/x.sh", "new")
	if same() {
		t.Error("a new script goes unseen")
	}
	if err := trusts.Renew(t.Context(), project); err != nil || !same() {
		t.Error(err)
	}
	write(t, h.Skills(), ".project_trust.json", "{")
	if _, err := trusts.Same(t.Context(), project); err == nil {
		t.Error("a damaged memory passes")
	}
}
