package insights

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Source is where the figures come from.
type Source interface {
	// Sessions lists all, in any order.
	Sessions(ctx context.Context) ([]Ref, error)
	// Transcript reads one session. What a fork took from its parent is none of its own.
	Transcript(ctx context.Context, id string) (Transcript, error)
	// Learning lists what background learning cost.
	Learning(ctx context.Context) ([]Learned, error)
	SkillSource
}

// SkillSource knows the skills by their messages and their history.
type SkillSource interface {
	// Invoked recognises a message that carries a skill the person invoked by name.
	Invoked(message string) (skill string, ok bool)
	// Versions lists the versions of a skill, oldest first; none when its history is unknown.
	Versions(ctx context.Context, skill string) []Version
	// Edits counts the changes of skills since then, by whomever, by the name of the skill.
	Edits(ctx context.Context, since time.Time) (map[string]int, error)
}

// Version is one state of a skill.
type Version struct {
	Hash  string
	Since time.Time
}

// Learned is what one review cost.
type Learned struct {
	At     time.Time
	Tokens int64
	USD    float64
}

// Options choose what is counted.
type Options struct {
	Days  int // sessions begun in the last days; 0 is 30
	Now   time.Time
	Cache string // file; "" keeps nothing
}

// Report is what "hermes insights --json" prints.
type Report struct {
	Days     int            `json:"days"`
	Since    time.Time      `json:"since"`
	Sessions int            `json:"sessions"`
	Messages map[string]int `json:"messages"` // by role
	Usage    Usage          `json:"usage"`
	Cost     Cost           `json:"cost"`
	Models   []Model        `json:"models"`
	Tools    []Tool         `json:"tools"`
	Skills   []Skill        `json:"skills"`
	Activity Activity       `json:"activity"`
	Hours    float64        `json:"active_hours"`      // in which something happened: long pauses are left out
	Skipped  []string       `json:"skipped,omitempty"` // sessions that could not be read, and why
}

// Usage is tokens.
type Usage struct {
	Input     int64   `json:"input"`
	Output    int64   `json:"output"`
	Cached    int64   `json:"cached"`
	CacheRate float64 `json:"cache_rate"` // of the input, 0 to 1
	Requests  int     `json:"requests"`
	Learning  int64   `json:"learning"` // tokens of reviews, not among the others
}

// Cost is US dollars, chat and learning apart.
type Cost struct {
	Chat     float64  `json:"chat"`
	Learning float64  `json:"learning"`
	Unpriced []string `json:"unpriced,omitempty"` // models without a price
}

// Model is the consumption of one model.
type Model struct {
	Name string `json:"name"`
	Usage
	USD float64 `json:"usd"`
}

// Tool counts one tool.
type Tool struct {
	Name   string  `json:"name"`
	Calls  int     `json:"calls"`
	Errors int     `json:"errors"`
	MeanMS float64 `json:"mean_ms"`
}

// Activity counts the person's messages by local time.
type Activity struct {
	ByHour    [24]int `json:"by_hour"`
	ByWeekday [7]int  `json:"by_weekday"` // from Sunday
	Days      int     `json:"active_days"`
	Streak    int     `json:"longest_streak"` // days
}

// Make counts.
func Make(ctx context.Context, src Source, o Options) (Report, error) {
	if o.Days <= 0 {
		o.Days = 30
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	r := Report{Days: o.Days, Since: o.Now.AddDate(0, 0, -o.Days), Messages: map[string]int{}, Models: []Model{}, Tools: []Tool{}, Skills: []Skill{}}
	all, skipped, err := facts(ctx, src, o)
	if err != nil {
		return r, err
	}
	r.Skipped = skipped
	t := totals{models: map[string]Spent{}, tools: map[string]ToolFact{}, skills: map[string]SkillCount{}, days: map[string]bool{}}
	for _, f := range all {
		if f.Started.Before(r.Since) {
			continue
		}
		if !f.Task {
			r.Sessions++
		}
		t.add(f, &r)
	}
	t.finish(&r)
	learned, err := src.Learning(ctx)
	if err != nil {
		return r, err
	}
	for _, l := range learned {
		if !l.At.Before(r.Since) {
			r.Usage.Learning += l.Tokens
			r.Cost.Learning += l.USD
		}
	}
	edits, err := src.Edits(ctx, r.Since)
	if err != nil {
		return r, err
	}
	for name, n := range edits {
		t.skills[name] = SkillCount{t.skills[name].Loads, n}
	}
	r.Skills = outcomes(ctx, all, t.skills, src)
	return r, nil
}

// facts reads all sessions, those that did not change from the cache, in the order they began.
func facts(ctx context.Context, src Source, o Options) (all []Facts, skipped []string, err error) {
	refs, err := src.Sessions(ctx)
	if err != nil {
		return nil, nil, err
	}
	c := loadCache(o.Cache)
	zone, offset := o.Now.Local().Zone()
	zone += time.Duration(offset * int(time.Second)).String()
	keep := map[string]bool{}
	for _, ref := range refs {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		keep[ref.ID] = true
		if e, ok := c.Sessions[ref.ID]; ok && e.Size == ref.Size && e.Modified.Equal(ref.Modified) && e.Zone == zone {
			all = append(all, e.Facts)
			continue
		}
		told, err := src.Transcript(ctx, ref.ID)
		if err != nil {
			skipped = append(skipped, ref.ID+": "+err.Error())
			continue
		}
		f := Read(told, src.Invoked)
		c.Sessions[ref.ID] = cached{Size: ref.Size, Modified: ref.Modified, Zone: zone, Facts: f}
		c.changed = true
		all = append(all, f)
	}
	slices.SortStableFunc(all, func(a, b Facts) int { return a.Started.Compare(b.Started) })
	return all, skipped, c.save(o.Cache, keep)
}

// totals add sessions up.
type totals struct {
	models map[string]Spent
	tools  map[string]ToolFact
	skills map[string]SkillCount
	days   map[string]bool
}

func (t *totals) add(f Facts, r *Report) {
	for role, n := range f.Messages {
		r.Messages[string(role)] += n
	}
	for m, s := range f.Models {
		t.models[m] = t.models[m].add(s)
	}
	for name, c := range f.Tools {
		o := t.tools[name]
		t.tools[name] = ToolFact{o.Calls + c.Calls, o.Errors + c.Errors, o.MS + c.MS}
	}
	for name, c := range f.Skills {
		o := t.skills[name]
		t.skills[name] = SkillCount{Loads: o.Loads + c.Loads}
	}
	for at, n := range f.Hours {
		r.Activity.ByWeekday[at/24%7] += n
		r.Activity.ByHour[at%24] += n
	}
	for _, turn := range f.Turns {
		t.days[turn.At.Local().Format(time.DateOnly)] = true
	}
	r.Hours += f.Active.Hours()
}

func (t *totals) finish(r *Report) {
	for name, s := range t.models {
		m := Model{Name: cmp.Or(name, "unknown"), USD: s.USD, Usage: Usage{Input: s.Input, Output: s.Output, Cached: s.Cached, Requests: s.Requests}}
		m.CacheRate = rate(s.Cached, s.Input)
		r.Models = append(r.Models, m)
		r.Usage.Input += s.Input
		r.Usage.Output += s.Output
		r.Usage.Cached += s.Cached
		r.Usage.Requests += s.Requests
		r.Cost.Chat += s.USD
		if !s.Priced {
			r.Cost.Unpriced = append(r.Cost.Unpriced, m.Name)
		}
	}
	r.Usage.CacheRate = rate(r.Usage.Cached, r.Usage.Input)
	slices.Sort(r.Cost.Unpriced)
	slices.SortFunc(r.Models, func(a, b Model) int {
		return cmp.Or(cmp.Compare(b.Input+b.Output, a.Input+a.Output), cmp.Compare(a.Name, b.Name))
	})
	for name, c := range t.tools {
		r.Tools = append(r.Tools, Tool{Name: name, Calls: c.Calls, Errors: c.Errors, MeanMS: float64(c.MS) / float64(max(c.Calls, 1))})
	}
	slices.SortFunc(r.Tools, func(a, b Tool) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name))
	})
	r.Activity.Days, r.Activity.Streak = len(t.days), streak(t.days)
}

func rate(part, of int64) float64 {
	if of <= 0 {
		return 0
	}
	return float64(part) / float64(of)
}

// streak is the longest run of days in a row.
func streak(days map[string]bool) int {
	best := 0
	for d := range days {
		at, err := time.Parse(time.DateOnly, d)
		if err != nil || days[at.AddDate(0, 0, -1).Format(time.DateOnly)] {
			continue // not the first of its run
		}
		n := 0
		for ; days[at.Format(time.DateOnly)]; at = at.AddDate(0, 0, 1) {
			n++
		}
		best = max(best, n)
	}
	return best
}
