package tools_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/config"
	"hermes/core/home"
	"hermes/tools"
)

func asking(firm bool) probe {
	return probe{name: "x", verdict: func(core.ToolRun) tools.Verdict {
		return tools.Verdict{Action: tools.ActionAsk, Subject: "do it", Reasons: []string{"matters"}, Rule: "x: any thing", Firm: firm}
	}}
}

type assessor func(core.Approval) (tools.Risk, string, error)

func (f assessor) Assess(_ context.Context, a core.Approval) (tools.Risk, string, error) { return f(a) }

func TestRules_listedAndRevocable(t *testing.T) {
	t.Parallel()
	h := home.At(t.TempDir())
	store := config.Open(h)
	rules := tools.NewRules(store, []string{"old"})
	asked := 0
	answer := core.DecideAlways
	r := tools.New(tools.Options{Home: h, Allow: rules, Approver: core.ApproverFunc(func(context.Context, core.Approval) (core.Decision, string) {
		asked++
		return answer, ""
	})}, asking(false))
	for range 2 {
		if res := call(t, r, "x", "{}"); !res.OK {
			t.Errorf("%+v", res)
		}
	}
	if diff := cmp.Diff([]string{"old", "x: any thing"}, rules.List()); diff != "" || asked != 1 {
		t.Errorf("asked %d times: %s", asked, diff)
	}
	cfg, _ := config.Load(h)
	if !slices.Contains(cfg.Approvals.Allow, "x: any thing") {
		t.Errorf("saved %q", cfg.Approvals.Allow)
	}
	if err := rules.Revoke(t.Context(), "x: any thing"); err != nil {
		t.Error(err)
	}
	if cfg, _ := config.Load(h); slices.Contains(cfg.Approvals.Allow, "x: any thing") {
		t.Errorf("still saved: %q", cfg.Approvals.Allow)
	}
	answer = core.DecideSession
	for range 2 {
		call(t, r, "x", "{}")
	}
	if diff := cmp.Diff([]string{"x: any thing"}, r.SessionRules("s1")); diff != "" || asked != 2 || len(r.SessionRules("s2")) > 0 {
		t.Errorf("asked %d times: %s", asked, diff)
	}
	if !r.RevokeSession("s1", "x: any thing") || r.RevokeSession("s1", "x: any thing") {
		t.Error("a rule of the session stays")
	}
	if answer = core.DecideDeny; call(t, r, "x", "{}").OK {
		t.Error("a revoked rule holds")
	}
	if err := rules.Revoke(t.Context(), "never given"); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("%v", err)
	}
}

// TestDenied_saysWhat: the model learns which part needed a person and why, so that it can leave just that out.
func TestDenied_saysWhat(t *testing.T) {
	t.Parallel()
	v := tools.Verdict{Action: tools.ActionAsk, Subject: "ls; rm -rf src", Reasons: []string{"deletes src", "cannot be undone"}, Marks: []core.Span{{Start: 4, End: 14}}}
	r := tools.New(tools.Options{Home: home.At(t.TempDir()), Approver: core.ApproverFunc(func(context.Context, core.Approval) (core.Decision, string) {
		return core.DecideDeny, "nobody is here"
	})}, probe{name: "x", verdict: func(core.ToolRun) tools.Verdict { return v }})
	want := "x was denied and was not run: nobody is here. The part `rm -rf src` needs a person's approval, because it deletes src; and cannot be undone."
	if res := call(t, r, "x", "{}"); !strings.HasPrefix(res.Content, want) {
		t.Errorf("%q", res.Content)
	}
	v.Marks = nil
	if res := call(t, r, "x", "{}"); !strings.Contains(res.Content, "It needs a person's approval, because it deletes src") {
		t.Errorf("%q", res.Content)
	}
}

func TestAssessor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		risk  tools.Risk
		err   error
		firm  bool
		runs  bool
		asked int
	}{
		"low":            {tools.RiskLow, nil, false, true, 0},
		"danger":         {tools.RiskDanger, nil, false, false, 0},
		"unsure":         {tools.RiskUnsure, nil, false, true, 1},
		"no answer":      {"", nil, false, true, 1},
		"broken":         {tools.RiskLow, errors.New("no model"), false, true, 1},
		"firm, low":      {tools.RiskLow, nil, true, true, 1},
		"danger, broken": {tools.RiskDanger, errors.New("no model"), false, true, 1},
	} {
		asked := 0
		var reasons []string
		r := tools.New(tools.Options{
			Home: home.At(t.TempDir()), Assessor: assessor(func(core.Approval) (tools.Risk, string, error) { return c.risk, "because.", c.err }),
			Approver: core.ApproverFunc(func(_ context.Context, a core.Approval) (core.Decision, string) {
				asked++
				reasons = a.Reasons
				return core.DecideOnce, ""
			}),
		}, asking(c.firm))
		res := call(t, r, "x", "{}")
		if res.OK != c.runs || asked != c.asked {
			t.Errorf("%s: asked %d times, %+v", name, asked, res)
		}
		if name == "unsure" && !slices.Contains(reasons, "automatic check: because.") {
			t.Errorf("%q", reasons)
		}
		if c.risk != tools.RiskDanger || c.err != nil {
			continue
		}
		if !res.Detail.Denied || !strings.Contains(res.Content, "(because)") || strings.Contains(res.Content, "wait") {
			t.Errorf("%+v", res)
		}
		call(t, r, "x", "{}")
		if res := call(t, r, "x", "{}"); !strings.Contains(res.Content, "stop, tell the person") {
			t.Errorf("the third time: %s", res.Content)
		}
	}
	refusing := probe{name: "x", verdict: func(core.ToolRun) tools.Verdict { return tools.Deny("x", "never") }}
	r := tools.New(tools.Options{Home: home.At(t.TempDir()), Assessor: assessor(func(core.Approval) (tools.Risk, string, error) {
		t.Error("asked about a refusal")
		return tools.RiskLow, "", nil
	})}, refusing)
	if res := call(t, r, "x", "{}"); res.OK {
		t.Errorf("%+v", res)
	}
}
