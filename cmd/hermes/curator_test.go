//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// lay writes files below the home.
func (w world) lay(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(w.home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// twins are two skills that say nearly the same; the first is used more.
func twins(t *testing.T) world {
	t.Helper()
	w := newWorld(t)
	now := time.Now().UTC().Format(time.RFC3339)
	files := map[string]string{"skills/.usage.json": `{"deploy-web-app":{"created_by":"agent","use_count":5,"last_used_at":"` + now + `"},"deploy-web-service":{"created_by":"agent","use_count":1,"last_used_at":"` + now + `"}}`}
	for _, name := range []string{"deploy-web-app", "deploy-web-service"} {
		files["skills/ops/"+name+"/SKILL.md"] = "---\nname: " + name + "\ndescription: Deploy a web app to the kubernetes cluster with docker.\n---\n# Deploy\n\n## When to Use\n\nDeploys.\n"
	}
	w.lay(t, files)
	return w
}

// What a scheduled job needs takes over instead of going; where both may not go, nothing is merged.
func TestE2E_curatorMergeSparesJobs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, jobs, want string }{
		{"none", `{}`, "deploy-web-service into ops/deploy-web-app"},
		{"one", `{"jobs":[{"enabled":false,"skills":["deploy-web-service"]}]}`, "deploy-web-app into ops/deploy-web-service"},
		{"both", `{"jobs":[{"skills":["deploy-web-service","ops/deploy-web-app"]}]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := twins(t)
			w.lay(t, map[string]string{"cron/jobs.json": c.jobs})
			o := w.hermes(t, "", "curator", "run", "--consolidate", "--dry-run")
			if o.code != 0 || strings.Contains(o.out, "merge") != (c.want != "") || !strings.Contains(o.out, c.want) {
				t.Errorf("%+v", o)
			}
		})
	}
}

// A merge that would lose a file is left to the person, before a model is asked. A pass that cannot work says so
// beside what the run did.
func TestE2E_curatorMergeLosesNothing(t *testing.T) {
	t.Parallel()
	srv, env := model(t, "models: [scripted, keeper]\nrules:\n  - {reply: {text: ok}}\n")
	w := twins(t)
	w.env = append(w.env, env...)
	w.lay(t, map[string]string{
		"skills/ops/deploy-web-app/references/probe.md":     "one\n",
		"skills/ops/deploy-web-service/references/probe.md": "another\n",
	})
	w.config(t, "curator: {consolidate: true}\n")
	if o := w.hermes(t, "", "curator", "run"); o.code != 4 || !strings.Contains(o.out, "2 skills looked at") || !strings.Contains(o.err, "auxiliary.curator") {
		t.Errorf("without a model: %+v", o)
	}
	w.config(t, "curator: {consolidate: true}\nauxiliary: {curator: {model: keeper}}\n")
	if o := w.hermes(t, "", "curator", "run"); o.code != 0 || !strings.Contains(o.out, "not proposed: both have references/probe.md") {
		t.Errorf("%+v", o)
	}
	if n := len(srv.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// The verbs for one skill are those of hermes skills.
func TestE2E_curatorVerbs(t *testing.T) {
	t.Parallel()
	w := twins(t)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"pin deploy-web-app", 0, "pinned"},
		{"archive deploy-web-app", 1, "unpin"},
		{"unpin deploy-web-app", 0, "no longer pinned"},
		{"archive deploy-web-app", 0, "archived"},
		{"restore deploy-web-app", 0, "restored"},
		{"restore nothing", 3, "no archived skill"},
	} {
		o := w.hermes(t, "", append([]string{"curator"}, strings.Fields(c.args)...)...)
		if o.code != c.code || !strings.Contains(o.out+o.err, c.want) {
			t.Errorf("%s: %+v", c.args, o)
		}
	}
}
