package skills

import (
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadIndex(t *testing.T) {
	t.Parallel()
	first, _, _ := strings.Cut(indexText, "\n")
	prompt := "SOUL\n<available_skills>\n    - fake: not this one\n</available_skills>\n\n" + first + "\nmore\n<available_skills>\n" +
		"  devops: Deploying things\n    - deploy-nextjs: Deploy Next.js apps: the short way\n    - bare\n" +
		"  ml/research [names only]: 東京, two\n" +
		"  general:\n    - 渡し舟: 時刻を調べる。\n</available_skills>\nGo on.\n\nMemory\n    - no: skill\n"
	want := []Listed{
		{Category: "devops", About: "Deploying things", Name: "deploy-nextjs", Text: "Deploy Next.js apps: the short way"},
		{Category: "devops", About: "Deploying things", Name: "bare"},
		{Category: "ml/research", Name: "東京", NamesOnly: true},
		{Category: "ml/research", Name: "two", NamesOnly: true},
		{Category: "general", Name: "渡し舟", Text: "時刻を調べる。"},
	}
	if diff := cmp.Diff(want, ReadIndex(prompt)); diff != "" {
		t.Error(diff)
	}
	for _, p := range []string{"", "no skills", "x\n<available_skills>\n    - a: b"} {
		if got := ReadIndex(p); got != nil {
			t.Errorf("%q: %v", p, got)
		}
	}
}

// What is rendered is read back line by line.
func TestReadIndex_roundTrip(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for rel, about := range map[string]string{
		"devops/deploy-nextjs": "Deploy Next.js apps", "devops/渡し舟": "時刻を調べる <b>", "plain": "A very long description that will certainly be cut because it is far too long",
	} {
		write(t, r.Home(), rel+"/SKILL.md", "---\nname: "+path.Base(rel)+"\ndescription: "+about+"\n---\n\n# Do it\n")
	}
	x, err := r.Index(t.Context(), Scope{})
	if err != nil {
		t.Fatal(err)
	}
	got := ReadIndex("before\n\n" + x.Text + "\n\nafter")
	if len(got) != 3 || len(got) != len(x.Lines) {
		t.Fatalf("%d of %d lines: %v", len(got), len(x.Lines), got)
	}
	for i, n := range x.Lines {
		if got[i].Name != n.Shown || got[i].Text != n.Text {
			t.Errorf("line %d: %+v, want %s: %s", i, got[i], n.Shown, n.Text)
		}
	}
}
