package skill

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
	"hermes/skills"
	"hermes/tools"
)

type rig struct {
	lib      *skills.Library
	ledger   *ledger.Ledger
	home     home.Home
	registry *tools.Registry
	events   []core.Event
	held     []core.Proposal
	asked    []core.Approval
	decision core.Decision
	env      map[string]string
}

// watch is a guard for tests: "evil" is dangerous, "forbidden" is not let in at all.
type watch struct{}

func (watch) Check(_ context.Context, dir string, overlay map[string][]byte) (skills.Verdict, error) {
	all := ""
	for _, b := range overlay {
		all += string(b)
	}
	if b, err := os.ReadFile(filepath.Join(dir, skills.FileName)); err == nil && overlay[skills.FileName] == nil {
		all += string(b)
	}
	switch {
	case strings.Contains(all, "forbidden"):
		return skills.Verdict{Level: "dangerous", Decision: skills.DecisionBlock, Report: "the report", Findings: []string{"critical: forbidden"}}, nil
	case strings.Contains(all, "evil"):
		return skills.Verdict{Level: "dangerous", Decision: skills.DecisionAsk, Report: "the report", Findings: []string{"critical: evil"}}, nil
	}
	return skills.Verdict{Level: skills.LevelSafe, Decision: skills.DecisionAllow}, nil
}

// Hold keeps a proposal.
func (r *rig) Hold(_ context.Context, p core.Proposal) (core.Proposal, string, error) {
	p.ID = fmt.Sprintf("p%d", len(r.held))
	r.held = append(r.held, p)
	return p, "It waits as " + p.ID + ".", nil
}

func newRig(t *testing.T, change func(*skills.Options, *Options)) *rig {
	t.Helper()
	r := &rig{home: home.At(t.TempDir()), decision: core.DecideOnce, env: map[string]string{}}
	r.ledger = ledger.New(r.home)
	emit := func(e core.Event) { r.events = append(r.events, e) }
	so := skills.Options{Home: r.home, Ledger: r.ledger, OS: "linux", Guard: watch{}, Emit: emit}
	to := Options{
		Emit: emit, Holder: r, Lookup: func(n string) string { return r.env[n] },
		Approver: core.ApproverFunc(func(_ context.Context, a core.Approval) (core.Decision, string) {
			r.asked = append(r.asked, a)
			return r.decision, "no thanks"
		}),
	}
	if change != nil {
		change(&so, &to)
	}
	r.lib = skills.New(so)
	r.ledger.Register(r.lib.Subject())
	to.Library = r.lib
	r.registry = tools.New(tools.Options{Home: r.home}, New(to)...)
	t.Cleanup(func() { _ = r.lib.Usage().Flush(context.Background()) })
	return r
}

// answer is what the model reads, of any tool.
type answer struct {
	s success    // of skill_manage
	l loaded     // of a SKILL.md
	f fileAnswer // of a supporting file

	OK      bool     `json:"success"`
	Error   string   `json:"error"`
	Preview string   `json:"file_preview"`
	Matches []string `json:"matches"`
	Files   []string `json:"available_files"`
	Report  string   `json:"scan_report"`
	Held    bool     `json:"held"`
	Message string   `json:"message"`
	Status  string   `json:"status"`
	Content string   `json:"content"`
	Skills  []listed `json:"skills"`
	Count   int      `json:"count"`
	Path    string   `json:"path"`
	Trunc   bool     `json:"truncated"`
	Next    int      `json:"next_offset"`
	Total   int      `json:"total_chars"`
	Name    string   `json:"name"`
	Ready   string   `json:"readiness_status"`
	raw     string
}

func (r *rig) call(t *testing.T, tool string, args map[string]any) answer {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	res := r.registry.Run(t.Context(), core.ToolCall{ID: "c", Name: tool, Arguments: string(b)}, core.ToolRun{SessionID: "s1", RunID: "r1"})
	a := answer{raw: res.Content}
	if err := json.Unmarshal([]byte(res.Content), &a); err != nil {
		return answer{Error: res.Content}
	}
	_, _, _ = json.Unmarshal([]byte(res.Content), &a.s), json.Unmarshal([]byte(res.Content), &a.l), json.Unmarshal([]byte(res.Content), &a.f)
	if a.OK != res.OK {
		t.Errorf("OK is %v, success %v", res.OK, a.OK)
	}
	return a
}

func (r *rig) write(t *testing.T, rel, content string) string {
	t.Helper()
	p := filepath.Join(r.home.Skills(), filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func doc(name, description string, more ...string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n" + strings.Join(more, "") + "---\n# " + name + "\n## When to Use\nAlways.\n\nStep 1. Fetch.\n"
}

func args(kv ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i].(string)] = kv[i+1]
	}
	return m
}

func TestManage_results(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	long := "Deploy a web application to the cluster with all its health checks"
	a := r.call(t, Manage, args("action", "create", "name", "deploy", "category", "devops", "content", doc("deploy", long)))
	if !a.OK || a.Path != "devops/deploy" || !strings.HasSuffix(a.s.SkillMD, "SKILL.md") || a.s.Category != "devops" || a.s.Change.Description != long || a.s.Hint == "" {
		t.Errorf("%s", a.raw)
	}
	if a.s.Preview != "- deploy: "+long[:57]+"..." || !strings.Contains(a.raw, `"code":"description-cut"`) || !strings.Contains(a.raw, `"missing-section"`) {
		t.Errorf("%s", a.raw)
	}
	a = r.call(t, Manage, args("action", "patch", "name", "deploy", "old_string", "Step 1.  Fetch.", "new_string", "Step 1. Fetch twice."))
	if !a.OK || a.s.Match == nil || a.s.Match.Exact || a.s.Match.Count != 1 || !strings.Contains(a.Message, "tolerance") {
		t.Errorf("%s", a.raw)
	}
	a = r.call(t, Manage, args("action", "write_file", "name", "deploy", "file_path", "references/api.md", "file_content", "x\n"))
	if !a.OK || !strings.HasSuffix(a.Path, filepath.Join("references", "api.md")) {
		t.Errorf("%s", a.raw)
	}
	a = r.call(t, Manage, args("action", "patch", "name", "deploy", "old_string", "not there", "new_string", "x"))
	if a.OK || !strings.HasPrefix(a.Preview, "---\nname: deploy") || !strings.Contains(a.Error, "not found") {
		t.Errorf("%s", a.raw)
	}
	a = r.call(t, Manage, args("action", "remove_file", "name", "deploy", "file_path", "references/zzz.md"))
	if a.OK || len(a.Files) != 1 || a.Files[0] != "references/api.md" {
		t.Errorf("%s", a.raw)
	}
	a = r.call(t, Manage, args("action", "rename", "name", "deploy"))
	if a.OK || !strings.Contains(a.Error, "create, patch, edit, delete, write_file, remove_file") {
		t.Errorf("%s", a.Error)
	}
	a = r.call(t, Manage, args("action", "delete", "name", "deploy"))
	if !a.OK || !strings.Contains(a.s.Archived, ".archive") {
		t.Errorf("%s", a.raw)
	}
	changed := 0
	for _, e := range r.events {
		if c, ok := e.(*core.SkillChanged); ok && c.SessionID == "s1" && c.LedgerID != "" {
			changed++
		}
	}
	if changed != 4 {
		t.Errorf("%d events", changed)
	}
}

func TestManage_dangerous(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	file := r.write(t, "x/SKILL.md", doc("x", "d"))
	evil := args("action", "patch", "name", "x", "old_string", "Fetch.", "new_string", "Fetch evil.")
	r.decision = core.DecideDeny
	a := r.call(t, Manage, evil)
	if a.OK || !strings.Contains(a.Error, "did not allow") || !strings.Contains(a.Error, "no thanks") || a.Report != "the report" || len(r.asked) != 1 {
		t.Errorf("%s", a.raw)
	}
	if q := r.asked[0]; q.Rule != "" || !strings.Contains(q.Diff, "+Step 1. Fetch evil.") || len(q.Reasons) != 2 || q.Tool != Manage {
		t.Errorf("%+v", q)
	}
	if b, err := os.ReadFile(file); err != nil || strings.Contains(string(b), "evil") {
		t.Error("it was written")
	}
	a = r.call(t, Manage, args("action", "write_file", "name", "x", "file_path", "scripts/a.sh", "file_content", "forbidden"))
	if a.OK || !strings.Contains(a.Error, "not let in") || len(r.asked) != 1 || len(r.held) != 0 {
		t.Errorf("%s", a.raw)
	}
	r.decision = core.DecideOnce
	if a = r.call(t, Manage, evil); !a.OK {
		t.Errorf("%s", a.raw)
	}
}

// A key is refused whoever approves; one that stood there before does not hinder other changes.
func TestManage_secrets(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	key := "sk-" + strings.Repeat("a1B2", 8)
	for _, a := range []map[string]any{
		args("action", "create", "name", "keys", "content", doc("keys", "d")+"Use "+key+".\n"),
		args("action", "write_file", "name", "x", "file_path", "scripts/a.sh", "file_content", "curl -u me:"+key),
	} {
		r.write(t, "x/SKILL.md", doc("x", "d"))
		if got := r.call(t, Manage, a); got.OK || !strings.Contains(got.Error, "environment variable") {
			t.Errorf("%s", got.raw)
		}
	}
	r.write(t, "old/SKILL.md", doc("old", "d")+"Use "+key+".\n")
	if got := r.call(t, Manage, args("action", "patch", "name", "old", "old_string", "Fetch.", "new_string", "Fetch twice.")); !got.OK {
		t.Errorf("%s", got.raw)
	}
}

func TestManage_holds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*skills.Options, *Options)
		what   string
		want   core.Held
	}{
		"nobody to ask": {func(_ *skills.Options, o *Options) { o.Approver = nil }, "Fetch evil.", core.HeldDangerous},
		"approval is on": {func(_ *skills.Options, o *Options) {
			o.Why = func(ledger.Change) core.Held { return core.HeldApproval }
		}, "Fetch twice.", core.HeldApproval},
		"tainted": {func(_ *skills.Options, o *Options) {
			o.By = func(run core.ToolRun) ledger.Change {
				return ledger.Change{Actor: ledger.Agent, SessionID: run.SessionID, Taint: "web: https://example.org"}
			}
		}, "Fetch twice.", core.HeldTainted},
		"a review of a hand-written one": {func(_ *skills.Options, o *Options) {
			o.By = func(core.ToolRun) ledger.Change { return ledger.Change{Actor: ledger.Review, ReviewID: "v1"} }
		}, "Fetch twice.", core.HeldHandWritten},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c.change)
			file := r.write(t, "x/SKILL.md", doc("x", "d"))
			a := r.call(t, Manage, args("action", "patch", "name", "x", "old_string", "Fetch.", "new_string", c.what))
			if !a.OK || !a.Held || a.Message != "It waits as p0." || len(r.held) != 1 {
				t.Fatalf("%s", a.raw)
			}
			p := r.held[0]
			if p.Held != c.want || p.Subject != "skill:x" || p.Store != core.StoreSkills || p.CallID != "c" || !strings.Contains(p.Diff, c.what) || len(p.Base) != 1 {
				t.Errorf("%+v", p)
			}
			if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), "Fetch.") {
				t.Error("it was written")
			}
			if _, err := r.lib.Applier().Apply(t.Context(), p); err != nil {
				t.Error(err)
			}
			if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), c.what) {
				t.Error("accepting did not write it")
			}
		})
	}
}

func TestManage_staleEdit(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	file := r.write(t, "x/SKILL.md", doc("x", "d"))
	r.call(t, View, args("name", "x"))
	r.write(t, "x/SKILL.md", doc("x", "changed by hand"))
	edit := args("action", "edit", "name", "x", "content", doc("x", "mine"))
	if a := r.call(t, Manage, edit); a.OK || !strings.Contains(a.Error, "changed since") {
		t.Errorf("%s", a.raw)
	}
	if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), "by hand") {
		t.Error("it was overwritten")
	}
	r.call(t, View, args("name", "x"))
	if a := r.call(t, Manage, edit); !a.OK {
		t.Errorf("%s", a.raw)
	}
	if a := r.call(t, Manage, args("action", "edit", "name", "x", "content", doc("x", "mine again"))); !a.OK {
		t.Errorf("its own edit made it stale: %s", a.raw)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(_ *skills.Options, o *Options) {
		o.Scope = func() skills.Scope { return skills.Scope{Tools: []string{"terminal"}, Toolsets: []string{"terminal"}} }
	})
	if a := r.call(t, List, args()); !a.OK || a.Message == "" || a.Count != 0 || !strings.Contains(a.raw, `"skills":[]`) {
		t.Errorf("%s", a.raw)
	}
	long := strings.Repeat("long ", 30)
	r.write(t, "a/one/SKILL.md", doc("one", long))
	r.write(t, "two/SKILL.md", doc("two", "d"))
	r.write(t, "web/SKILL.md", doc("web", "d", "metadata: {hermes: {requires_toolsets: [web]}}\n"))
	a := r.call(t, List, args())
	if a.Count != 2 || a.Skills[0].Name != "one" || a.Skills[0].Description != strings.TrimSpace(long) || *a.Skills[0].Category != "a" || a.Skills[1].Category != nil {
		t.Errorf("%s", a.raw)
	}
	if a = r.call(t, List, args("category", "a")); a.Count != 1 {
		t.Errorf("%s", a.raw)
	}
}

// A long list reaches the model as whole JSON: descriptions give way to names.
func TestList_long(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		skills, listed, longest int // longest description that is left
	}{{20, 20, 900}, {300, 300, 60}, {420, 420, 20}, {600, 600, 0}, {900, 700, 0}} {
		t.Run(strconv.Itoa(c.skills), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			for i := range c.skills {
				name := fmt.Sprintf("skill-%03d", i)
				r.write(t, fmt.Sprintf("c%d/%s/SKILL.md", i%3, name), doc(name, strings.Repeat("茶", 900)))
			}
			a := r.call(t, List, args())
			if !a.OK || a.Count != c.skills || len(a.Skills) < c.listed || len(a.Skills) > max(c.listed, c.skills*4/5) && c.listed < c.skills || (a.Message != "") != (c.longest < 900) {
				t.Fatalf("%d of %d, %q, %.200s", a.Count, c.skills, a.Message, a.raw)
			}
			for _, s := range a.Skills {
				if n := utf8.RuneCountInString(s.Description); n != c.longest {
					t.Fatalf("%s has %d characters", s.Name, n)
				}
			}
			if a = r.call(t, List, args("category", "c1")); a.Count < c.skills/3 || len(a.Skills) < c.skills/3 || a.Skills[0].Description == "" {
				t.Errorf("%d, %.200s", a.Count, a.raw)
			}
		})
	}
}

func TestSpecs(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	specs := r.registry.Specs()
	if len(specs) != 3 {
		t.Fatal(len(specs))
	}
	all := ""
	for _, s := range specs {
		all += s.Description
	}
	for _, w := range []string{"5 or more tool calls", "user corrected", "not trivial", "Skip one-offs", "at most 60 characters", "Prefer this", "archive", "pinned skill cannot be deleted", "absorbed_into", "never by value", "Ask the user before you create or delete"} {
		if !strings.Contains(all, w) {
			t.Errorf("%q is missing", w)
		}
	}
}
