package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/text"
)

// Version is the transcript format this program writes. History:
//
//	1  header line, then one core.Record a line
const Version = 1

// headerType marks the first line of a transcript.
const headerType = "session"

// Header is the first line of a transcript.
type Header struct {
	Type    string    `json:"type"` // "session"
	V       int       `json:"v"`
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	Cwd     string    `json:"cwd,omitempty"`
	Model   string    `json:"model,omitempty"`  // "provider/model" at the start
	Prompt  string    `json:"prompt,omitempty"` // hash of the frozen system prompt
	Tools   string    `json:"tools,omitempty"`  // hash of the frozen tool list
	Parent  *Parent   `json:"parent,omitempty"`
}

// Parent says where a fork comes from.
type Parent struct {
	Session string `json:"session"`
	Message string `json:"message,omitempty"` // last copied message; "" copied everything
}

// Transcript is a transcript file in memory.
type Transcript struct {
	Header  Header
	Records []core.Record
	Damage  Damage
	leaking bool     // what is read belongs to a background review
	good    [][]byte // the raw lines that were understood, header included; only kept when damaged
}

// Damage counts what could not be read. The zero value is an intact file.
type Damage struct {
	Bad      int  // lines that are no record
	Torn     bool // the last line has no end
	NoHeader bool // the header line is missing or unreadable
	Leaked   int  // messages of a background review that a faulty program wrote here; they are left out
}

// Any tells whether anything was lost.
func (d Damage) Any() bool { return d.Bad > 0 || d.NoHeader || d.Leaked > 0 }

// String says what was lost, in a few words.
func (d Damage) String() string {
	var parts []string
	if d.NoHeader {
		parts = append(parts, "no readable header")
	}
	switch {
	case d.Bad == 1:
		parts = append(parts, "1 unreadable line skipped")
	case d.Bad > 1:
		parts = append(parts, fmt.Sprintf("%d unreadable lines skipped", d.Bad))
	}
	if d.Leaked > 0 {
		parts = append(parts, fmt.Sprintf("%d messages of a background review left out", d.Leaked))
	}
	return strings.Join(parts, ", ")
}

// Parse reads a transcript. Lines that are no record are skipped and counted, wherever they stand;
// NUL bytes around a record (a block the disk never wrote) are ignored. Lines end at "\n" only, of
// any length. The error is that of the reader.
func Parse(r io.Reader) (*Transcript, error) {
	t := &Transcript{Damage: Damage{NoHeader: true}}
	br := bufio.NewReaderSize(r, 64<<10)
	var raw [][]byte
	for n := 0; ; n++ {
		line, err := br.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		t.Damage.Torn = err != nil && len(line) > 0
		line = bytes.Trim(line, "\n\r \x00")
		if len(line) > 0 {
			leaked := t.Damage.Leaked
			switch {
			case !t.line(line):
				t.Damage.Bad++
			case t.Damage.Leaked == leaked:
				raw = append(raw, line)
			}
		}
		if err != nil {
			break
		}
	}
	if t.Damage.Any() {
		t.good = raw
	}
	return t, nil
}

// isHeader tells whether a line is a transcript's header.
func isHeader(line []byte) bool {
	var h Header
	return json.Unmarshal(line, &h) == nil && h.Type == headerType
}

// line takes one line over; it reports whether it was understood.
func (t *Transcript) line(b []byte) bool {
	var head struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(b, &head) != nil || head.Type == "" {
		return false
	}
	if head.Type == headerType {
		var h Header
		if json.Unmarshal(b, &h) != nil {
			return false
		}
		if t.Damage.NoHeader {
			t.Header, t.Damage.NoHeader = h, false
		}
		return true
	}
	var r core.Record
	if json.Unmarshal(b, &r) != nil {
		return false
	}
	if (r.Type == core.RecordMessage || r.Type == core.RecordCompacted) && r.Message == nil {
		return false
	}
	if t.leaks(r) {
		t.Damage.Leaked++
		return true
	}
	t.Records = append(t.Records, r)
	return true
}

// leaks tells whether r belongs to a background review: its instruction and all until a person speaks. Such a
// message would be obeyed in the next turn.
func (t *Transcript) leaks(r core.Record) bool {
	if r.Type != core.RecordMessage {
		return false
	}
	if r.Message.Role == core.RoleUser {
		t.leaking = strings.HasPrefix(r.Message.Content, core.ReviewMark)
	}
	return t.leaking
}

// Messages returns everything that was said, without voided and undone messages, unrepaired; what was
// compacted is there in full.
func (t *Transcript) Messages() []core.Message {
	var out []core.Message
	for _, r := range t.Records {
		switch r.Type {
		case core.RecordMessage:
			out = append(out, *r.Message)
		case core.RecordUndo:
			out = before(out, r.Target)
		case core.RecordDiscard:
			out = slices.DeleteFunc(out, func(m core.Message) bool { return m.ID == r.Target })
		default:
		}
	}
	return out
}

// Title returns the title of the records: the last one given, else the first line the person wrote.
func (t *Transcript) Title() string { return titleOf(t.Records) }

func titleOf(records []core.Record) string {
	title, first := "", ""
	for _, r := range records {
		switch {
		case r.Type == core.RecordTitle:
			title = r.Title
		case first == "" && r.Type == core.RecordMessage && r.Message.Role == core.RoleUser:
			first = text.Title(r.Message.Display(), TitleLimit)
		}
	}
	if title != "" {
		return title
	}
	return first
}

// TitleLimit is the length of a title in code points.
const TitleLimit = 60

// encodeLine renders v as one line with its line break, without HTML escapes.
func encodeLine(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
