package guard

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
)

// Source says where a skill comes from.
type Source string

// The sources. Trusted ones are named by the person or the published list; everything unknown is
// community.
const (
	Builtin      Source = "builtin"
	Trusted      Source = "trusted"
	Community    Source = "community"
	AgentCreated Source = "agent-created"
)

// Verdict sums up the findings of a skill.
type Verdict string

// The verdicts: any critical finding makes a skill dangerous, else any high one caution.
const (
	Safe      Verdict = "safe"
	Caution   Verdict = "caution"
	Dangerous Verdict = "dangerous"
)

// Decision is what follows from a verdict.
type Decision string

// The decisions. Ask means a person decides; where nobody can be asked the change has to wait.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask"
	Block Decision = "block"
)

// Decide applies the trust matrix. An unknown source counts as community, an unknown verdict as
// dangerous.
func Decide(s Source, v Verdict) Decision {
	switch {
	case s == Builtin || v == Safe:
		return Allow
	case s == AgentCreated && v == Caution, s == Trusted && v == Caution:
		return Allow
	case s == AgentCreated:
		return Ask
	}
	return Block
}

// Severity says how much a finding weighs.
type Severity string

// The severities. Low ones are for the reader; medium ones alone leave a skill safe.
const (
	Low      Severity = "low"
	Medium   Severity = "medium"
	High     Severity = "high"
	Critical Severity = "critical"
)

func (s Severity) weight() int {
	return slices.Index([]Severity{Low, Medium, High, Critical}, s)
}

// Finding is one thing the scan saw.
type Finding struct {
	ID       string   `json:"id"`
	Category string   `json:"category"`
	Severity Severity `json:"severity"`
	File     string   `json:"file"`              // relative to the skill, slashes; "" for the whole skill
	Line     int      `json:"line"`              // 1-based; 0 when it is about the file as such
	Excerpt  string   `json:"excerpt"`           // one line, printable; invisible characters as U+XXXX
	Decoded  string   `json:"decoded,omitempty"` // what encoded, hidden or split text says
	Why      string   `json:"why"`               // one sentence
}

// Skipped is a file whose content was not looked at, or not all of it.
type Skipped struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// Report is the result of one scan. Findings are ordered by severity, then file and line.
type Report struct {
	Name         string    `json:"name"`
	Path         string    `json:"path,omitempty"`
	Verdict      Verdict   `json:"verdict"`
	Findings     []Finding `json:"findings"`
	FilesScanned int       `json:"files_scanned"`
	FilesSkipped []Skipped `json:"files_skipped"`
}

// Options adjust a scanner. The zero value is right for everybody.
type Options struct {
	MaxFile int64 // bytes of one file that are looked at; 0 is 8 MiB. Larger files are a finding.
}

// Scanner looks at skills. It is safe for concurrent use.
type Scanner struct {
	maxFile int64
	rules   func() *ruleset
}

// New returns a scanner. Its patterns are compiled at the first scan.
func New(o Options) *Scanner {
	if o.MaxFile <= 0 {
		o.MaxFile = 8 << 20
	}
	return &Scanner{maxFile: o.MaxFile, rules: sync.OnceValue(newRuleset)}
}

// Dir scans the skill in dir. overlay holds files, by path relative to dir with slashes, that are seen
// instead of those on the disk; a nil value means that the file is gone. With an overlay dir need not
// exist. An error means that no judgement was possible: it must not be taken for a pass.
func (s *Scanner) Dir(ctx context.Context, dir string, overlay map[string][]byte) (Report, error) {
	b, err := s.open(dir, overlay)
	if err != nil {
		return Report{}, err
	}
	return s.scan(ctx, filepath.Base(dir), dir, b)
}

// File scans one file as if it were the only one of a skill. name decides how it is read.
func (s *Scanner) File(ctx context.Context, name string, data []byte) (Report, error) {
	b := &bundle{files: []file{{name: filepath.ToSlash(name), data: data[:min(int64(len(data)), s.maxFile)], size: int64(len(data))}}}
	b.limits(s.maxFile)
	return s.scan(ctx, name, "", b)
}

func (s *Scanner) scan(ctx context.Context, name, path string, b *bundle) (Report, error) {
	r := Report{Name: name, Path: path, Findings: b.findings, FilesSkipped: b.skipped}
	c := describe(b)
	for i := range b.files {
		if err := ctx.Err(); err != nil {
			return Report{}, fmt.Errorf("scan skill %s: %w", name, err)
		}
		fs, err := s.look(ctx, c, &b.files[i])
		if err != nil {
			return Report{}, fmt.Errorf("scan skill %s: %s: %w", name, b.files[i].name, err)
		}
		r.Findings = append(r.Findings, fs...)
		r.FilesScanned++
	}
	settle(&r)
	return r, nil
}

// settle orders the findings and derives the verdict.
func settle(r *Report) {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(b.Severity.weight()-a.Severity.weight(), cmp.Compare(a.File, b.File), a.Line-b.Line, cmp.Compare(a.ID, b.ID))
	})
	r.Verdict = Safe
	if len(r.Findings) > 0 {
		switch r.Findings[0].Severity {
		case Critical:
			r.Verdict = Dangerous
		case High:
			r.Verdict = Caution
		case Medium, Low:
		}
	}
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	if r.FilesSkipped == nil {
		r.FilesSkipped = []Skipped{}
	}
}
