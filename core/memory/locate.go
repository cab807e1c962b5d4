package memory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hermes/core/text"
)

// locate finds the entry an operation means. An entry that equals old_text wins over those that contain
// it; several that differ are ambiguous.
func (w *work) locate(o Op) (int, *RefusedError) {
	if o.ID != "" {
		if at := find(w.now, o.ID); at >= 0 {
			return at, nil
		}
		return 0, w.miss(RefusedStale, fmt.Sprintf("There is no entry %s any more: it was changed or removed meanwhile.", o.ID), "")
	}
	if o.Old == "" {
		r := w.miss(RefusedNoMatch, fmt.Sprintf("old_text is missing: %s needs a part of the entry that occurs in no other.", o.Action), "Say which entry: a part of its text, or its id.")
		r.Code = RefusedNoOld
		return 0, r
	}
	if at := slices.Index(w.now, o.Old); at >= 0 {
		return at, nil
	}
	var hits []int
	for i, e := range w.now {
		if strings.Contains(e, o.Old) {
			hits = append(hits, i)
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		none := fmt.Sprintf("No entry of %s contains %q.", w.target.File(), quote(o.Old, 80))
		return 0, w.miss(RefusedNoMatch, fmt.Sprintf("No entry contains %q.", quote(o.Old, 80)), none)
	}
	return 0, w.ambiguous(o, hits)
}

// miss refuses an operation that means no entry. The model is sent to the entries only when there are any.
func (w *work) miss(code RefusedCode, message, plain string) *RefusedError {
	r := &RefusedError{
		Code: code, Target: w.target, Message: message, Plain: plain,
		Used: size(w.old.entries), Limit: w.out.Limit, Entries: shownAll(w.target, w.old.entries),
	}
	switch {
	case len(r.Entries) == 0:
		r.Message += " " + w.target.File() + " has no entries."
	case code != RefusedStale:
		r.Message += " The current entries are listed; copy a part of the one you mean exactly."
	}
	if plain != "" {
		r.Hint = "See them: hermes memory list"
	}
	return r
}

// ambiguous refuses an operation that could mean several entries; a person sees their ids as well.
func (w *work) ambiguous(o Op, hits []int) *RefusedError {
	many := fmt.Sprintf("%d entries contain %q", len(hits), quote(o.Old, 80))
	r := &RefusedError{
		Code: RefusedAmbiguous, Target: w.target, Message: many + ". Give a longer part that only one of them has.",
		Hint: "Give a longer part that only one of them has, or its id.",
	}
	var list []string
	for _, i := range hits {
		s, _ := shown(w.target, w.now[i])
		r.Matches = append(r.Matches, quote(s, 80))
		list = append(list, ID(w.now[i])+" "+strconv.Quote(quote(w.now[i], 60)))
	}
	r.Plain = many + ": " + strings.Join(list, "; ")
	return r
}

// overflow refuses what would not fit, and says how to make room.
func (s *Store) overflow(t Target, entries []string, would int, ops []Op) *RefusedError {
	used, limit := size(entries), s.Limit(t)
	r := &RefusedError{Code: RefusedOverflow, Target: t, Used: used, Limit: limit, Entries: shownAll(t, entries)}
	what := "These operations"
	if len(ops) == 1 {
		what = fmt.Sprintf("This entry of %s characters", text.Thousands(text.Len(ops[0].Text)))
	}
	r.Plain = fmt.Sprintf("%s would bring %s to %s characters. It holds %s now; nothing was changed.", what, t.File(), usage(would, limit), usage(used, limit))
	r.Message = fmt.Sprintf("%s would bring %s to %s characters. It holds %s characters now; nothing was changed and nothing is ever dropped by itself. "+
		"Replace or remove entries first: shorten, merge or delete what matters least among the current entries, best in one call with operations that also adds the new text.",
		what, t.File(), usage(would, limit), usage(used, limit))
	r.Hint = "Make room in the memory clean-up, or raise memory." + map[Target]string{Memory: "memory_char_limit", User: "user_char_limit"}[t] + "."
	return r
}
