// Package file is the file toolset: read_file, write_file and search_files over the session's working
// folder.
//
// It knows files, ignore rules and encodings; it does not know the ledger, screens or models. Which
// paths are off limits is decided by tools.Policy, always on resolved paths. Start with file.go, then
// read.go, write.go and search.go; decode.go and ignore.go serve them.
package file
