package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"unicode/utf8"

	"hermes/core/text"
)

// The format, unchanged since its first version: UTF-8, entries joined by Separator, no final line break.
const (
	// Separator stands between two entries.
	Separator = "\n" + mark + "\n"

	mark = "§"
	bom  = "\ufeff"
)

// errEncoding is why a file is not touched: what cannot be read must not be written over.
var errEncoding = errors.New("it is not valid UTF-8")

// parse reads a file: a byte order mark is dropped, line ends are "\n", entries are trimmed, empty and
// repeated ones dropped. exact tells that nothing but white space around the whole was lost.
func parse(raw []byte) (entries []string, exact bool, err error) {
	if !utf8.Valid(raw) {
		return nil, false, errEncoding
	}
	s := clean(string(raw))
	seen := map[string]bool{}
	for part := range strings.SplitSeq("\n"+s+"\n", Separator) {
		if e := trim(part); e != "" && !seen[e] {
			seen[e] = true
			entries = append(entries, e)
		}
	}
	return entries, s == string(raw) && strings.TrimSpace(s) == join(entries), nil
}

// clean drops the byte order mark and makes all line ends "\n".
func clean(s string) string {
	s = strings.ReplaceAll(strings.TrimPrefix(s, bom), "\r\n", "\n")
	return strings.ReplaceAll(s, "\r", "\n")
}

// trim takes white space and stray separator lines off both ends, so that what is kept reads back as one
// entry.
func trim(s string) string {
	for {
		t := strings.TrimSpace(s)
		if t == mark {
			return ""
		}
		t = strings.TrimSuffix(strings.TrimPrefix(t, mark+"\n"), "\n"+mark)
		if t == s {
			return s
		}
		s = t
	}
}

// join writes entries as a file.
func join(entries []string) string { return strings.Join(entries, Separator) }

// size is what entries count against the limit: code points, separators included.
func size(entries []string) int {
	n := 3 * max(len(entries)-1, 0)
	for _, e := range entries {
		n += text.Len(e)
	}
	return n
}

// ID names an entry by its content: 12 hex digits. It survives every change of other entries.
func ID(entry string) string {
	sum := sha256.Sum256([]byte(entry))
	return hex.EncodeToString(sum[:6])
}

// find returns the place of the entry with this id, -1 when there is none.
func find(entries []string, id string) int {
	for i, e := range entries {
		if ID(e) == id {
			return i
		}
	}
	return -1
}
