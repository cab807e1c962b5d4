// Package threat looks for text that tries to steer the agent: it normalises (compatibility forms,
// look-alike letters, invisible characters, the Unicode tag block) and matches patterns in three
// cumulative scopes. It judges text only; what happens with a finding is decided by the caller
// (a context file is blocked or flagged, a memory entry refused, a skill weighed by its source).
//
// It knows no files and no network. Start reading at Scan (scan.go), then patterns.go.
package threat
