package skills

import (
	"context"
	"fmt"

	"hermes/core/text"
	"hermes/skills/guard"
)

// Suspect adds to c what the guard says of the whole folder of a skill that came in through no gate of hermes:
// written or copied by hand, of a project, or external.
func Suspect(ctx context.Context, s *guard.Scanner, c *Checked) error {
	switch c.Origin.By {
	case OriginAgent, OriginBundled, OriginInstalled:
		return nil
	case OriginHand, OriginProject, OriginExternal:
	}
	r, err := s.Dir(ctx, c.Folder, nil)
	if err != nil {
		return err
	}
	if d := guard.Decide(guard.Community, r.Verdict); d != guard.Allow {
		c.Warnings = append(c.Warnings, Warning{Code: CodeDangerous, Message: fmt.Sprintf(
			"the guard calls it %s (%s); see hermes skills scan %s", r.Verdict, text.Count(len(r.Findings), "finding", "findings"), c.Qualified())})
	}
	return nil
}

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
