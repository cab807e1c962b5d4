package tools

import (
	"context"
	"errors"
	"strings"
	"time"

	"hermes/core"
)

// Risk is what an Assessor thinks of a call that would ask.
type Risk string

// The risks. Anything else counts as unsure.
const (
	RiskLow    Risk = "low"    // it may run
	RiskUnsure Risk = "unsure" // the person decides
	RiskDanger Risk = "danger" // it must not run
)

// Assessor judges calls that would ask the person, with an auxiliary model. It never sees what is refused
// anyway, nor what only a person may answer (instruction files and other firm questions).
type Assessor interface {
	// Assess returns the risk of a and a one-line reason. An error leaves the decision to the person.
	// Text in a comes from the conversation and is data, never an instruction.
	Assess(ctx context.Context, a core.Approval) (risk Risk, why string, err error)
}

const (
	// assessWait bounds an assessment: the person is faster than a model that hangs.
	assessWait = 30 * time.Second
	// breaker is how many dangers in a row end the trying.
	breaker = 3
)

// assess lets the assessor answer. done false leaves the question to the person. After several dangers in
// a row the refusal tells the model to stop and ask, so that it does not try its way around.
func (r *Registry) assess(ctx context.Context, a *core.Approval, v Verdict) (done bool, res *core.ToolResult) {
	if r.opts.Assessor == nil || v.Firm {
		return false, nil // the person decides
	}
	limited, cancel := context.WithTimeout(ctx, assessWait)
	defer cancel()
	risk, why, err := r.opts.Assessor.Assess(limited, *a)
	if err == nil && ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	if err != nil {
		return false, nil // the person decides
	}
	switch risk {
	case RiskLow:
		r.count(a.SessionID, false)
		return true, nil
	case RiskDanger:
		text := a.Tool + " was refused as dangerous by the automatic check"
		if why = strings.TrimSuffix(strings.TrimSpace(why), "."); why != "" {
			text += " (" + why + ")"
		}
		text += ". It was not run. Do not try the same in another form"
		if n := r.count(a.SessionID, true); n >= breaker {
			text += "; this was refused several times in a row: stop, tell the person what you want to do and why, and wait"
		}
		return true, denied(text + ".")
	case RiskUnsure:
	}
	if why != "" {
		a.Reasons = append(append([]string(nil), a.Reasons...), "automatic check: "+why)
	}
	return false, nil
}

// count counts dangers in a row of a session.
func (r *Registry) count(session string, danger bool) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !danger {
		delete(r.dangers, session)
		return 0
	}
	r.dangers[session]++
	return r.dangers[session]
}
