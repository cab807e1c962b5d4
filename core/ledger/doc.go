// Package ledger is the one door for everything that is learned: memory entries, skill files, archives,
// pins, installs. A change goes through [Ledger.Apply], which writes the intent to a journal, then the
// files, then that it is done, so that a crash at any moment leaves the old or the new state and a
// journal that says which. From the journal come history, blame, differences and undo.
//
// It knows files and lines of a journal; it must not know what a memory entry or a skill is. Owners of
// such things implement [Subject]. Start with ledger.go (Apply), then tx.go (what a change may do),
// commit.go, recover.go and world.go (why nothing is lost), format.go (what is on disk), undo.go.
package ledger
