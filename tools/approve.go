package tools

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/text"
)

// decide turns a verdict into permission (nil) or into the result that says no. Rules remembered for
// the session or for always answer in the person's place, --yolo answers every question that is not
// firm, and nothing answers a refusal.
func (r *Registry) decide(ctx context.Context, call core.ToolCall, at core.ToolRun, v Verdict) *core.ToolResult {
	switch v.Action {
	case ActionAllow:
		return nil
	case ActionDeny:
		return denied(call.Name + " was refused: " + strings.Join(v.Reasons, "; ") + ". No approval can change that; find another way or ask the person to do it.")
	case ActionAsk:
	}
	if !v.Firm && (r.opts.Yolo || r.remembered(at.SessionID, v.Rule)) {
		return nil
	}
	rule := v.Rule
	if v.Firm {
		rule = ""
	}
	asked := core.Approval{
		ID: "a-" + rand.Text()[:12], SessionID: at.SessionID, RunID: at.RunID, CallID: call.ID, Tool: call.Name,
		Subject: v.Subject, Reasons: v.Reasons, Rule: rule, Diff: v.Diff, Folder: v.Folder,
		Marks: v.Marks, Agent: at.Agent,
	}
	if answer, res := r.assess(ctx, &asked, v); answer {
		return res
	}
	if r.opts.Approver == nil {
		return denied(call.Name + " needs approval (" + strings.Join(v.Reasons, "; ") + ") and nobody is there to give it. It was not run.")
	}
	wait, cancel := ctx, func() {}
	if r.opts.ApprovalTimeout > 0 {
		wait, cancel = context.WithTimeout(ctx, r.opts.ApprovalTimeout)
	}
	defer cancel()
	decision, why := r.opts.Approver.Approve(wait, asked)
	if ctx.Err() != nil {
		d := denied("Interrupted by the person before it was approved. It was not run.")
		d.Detail.Aborted = true
		return d
	}
	switch decision {
	case core.DecideOnce:
		return nil
	case core.DecideSession:
		r.remember(at.SessionID, rule)
		return nil
	case core.DecideAlways:
		r.always(ctx, at, rule)
		return nil
	case core.DecideDeny:
	}
	said := call.Name + " was denied and was not run"
	switch {
	case wait.Err() != nil:
		said = call.Name + " was not run: nobody answered the approval in time"
	case why != "":
		said += ": " + strings.TrimSuffix(why, ".")
	}
	return denied(said + ". " + asks(v) + "Do not try the same again; continue another way or ask.")
}

// asks tells the model what needed a person, so that it can leave just that out.
func asks(v Verdict) string {
	var parts []string
	for _, m := range v.Marks {
		if part := v.Subject[m.Start:m.End]; part != v.Subject {
			parts = append(parts, "`"+text.Cut(part, 200)+"`")
		}
	}
	where := "It"
	if len(parts) > 0 {
		where = "The part " + strings.Join(parts, ", ")
	}
	if len(v.Reasons) == 0 {
		return ""
	}
	return where + " needs a person's approval, because it " + strings.Join(v.Reasons, "; and ") + ". "
}

// always saves rule. A saved one is not remembered for the session as well: revoked, it must be gone.
func (r *Registry) always(ctx context.Context, at core.ToolRun, rule string) {
	if rule == "" {
		return
	}
	if r.opts.Allow != nil {
		err := r.opts.Allow.Allow(ctx, rule)
		if err == nil {
			return
		}
		r.opts.notSaved(at, err)
	}
	r.remember(at.SessionID, rule)
}

// notSaved tells on the live output that an "always" holds for this session only.
func (Options) notSaved(at core.ToolRun, err error) {
	at.Output("[the rule could not be saved and holds for this session only: " + err.Error() + "]\n")
}

func denied(said string) *core.ToolResult {
	return &core.ToolResult{Content: said, Detail: &core.ToolDetail{Denied: true, Summary: "denied"}}
}

func (r *Registry) remembered(session, rule string) bool {
	if rule == "" {
		return false
	}
	r.mu.Lock()
	ok := r.rules[session+"\x00"+rule]
	r.mu.Unlock()
	return ok || (r.opts.Allow != nil && r.opts.Allow.Allowed(rule))
}

func (r *Registry) remember(session, rule string) {
	if rule == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rules[session+"\x00"+rule] = true
}

// SessionRules lists the rules a person answered "session" to, sorted.
func (r *Registry) SessionRules(session string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for key := range r.rules {
		if rule, ok := strings.CutPrefix(key, session+"\x00"); ok {
			out = append(out, rule)
		}
	}
	slices.Sort(out)
	return out
}

// RevokeSession takes a session's rule back; it reports whether there was one.
func (r *Registry) RevokeSession(session, rule string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := session + "\x00" + rule
	was := r.rules[key]
	delete(r.rules, key)
	return was
}
