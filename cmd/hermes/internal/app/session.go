package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hermes/core"
	"hermes/core/agent"
	"hermes/core/prompt"
	"hermes/core/review"
	"hermes/core/session"
	"hermes/core/text"
	"hermes/skills"
	toolmemory "hermes/tools/memory"
	"hermes/tools/plan"
	"hermes/tools/terminal"
)

// SessionOptions say which session to open and how.
type SessionOptions struct {
	Resume     string  // an id, a prefix or "last"; "" starts a new one
	Unattended bool    // nobody is there to approve: everything that asks is refused
	NoReviews  bool    // turns are counted, no review starts by itself
	Model      *Picked // nil chooses by flags, environment and configuration
}

// Session is one open conversation with everything around it.
type Session struct {
	Feed         *core.Feed
	Conversation *agent.Conversation
	Approvals    *approvals // nil when unattended
	Questions    *questions // nil when unattended
	asker        *secretAsker
	askerOnce    sync.Once
	Notices      []core.Notice

	app      *App
	agent    *agent.Agent
	reviewer *review.Reviewer
	turns    *turns

	lesson    lesson
	attended  bool
	feeding   atomic.Bool    // the index is being brought up to date
	fed       sync.WaitGroup // ends with that
	noReviews bool
	gone      atomic.Bool   // closed; its reviews may go on
	holds     holds         // what of the prompt was learned
	frozen    review.Frozen // what to note of the prompt once a turn begins
	model     *Picked
	ses       *session.Session
	tools     *box
	library   *skills.Library // with the project's skills
	approver  core.Approver
	todos     *plan.Todos
	taskMu    sync.Mutex // orders what sub-agents report
	folder    string
	life      context.Context //nolint:containedctx // the life of the session, for work beside its turns
	stop      context.CancelFunc
}

// closePatience is how long Close waits for a run to end after it was interrupted.
const closePatience = 5 * time.Second

// OpenSession starts or resumes a conversation. Runs outlive ctx; Close ends them.
func (a *App) OpenSession(ctx context.Context, o SessionOptions) (*Session, error) {
	// A home that cannot be used is said now, not when the first message cannot be kept.
	if _, err := os.Stat(a.Home.Dir()); err == nil {
		if err := errors.Join(a.Home.Open(), a.Ledger.Open(ctx)); err != nil { // settles what a crash left behind
			return nil, err
		}
	}
	s := &Session{app: a, Feed: core.NewFeed(), model: o.Model, folder: a.opts.Dir, Notices: a.Notices(), turns: &turns{}, noReviews: o.NoReviews || a.ActsAsAgent(), attended: !o.Unattended}
	s.life, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	var err error
	if s.model == nil {
		if s.model, err = a.Pick(ctx); err != nil {
			return nil, err
		}
	}
	library, notice := a.SkillsAt(s.folder, s.learned)
	if s.library = library; notice != nil {
		s.Notices = append(s.Notices, *notice)
	}
	if s.tools, err = a.toolbox(s.boxOptions(o.Unattended)); err != nil {
		return nil, err
	}
	s.Notices = append(s.Notices, s.tools.notices...)
	told, err := s.openTranscript(ctx, o.Resume, s.tools.Specs())
	if err != nil {
		return nil, errors.Join(err, s.tools.close())
	}
	compression, err := s.compaction()
	if err != nil {
		s.Notices = append(s.Notices, core.Notice{Level: core.LevelWarn, Text: err.Error(), Remedy: core.HintOf(err)})
	}
	p := s.ses.Prompt()
	s.agent = agent.New(agent.Options{
		Model: s.model, Tools: s.tools, Journal: s.ses, System: p.System, Specs: p.Tools, Redactor: a.Redactor(),
		Emit: s.emit, MaxIterations: a.maxIterations(), Compaction: compression,
	})
	s.turns.recall(s.ses.Records())
	s.reviewer = s.newReviewer()
	s.Conversation = agent.NewConversation(s.life, s.agent, agent.ConversationOptions{
		Notes: s.changes(told), Expand: s.expand, OnEnd: s.ended, Busy: agent.Busy(a.Config().Display.BusyMode),
	})
	if s.attended {
		s.feedIndex(s.life)
	}
	if s.attended {
		a.left.opened(s)
		s.fed.Go(func() { s.watchMemory(s.life) })
	}
	if a.ActsAsAgent() {
		return s, nil
	}
	// Before the session writes anything: what it measures is how long nobody worked here.
	switch idle := a.idle(); {
	case s.attended:
		s.fed.Go(func() { s.tend(s.life, idle) })
	case o.Resume == "":
		a.curate(ctx, idle, func(n core.Notice) { s.Notices = append(s.Notices, n) }, a.keep)
	}
	return s, nil
}

// boxOptions says what the tools of the session need. Unattended, nobody answers anything.
func (s *Session) boxOptions(unattended bool) boxOptions {
	s.todos = &plan.Todos{OnChange: s.todosChanged}
	o := boxOptions{
		folder: s.folder, runner: s, archive: archive{s}, memory: s.memoryTool(s.by), todos: s.todos, jobDone: s.jobDone, granted: s.granted, window: s.window,
	}
	var asks core.Approver // nil: what needs a person waits in the inbox
	if unattended {
		s.approver = refuser(s.Feed.Emit, s.record)
	} else {
		s.Approvals = newApprovals(time.Duration(s.app.Config().Approvals.Timeout)*time.Second, s.Feed.Emit, s.record)
		s.Questions = newQuestions(s.Feed.Emit)
		s.approver, o.asker = s.Approvals, s.Questions
		asks = s.Approvals
	}
	o.approver = s.approver
	o.skills = s.skillTools(s.by, asks)
	judge, notice := s.assessor()
	o.assessor = judge
	if notice != nil {
		s.Notices = append(s.Notices, *notice)
	}
	return o
}

// compaction is how long conversations are shortened; the error says why another model writes the notes
// than the one that was configured.
func (s *Session) compaction() (agent.Compaction, error) {
	c := s.app.Config().Compression
	out := agent.Compaction{Enabled: c.Enabled, Threshold: c.Threshold, ProtectFirst: c.ProtectFirstN, ProtectLast: c.ProtectLastN}
	m, isSet, err := s.app.Auxiliary("compression")
	if isSet && err == nil {
		out.Model = m
	}
	return out, err
}

// window is the context window of the model in use, in tokens.
func (s *Session) window() int {
	if s.agent == nil {
		return s.model.Info().ContextLength
	}
	_, limit := s.agent.Window()
	return limit
}

// emit tells the outside; a compaction also takes back what tools think the model has before it.
func (s *Session) emit(e core.Event) {
	s.turns.watch(e)
	switch e.Type() {
	case "compacted":
		s.tools.Forget(s.ID(), "")
	case "run_started":
		s.began()
		s.reviewer.TurnStarts()
		s.app.left.turns(true)
	}
	s.Feed.Emit(e)
}

// todosChanged shows the model's task list.
func (s *Session) todosChanged(session string, items []core.TodoItem) {
	e := &core.TodoChanged{Items: items}
	e.SessionID, e.Channel = session, core.ChannelChat
	s.Feed.Emit(e)
}

// jobDone tells the person, and the agent unless it knows, that a background job has ended.
func (s *Session) jobDone(j terminal.JobDone) {
	line := fmt.Sprintf("background job %s ended (%s) after %s: %s", j.ID, j.Words, j.Took.Round(time.Second), text.Cut(text.OneLine(j.Command), 120))
	e := &core.Notice{Level: core.LevelInfo, Text: line}
	e.SessionID, e.Channel = s.ID(), core.ChannelChat
	s.Feed.Emit(e)
	if !j.Observed {
		tail, _ := text.HeadTail(j.Tail, 2_000)
		s.Conversation.Tell(line + "\nIts last output:\n" + tail)
	}
}

func (a *App) maxIterations() int {
	if a.opts.MaxIterations > 0 {
		return a.opts.MaxIterations
	}
	return a.Config().Agent.MaxTurns
}

// openTranscript resumes the named session or prepares a new one; it returns what the conversation was
// told about its surroundings.
func (s *Session) openTranscript(ctx context.Context, resume string, specs []core.ToolSpec) (prompt.Facts, error) {
	a := s.app
	now := s.facts()
	if resume == "" {
		frozen := s.freeze(ctx, now, specs)
		s.Notices = append(s.Notices, frozen.Notices...)
		if line, frozen, err := a.since(s.holds); err != nil {
			a.Log.Warn("what was learned since", "err", err)
		} else if s.frozen = frozen; line != nil {
			s.Notices = append(s.Notices, *line)
		}
		s.ses = a.Sessions.New(s.folder, now.Model, session.Prompt{System: frozen.Text, Tools: specs})
		return now, nil
	}
	id, err := a.Sessions.Resolve(resume)
	if err != nil {
		return now, err
	}
	if s.ses, err = a.Sessions.Open(ctx, id); err != nil {
		return now, err
	}
	if d, original := s.ses.Damage(); d.Any() {
		s.Notices = append(s.Notices, core.Notice{
			Level: core.LevelWarn, Text: fmt.Sprintf("session %s was damaged: %s", id, d), Remedy: "the damaged file is kept as " + original,
		})
	}
	if s.ses.Prompt().System == "" {
		return now, s.refreeze(ctx, now, specs)
	}
	s.recallTodos()
	told := prompt.Facts{Folder: s.ses.Header().Cwd, Day: s.ses.Header().Created.Local(), Model: s.lastModel()}
	return told, nil
}

// recallTodos takes the task list up where the session left it.
func (s *Session) recallTodos() {
	ok := map[string]bool{}
	for _, r := range s.ses.Records() {
		if r.Type == core.RecordMessage && r.Message.Role == core.RoleTool && r.OK != nil {
			ok[r.Message.ToolCallID] = *r.OK
		}
	}
	for _, m := range s.ses.Messages() {
		for _, c := range m.ToolCalls {
			if c.Name != "todo" || !ok[c.ID] {
				continue
			}
			if items, written, err := plan.ParseItems(json.RawMessage(c.Arguments)); err == nil && written {
				s.todos.Set(s.ID(), items)
			}
		}
	}
}

// refreeze gives a session that lost its prompt (an old or damaged file) a new one.
func (s *Session) refreeze(ctx context.Context, now prompt.Facts, specs []core.ToolSpec) error {
	frozen := s.freeze(ctx, now, specs)
	s.Notices = append(s.Notices, append(frozen.Notices, core.Notice{
		Level: core.LevelWarn, Text: "the session had no stored prompt; it goes on with a fresh one",
	})...)
	return s.ses.SetPrompt(session.Prompt{System: frozen.Text, Tools: specs})
}

func (s *Session) freeze(ctx context.Context, now prompt.Facts, specs []core.ToolSpec) prompt.Frozen {
	names := toolNames(specs)
	in := prompt.Input{
		Facts: now, SoulFile: s.app.Home.Soul(), Tools: names, System: s.app.systemLine(),
		ContextLength: s.model.Info().ContextLength, Private: s.app.Home.Dir(), Redact: s.app.Redactor().Redact,
	}
	known := s.app.Memory.Snapshot(ctx)
	in.Memory, in.User = known.Memory, known.User
	s.holds = holds{facts: known.Held, skills: map[string]bool{}}
	if slices.Contains(names, toolmemory.Name) {
		in.MemoryGuidance = toolmemory.Guidance()
	}
	var notice *core.Notice
	in.Skills, in.SkillsGuidance, notice = s.skillsIndex(ctx, names)
	out := prompt.Build(in)
	if notice != nil {
		out.Notices = append(out.Notices, *notice)
	}
	out.Notices = append(out.Notices, known.Notices...)
	return out
}

func (s *Session) facts() prompt.Facts {
	return prompt.Facts{Folder: s.folder, Day: s.app.now(), Model: s.model.Info().Ref()}
}

// lastModel is the model the session last used.
func (s *Session) lastModel() string {
	last := s.ses.Header().Model
	for _, r := range s.ses.Records() {
		if r.Type == core.RecordModel || r.Type == core.RecordRunStarted && r.Model != "" {
			last = r.Model
		}
	}
	return last
}

// changes returns a function that says, before each turn, what changed since the last one.
func (s *Session) changes(told prompt.Facts) func() []string {
	return func() []string {
		now := s.facts()
		out := prompt.Changes(told, now)
		told = now
		return out
	}
}

// record appends to the transcript; what cannot be recorded is logged, the run will meet the same error.
func (s *Session) record(r core.Record) {
	r.Text = s.app.Redactor().Redact(r.Text)
	if err := s.ses.Append(r); err != nil {
		s.app.Log.Warn("record", "session", s.ID(), "err", err)
	}
}

// ID is the session's id.
func (s *Session) ID() string { return s.ses.ID() }

// Title is the session's title.
func (s *Session) Title() string { return s.ses.Title() }

// Model describes the model in use.
func (s *Session) Model() core.ModelInfo { return s.agent.Model().Info() }

// Records is everything recorded so far.
func (s *Session) Records() []core.Record { return s.ses.Records() }

// Rename gives the session a title and tells the screen.
func (s *Session) Rename(title string) error {
	if err := s.ses.Rename(s.app.Redactor().Redact(title)); err != nil {
		return err
	}
	e := &core.Titled{Title: s.ses.Title()}
	e.SessionID = s.ID()
	s.Feed.Emit(e)
	return nil
}

// SwitchModel uses another model from the next request on.
func (s *Session) SwitchModel(name string) (core.ModelInfo, error) {
	p, err := s.app.ModelNamed(name)
	if err != nil {
		return core.ModelInfo{}, err
	}
	if err := s.agent.SetModel(p); err != nil {
		return core.ModelInfo{}, err
	}
	s.model = p
	return p.Info(), nil
}

// ended runs after every turn: it counts for learning, and a session without a title gets one from the
// auxiliary model.
func (s *Session) ended(end *core.RunEnded) {
	if s.attended {
		s.feedIndex(s.life)
	}
	s.lessonEnded(end)
	s.app.left.turns(false)
	s.reviewer.TurnEnded(end, s.turns.last())
	if end.Reason != core.EndAnswered || s.ses.Titled() {
		return
	}
	m, isSet, err := s.app.Auxiliary("title")
	if !isSet || err != nil {
		if err != nil {
			s.app.Log.Warn("auxiliary model", "task", "title", "err", err)
		}
		return
	}
	go s.title(m)
}

// titlePatience bounds the request for a title.
const titlePatience = 30 * time.Second

const titlePrompt = "Give the conversation below a title: at most six words, in its language, no quotes, no full stop. Answer with the title only."

// title asks m for a title of the first exchange.
func (s *Session) title(m *Picked) {
	ctx, cancel := context.WithTimeout(s.life, titlePatience)
	defer cancel()
	var b strings.Builder
	for _, msg := range s.ses.Messages()[:min(6, len(s.ses.Messages()))] {
		if msg.Role == core.RoleUser || msg.Role == core.RoleAssistant {
			fmt.Fprintf(&b, "%s: %.1500s\n\n", msg.Role, msg.Display())
		}
	}
	resp, err := m.Stream(ctx, core.Request{
		Purpose: core.PurposeChat, MaxTokens: 200, SessionID: s.ID() + "-title",
		Messages: []core.Message{{Role: core.RoleSystem, Content: titlePrompt}, {Role: core.RoleUser, Content: b.String()}},
	}, func(core.Delta) {})
	s.record(core.Record{Type: core.RecordUsage, Usage: &resp.Usage, Cost: &resp.Cost, Model: m.Info().Ref(), Purpose: core.PurposeChat, Reason: "title"})
	name := strings.Trim(strings.TrimSpace(resp.Message.Content), `"'“”`)
	if err != nil || name == "" {
		s.app.Log.Warn("make a title", "err", err)
		return
	}
	if r := []rune(name); len(r) > session.TitleLimit {
		name = string(r[:session.TitleLimit])
	}
	if !s.ses.Titled() {
		s.app.quiet(ctx, "title", func() error { return s.Rename(name) })
	}
}

// Close interrupts what runs, frees the session and ends the feed. Its reviews end with it, unless the person
// went on to another session: then they go on there.
func (s *Session) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closePatience)
	defer cancel()
	s.gone.Store(true)
	if !s.app.left.leaves(s) {
		s.reviewer.Close(ctx, closedReason)
	}
	s.Conversation.Close(ctx) // before the tools: a running command ends with its run
	s.stop()
	s.waitFed(ctx)
	err := errors.Join(s.tools.close(), s.ses.Close())
	s.Feed.Close()
	s.app.pruneLedger(ctx)
	return err
}
