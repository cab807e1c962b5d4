package reviews

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"hermes/core/review"
	"hermes/core/text"
	"hermes/tui/card"
	"hermes/tui/cell"
	"hermes/tui/theme"
)

// outcome is how a review ended and what is left of it now, in words.
func (s *Sheet) outcome(r *review.Record) string {
	switch r.State {
	case review.Queued:
		return "waits for the one before"
	case review.Nothing:
		return "nothing to save"
	case review.Running:
		return string(r.State)
	case review.Saved, review.Proposed, review.Failed, review.Cancelled:
	}
	var parts []string
	if why := r.Why(); why != "" {
		parts = append(parts, why)
	}
	if did := s.did(r); did != "" {
		parts = append(parts, did)
	}
	if held := s.held(r); held != "" {
		parts = append(parts, held)
	}
	return cell.Line(strings.Join(parts, ", "))
}

// did is what a review changed, and how much of it was taken back.
func (s *Sheet) did(r *review.Record) string {
	out := strings.Join(r.Did, ", ")
	if out == "" && r.Saved > 0 {
		out = fmt.Sprintf("saved %d", r.Saved)
	}
	switch gone := s.gone(r); gone {
	case 0:
	case r.Saved:
		out = "taken back: " + out
	default:
		out += fmt.Sprintf(" (%d taken back)", gone)
	}
	return out
}

// gone counts the changes of a review that are not in force any more.
func (s *Sheet) gone(r *review.Record) int {
	if s.Standing == nil || !review.IsReview(r.Kind) || s.news[r.ID] || !r.State.Ended() {
		return 0
	}
	return max(r.Saved-s.Standing[r.ID], 0)
}

// held is what became of the proposals of a review.
func (s *Sheet) held(r *review.Record) string {
	switch n := s.waiting(r); {
	case r.Held == 0:
		return ""
	case n > 0:
		return fmt.Sprintf("%d in the inbox", n)
	}
	return text.Count(r.Held, "proposal", "proposals") + " decided"
}

// waiting counts the proposals of a review that still wait.
func (s *Sheet) waiting(r *review.Record) int {
	if s.news[r.ID] {
		return r.Held
	}
	n := 0
	for i := range s.Waiting {
		if s.Waiting[i].ReviewID == r.ID {
			n++
		}
	}
	return n
}

// sign is the glyph of how a review stands, and its style.
func (s *Sheet) sign(st *theme.Styles, r *review.Record, tick int) (string, lipgloss.Style) {
	switch r.State {
	case review.Running:
		return card.Spinner(tick), st.Busy
	case review.Queued:
		return "◷", st.Muted
	case review.Saved:
		if s.gone(r) < max(r.Saved, 1) {
			return "✓", st.Good
		}
	case review.Proposed:
		if s.waiting(r) > 0 {
			return "✉", st.Warn
		}
	case review.Failed:
		return "✗", st.Bad
	case review.Nothing, review.Cancelled:
	}
	return "·", st.Muted
}
