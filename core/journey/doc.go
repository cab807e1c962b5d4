// Package journey is the map of what was learned: skills and memory cards as nodes, declared relations and
// shared words as edges, each with its reason, and what is missing with the reason why.
//
// It is pure: skills and cards go in, a graph comes out. It reads no file, knows no screen, and no prompt is
// ever made from it. Start reading at Build (build.go); timeline.go arranges nodes in time.
package journey
