package index

import (
	"strconv"
	"strings"
	"time"

	"hermes/core"
)

// place is what the name of a document says: where its message stands and what ranks it without reading
// anything else. Names are the only thing the engine keeps of a message beside its terms, because they are
// the one thing it gives back cheaply.
type place struct {
	session string
	offset  int64  // of the line in the transcript
	at      uint32 // seconds since 1970; 0: unknown
	kind    kind
}

// kind is who speaks, as far as ranking cares.
type kind byte

const (
	kindTitle kind = 'T'
	kindTalk  kind = 'm' // what people and models said
	kindTool  kind = 't'
)

func kindOf(role string) kind {
	switch role {
	case roleTitle:
		return kindTitle
	case string(core.RoleTool):
		return kindTool
	}
	return kindTalk
}

// seconds is a time as places keep it.
func seconds(t time.Time) uint32 {
	return uint32(min(max(t.Unix(), 0), 1<<32-1)) //nolint:gosec // bounded
}

// String is the name of the document: session, offset, kind and time.
func (p place) String() string {
	return p.session + "/" + strconv.FormatInt(p.offset, 36) + "/" + string([]byte{byte(p.kind)}) + strconv.FormatUint(uint64(p.at), 36)
}

// parsePlace reads the name of a document; ok is false when it is none of ours.
func parsePlace(name string) (place, bool) {
	last := strings.LastIndexByte(name, '/')
	if last < 0 || last+2 > len(name) {
		return place{}, false
	}
	mid := strings.LastIndexByte(name[:last], '/')
	if mid < 0 {
		return place{}, false
	}
	offset, err := strconv.ParseInt(name[mid+1:last], 36, 64)
	if err != nil {
		return place{}, false
	}
	at, err := strconv.ParseUint(name[last+2:], 36, 32)
	return place{session: name[:mid], offset: offset, at: uint32(at), kind: kind(name[last+1])}, err == nil
}
