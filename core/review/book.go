package review

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"hermes/core"
	"hermes/core/home"
)

const (
	maxTurns   = 200 // not reviewed yet, the newest
	maxRefused = 200
	maxDays    = 40
)

// book is review_state.json.
type book struct {
	Version    int              `json:"version"`
	UserTurns  int              `json:"user_turns"`  // since the memory tool was used or a review ran
	ModelSteps int              `json:"model_steps"` // since a skill was changed or a review ran
	Paused     bool             `json:"paused,omitempty"`
	Turns      []TurnRef        `json:"turns,omitempty"` // oldest first
	Refused    []Refusal        `json:"refused,omitempty"`
	Spent      map[string]Spent `json:"spent,omitempty"`  // by day, local time
	Seen       string           `json:"seen,omitempty"`   // the newest change when a prompt was last frozen
	Skills     []string         `json:"skills,omitempty"` // the skills that it listed
}

// Book is the home's counters and what they count: turns not reviewed, lessons refused, money spent. Every
// call reads the file; changes happen under its lock, so that several programs share it.
type Book struct {
	home home.Home
	now  func() time.Time
}

// NewBook returns the book of h. It reads and creates nothing.
func NewBook(h home.Home) *Book { return &Book{home: h, now: time.Now} }

// Counts says how far the counters are.
type Counts struct {
	UserTurns  int  `json:"user_turns"`
	ModelSteps int  `json:"model_steps"`
	Paused     bool `json:"paused"`
	Unreviewed int  `json:"unreviewed"` // turns
}

// Due says which counters have reached their thresholds; 0 switches one off.
func (c Counts) Due(memoryEvery, skillsEvery int) (due Trigger) {
	if memoryEvery > 0 && c.UserTurns >= memoryEvery {
		due = due.join(ByMemory)
	}
	if skillsEvery > 0 && c.ModelSteps >= skillsEvery {
		due = due.join(BySkills)
	}
	return due
}

// Turn is a finished turn that delivered an answer.
type Turn struct {
	Ref        TurnRef
	Steps      int // model steps, the final answer included
	UsedMemory bool
	UsedSkills bool // a skill was changed
	// MemoryEvery and SkillsEvery are the thresholds; 0 switches a counter off.
	MemoryEvery int
	SkillsEvery int
}

// Count adds a turn and says which counters are due; the counters go on until Begin.
func (b *Book) Count(ctx context.Context, t Turn) (due Trigger, err error) {
	err = b.update(ctx, func(s *book) {
		s.UserTurns++
		s.ModelSteps += t.Steps
		if t.UsedMemory || t.MemoryEvery <= 0 {
			s.UserTurns = 0
		}
		if t.UsedSkills || t.SkillsEvery <= 0 {
			s.ModelSteps = 0
		}
		s.Turns = append(s.Turns, t.Ref)
		if n := len(s.Turns); n > maxTurns {
			s.Turns = s.Turns[n-maxTurns:]
		}
		due = Counts{UserTurns: s.UserTurns, ModelSteps: s.ModelSteps}.Due(t.MemoryEvery, t.SkillsEvery)
	})
	return due, err
}

// Begin says that a review starts: both counters begin again, for one review covers both stores.
func (b *Book) Begin(ctx context.Context) error {
	return b.update(ctx, func(s *book) { s.UserTurns, s.ModelSteps = 0, 0 })
}

// Unreviewed lists the turns that no review has seen, oldest first.
func (b *Book) Unreviewed() ([]TurnRef, error) {
	s, err := b.load()
	return s.Turns, err
}

// Reviewed takes turns off the list.
func (b *Book) Reviewed(ctx context.Context, turns []TurnRef) error {
	if len(turns) == 0 {
		return nil
	}
	return b.update(ctx, func(s *book) {
		s.Turns = slices.DeleteFunc(s.Turns, func(t TurnRef) bool {
			return slices.ContainsFunc(turns, func(o TurnRef) bool { return o.SessionID == t.SessionID && o.RunID == t.RunID })
		})
	})
}

// Counts returns the counters.
func (b *Book) Counts() (Counts, error) {
	s, err := b.load()
	return Counts{UserTurns: s.UserTurns, ModelSteps: s.ModelSteps, Paused: s.Paused, Unreviewed: len(s.Turns)}, err
}

// Pause stops learning until further notice, or lets it go on. Counters go on counting.
func (b *Book) Pause(ctx context.Context, pause bool) error {
	return b.update(ctx, func(s *book) { s.Paused = pause })
}

// Spend adds what a request of learning cost to today.
func (b *Book) Spend(ctx context.Context, u core.Usage, c core.Cost) error {
	tokens := u.Input.N + u.Output.N
	if tokens == 0 && c.USD == 0 {
		return nil
	}
	return b.update(ctx, func(s *book) {
		if s.Spent == nil {
			s.Spent = map[string]Spent{}
		}
		day := s.Spent[b.today()]
		s.Spent[b.today()] = Spent{Tokens: day.Tokens + tokens, USD: day.USD + c.USD}
		for len(s.Spent) > maxDays {
			delete(s.Spent, slices.Min(keys(s.Spent)))
		}
	})
}

// SpentToday is what learning cost today.
func (b *Book) SpentToday() (Spent, error) {
	s, err := b.load()
	return s.Spent[b.today()], err
}

// Frozen is what is remembered of the prompt that was frozen last.
type Frozen struct {
	Newest string   // the newest change at that time; "" before the first
	Skills []string // what it listed, by subject; nil when that is not known
}

// Frozen returns what was noted by Freeze last.
func (b *Book) Frozen() (Frozen, error) {
	s, err := b.load()
	return Frozen{Newest: s.Seen, Skills: s.Skills}, err
}

// Freeze notes what a prompt holds.
func (b *Book) Freeze(ctx context.Context, f Frozen) error {
	s, err := b.load()
	if err != nil || s.Seen == f.Newest && slices.Equal(s.Skills, f.Skills) {
		return err
	}
	return b.update(ctx, func(s *book) { s.Seen, s.Skills = f.Newest, f.Skills })
}

func (b *Book) today() string { return b.now().Local().Format(time.DateOnly) }

func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	return out
}

// load reads the file; one that cannot be read is an error that says what to do, never an empty book.
func (b *Book) load() (book, error) {
	raw, err := os.ReadFile(b.home.ReviewState())
	if errors.Is(err, fs.ErrNotExist) {
		return book{Version: Version}, nil
	}
	if err != nil {
		return book{}, &core.Error{Op: "read", Subject: b.home.ReviewState(), Err: err, Hint: "Check that the file may be read."}
	}
	s := book{Version: Version}
	if err := json.Unmarshal(raw, &s); err != nil {
		return book{}, &core.Error{
			Code: core.CodeConfig, Op: "read", Subject: b.home.ReviewState(), Err: damagedError{err},
			Hint: "It holds counters only. The next change sets it aside and starts anew.",
		}
	}
	return s, nil
}

// damagedError marks a file that holds no valid state.
type damagedError struct{ err error }

func (e damagedError) Error() string { return "damaged: " + e.err.Error() }

// update changes the file under its lock. A damaged file is set aside under another name first.
func (b *Book) update(ctx context.Context, f func(*book)) error {
	path := b.home.ReviewState()
	if err := home.EnsureDir(b.home.Dir()); err != nil {
		return err
	}
	return home.WithLock(ctx, path+".lock", func() error {
		s, err := b.load()
		if d := (damagedError{}); errors.As(err, &d) {
			aside := fmt.Sprintf("%s.damaged-%s", path, b.now().UTC().Format("20060102T150405"))
			if err := os.Rename(path, aside); err != nil {
				return &core.Error{Op: "set aside", Subject: path, Err: err}
			}
			s, err = book{Version: Version}, nil
		}
		if err != nil {
			return err
		}
		if s.Version > Version {
			return &core.Error{
				Code: core.CodeConfig, Op: "write", Subject: path, Err: fmt.Errorf("it has version %d, this program writes version %d", s.Version, Version),
				Hint: "Update hermes.",
			}
		}
		before, err := json.Marshal(s)
		if err != nil {
			return err
		}
		f(&s)
		after, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			return err
		}
		var compact bytes.Buffer
		if json.Compact(&compact, after) == nil && bytes.Equal(compact.Bytes(), before) {
			return nil
		}
		return home.WriteFile(path, append(after, '\n'), home.FileMode)
	})
}
