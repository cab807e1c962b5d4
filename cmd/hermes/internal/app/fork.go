package app

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hermes/core"
	"hermes/core/agent"
	"hermes/core/ledger"
	"hermes/core/review"
	"hermes/core/text"
)

// forker copies the conversation of a session for its reviews.
type forker struct{ s *Session }

// Fork copies the conversation as it is. With a model of its own (auxiliary.background_review) the copy is a
// digest, because nothing of the chat's cache helps there.
func (f forker) Fork() (review.Fork, error) {
	s := f.s
	p := s.ses.Prompt()
	out := &fork{s: s, model: s.agent.Model(), notes: &notes{id: s.ID(), messages: slices.Clone(s.ses.Messages())}, system: p.System, specs: p.Tools, taint: s.turns.tainted()}
	m, isSet, err := s.app.Auxiliary("background_review")
	switch {
	case err != nil:
		return nil, err
	case isSet && m.Info().Ref() != out.model.Info().Ref():
		out.model, out.notes.messages = m, digest(out.notes.messages)
	}
	return out, nil
}

// fork is a copy of a conversation, in memory only.
type fork struct {
	s      *Session
	model  core.Model
	system string
	specs  []core.ToolSpec
	taint  string
	notes  *notes
	agent  *agent.Agent // after the first Go
	box    *box
}

// Go sends the instruction, or goes on where the last attempt was cut.
func (f *fork) Go(ctx context.Context, job review.Job) *core.RunEnded {
	if f.agent != nil {
		return f.agent.Retry(ctx)
	}
	box, err := f.s.reviewBox(job.ReviewID, f.taint)
	if err != nil {
		return &core.RunEnded{Reason: core.EndError, Error: core.NewRunError(err)}
	}
	f.box = box
	f.agent = agent.New(agent.Options{
		Model: f.model, Tools: gated{box: box, gate: job.Gate}, Journal: f.notes, Name: "review", System: f.system, Specs: f.specs,
		Redactor: f.s.app.Redactor(), Emit: job.Watch, MaxIterations: job.MaxRequests, Purpose: core.PurposeLearning,
	})
	return f.agent.Run(ctx, agent.Input{Text: job.Instruction})
}

// Model names the model. A server on this machine usually does one thing at a time.
func (f *fork) Model() (ref string, oneSlot bool) {
	info := f.model.Info()
	u, err := url.Parse(info.BaseURL)
	if err == nil && !info.Scripted {
		switch h := u.Hostname(); {
		case h == "localhost", strings.HasPrefix(h, "127."), h == "::1":
			oneSlot = f.model == f.s.agent.Model() || f.model.Info().BaseURL == f.s.agent.Model().Info().BaseURL
		}
	}
	return info.Ref(), oneSlot
}

// Close frees the tools.
func (f *fork) Close() error {
	if f.box == nil {
		return nil
	}
	return f.box.close()
}

// reviewBox is the tools of a review: memory and skills in its name, files to read; nothing asks anybody.
func (s *Session) reviewBox(id, taint string) (*box, error) {
	by := func(run core.ToolRun) ledger.Change {
		return ledger.Change{Actor: ledger.Review, SessionID: run.SessionID, RunID: run.RunID, ReviewID: id, Taint: taint}
	}
	denied := core.ApproverFunc(func(context.Context, core.Approval) (core.Decision, string) {
		return core.DecideDeny, "a review asks nobody: leave it"
	})
	return s.app.toolbox(boxOptions{
		approver: denied, folder: s.folder, toolsets: s.learning(), memory: s.memoryTool(by), skills: s.skillTools(by, nil), window: s.window,
	})
}

// learning are the toolsets of a review, of those the session has.
func (s *Session) learning() []string {
	var out []string
	for _, name := range s.tools.chosen {
		if name == setMemory || name == setSkills || name == setFile {
			out = append(out, name)
		}
	}
	return out
}

// gated asks the review's rules before each call.
type gated struct {
	*box

	gate func(core.ToolCall) string
}

// Run executes c when the gate lets it.
func (g gated) Run(ctx context.Context, c core.ToolCall, at core.ToolRun) core.ToolResult {
	if why := g.gate(c); why != "" {
		return core.ToolResult{Content: why, Detail: &core.ToolDetail{Summary: "refused", Denied: true}}
	}
	return g.box.Run(ctx, c, at)
}

// Shared says no: the calls of a review run one after the other.
func (g gated) Shared(core.ToolCall) bool { return false }

// notes is a journal in memory.
type notes struct {
	id string

	mu       sync.Mutex
	messages []core.Message
	next     int
}

// ID is the id of the session that was copied: a hint for prompt caches.
func (n *notes) ID() string { return n.id }

// NewMessageID reserves an id.
func (n *notes) NewMessageID() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.next++
	return "review-" + strconv.Itoa(n.next)
}

// Append keeps messages and forgets the rest.
func (n *notes) Append(r core.Record) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case r.Type == core.RecordMessage && r.Message != nil:
		n.messages = append(n.messages, *r.Message)
	case r.Type == core.RecordDiscard:
		n.messages = slices.DeleteFunc(n.messages, func(m core.Message) bool { return m.ID == r.Target })
	}
	return nil
}

// Sync does nothing: there is nothing to lose.
func (n *notes) Sync() error { return nil }

// Messages is the conversation, valid for the next request.
func (n *notes) Messages() []core.Message {
	n.mu.Lock()
	defer n.mu.Unlock()
	return core.RepairMessages(n.messages)
}

// Of a digest: how many messages stay as they are, and how much of older ones is told.
const (
	digestKeep      = 24
	digestUser      = 300
	digestAssistant = 200
)

// digest shortens a conversation for another model: the newest messages as they are, one message that tells
// the rest.
func digest(msgs []core.Message) []core.Message {
	cut := max(0, len(msgs)-digestKeep)
	for cut > 0 && msgs[cut].Role == core.RoleTool {
		cut--
	}
	if cut == 0 {
		return msgs
	}
	var b strings.Builder
	b.WriteString("[The earlier part of the conversation, shortened:]\n")
	for _, m := range msgs[:cut] {
		switch m.Role {
		case core.RoleUser:
			b.WriteString("user: " + text.Cut(text.OneLine(m.Display()), digestUser) + "\n")
		case core.RoleAssistant:
			var calls []string
			for _, c := range m.ToolCalls {
				calls = append(calls, c.Name)
			}
			line := text.Cut(text.OneLine(m.Content), digestAssistant)
			if len(calls) > 0 {
				line += " (called " + strings.Join(calls, ", ") + ")"
			}
			b.WriteString("assistant: " + strings.TrimSpace(line) + "\n")
		case core.RoleSystem, core.RoleTool:
		}
	}
	return append([]core.Message{{ID: "digest", Role: core.RoleUser, Content: b.String(), Note: true}}, msgs[cut:]...)
}
