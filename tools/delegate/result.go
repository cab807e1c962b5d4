package delegate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hermes/core"
	"hermes/core/text"
)

const (
	// MaxAnswers is how many code points of all answers of one call reach the model.
	MaxAnswers = 40_000

	maxAnswer = 20_000 // of one answer
)

// report words how the tasks ended. It is OK when at least one answered.
func report(ctx context.Context, tasks []core.Task, ends []ending) core.ToolResult {
	var b strings.Builder
	var total core.TaskResult
	answered, cutAll := 0, 0
	var taints []string
	for i, e := range ends {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "[task %d of %d: %s]\n[%s]", i+1, len(ends), tasks[i].Title, figures(tasks[i], e))
		if e.err != nil && e.started {
			b.WriteString("\n[error: " + text.OneLine(text.Cut(wordError(e.err), 600)) + "]")
		}
		if a := strings.TrimSpace(text.CleanUTF8(e.result.Answer)); a != "" {
			shown, cut := text.HeadTail(a, min(maxAnswer, MaxAnswers/len(ends)))
			b.WriteString("\n" + shown)
			cutAll += cut
		} else if e.started {
			b.WriteString("\n[no answer]")
		}
		if e.err == nil && e.result.Reason == core.EndAnswered {
			answered++
		}
		if e.result.Taint != "" {
			taints = append(taints, e.result.Taint)
		}
		total.Requests += e.result.Requests
		total.ToolCalls += e.result.ToolCalls
		total.Cost = total.Cost.Add(e.result.Cost)
	}
	summary := fmt.Sprintf("%d of %d answered; %s, %s", answered, len(ends), count(total.Requests, "request"), count(total.ToolCalls, "tool call"))
	if total.Cost.Known {
		summary += fmt.Sprintf(", $%.4f", total.Cost.USD)
	}
	return core.ToolResult{
		OK: answered > 0, Content: b.String(),
		Detail: &core.ToolDetail{
			Summary: summary, Cut: cutAll, Taint: strings.Join(taints, "\n"),
			Aborted: answered < len(ends) && errors.Is(ctx.Err(), context.Canceled),
		},
	}
}

func wordError(err error) string {
	msg := err.Error()
	if hint := core.HintOf(err); hint != "" {
		msg += ". " + hint
	}
	return msg
}

// figures is the line of numbers above an answer.
func figures(t core.Task, e ending) string {
	if !e.started {
		if errors.Is(e.err, context.DeadlineExceeded) {
			return "not started: the time of the call was over"
		}
		return "not started: interrupted"
	}
	r := e.result
	parts := []string{ended(t, r.Reason), count(r.Requests, "request")}
	calls := count(r.ToolCalls, "tool call")
	if r.ToolErrors > 0 {
		calls += fmt.Sprintf(" (%d failed)", r.ToolErrors)
	}
	parts = append(parts, calls)
	if u := r.Usage; u.Input.Known && u.Output.Known {
		parts = append(parts, text.Thousands(int(u.Input.N))+" tokens in, "+text.Thousands(int(u.Output.N))+" out")
	}
	if r.Cost.Known {
		parts = append(parts, fmt.Sprintf("$%.4f", r.Cost.USD))
	}
	if r.SessionID != "" {
		parts = append(parts, "session "+text.OneLine(r.SessionID))
	}
	return strings.Join(parts, "; ")
}

func ended(t core.Task, reason core.EndReason) string {
	switch reason {
	case core.EndAnswered:
		return "answered"
	case core.EndBudget:
		return fmt.Sprintf("stopped at its budget of %s; the work may be unfinished", count(t.MaxIterations, "model request"))
	case core.EndInterrupted:
		return "interrupted; the work is unfinished"
	case core.EndError:
		return "failed"
	}
	return "ended: " + text.OneLine(string(reason))
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return text.Thousands(n) + " " + noun
}
