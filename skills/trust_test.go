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
		ok, _, err := trusts.Same(project)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if _, known, err := trusts.Same(project); err != nil || known {
		t.Errorf("%t %v", known, err)
	}
	if err := trusts.Renew(t.Context(), project); err != nil || !same() {
		t.Errorf("not remembered as it was: %v", err)
	}
	write(t, project, ".agents/skills/a/scripts/x.sh", "new")
	if same() {
		t.Error("a new script goes unseen")
	}
	if err := trusts.Renew(t.Context(), project); err != nil || !same() {
		t.Error(err)
	}
	write(t, h.Skills(), ".project_trust.json", "{")
	if _, _, err := trusts.Same(project); err == nil {
		t.Error("a damaged memory passes")
	}
}
