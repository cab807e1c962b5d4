package plan

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/text"
	"hermes/tools"
)

//go:embed clarify.md
var clarifyText string

// The limits of a question, in code points.
const (
	MaxOptions  = 4
	MaxQuestion = 600
	MaxOption   = 160
	maxAnswer   = 10_000
)

// Alone is what the model is told when there is no person to answer.
const Alone = "Nobody is there to answer. Do not ask again: decide by yourself, take the careful way where they differ, and say in your answer what you assumed."

// Clarify is the clarify tool.
type Clarify struct{ asker core.Asker }

var _ core.Tool = (*Clarify)(nil)

// NewClarify returns the clarify tool. Without an asker (nil) every call says that nobody is there. The
// asker emits QuestionAsked and QuestionDone.
func NewClarify(asker core.Asker) *Clarify { return &Clarify{asker} }

// Spec describes the tool.
func (*Clarify) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: "clarify", Description: strings.TrimSpace(clarifyText),
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"question":{"type":"string","description":"One question, at most 600 characters."},` +
			`"options":{"type":"array","description":"Up to 4 answers to choose from.","items":{"type":"string"}},` +
			`"free_text":{"type":"boolean","description":"Allow an answer in own words; default true."}` +
			`},"required":["question"],"additionalProperties":false}`),
	}
}

// WaitsForOthers says that a person answers when they are back.
func (*Clarify) WaitsForOthers() {}

// Run asks and waits. The time limit of a call counts as no answer.
func (c *Clarify) Run(ctx context.Context, run core.ToolRun) core.ToolResult {
	q, err := parseQuestion(run.Arguments)
	if err != nil {
		return tools.Fail("The question was not asked: " + err.Error() + ".")
	}
	if c.asker == nil {
		return unanswered(Alone, "nobody to ask")
	}
	q.ID, q.SessionID, q.RunID, q.CallID = "q-"+rand.Text()[:12], run.SessionID, run.RunID, run.CallID
	a, err := c.asker.Ask(ctx, q)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return core.ToolResult{Content: "Interrupted by the person before the question was answered.", Detail: &core.ToolDetail{Summary: "interrupted", Aborted: true}}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return unanswered("The person did not answer in time. "+Alone, "no answer in time")
	case core.CodeOf(err) == core.CodeDenied:
		return unanswered(Alone, "nobody to ask")
	case err != nil:
		return unanswered("The question could not be asked: "+err.Error()+". Decide by yourself and say what you assumed.", "could not ask")
	}
	return answered(q, a)
}

func unanswered(content, summary string) core.ToolResult {
	return core.ToolResult{Content: content, Detail: &core.ToolDetail{Summary: summary}}
}

func answered(q core.Question, a core.Answer) core.ToolResult {
	own, cut := text.HeadTail(strings.TrimSpace(text.CleanUTF8(a.Text)), maxAnswer)
	var content string
	switch {
	case a.Option > 0 && a.Option <= len(q.Options):
		own = q.Options[a.Option-1]
		content = fmt.Sprintf("The person chose option %d: %s", a.Option, own)
	case a.Skipped || own == "":
		return core.ToolResult{
			OK: true, Detail: &core.ToolDetail{Summary: "closed without an answer"},
			Content: "The person closed the question without an answer. Go on with what you think best and say what you assumed; do not ask the same again.",
		}
	default:
		content = "The person answered: " + own
	}
	return core.ToolResult{OK: true, Content: content, Detail: &core.ToolDetail{Summary: text.FirstLine(own, 80), Cut: cut}}
}

func parseQuestion(arguments json.RawMessage) (core.Question, error) {
	var a struct {
		Question string   `json:"question"`
		Options  []string `json:"options"`
		FreeText *bool    `json:"free_text"`
	}
	if err := json.Unmarshal(arguments, &a); err != nil {
		return core.Question{}, fmt.Errorf("read arguments: %w", err)
	}
	q := core.Question{Text: text.OneLine(a.Question), FreeText: a.FreeText == nil || *a.FreeText || len(a.Options) == 0}
	switch n := text.Len(q.Text); {
	case n == 0:
		return q, errors.New("it is empty")
	case n > MaxQuestion:
		return q, fmt.Errorf("it has %d characters, at most %d are shown; explain in your answer first, then ask shortly", n, MaxQuestion)
	case len(a.Options) > MaxOptions:
		return q, fmt.Errorf("it has %d options, at most %d are shown", len(a.Options), MaxOptions)
	}
	for i, o := range a.Options {
		o = text.OneLine(o)
		switch n := text.Len(o); {
		case n == 0:
			return q, fmt.Errorf("option %d is empty", i+1)
		case n > MaxOption:
			return q, fmt.Errorf("option %d has %d characters, at most %d are shown", i+1, n, MaxOption)
		case slices.Contains(q.Options, o):
			return q, fmt.Errorf("option %d repeats an earlier one", i+1)
		}
		q.Options = append(q.Options, o)
	}
	return q, nil
}
