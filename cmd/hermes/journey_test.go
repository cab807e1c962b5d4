//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes/cmd/hermes/internal/app"
)

type journeyJSON struct {
	Nodes []struct {
		ID, Label, Kind, Category string
		Timestamp                 int64
		UseCount                  int
		CreatedBy                 string
		Pinned                    bool
	}
	Edges []struct {
		Source, Target string
		Why            struct {
			Score  int
			Shared []string
		}
	}
	Missing []struct{ Name, Why string }
	Stats   struct{ Nodes int }
}

// After the rehearsal the journey of its home shows the skill, its memory edge and the outcome 12, 9, 6. Memory
// is edited and removed by ids that survive other changes; a pinned skill stays.
func TestE2E_journey(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	rehearse(t, app.RehearsalOptions{Story: "k8s", Home: home})
	w := world2(t, home)
	j := tells[journeyJSON](t, w.hermes(t, "", "journey", "show", "--json"))
	if j.Stats.Nodes != 3 || len(j.Nodes) != 3 || len(j.Edges) != 1 || j.Edges[0].Target != "flask-k8s-deploy" || j.Edges[0].Why.Score == 0 {
		t.Fatalf("%+v", j)
	}
	skill := j.Nodes[slices.IndexFunc(j.Nodes, func(n struct {
		ID, Label, Kind, Category string
		Timestamp                 int64
		UseCount                  int
		CreatedBy                 string
		Pinned                    bool
	},
	) bool {
		return n.ID == "flask-k8s-deploy"
	})]
	if skill.Kind != "skill" || skill.Category != "devops" || skill.CreatedBy != "agent" || skill.UseCount == 0 || skill.Timestamp == 0 {
		t.Errorf("%+v", skill)
	}
	if !slices.ContainsFunc(j.Missing, func(m struct{ Name, Why string }) bool { return m.Name == "plan" && strings.Contains(m.Why, "bundled") }) {
		t.Errorf("why plan is not there: %+v", j.Missing)
	}

	r := tells[struct {
		Sessions int
		Skills   []struct {
			Name   string
			Before struct {
				CallsMean float64 `json:"calls_mean"`
			}
			Versions []struct {
				CallsMean float64 `json:"calls_mean"`
				Worse     string
			}
		}
	}](t, w.hermes(t, "", "insights", "--json"))
	if r.Sessions != 3 || len(r.Skills) != 1 || r.Skills[0].Before.CallsMean != 12 || len(r.Skills[0].Versions) != 2 ||
		r.Skills[0].Versions[0].CallsMean != 9 || r.Skills[0].Versions[1].CallsMean != 6 || r.Skills[0].Versions[1].Worse != "" {
		t.Errorf("outcomes: %+v", r)
	}
	if o := w.hermes(t, "", "insights", "--days", "0"); o.code != 2 {
		t.Errorf("%+v", o)
	}

	var card string
	for _, n := range j.Nodes {
		if n.Kind == "memory" && strings.Contains(n.Label, "platform team") {
			card = n.ID
		}
	}
	if o := w.hermes(t, "Leads the platform team.\n", "journey", "edit", card, "--file", "-"); o.code != 0 || !strings.Contains(o.out, "next session") {
		t.Errorf("%+v", o)
	}
	if o := w.hermes(t, "x", "journey", "edit", card, "--file", "-"); o.code != 3 || w.read(t, "memories", "USER.md") != "Leads the platform team." {
		t.Errorf("a stale id: %+v %q", o, w.read(t, "memories", "USER.md"))
	}
	if o := w.hermes(t, "a\n§\nb", "journey", "edit", tellsCard(t, w), "--file", "-"); o.code == 0 {
		t.Errorf("a separator: %+v", o)
	}
	if o := w.hermes(t, "", "skills", "pin", "flask-k8s-deploy"); o.code != 0 {
		t.Errorf("%+v", o)
	}
	if o := w.hermes(t, "", "journey", "delete", "flask-k8s-deploy"); o.code == 0 || !strings.Contains(o.err, "unpin") {
		t.Errorf("a pinned skill: %+v", o)
	}
	w.hermes(t, "", "skills", "unpin", "flask-k8s-deploy")
	if o := w.hermes(t, "", "journey", "delete", "flask-k8s-deploy"); o.code != 0 || !strings.Contains(o.out, "restore") {
		t.Errorf("%+v", o)
	}
	if o := w.hermes(t, "", "journey", "list"); !strings.Contains(o.out, "memory of the user\n") {
		t.Errorf("%s", o.out)
	}
	j = tells[journeyJSON](t, w.hermes(t, "", "journey", "list", "--json"))
	if j.Stats.Nodes != 2 || !slices.ContainsFunc(j.Missing, func(m struct{ Name, Why string }) bool { return m.Name == "flask-k8s-deploy" && m.Why == "archived" }) {
		t.Errorf("%+v", j)
	}
	for _, name := range []string{"map.html", "map.svg"} {
		out := filepath.Join(t.TempDir(), name)
		if o := w.hermes(t, "", "journey", "export", "--out", out); o.code != 0 {
			t.Errorf("%+v", o)
		}
		if st, err := os.Stat(out); err != nil || st.Size() < 500 {
			t.Errorf("%v", err)
		}
	}
	if o := w.hermes(t, "", "journey", "export", "--out", "map.png"); o.code != 2 {
		t.Errorf("%+v", o)
	}
}

// tellsCard is the id of a memory node.
func tellsCard(t *testing.T, w world) string {
	t.Helper()
	for _, n := range tells[journeyJSON](t, w.hermes(t, "", "journey", "show", "--json")).Nodes {
		if n.Kind == "memory" {
			return n.ID
		}
	}
	t.Fatal("no memory node")
	return ""
}

// An empty home gives a friendly first page, and nothing is written.
func TestE2E_journeyEmpty(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if o := w.hermes(t, "", "journey", "show"); o.code != 0 || !strings.Contains(o.out, "Nothing was learned yet") {
		t.Errorf("%+v", o)
	}
	if o := w.hermes(t, "", "insights"); o.code != 0 || !strings.Contains(o.out, "No sessions") {
		t.Errorf("%+v", o)
	}
	if _, err := os.Stat(w.home); err == nil {
		t.Error("looking made a home")
	}
}

// The curator looks by itself when it is time, tells what it did, and is taken back.
func TestE2E_curator(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
rules:
  - {reply: {text: "the answer"}}
`)
	w := newWorld(t, env...)
	w.config(t, "skills: {creation_nudge_interval: 0}\n")
	folder := filepath.Join(w.home, "skills", "ops", "old-tool")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(folder, "SKILL.md"), "---\nname: old-tool\ndescription: An old tool\n---\n# Old tool\n")
	write(filepath.Join(w.home, "skills", ".usage.json"), `{"old-tool":{"created_by":"agent","use_count":2,"last_used_at":"2025-01-01T00:00:00Z"}}`)
	write(filepath.Join(w.home, "skills", ".curator_state"), `{"last_run_at":"2025-06-01T00:00:00Z"}`)
	if o := w.hermes(t, "", "curator", "run", "--dry-run"); o.code != 0 || !strings.Contains(o.out, "archive") || !strings.Contains(o.out, "nothing was changed") {
		t.Fatalf("%+v", o)
	}
	if _, err := os.Stat(folder); err != nil {
		t.Fatal(err)
	}
	if o := w.hermes(t, "", "run", "hello"); o.code != 0 || !strings.Contains(o.err, "1 archived") {
		t.Errorf("%+v", o)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("it was not archived")
	}
	if o := w.hermes(t, "", "curator", "rollback"); o.code != 0 {
		t.Errorf("%+v", o)
	}
	if _, err := os.Stat(filepath.Join(folder, "SKILL.md")); err != nil {
		t.Errorf("it did not come back: %v", err)
	}
	for _, verb := range []string{"pause", "status", "resume"} {
		if o := w.hermes(t, "", "curator", verb); o.code != 0 {
			t.Errorf("%+v", o)
		}
	}
}

// The model pass merges near-duplicates as proposals; the skills themselves stay as they are until the person
// accepts.
func TestE2E_curatorMerges(t *testing.T) {
	t.Parallel()
	const one = "---\\nname: deploy-web-app\\ndescription: Deploy a web app to the kubernetes cluster with docker.\\n---\\n# Deploy\\n\\n## When to Use\\n\\nDeploys.\\n\\n## Procedure\\n\\n1. Build.\\n2. Probe.\\n"
	srv, env := model(t, `
models: [scripted, keeper]
rules:
  - {when: {model: keeper}, reply: {text: "`+one+`"}}
  - {reply: {text: "the answer"}}
`)
	w := newWorld(t, env...)
	w.config(t, "skills: {creation_nudge_interval: 0}\n")
	for _, s := range []struct{ name, more string }{{"deploy-web-app", "1. Build."}, {"deploy-web-service", "1. Probe."}} {
		folder := filepath.Join(w.home, "skills", "ops", s.name)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		body := "---\nname: " + s.name + "\ndescription: Deploy a web app to the kubernetes cluster with docker.\n---\n# Deploy\n\n## When to Use\n\nDeploys.\n\n## Procedure\n\n" + s.more + "\n"
		if err := os.WriteFile(filepath.Join(folder, "SKILL.md"), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	extra := filepath.Join(w.home, "skills", "ops", "deploy-web-service", "references", "probe.md")
	if err := os.MkdirAll(filepath.Dir(extra), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(extra, []byte("Probe /healthz 探针.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC().Format(time.RFC3339)
	usage := `{"deploy-web-app":{"created_by":"agent","use_count":5,"last_used_at":"` + now + `"},"deploy-web-service":{"created_by":"agent","use_count":1,"last_used_at":"` + now + `"}}`
	if err := os.WriteFile(filepath.Join(w.home, "skills", ".usage.json"), []byte(usage), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := w.hermes(t, "", "curator", "run", "--consolidate"); o.code != 4 || !strings.Contains(o.err, "auxiliary.curator") {
		t.Errorf("without a model: %+v", o)
	}
	w.config(t, "skills: {creation_nudge_interval: 0}\nauxiliary: {curator: {model: keeper}}\n")
	before := w.read(t, "skills", "ops", "deploy-web-app", "SKILL.md")
	o := w.hermes(t, "", "curator", "run", "--consolidate")
	if o.code != 0 || !strings.Contains(o.out, "merge      ops/deploy-web-service into ops/deploy-web-app") {
		t.Fatalf("%+v", o)
	}
	if got := w.read(t, "skills", "ops", "deploy-web-app", "SKILL.md"); got != before {
		t.Errorf("it was changed: %s", got)
	}
	l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json"))
	if len(l.Proposals) != 3 || len(srv.Requests()) != 1 {
		t.Fatalf("%+v", l)
	}
	for _, p := range l.Proposals {
		if o := w.hermes(t, "", "reviews", "accept", p.ID); o.code != 0 {
			t.Errorf("%+v", o)
		}
	}
	if got := w.read(t, "skills", "ops", "deploy-web-app", "SKILL.md"); !strings.Contains(got, "2. Probe.") {
		t.Errorf("%s", got)
	}
	if got := w.read(t, "skills", "ops", "deploy-web-service", "SKILL.md"); got != "" {
		t.Errorf("the absorbed one stands: %s", got)
	}
	if got := w.read(t, "skills", "ops", "deploy-web-app", "references", "probe.md"); got != "Probe /healthz 探针.\n" {
		t.Errorf("its file did not come along: %q", got)
	}
}
