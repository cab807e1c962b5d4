package skills

import (
	"context"
	"fmt"

	"hermes/skills/guard"
)

// Scanned is the guard of package guard, for skills from source.
func Scanned(s *guard.Scanner, source guard.Source) Guard { return scanned{s, source} }

type scanned struct {
	scanner *guard.Scanner
	source  guard.Source
}

// Check scans dir.
func (g scanned) Check(ctx context.Context, dir string, overlay map[string][]byte) (Verdict, error) {
	r, err := g.scanner.Dir(ctx, dir, overlay)
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Level: string(r.Verdict), Decision: string(guard.Decide(g.source, r.Verdict)), Report: r.Text()}
	for _, f := range r.Findings {
		where := f.File
		if f.Line > 0 {
			where = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		v.Findings = append(v.Findings, fmt.Sprintf("%s %s %s: %s", f.Severity, where, f.ID, f.Why))
	}
	return v, nil
}
