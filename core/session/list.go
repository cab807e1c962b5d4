package session

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/text"
)

// Row is one session in a list.
type Row struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Model    string    `json:"model"`
	Folder   string    `json:"folder"`
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
	Messages int       `json:"messages"` // of people and models
	Bytes    int64     `json:"bytes"`
	Open     bool      `json:"open"`     // held by a process
	Requests int       `json:"requests"` // of the conversation itself to its model, side tasks left out
	Cost     core.Cost `json:"cost"`     // of all requests, as far as prices were known
	Prompt   string    `json:"-"`        // hash of the frozen system prompt
	Parent   *Parent   `json:"parent,omitempty"`
	Damage   string    `json:"damage,omitempty"` // what a look at the lines shows; opening the session reads them all
}

// List returns the sessions, last used first, and a line for every file that could not be read. A
// home without sessions gives none.
func (st *Store) List() (rows []Row, problems []string, err error) {
	entries, err := os.ReadDir(st.home.Sessions())
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, nil
		}
		return nil, nil, &core.Error{Op: "list sessions", Subject: st.home.Sessions(), Err: err, Hint: "check the permissions of the home"}
	}
	for _, e := range entries {
		id := idOf(e.Name())
		if id == "" {
			continue
		}
		row, err := st.row(id)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(b.ID, a.ID))
	})
	return rows, problems, nil
}

// row reads what a list needs: it looks into the few lines that matter and only counts the rest.
func (st *Store) row(id string) (Row, error) {
	path := st.home.Transcript(id)
	f, err := os.Open(path)
	if err != nil {
		return Row{}, fmt.Errorf("open session %s: %w", id, err)
	}
	defer f.Close() //nolint:errcheck // read only
	fi, err := f.Stat()
	if err != nil {
		return Row{}, fmt.Errorf("open session %s: %w", id, err)
	}
	if fi.IsDir() {
		return Row{}, fmt.Errorf("session %s: %s is a folder", id, path)
	}
	row := Row{ID: id, Updated: fi.ModTime().UTC(), Created: fi.ModTime().UTC(), Bytes: fi.Size(), Open: st.held(id)}
	var first string
	var headed, whole bool
	br := bufio.NewReaderSize(f, 64<<10)
	for {
		line, err := br.ReadBytes('\n')
		row.scan(line, &first)
		headed = headed || isHeader(line)
		whole = len(line) == 0 || line[len(line)-1] == '\n'
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Row{}, fmt.Errorf("read session %s: %w", id, err)
		}
	}
	row.Title = cmp.Or(row.Title, first)
	switch {
	case row.Open: // a line may be on its way
	case !headed:
		row.Damage = "no readable header"
	case !whole:
		row.Damage = "its last line is torn"
	}
	return row, nil
}

// scan takes from a line what the row needs. Our own encoder writes "type" first, which keeps the
// long lines (tool results) unparsed.
func (r *Row) scan(line []byte, first *string) {
	head := line[:min(len(line), 200)]
	switch {
	case bytes.Contains(head, []byte(`"type":"session"`)):
		var h Header
		if json.Unmarshal(line, &h) == nil {
			r.Created, r.Folder, r.Model, r.Parent, r.Prompt = h.Created, h.Cwd, h.Model, h.Parent, h.Prompt
		}
	case bytes.Contains(head, []byte(`"type":"title"`)), bytes.Contains(head, []byte(`"type":"model"`)):
		var rec core.Record
		if json.Unmarshal(line, &rec) == nil {
			r.Title, r.Model = cmp.Or(rec.Title, r.Title), cmp.Or(rec.Model, r.Model)
		}
	case bytes.Contains(head, []byte(`"type":"usage"`)):
		if !bytes.Contains(line, []byte(`"reason":"`)) {
			r.Requests++
		}
		if i := bytes.LastIndex(line, []byte(`"cost":`)); i >= 0 {
			var c core.Cost
			end := bytes.IndexAny(line[i+7:], ",}")
			if end >= 0 && c.UnmarshalJSON(line[i+7:i+7+end]) == nil {
				r.Cost = r.Cost.Add(c)
			}
		}
	case bytes.Contains(head, []byte(`"type":"message"`)):
		if bytes.Contains(head, []byte(`"role":"tool"`)) {
			return
		}
		r.Messages++
		if *first == "" && bytes.Contains(head, []byte(`"role":"user"`)) {
			var rec core.Record
			if json.Unmarshal(line, &rec) == nil && rec.Message != nil {
				*first = text.Title(rec.Message.Display(), TitleLimit)
			}
		}
	}
}

// held tells whether a process holds session id now.
func (st *Store) held(id string) bool {
	path := st.home.TranscriptLock(id)
	if !exists(path) {
		return false
	}
	l, err := home.TryLock(path)
	if err != nil {
		return core.CodeOf(err) == core.CodeBusy
	}
	return l.Unlock() != nil
}

// Stat is what a folder listing says of a transcript.
type Stat struct {
	ID       string
	Bytes    int64
	Modified time.Time
}

// Stats lists the transcripts without reading them, in the order of their ids.
func (st *Store) Stats() ([]Stat, error) {
	entries, err := os.ReadDir(st.home.Sessions())
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, &core.Error{Op: "list sessions", Subject: st.home.Sessions(), Err: err, Hint: "check the permissions of the home"}
	}
	var out []Stat
	for _, e := range entries {
		id := idOf(e.Name())
		if fi, err := e.Info(); id != "" && err == nil && fi.Mode().IsRegular() {
			out = append(out, Stat{ID: id, Bytes: fi.Size(), Modified: fi.ModTime()})
		}
	}
	return out, nil
}
