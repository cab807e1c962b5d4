// Package text owns what the rest of the program does to plain text: cutting by code points,
// repairing UTF-8, folding to one line, and taking control sequences out of text that came from
// models, tools and files.
//
// It must not know terminals (no widths, no colours) or files. Start with cut.go for limits and
// neutralise.go for what makes foreign text safe to show.
package text
