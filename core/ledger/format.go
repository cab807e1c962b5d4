package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Version is the version of the journal that this program writes. Newer ones are read, never written.
//
//	1  first version: a header line, then intent, done, aborted and noted lines
const Version = 1

// Actor says who made a change.
type Actor string

// The actors. Outside is whoever changed a file through no door: an editor, a sync tool, git.
const (
	You     Actor = "you"
	Agent   Actor = "agent"
	Review  Actor = "review"
	Curator Actor = "curator"
	Hub     Actor = "hub"
	Outside Actor = "outside"
)

// Change describes a change before it is made: who, where, why.
type Change struct {
	Actor     Actor
	SessionID string
	RunID     string
	ReviewID  string
	Taint     string // where foreign text behind the change came from; "" for none
	Action    string // "add", "patch", "archive" … one word
	Subject   string // "kind:name": "memory:user", "skill:devops/deploy"
	Reason    string // one line
}

// State says what became of a change.
type State string

// The states. Open is a change whose process died between intent and end; the next writer settles it.
const (
	Done    State = "done"
	Aborted State = "aborted"
	Open    State = "open"
)

// Entry is one change as the journal tells it. Its JSON is what "hermes ledger log" prints.
type Entry struct {
	ID        string       `json:"id"` // a ULID; ids rise in the order of the journal
	Time      time.Time    `json:"time"`
	Actor     Actor        `json:"actor"`
	SessionID string       `json:"session_id"`
	RunID     string       `json:"run_id"`
	ReviewID  string       `json:"review_id,omitempty"`
	Taint     string       `json:"taint,omitempty"`
	Action    string       `json:"action"`
	Subject   string       `json:"subject"`
	Also      []string     `json:"also,omitempty"` // further subjects of one change
	Before    string       `json:"before"`         // of one file its SHA-256, else a digest over all
	After     string       `json:"after"`
	Reason    string       `json:"reason"`
	Undoes    []string     `json:"undoes,omitempty"` // ids of the changes this one takes back
	Parts     []Part       `json:"parts,omitempty"`
	Files     []FileChange `json:"files,omitempty"`
	State     State        `json:"state,omitempty"` // filled when read; never stored
	Note      string       `json:"note,omitempty"`  // why it was aborted
	// Merged says of an undo just made that later changes elsewhere were kept beside it; never stored.
	Merged bool `json:"merged,omitempty"`
}

// Part is a piece within a subject that a change added (no Was), replaced (both) or removed (no Key):
// a memory entry, named by its fingerprint.
type Part struct {
	Key     string `json:"key,omitempty"`
	Was     string `json:"was,omitempty"`
	Subject string `json:"subject,omitempty"` // when not the entry's
}

// FileOp is what happened to a path.
type FileOp string

// The operations.
const (
	OpWrite  FileOp = "write"
	OpRemove FileOp = "remove"
	OpMove   FileOp = "move"
)

// FileChange is one step of a change on disk. Paths inside the home are relative to it with slashes,
// others absolute.
type FileChange struct {
	Op      FileOp `json:"op"`
	Path    string `json:"path"`
	From    string `json:"from,omitempty"`    // of a move
	Before  string `json:"before,omitempty"`  // SHA-256 of the bytes; "" when nothing stood there
	After   string `json:"after,omitempty"`   // the same for afterwards
	Link    string `json:"link,omitempty"`    // target, when a symbolic link was removed
	Mode    uint32 `json:"mode,omitempty"`    // permissions of the file
	Made    string `json:"made,omitempty"`    // topmost folder created for it
	Prune   string `json:"prune,omitempty"`   // folders up to this one went too when empty
	Subject string `json:"subject,omitempty"` // when not the entry's
}

// Of returns e reduced to the files and parts of subjects of kind ("memory").
func (e Entry) Of(kind string) Entry {
	e.Files = slices.DeleteFunc(slices.Clone(e.Files), func(f FileChange) bool { return kindOf(f.subject(e)) != kind })
	e.Parts = slices.DeleteFunc(slices.Clone(e.Parts), func(p Part) bool { return kindOf(p.subject(e)) != kind })
	return e
}

// Subjects lists all subjects of e, the main one first.
func (e Entry) Subjects() []string { return append([]string{e.Subject}, e.Also...) }

// About reports whether e touches subject; one that ends in a colon means the whole kind.
func (e Entry) About(subject string) bool {
	return slices.ContainsFunc(e.Subjects(), func(s string) bool {
		return s == subject || strings.HasSuffix(subject, ":") && strings.HasPrefix(s, subject)
	})
}

func (f FileChange) subject(e Entry) string {
	if f.Subject != "" {
		return f.Subject
	}
	return e.Subject
}

func (p Part) subject(e Entry) string {
	if p.Subject != "" {
		return p.Subject
	}
	return e.Subject
}

// kindOf is the part of a subject before its colon.
func kindOf(subject string) string {
	kind, _, _ := strings.Cut(subject, ":")
	return kind
}

// lineKind names a line of the journal.
type lineKind string

const (
	lineHeader  lineKind = "header"
	lineIntent  lineKind = "intent"  // about to happen
	lineDone    lineKind = "done"    // the intent with this id was carried out
	lineAborted lineKind = "aborted" // it was taken back, or never began
	lineNoted   lineKind = "noted"   // it had happened already, outside
)

// line is a line of the journal. Readers skip kinds they do not know.
type line struct {
	Kind    lineKind `json:"kind"`
	Version int      `json:"version,omitempty"` // of a header
	*Entry
}

// encode writes l as one line.
func (l line) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		return nil, fmt.Errorf("write ledger line: %w", err)
	}
	return b.Bytes(), nil
}

// outcome is the line that closes the intent of e.
func outcome(kind lineKind, id, note string) line {
	return line{Kind: kind, Entry: &Entry{ID: id, Note: note}}
}

// MarshalJSON keeps the closing lines short: they carry an id and a note, no zero values.
func (l line) MarshalJSON() ([]byte, error) {
	if l.Entry == nil {
		return json.Marshal(struct {
			Kind    lineKind `json:"kind"`
			Version int      `json:"version"`
		}{l.Kind, l.Version})
	}
	if l.Kind == lineDone || l.Kind == lineAborted {
		return json.Marshal(struct {
			Kind lineKind `json:"kind"`
			ID   string   `json:"id"`
			Note string   `json:"note,omitempty"`
		}{l.Kind, l.ID, l.Note})
	}
	e := *l.Entry
	e.State = ""
	return json.Marshal(struct {
		Kind lineKind `json:"kind"`
		Entry
	}{l.Kind, e})
}

// Hash is the name of a blob: the SHA-256 of data in hex.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// digest sums up the files of a change, before or after it.
func digest(files []FileChange, hash func(FileChange) string) string {
	if len(files) == 1 && files[0].Op != OpMove {
		return hash(files[0])
	}
	var lines []string
	for _, f := range files {
		if f.Op == OpMove {
			lines = append(lines, f.From+"\x00"+f.Path)
			continue
		}
		lines = append(lines, f.Path+"\x00"+hash(f))
	}
	if len(lines) == 0 {
		return ""
	}
	slices.Sort(lines)
	return Hash([]byte(strings.Join(lines, "\n")))
}
