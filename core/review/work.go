package review

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/text"
)

const (
	// patience is how long a review may take in all.
	patience = 10 * time.Minute
	// maxText is how much a review may write beside its calls, in bytes.
	maxText = 60_000
	// maxAside is how often a review steps aside for the chat before it gives up.
	maxAside = 5
	// moreRequests is how many requests a review has beyond its calls: to read a refusal, to say good-bye.
	moreRequests = 4
	// maxTried is how many calls are answered at all, refused ones included.
	maxTried = 40
	// keptRefusals is how many refused lessons an instruction names.
	keptRefusals = 12
)

// work is one review on its way.
type work struct {
	r       *Reviewer
	fork    Fork
	set     Settings
	oneSlot bool
	ctx     context.Context //nolint:containedctx // ends with the review
	cancel  context.CancelFunc

	mu      sync.Mutex // guards what follows
	rec     Record
	gate    *gate
	aside   context.CancelFunc // of the attempt under way, to step aside
	stepped bool
	why     string // why it was stopped; "" when it was not
	failed  bool   // it was stopped for a fault of its own
	wrote   int
	refused map[string]string // call id → refusal
	calls   map[string]core.ToolCall
}

func newWork(r *Reviewer, f Fork, set Settings) *work {
	return &work{r: r, fork: f, set: set, refused: map[string]string{}, calls: map[string]core.ToolCall{}}
}

// announce saves the record and tells that the review begins or waits. The caller holds the reviewer's mu.
func (w *work) announce() {
	w.save()
	w.r.emit(&core.ReviewStarted{
		ReviewID: w.rec.ID, Kind: w.rec.Kind, Trigger: string(w.rec.Trigger), Focus: w.rec.Focus, State: string(w.rec.State), MaxCalls: w.rec.MaxCalls,
	})
}

func (w *work) save() {
	if err := w.r.records.Save(w.rec); err != nil {
		w.r.o.Log("save review", err)
	}
}

// drop ends a review that never ran.
func (w *work) drop(why string) {
	w.why = why
	w.finish(&core.RunEnded{Reason: core.EndInterrupted})
}

// stop ends the review from outside.
func (w *work) stop(why string) {
	w.mu.Lock()
	if w.why == "" {
		w.why = why
	}
	w.mu.Unlock()
	if w.cancel != nil {
		w.cancel()
	}
}

// breakOff ends the review for a fault of its own. The caller holds mu.
func (w *work) breakOff(why string) {
	if w.why == "" {
		w.why, w.failed = why, true
	}
	w.cancel()
}

// step makes the running request give way to the chat.
func (w *work) step() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stepped = true
	if w.aside != nil {
		w.aside()
	}
}

// run leads the review from start to end.
func (w *work) run() {
	defer w.cancel()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	w.mu.Lock()
	w.announce()
	w.mu.Unlock()
	turns, job := w.prepare(ctx)
	end := w.attempts(ctx, job)
	if w.finish(end) {
		if err := w.r.book.Reviewed(context.WithoutCancel(ctx), turns); err != nil {
			w.r.o.Log("note reviewed turns", err)
		}
	}
}

// prepare collects what the review looks at and writes its instruction.
func (w *work) prepare(ctx context.Context) (seen []TurnRef, job Job) {
	brief := Brief{Calls: w.rec.MaxCalls, MemoryOff: w.set.MemoryOff, SkillsOff: w.set.SkillsOff, Focus: w.rec.Focus}
	brief.Refused, _ = w.r.book.Refusals(keptRefusals)
	turns, err := w.r.book.Unreviewed()
	if err != nil {
		w.r.o.Log("read unreviewed turns", err)
	}
	var digest strings.Builder
	left := DigestLimit
	for _, t := range turns {
		if t.SessionID == w.rec.SessionID {
			seen = append(seen, t) // it is in the conversation itself
			continue
		}
		if w.r.o.Archive == nil || left < 400 || t.Taint != "" {
			continue // a tainted turn is not learned from outside its own conversation
		}
		d, err := w.r.o.Archive.Digest(ctx, t, min(left, 3000))
		if err != nil {
			w.r.o.Log("digest turn", err)
			continue
		}
		if d != "" {
			left -= text.Len(d)
			digest.WriteString(d + "\n\n")
			w.rec.Digested++
		}
		seen = append(seen, t)
	}
	brief.Digest = digest.String()
	w.gate = newGate(w.rec.MaxCalls, w.rec.Trigger == ByAsking, w.r.book.Before, w.r.o.Exists)
	return seen, Job{
		ReviewID: w.rec.ID, Instruction: Instruct(brief), MaxRequests: w.rec.MaxCalls + moreRequests, Gate: w.judge, Watch: w.watch,
	}
}

// attempts runs the job; each time the chat needs the server it waits and goes on where it was.
func (w *work) attempts(ctx context.Context, job Job) *core.RunEnded {
	for n := 0; ; n++ {
		if w.oneSlot && !w.r.waitIdle(ctx) {
			return &core.RunEnded{Reason: core.EndInterrupted}
		}
		once, cancel := context.WithCancel(ctx)
		w.mu.Lock()
		w.aside, w.stepped = cancel, false
		w.mu.Unlock()
		end := w.fork.Go(once, job)
		cancel()
		w.mu.Lock()
		w.aside = nil
		again := w.stepped && end.Reason == core.EndInterrupted && w.why == "" && ctx.Err() == nil
		if again && n == maxAside {
			w.why, w.failed, again = "the model's server was needed for the chat all the time", true, false
		}
		w.mu.Unlock()
		if !again {
			return end
		}
	}
}

// judge is the gate for one call.
func (w *work) judge(c core.ToolCall) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	why := w.gate.judge(c)
	w.calls[c.ID] = c
	if why != "" {
		w.refused[c.ID] = why
	}
	if w.gate.tried >= maxTried {
		w.breakOff(fmt.Sprintf("it asked for %d calls", w.gate.tried))
	}
	return why
}

// watch hears what the fork does.
func (w *work) watch(e core.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := e.(type) {
	case *core.TextDelta:
		w.count(e.Text)
	case *core.ReasoningDelta:
		w.wrote += len(e.Text) / 8 // thinking is no answer, but it does not go on for ever either
		w.count("")
	case *core.ToolStarted:
		if w.refused[e.CallID] == "" {
			w.rec.Calls = w.gate.calls
		}
		w.r.emit(&core.ReviewStep{ReviewID: w.rec.ID, Calls: w.rec.Calls, Tool: e.Tool, Args: asJSON(e.Arguments)})
	case *core.ToolEnded:
		w.ended(e)
	case *core.UsageReported:
		w.spent(e)
	}
}

func (w *work) count(more string) {
	if w.wrote += len(more); w.wrote > maxText {
		w.breakOff("it wrote text without end")
	}
}

func (w *work) ended(e *core.ToolEnded) {
	c := w.calls[e.CallID]
	w.gate.read(c, e.OK && w.refused[e.CallID] == "")
	s := Step{
		Tool: e.Tool, Arguments: text.Cut(c.Arguments, 4000), OK: e.OK, Refused: w.refused[e.CallID] != "", Result: text.Cut(e.Result, 2000),
	}
	if e.Detail != nil {
		s.Summary, s.Diff = e.Detail.Summary, text.Cut(e.Detail.Diff, 8000)
	}
	switch {
	case s.Refused:
		s.Summary = "refused"
	case !s.OK && s.Summary == "":
		s.Summary = text.FirstLine(e.Result, 100) // arguments that are none, say
	}
	w.rec.Calls = w.gate.calls
	w.rec.Steps = append(w.rec.Steps, s)
	w.save()
	ok := e.OK
	w.r.emit(&core.ReviewStep{ReviewID: w.rec.ID, Calls: w.rec.Calls, Tool: e.Tool, Args: asJSON(c.Arguments), OK: &ok, Summary: s.Summary})
}

func (w *work) spent(e *core.UsageReported) {
	w.rec.Requests++
	w.rec.Usage, w.rec.Cost = w.rec.Usage.Add(e.Usage), w.rec.Cost.Add(e.Cost)
	if w.r.o.Spent != nil {
		w.r.o.Spent(e.Usage, e.Cost)
	}
	if err := w.r.book.Spend(context.WithoutCancel(w.ctx), e.Usage, e.Cost); err != nil {
		w.r.o.Log("note cost of learning", err)
	}
	if limit := w.set.MaxInputTokens; limit > 0 && w.rec.Usage.Input.N > limit {
		w.breakOff(fmt.Sprintf("it read %s tokens, %s are allowed (review.max_input_tokens)", text.Thousands(int(w.rec.Usage.Input.N)), text.Thousands(int(limit))))
		return
	}
	if limit := w.set.MaxCostPerDay; limit > 0 && w.rec.Trigger != ByAsking {
		if day, err := w.r.book.SpentToday(); err == nil && day.USD > limit {
			w.breakOff("learning reached its limit of " + dollars(limit) + " a day (review.max_cost_per_day)")
		}
	}
}

func asJSON(args string) []byte {
	if !utf8.ValidString(args) || !strings.HasPrefix(strings.TrimSpace(args), "{") {
		return nil
	}
	return []byte(args)
}

func dollars(usd float64) string { return fmt.Sprintf("$%.2f", usd) }

// finish settles how the review ended, keeps and tells it. It reports whether the turns count as reviewed.
func (w *work) finish(end *core.RunEnded) (reviewed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rec.DurationMS = w.r.now().UTC().Sub(w.rec.StartedAt).Milliseconds()
	w.rec.Did = w.changes()
	w.rec.Saved, w.rec.Held = len(w.rec.Did), w.held()
	w.rec.Note = text.Cut(text.OneLine(end.Answer), 300)
	w.rec.State, w.rec.Error = w.outcome(end)
	w.save()
	if err := w.fork.Close(); err != nil {
		w.r.o.Log("free review", err)
	}
	if err := w.r.records.Prune(); err != nil {
		w.r.o.Log("prune reviews", err)
	}
	w.r.emit(&core.ReviewEnded{
		ReviewID: w.rec.ID, Kind: w.rec.Kind, State: string(w.rec.State), Saved: w.rec.Saved, Held: w.rec.Held, Calls: w.rec.Calls, Duration: w.rec.DurationMS,
		Usage: w.rec.Usage, Cost: w.rec.Cost, Note: w.rec.Note, Error: w.rec.Error,
	})
	if w.gate != nil && len(w.gate.told) > 0 {
		w.r.notice(core.LevelInfo, "a review offered again what you refused or took back, and was stopped: "+text.Cut(text.OneLine(strings.Join(w.gate.told, " · ")), 160), "")
	}
	return w.rec.State == Saved || w.rec.State == Proposed || w.rec.State == Nothing
}

// outcome names the state a review ends in, and what went wrong.
func (w *work) outcome(end *core.RunEnded) (State, string) {
	fault := ""
	switch {
	case w.why != "" && !w.failed:
		return Cancelled, w.why
	case w.why != "":
		fault = w.why
	case end.Reason == core.EndInterrupted && w.ctx.Err() != nil:
		return Cancelled, "hermes was closed"
	case end.Reason == core.EndInterrupted:
		fault = "it took longer than " + patience.String()
	case end.Error != nil:
		fault = end.Error.Message
	case end.Reason == core.EndBudget && w.rec.Saved+w.rec.Held == 0:
		fault = "it spent its requests and saved nothing"
	}
	switch {
	case w.rec.Saved > 0:
		return Saved, fault
	case w.rec.Held > 0:
		return Proposed, fault
	case fault != "":
		return Failed, fault
	case nothingToSave(end.Answer), w.repeated():
		return Nothing, ""
	}
	if n := w.inVain(); n > 0 {
		return Failed, fmt.Sprintf("it saved nothing: %s refused or failed", text.Count(n, "call was", "calls were"))
	}
	return Failed, "it answered with prose and saved nothing"
}

// repeated tells that it only wrote what was there already.
func (w *work) repeated() bool {
	return slices.ContainsFunc(w.rec.Steps, func(s Step) bool { return s.OK && (s.Tool == toolMemory || s.Tool == toolManage) })
}

// inVain counts the calls that were refused or failed.
func (w *work) inVain() int {
	n := 0
	for _, s := range w.rec.Steps {
		if !s.OK {
			n++
		}
	}
	return n
}

// nothingToSave recognises the good end without a change.
func nothingToSave(answer string) bool {
	a := strings.ToLower(answer)
	for _, s := range []string{"nothing to save", "nothing worth", "nothing new to save", "没有需要保存", "没有可保存", "無需保存", "无需保存", "保存するものはありません", "저장할 내용이 없"} {
		if strings.Contains(a, s) {
			return true
		}
	}
	return false
}

// changes tells what the review changed, by the ledger, oldest first.
func (w *work) changes() []string {
	list, err := w.r.o.Ledger.Log(ledger.Filter{ReviewID: w.rec.ID, Actor: ledger.Review})
	if err != nil {
		w.r.o.Log("list changes of review", err)
	}
	var out []string
	for _, e := range slices.Backward(list) {
		out = append(out, inWords(e))
	}
	return out
}

// inWords is a change in a few words.
func inWords(e ledger.Entry) string {
	kind, name, _ := strings.Cut(e.Subject, ":")
	if kind != core.StoreMemory {
		return e.Action + " " + path.Base(name)
	}
	what := map[string]string{"user": "user fact", "memory": "fact"}[name]
	plus, minus := 0, 0
	for _, p := range e.Parts {
		if p.Key != "" && p.Was == "" {
			plus++
		}
		if p.Key == "" {
			minus++
		}
	}
	switch {
	case plus > 0:
		return fmt.Sprintf("+%d %s", plus, what)
	case minus > 0:
		return fmt.Sprintf("−%d %s", minus, what)
	}
	return e.Action + " " + what
}

// held counts the proposals the review left in the inbox.
func (w *work) held() int {
	list, _, err := NewInbox(w.r.o.Home, w.r.book, nil).List()
	if err != nil {
		w.r.o.Log("count proposals of review", err)
	}
	n := 0
	for _, p := range list {
		if p.ReviewID == w.rec.ID {
			n++
		}
	}
	return n
}
