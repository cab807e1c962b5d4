package tools

import (
	"cmp"
	"path/filepath"
	"slices"

	"hermes/core"
	"hermes/core/text"
)

// The limits of what the results of one model answer may put before the model together.
const (
	// TurnLimit is how many code points all results of one answer may have.
	TurnLimit = 200_000
	// previewLength is what stays of a result that was moved into a file, in code points.
	previewLength = 1_500

	minResult = 8_000
	minTurn   = 16_000
	perToken  = 4 // code points a token of the window stands for
)

// Limits are the most code points that one result, and all results of one model answer, may have.
type Limits struct {
	Result, Turn int
}

// LimitsFor returns the limits for a model whose context window has so many tokens; 0 is not known. A
// result gets 15 % of the window and a turn 30 %, never more than the defaults and never so little that
// a tool becomes useless.
func LimitsFor(window int) Limits {
	l := Limits{Result: OutputLimit, Turn: TurnLimit}
	if window > 0 {
		points := window * perToken
		l.Result = max(min(l.Result, points*15/100), minResult)
		l.Turn = max(min(l.Turn, points*30/100), minTurn)
	}
	return l
}

// Forgetter is implemented by tools that answer a repeated call short because the model has the answer
// before it. Forget takes that back for path, or with "" for all of a session.
type Forgetter interface {
	Forget(session, path string)
}

// Forget tells the tools that what they showed the session is no longer before the model: about path, or
// with "" (after a compaction) all of it.
func (r *Registry) Forget(session, path string) {
	for _, name := range r.names {
		if f, ok := r.tools[name].tool.(Forgetter); ok {
			f.Forget(session, path)
		}
	}
}

// Answer is one result of a batch with the call it answers.
type Answer struct {
	CallID string
	Tool   string
	Result core.ToolResult
}

// Budget fits the results of one model answer to limit code points together: the largest are moved into
// spill files and leave a preview, results of tools that bound themselves last. at names the session.
// The order stays.
func (r *Registry) Budget(at core.ToolRun, batch []Answer, limit int) []core.ToolResult {
	out := make([]core.ToolResult, len(batch))
	order := make([]int, 0, len(batch))
	sizes := make([]int, len(batch))
	total := 0
	for i, a := range batch {
		out[i] = a.Result
		sizes[i] = text.Len(a.Result.Content)
		total += sizes[i]
		if sizes[i] > 2*previewLength {
			order = append(order, i)
		}
	}
	if limit <= 0 {
		limit = TurnLimit
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.bounds(batch[a].Tool), r.bounds(batch[b].Tool)), cmp.Compare(sizes[b], sizes[a]))
	})
	for _, i := range order {
		if total <= limit {
			break
		}
		at.CallID = batch[i].CallID
		out[i] = r.shrink(at, batch[i], sizes[i])
		total += text.Len(out[i].Content) - sizes[i]
	}
	return out
}

// bounds is 1 for tools that bound their own output, else 0.
func (r *Registry) bounds(tool string) int {
	if _, ok := r.tools[tool].tool.(Capped); ok {
		return 1
	}
	return 0
}

// shrink leaves a preview of a result.
func (r *Registry) shrink(at core.ToolRun, a Answer, size int) core.ToolResult {
	res := a.Result
	d := core.ToolDetail{}
	if res.Detail != nil {
		d = *res.Detail
	}
	if d.Spill == "" {
		d.Spill = r.spill(res.Content, at)
	}
	res.Content = text.Cut(res.Content, previewLength)
	d.Cut += size - text.Len(res.Content)
	note := "\n[the results of this answer were too long together: " + text.Thousands(size) + " characters"
	if d.Spill == "" {
		note += "; repeat this call alone for the rest]"
	} else {
		note += "; the full text is in " + filepath.ToSlash(d.Spill) + ", read it with read_file and an offset, or repeat the call alone]"
	}
	res.Content += note
	res.Detail = &d
	if f, ok := r.tools[a.Tool].tool.(Forgetter); ok && d.Path != "" {
		f.Forget(at.SessionID, d.Path)
	}
	return res
}
