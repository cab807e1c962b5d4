package guard

import (
	"fmt"
	"strings"

	"hermes/core/text"
)

// Text is the report for people: the verdict, the findings by severity with place, excerpt, decoded
// text and reason, and what was not looked at.
func (r Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s (%s scanned, %d not scanned, %s)\n", text.Visible(r.Name), r.Verdict,
		text.Count(r.FilesScanned, "file", "files"), len(r.FilesSkipped), text.Count(len(r.Findings), "finding", "findings"))
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "  %-8s %s/%s", f.Severity, f.Category, f.ID)
		if f.File != "" {
			fmt.Fprintf(&b, "  %s", text.Visible(f.File))
		}
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d", f.Line)
		}
		fmt.Fprintf(&b, "\n           %s\n", f.Why)
		if f.Excerpt != "" {
			fmt.Fprintf(&b, "           > %s\n", f.Excerpt)
		}
		if f.Decoded != "" {
			fmt.Fprintf(&b, "           says: %s\n", f.Decoded)
		}
	}
	for _, s := range r.FilesSkipped {
		fmt.Fprintf(&b, "  not scanned  %s: %s\n", text.Visible(s.File), s.Why)
	}
	return b.String()
}
