// Package skills is the library of SKILL.md files: it reads, finds, offers, checks and changes them. There
// is one reader of frontmatter (Parse), one walker over all roots (walk.go) and one lookup by name
// (Find), so the list, the prompt, the tools and the checks never disagree. What is on disk is the truth:
// every cache here is validated against it and can be thrown away.
//
// Changes go through the ledger and nothing else, after their gates: name, category, frontmatter, size,
// collision, a scan of the bytes by the guard. A change that fails any of them leaves the disk as it was.
//
// It knows files and rules. It must not know the terminal, sessions or what a model is; people and
// inboxes are ports (core.Approver and core.Holder stay with package tools/skill). Start with library.go,
// then frontmatter.go and walk.go for reading, index.go for the prompt, change.go for writing.
package skills
