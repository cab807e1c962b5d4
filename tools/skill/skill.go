package skill

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/skills"
)

// The names of the tools.
const (
	Manage = "skill_manage"
	List   = "skills_list"
	View   = "skill_view"
)

// Secrets asks a person for what skills need: the values of environment variables, typed where nobody else sees
// them, and settings.
type Secrets interface {
	// Capture sees to it that skill ("category/name") may use v, which it needs: it asks for the value when
	// there is none and keeps it in the home's .env, and for consent when there is one. It reports whether
	// commands can use it now. An error means that nobody could be asked.
	Capture(ctx context.Context, run core.ToolRun, skill string, v skills.Variable) (set bool, err error)
	// Settle asks once for each setting of e that nobody set yet, keeps the answers at skills.config, and gives
	// the values that hold now.
	Settle(ctx context.Context, run core.ToolRun, e skills.Entry) []skills.Value
}

// Options configures the toolset. Library is required.
type Options struct {
	Library *skills.Library
	// Scope says which tools the session has; nil hides nothing.
	Scope func() skills.Scope
	// By says who acts in a run; nil is the agent with the run's session and run.
	By func(run core.ToolRun) ledger.Change
	// Why holds back every change, for instance because skills.write_approval is on; nil holds none. The
	// rules of pins, origins and taint apply in any case.
	Why func(by ledger.Change) core.Held
	// Holder keeps changes that wait for a person; nil refuses them.
	Holder core.Holder
	// Added hears of each proposal; nil drops it.
	Added func(core.Proposal)
	// Approver asks the person about dangerous changes; nil keeps them as proposals.
	Approver core.Approver
	// Lookup finds the value of an environment variable: the home's .env first, then the process. nil
	// finds none.
	Lookup func(name string) string
	// Secrets asks for missing variables; nil asks nobody.
	Secrets Secrets
	// Emit hears of skills that were loaded and of words for the person; nil drops them. Changes are
	// announced by the library.
	Emit func(core.Event)
}

// New returns the three tools. One value serves all sessions.
func New(o Options) []core.Tool {
	if o.By == nil {
		o.By = func(run core.ToolRun) ledger.Change {
			return ledger.Change{Actor: ledger.Agent, SessionID: run.SessionID, RunID: run.RunID}
		}
	}
	if o.Scope == nil {
		o.Scope = func() skills.Scope { return skills.Scope{} }
	}
	if o.Lookup == nil {
		o.Lookup = func(string) string { return "" }
	}
	s := &set{Options: o, seen: newSeen()}
	return []core.Tool{&manager{s}, &lister{s}, &viewer{s}}
}

// set is what the tools share.
type set struct {
	Options

	seen *seen
}

func (s *set) emit(e core.Event) {
	if s.Emit != nil {
		s.Emit(e)
	}
}

// failure is the answer when nothing was done.
type failure struct {
	Success   bool     `json:"success"`
	Error     string   `json:"error"`
	Preview   string   `json:"file_preview,omitempty"`
	Matches   []string `json:"matches,omitempty"`
	Available []string `json:"available_files,omitempty"`
	Skills    []string `json:"available_skills,omitempty"`
	Report    string   `json:"scan_report,omitempty"`
	Readiness string   `json:"readiness_status,omitempty"`
	Hint      string   `json:"hint,omitempty"`
}

// failed answers with what went wrong.
func failed(err error) core.ToolResult {
	if errors.Is(err, context.Canceled) || core.CodeOf(err) == core.CodeInterrupted {
		return core.ToolResult{Content: "Interrupted; nothing was changed.", Detail: &core.ToolDetail{Summary: "interrupted", Aborted: true}}
	}
	f := failure{Error: err.Error(), Hint: core.HintOf(err)}
	d := &core.ToolDetail{Summary: "refused"}
	var r *skills.RefusedError
	if errors.As(err, &r) {
		f.Preview, f.Matches, f.Report = r.Preview, r.Matches, r.Report
		d.Summary = "refused: " + string(r.Code)
		if r.Code == skills.RefusedUnknown {
			f.Skills = r.Available
		} else {
			f.Available = r.Available
		}
		if r.Code == skills.RefusedDisabled && r.Hint == "unsupported" {
			f.Readiness, f.Hint = "unsupported", ""
		}
	}
	return result(false, f, d)
}

// result encodes v as what the model reads.
func result(ok bool, v any, d *core.ToolDetail) core.ToolResult {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return core.ToolResult{Content: "the answer could not be written: " + err.Error(), Detail: d}
	}
	return core.ToolResult{OK: ok, Content: string(bytes.TrimRight(b.Bytes(), "\n")), Detail: d}
}
