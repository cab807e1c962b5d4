// Package file is the file toolset: read_file, write_file, patch and search_files over the session's
// working folder.
//
// It knows files, ignore rules and encodings; it does not know the ledger, screens or models. Which
// paths are off limits is decided by tools.Policy, always on resolved paths. Start with file.go, then
// read.go, write.go, patch.go and search.go; change.go carries writes out, seen.go knows what the agent
// knows of a file, decode.go and ignore.go serve them.
package file
