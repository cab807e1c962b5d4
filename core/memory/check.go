package memory

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hermes/core/redact"
	"hermes/core/text"
	"hermes/core/threat"
)

// Normalise is an entry's text as it would be kept: line ends "\n", no white space at its ends.
func Normalise(s string) string { return strings.TrimSpace(clean(s)) }

// Check tells why s may not become an entry; nil when it may. It does not look at the limit.
func Check(t Target, s string) error {
	if r := check(t, Normalise(s)); r != nil {
		return r
	}
	return nil
}

func check(t Target, s string) *RefusedError {
	switch {
	case s == "":
		return &RefusedError{Code: RefusedEmpty, Target: t, Message: "The text is empty. Give the fact to keep in content; to delete an entry use remove.", Plain: "The text is empty."}
	case !utf8.ValidString(s):
		return &RefusedError{Code: RefusedEmpty, Target: t, Message: "The text is not valid UTF-8. Send plain text.", Plain: "The text is not valid UTF-8."}
	case strings.Contains(s, redact.Mark):
		return &RefusedError{Code: RefusedSecret, Target: t, Message: "The text holds the mark of a secret that was removed (" + redact.Mark + "…]). Memory does not keep secrets: say where it is kept instead."}
	case (&redact.Redactor{}).Redact(s) != s:
		return &RefusedError{Code: RefusedSecret, Target: t, Message: "The text holds something shaped like a key or password. Memory is sent with every request and does not keep secrets: say where it is kept instead."}
	}
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) == mark {
			return &RefusedError{
				Code: RefusedSeparator, Target: t,
				Message: "A line of the text is only \"§\", which separates entries: it would come back as two. Leave that line out, or add two entries. (A § inside a line is fine.)",
			}
		}
	}
	f := threat.Blocking(threat.Scan(s, threat.Strict))
	if f == nil {
		return nil
	}
	r := &RefusedError{Code: RefusedFlagged, Target: t, Pattern: f.ID, Decoded: f.Decoded}
	r.Message = fmt.Sprintf("The text was not saved: it matches the pattern %s (%s)", f.ID, text.Cut(text.OneLine(f.Excerpt), 80))
	if f.Decoded != "" {
		r.Message += fmt.Sprintf(", which reads as %q", text.Cut(text.OneLine(f.Decoded), 120))
	}
	r.Message += ". Memory is read in every session, so nothing that steers the agent is kept. State the fact in plain words, or leave it."
	return r
}

// shown is an entry as a model may see it: the text, or a placeholder for one that tries to steer.
func shown(t Target, entry string) (s string, blocked bool) {
	f := threat.Blocking(threat.Scan(entry, threat.Strict))
	if f == nil {
		return entry, false
	}
	id := ID(entry)
	return fmt.Sprintf("[BLOCKED: %s entry %s matches %s and is kept from you. The user can read and delete it in the memory clean-up; to remove it yourself use old_text \"id:%s\".]", t.File(), id, f.ID, id), true
}

// shownAll is shown for a list.
func shownAll(t Target, entries []string) []string {
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i], _ = shown(t, e)
	}
	return out
}

// Shown is an entry as a model may see it: its text, or a placeholder for one that tries to steer the
// agent. A person sees the raw text.
func Shown(t Target, entry string) string {
	s, _ := shown(t, entry)
	return s
}
