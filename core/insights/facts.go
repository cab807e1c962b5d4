package insights

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/text"
)

// Ref names a session with what shows that its transcript changed.
type Ref struct {
	ID       string
	Size     int64 // bytes of the transcript
	Modified time.Time
}

// Facts are what one session adds to the figures. They are cached; see cache.go.
type Facts struct {
	Started  time.Time             `json:"s"`
	Ended    time.Time             `json:"e"`
	Active   time.Duration         `json:"a,omitempty"` // without long pauses
	Task     bool                  `json:"b,omitempty"` // of a sub-agent
	Messages map[core.Role]int     `json:"m,omitempty"`
	Models   map[string]Spent      `json:"u,omitempty"` // by "provider/model"
	Tools    map[string]ToolFact   `json:"t,omitempty"`
	Skills   map[string]SkillCount `json:"k,omitempty"`
	Hours    map[int]int           `json:"h,omitempty"` // weekday*24+hour, local time → messages of the person
	Turns    []Turn                `json:"n,omitempty"`
}

// Spent is consumption.
type Spent struct {
	Requests int     `json:"r"`
	Input    int64   `json:"i"`
	Output   int64   `json:"o"`
	Cached   int64   `json:"c"`
	USD      float64 `json:"d"`
	Priced   bool    `json:"p"`
}

func (s Spent) add(o Spent) Spent {
	return Spent{s.Requests + o.Requests, s.Input + o.Input, s.Output + o.Output, s.Cached + o.Cached, s.USD + o.USD, s.Priced || o.Priced}
}

// ToolFact counts the calls of a tool.
type ToolFact struct {
	Calls  int   `json:"c"`
	Errors int   `json:"e,omitempty"`
	MS     int64 `json:"t,omitempty"`
}

// SkillCount counts what was done with a skill.
type SkillCount struct {
	Loads int `json:"l,omitempty"`
	Edits int `json:"-"` // by the ledger: reviews edit outside the sessions
}

// Turn is one turn, as far as outcomes need it.
type Turn struct {
	At        time.Time `json:"a"`
	Words     []string  `json:"w,omitempty"` // of the request, for telling similar ones
	Calls     int       `json:"c,omitempty"`
	Errors    int       `json:"e,omitempty"`
	Loaded    []string  `json:"l,omitempty"` // skills
	Corrected bool      `json:"x,omitempty"` // the person's next message corrects it
	Answered  bool      `json:"y,omitempty"`
}

// pause is how long nothing may happen while a session still counts as active.
const pause = 30 * time.Minute

// maxWords is how many words of a request are kept.
const maxWords = 24

// Transcript is what was recorded of one session.
type Transcript struct {
	Records []core.Record
	Task    bool // of a sub-agent: what it consumed counts, what it was asked is no message of the person
}

// Read counts one session. invoked recognises a message that carries a skill the person invoked by name.
func Read(t Transcript, invoked func(message string) (skill string, ok bool)) Facts {
	r := reader{
		f:     Facts{Task: t.Task, Messages: map[core.Role]int{}, Models: map[string]Spent{}, Tools: map[string]ToolFact{}, Skills: map[string]SkillCount{}, Hours: map[int]int{}},
		calls: map[string]core.ToolCall{}, from: map[string]string{}, done: map[string]bool{}, invoked: invoked,
	}
	for i := range t.Records {
		r.record(&t.Records[i])
	}
	r.close()
	if t.Task {
		delete(r.f.Messages, core.RoleUser)
		r.f.Hours, r.f.Active = nil, 0 // its parent's time
	}
	return r.f
}

// reader goes through a transcript.
type reader struct {
	f       Facts
	calls   map[string]core.ToolCall // by id
	from    map[string]string        // message that made the call, by its id
	done    map[string]bool          // calls that were counted
	turn    *Turn
	invoked func(string) (string, bool)
}

func (r *reader) record(rec *core.Record) {
	if r.f.Started.IsZero() {
		r.f.Started = rec.Time
	}
	if rec.Time.After(r.f.Ended) {
		if d := rec.Time.Sub(r.f.Ended); !r.f.Ended.IsZero() && d <= pause {
			r.f.Active += d
		}
		r.f.Ended = rec.Time
	}
	switch rec.Type {
	case core.RecordMessage:
		if rec.Message != nil {
			r.message(rec)
		}
	case core.RecordUsage:
		// Learning is counted by its own records, a sub-agent by its own session.
		if rec.Usage != nil && rec.Purpose != core.PurposeLearning && rec.Reason != "delegation" {
			s := Spent{Requests: 1, Input: rec.Usage.Input.N, Output: rec.Usage.Output.N, Cached: rec.Usage.Cached.N}
			if rec.Cost != nil {
				s.USD, s.Priced = rec.Cost.USD, rec.Cost.Known
			}
			r.f.Models[rec.Model] = r.f.Models[rec.Model].add(s)
		}
	case core.RecordRunEnded:
		if r.turn != nil {
			r.turn.Answered = rec.Reason == string(core.EndAnswered)
		}
	default:
	}
}

func (r *reader) message(rec *core.Record) {
	m := rec.Message
	if m.Note {
		return
	}
	r.f.Messages[m.Role]++
	switch m.Role {
	case core.RoleUser:
		r.user(rec.Time, m)
	case core.RoleAssistant:
		for _, c := range m.ToolCalls {
			if r.from[c.ID] != m.ID { // some servers begin to count anew with every answer
				delete(r.done, c.ID)
			}
			r.calls[c.ID], r.from[c.ID] = c, m.ID
		}
	case core.RoleTool:
		r.result(rec)
	case core.RoleSystem:
	}
}

func (r *reader) user(at time.Time, m *core.Message) {
	said := m.Display()
	if r.turn != nil && corrects(said) {
		r.turn.Corrected = true
	}
	r.close()
	local := at.Local()
	r.f.Hours[int(local.Weekday())*24+local.Hour()]++
	r.turn = &Turn{At: at}
	for w := range text.Words(text.Cut(said, 2000)) {
		r.turn.Words = append(r.turn.Words, w)
	}
	slices.Sort(r.turn.Words)
	r.turn.Words = r.turn.Words[:min(len(r.turn.Words), maxWords)]
	if r.invoked != nil {
		if skill, ok := r.invoked(m.Content); ok {
			r.loaded(skill)
		}
	}
}

func (r *reader) close() {
	if r.turn != nil {
		r.f.Turns = append(r.f.Turns, *r.turn)
		r.turn = nil
	}
}

// result counts a call with its answer, once.
func (r *reader) result(rec *core.Record) {
	id := rec.Message.ToolCallID
	if r.done[id] {
		return
	}
	r.done[id] = true
	c, ok := r.calls[id]
	if !ok {
		c = core.ToolCall{Name: rec.Message.ToolName}
	}
	failed := rec.OK != nil && !*rec.OK
	t := r.f.Tools[c.Name]
	t.Calls++
	t.MS += rec.TookMS
	if failed {
		t.Errors++
	}
	r.f.Tools[c.Name] = t
	if r.turn == nil {
		r.turn = &Turn{At: rec.Time}
	}
	r.turn.Calls++
	if failed {
		r.turn.Errors++
		return
	}
	var a struct{ Name string }
	if c.Name != "skill_view" || json.Unmarshal([]byte(c.Arguments), &a) != nil || a.Name == "" {
		return
	}
	r.loaded(a.Name[strings.LastIndexByte(a.Name, '/')+1:])
}

func (r *reader) loaded(name string) {
	k := r.f.Skills[name]
	k.Loads++
	r.f.Skills[name] = k
	if !slices.Contains(r.turn.Loaded, name) {
		r.turn.Loaded = append(r.turn.Loaded, name)
	}
}

// corrects tells whether a message takes the answer before it back: it begins with one of these words, or
// holds one of these phrases. The rule is coarse and says so wherever its figures are shown; the README tells it.
func corrects(said string) bool {
	s := strings.ToLower(strings.TrimSpace(text.Cut(said, 400)))
	begins := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(s, w) })
	}
	switch {
	case begins("no problem", "no worries", "no need", "no thanks", "no more", "don't forget", "do not forget", "don't worry", "do not worry", "别的", "别忘", "别人", "别担心", "不是吗", "いやあ", "아니메"):
		return false
	case begins("no,", "no ", "no.", "no!", "no:", "nope", "wrong", "stop", "don't", "do not", "undo", "that's wrong", "that is wrong", "not that", "不对", "不是", "错了", "别", "停", "重来", "違う", "いや", "아니"), s == "no":
		return true
	}
	for _, w := range []string{"that's not what", "that is not what", "i said", "i meant", "you should have", "not what i asked", "as i told you", "instead of what", "我说的是", "应该是", "不是我要的", "そうじゃない"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
