// Package guard weighs a skill before it is trusted: it looks at every file of the folder, reads
// through encodings, look-alike letters, split strings and simple variables, matches patterns of
// attack in their context, and says safe, caution or dangerous. Where the skill comes from decides
// what follows from that ([Decide]).
//
// It judges bytes. It must not know what a skill library, a hub or a review is, runs nothing, and
// opens no connection. A scan that cannot look at everything is an error or a finding, never a pass.
//
// Start with guard.go (what comes out), then bundle.go (which files), scan.go (how one file is
// looked at), view.go and derive.go (what text the patterns see), rule.go and the rules_*.go tables,
// context.go (when a match is no attack).
package guard
