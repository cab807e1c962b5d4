package review

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"hermes/core/text"
)

// same is how much of their words two lines share to count as the same lesson.
const same = 0.72

// maxLesson is how much of a refused lesson is kept, in code points.
const maxLesson = 4000

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

// Allow forgets the refusals of a lesson, because the person wants it after all.
func (b *Book) Allow(ctx context.Context, store, lesson string) error {
	if _, found, err := b.Before(store, lesson); err != nil || !found {
		return err
	}
	return b.update(ctx, func(s *book) {
		s.Refused = slices.DeleteFunc(s.Refused, func(o Refusal) bool { return o.Store == store && again(o.Lesson, lesson) })
	})
}

// Before finds the newest refusal of a lesson that says the same as this one.
func (b *Book) Before(store, lesson string) (Refusal, bool, error) {
	s, err := b.load()
	if err != nil {
		return Refusal{}, false, err
	}
	for _, r := range slices.Backward(s.Refused) {
		if r.Store == store && again(r.Lesson, lesson) {
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

// LessonOf is what a unified diff adds, as text.
func LessonOf(diff string) string {
	var out []string
	for l := range strings.SplitSeq(diff, "\n") {
		if strings.HasPrefix(l, "+") && !strings.HasPrefix(l, "+++") {
			out = append(out, l[1:])
		}
	}
	return strings.Join(out, "\n")
}

// lessonIn is the text that a call of the memory or skill tool would write.
func lessonIn(args string) string {
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
		return ""
	}
	var out []string
	for _, f := range append([]fields{a.fields}, a.Operations...) {
		for _, s := range []string{f.Content, f.NewText, f.NewString, f.FileContent} {
			if s != "" {
				out = append(out, s)
			}
		}
	}
	return strings.Join(out, "\n")
}
