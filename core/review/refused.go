package review

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/text"
)

// same is how much of their words two lines share to count as the same lesson.
const same = 0.72

// maxLesson is how much of a refused lesson is kept, in code points.
const maxLesson = 4000

// RefuseAll remembers each of these lessons, with what r says of them all.
func (b *Book) RefuseAll(ctx context.Context, r Refusal, lessons ...string) error {
	var errs []error
	for _, l := range lessons {
		r.Lesson = l
		errs = append(errs, b.Refuse(ctx, r))
	}
	return errors.Join(errs...)
}

// Refuse remembers a lesson that a person refused or took back. One without words is not remembered.
func (b *Book) Refuse(ctx context.Context, r Refusal) error {
	if r.Lesson = text.Cut(strings.TrimSpace(r.Lesson), maxLesson); r.Lesson == "" {
		return nil
	}
	if r.Time.IsZero() {
		r.Time = b.now().UTC()
	}
	return b.update(ctx, func(s *book) {
		s.Refused = slices.DeleteFunc(s.Refused, func(o Refusal) bool { return o.Store == r.Store && o.Lesson == r.Lesson })
		s.Refused = append(s.Refused, r)
		if n := len(s.Refused); n > maxRefused {
			s.Refused = s.Refused[n-maxRefused:]
		}
	})
}

// Allow forgets the refusals of lessons, because the person wants them after all.
func (b *Book) Allow(ctx context.Context, store string, lessons ...string) error {
	if _, found, err := b.Before(store, lessons...); err != nil || !found {
		return err
	}
	return b.update(ctx, func(s *book) {
		s.Refused = slices.DeleteFunc(s.Refused, func(o Refusal) bool {
			return o.Store == store && slices.ContainsFunc(lessons, func(l string) bool { return again(o.Lesson, l) })
		})
	})
}

// Before finds the newest refusal of a lesson that says the same as one of these.
func (b *Book) Before(store string, lessons ...string) (Refusal, bool, error) {
	s, err := b.load()
	if err != nil {
		return Refusal{}, false, err
	}
	for _, r := range slices.Backward(s.Refused) {
		if r.Store == store && slices.ContainsFunc(lessons, func(l string) bool { return again(r.Lesson, l) }) {
			return r, true, nil
		}
	}
	return Refusal{}, false, nil
}

// Refusals lists the newest refused lessons, newest first, at most n.
func (b *Book) Refusals(n int) ([]Refusal, error) {
	s, err := b.load()
	slices.Reverse(s.Refused)
	return s.Refused[:min(n, len(s.Refused))], err
}

// again tells whether offered says what refused said: at least half of its lines come back, nearly in the
// same words.
func again(refused, offered string) bool {
	old, now := lessonLines(refused), lessonLines(offered)
	hits := 0
	for _, o := range old {
		if slices.ContainsFunc(now, func(n line) bool {
			return o.plain == n.plain || text.Dice(o.words, n.words) >= same
		}) {
			hits++
		}
	}
	return len(old) > 0 && 2*hits >= len(old)
}

// line is one line of a lesson, ready to be compared.
type line struct {
	plain string
	words map[string]bool
}

// lessonLines are the lines that say something.
func lessonLines(lesson string) []line {
	var out []line
	for l := range strings.SplitSeq(lesson, "\n") {
		l = strings.Trim(strings.TrimSpace(l), "-*#> `")
		if text.Len(l) < 4 {
			continue
		}
		out = append(out, line{plain: strings.ToLower(strings.Join(strings.Fields(l), " ")), words: text.Words(l)})
	}
	return out
}

// LessonOf is what a unified diff adds, as text. A line that it takes away as well is not new.
func LessonOf(diff string) string {
	added, removed := changed(diff)
	gone := map[string]int{}
	for _, l := range removed {
		gone[l]++
	}
	var out []string
	for _, l := range added {
		if gone[l] > 0 {
			gone[l]--
			continue
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

// changed are the lines that a unified diff adds and those it takes away.
func changed(diff string) (added, removed []string) {
	for l := range strings.SplitSeq(diff, "\n") {
		switch l = strings.TrimRight(l, "\r"); {
		case strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"):
		case strings.HasPrefix(l, "+"):
			added = append(added, l[1:])
		case strings.HasPrefix(l, "-"):
			removed = append(removed, l[1:])
		}
	}
	return added, removed
}

// SameChange tells whether two unified diffs add and remove the same lines, wherever they stand. Lines that
// only separate the entries of memory do not count: whether one is needed depends on the neighbours.
func SameChange(a, b string) bool { return maps.Equal(balance(a), balance(b)) }

// balance counts how often each line is added, less how often it is taken away.
func balance(diff string) map[string]int {
	out := map[string]int{}
	count := func(lines []string, by int) {
		for _, l := range lines {
			if l == separator {
				continue
			}
			if out[l] += by; out[l] == 0 {
				delete(out, l)
			}
		}
	}
	added, removed := changed(diff)
	count(added, 1)
	count(removed, -1)
	return out
}

// separator is the line between two entries of memory.
const separator = "§"

// lessonsOf are the lessons of a proposal, each on its own: of memory the entries it would write, never their
// neighbours; of a skill what its diff adds.
func lessonsOf(p core.Proposal) []string {
	if p.Store == core.StoreMemory {
		if texts := textsIn(string(p.Arguments)); len(texts) > 0 {
			return texts
		}
	}
	l := LessonOf(p.Diff)
	if l == "" {
		l = strings.Join(textsIn(string(p.Arguments)), "\n")
	}
	return []string{l}
}

// textsIn are the texts of a call of the memory or skill tool, one for each operation and field.
func textsIn(args string) []string {
	type fields struct {
		Content     string `json:"content"`
		NewText     string `json:"new_text"`
		NewString   string `json:"new_string"`
		FileContent string `json:"file_content"`
	}
	var a struct {
		fields

		Operations []fields `json:"operations"`
	}
	if json.Unmarshal([]byte(args), &a) != nil {
		return nil
	}
	var out []string
	for _, f := range append([]fields{a.fields}, a.Operations...) {
		for _, s := range []string{f.Content, f.NewText, f.NewString, f.FileContent} {
			if s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}
