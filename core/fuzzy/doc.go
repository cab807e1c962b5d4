// Package fuzzy is find-and-replace that forgives format, never meaning. A model quotes a passage from
// memory: its indentation, white space, quotes or line ends may be off. The nine strategies below find
// the passage all the same, from exact to tolerant; the first that matches decides.
//
// What it guarantees: bytes outside the reported regions do not change, regions never overlap, and line
// ends, BOM and a missing final newline stay. An exact match is taken literally. A line is never replaced
// because it merely looks similar; a block whose middle differs is refused unless it is the only one and
// nearly all of it fits, and then the result says so.
//
// It knows text only: no files, no tools. Start reading at Replace (replace.go), then strategy.go.
package fuzzy
