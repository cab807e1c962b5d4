// Package insights counts what happened: sessions, tokens, cost, tools, skills, hours; and what became of the
// turns in which a skill was used, by version of the skill.
//
// It counts a tool call once, by its id, and says how many observations a figure rests on; it judges nothing
// from fewer than five. Transcripts, skill versions and the costs of learning come in through Source; it
// knows no disk format but its own cache. Start reading at Make (report.go); facts.go reads one session.
package insights
