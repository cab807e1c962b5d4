// Package bundled holds the skills that come with the program, embedded, and puts them into the
// person's library: new ones are added, untouched ones follow the program, edited and deleted ones are
// left alone for good ([Seed]).
//
// It knows files and their hashes. It must not know how skills are listed, loaded or edited. Start
// with seed.go; the skills themselves are in skills/.
package bundled
