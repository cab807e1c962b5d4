package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hermes/core"
	"hermes/core/text"
)

// The limits of a task list.
const (
	MaxItems = 50  // items
	MaxText  = 200 // code points of an item's text
	maxID    = 40  // code points of an item's id
)

// Todos keeps the task lists of sessions. The zero value is ready; it is safe for concurrent use.
type Todos struct {
	// OnChange hears of each change, in order, with a copy of the new list. It may call Snapshot but not
	// Set. Set it before first use.
	OnChange func(sessionID string, items []core.TodoItem)

	order sync.Mutex // one change at a time, OnChange included
	mu    sync.Mutex // guards lists
	lists map[string][]core.TodoItem
}

// Snapshot returns a copy of the session's list; nil when it is empty.
func (t *Todos) Snapshot(sessionID string) []core.TodoItem {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.lists[sessionID])
}

// Set replaces the session's list: by the tool, and when a session is opened again (see ParseItems).
// Nobody is told when nothing changed.
func (t *Todos) Set(sessionID string, items []core.TodoItem) {
	t.order.Lock()
	defer t.order.Unlock()
	if !t.swap(sessionID, items) || t.OnChange == nil {
		return
	}
	t.OnChange(sessionID, slices.Clone(items))
}

func (t *Todos) swap(sessionID string, items []core.TodoItem) (changed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.Equal(t.lists[sessionID], items) {
		return false
	}
	if t.lists == nil {
		t.lists = map[string][]core.TodoItem{}
	}
	if len(items) == 0 {
		delete(t.lists, sessionID)
	} else {
		t.lists[sessionID] = slices.Clone(items)
	}
	return true
}

// item is a task as the model writes it.
type item struct {
	ID     json.RawMessage `json:"id"`
	Text   string          `json:"text"`
	Status string          `json:"status"`
}

// ParseItems reads the arguments of a todo call. written tells whether they hold a list at all; a call
// without one only reads. Use it on a transcript's last successful call to get the list back.
func ParseItems(arguments json.RawMessage) (items []core.TodoItem, written bool, err error) {
	var a struct {
		Items *[]json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(arguments, &a); err != nil {
		return nil, false, fmt.Errorf("read items: %w", err)
	}
	if a.Items == nil {
		return nil, false, nil
	}
	if n := len(*a.Items); n > MaxItems {
		return nil, true, fmt.Errorf("the list has %d items, at most %d are kept; join small steps", n, MaxItems)
	}
	active := 0
	for i, raw := range *a.Items {
		it, err := parseItem(raw)
		if err != nil {
			return nil, true, fmt.Errorf("item %d %w", i+1, err)
		}
		if it.Status == core.TodoActive {
			active++
		}
		items = append(items, it)
	}
	if active > 1 {
		return nil, true, fmt.Errorf("%d items are in_progress, at most one may be", active)
	}
	return items, true, number(items)
}

func parseItem(raw json.RawMessage) (core.TodoItem, error) {
	var in item
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return core.TodoItem{}, fmt.Errorf("is not an object with the fields id, text and status: %w", err)
	}
	line := text.OneLine(in.Text)
	if line == "" {
		return core.TodoItem{}, errors.New("has no text")
	}
	if n := text.Len(line); n > MaxText {
		return core.TodoItem{}, fmt.Errorf("has a text of %d characters, at most %d are kept", n, MaxText)
	}
	status, err := parseStatus(in.Status)
	if err != nil {
		return core.TodoItem{}, err
	}
	id, err := parseID(in.ID)
	return core.TodoItem{ID: id, Text: line, Status: status}, err
}

// parseStatus forgives the spellings models use most.
func parseStatus(s string) (core.TodoStatus, error) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "", "pending":
		return core.TodoPending, nil
	case "in_progress":
		return core.TodoActive, nil
	case "done", "completed":
		return core.TodoDone, nil
	case "cancelled", "canceled":
		return core.TodoCancelled, nil
	}
	return "", fmt.Errorf("has the status %q; it must be pending, in_progress, done or cancelled", text.Cut(text.OneLine(s), 40))
}

// parseID takes ids written as numbers too.
func parseID(raw json.RawMessage) (string, error) {
	var s string
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	if json.Unmarshal(raw, &s) != nil {
		var n json.Number
		if json.Unmarshal(raw, &n) != nil {
			return "", errors.New("has an id that is neither a string nor a number")
		}
		s = n.String()
	}
	s = text.OneLine(s)
	if text.Len(s) > maxID {
		return "", fmt.Errorf("has an id of more than %d characters", maxID)
	}
	return s, nil
}

// number gives items without an id the smallest free number and refuses ids used twice.
func number(items []core.TodoItem) error {
	taken := map[string]bool{}
	for i, it := range items {
		if it.ID != "" && taken[it.ID] {
			return fmt.Errorf("item %d has the id %q of an earlier item", i+1, it.ID)
		}
		taken[it.ID] = true
	}
	next := 1
	for i := range items {
		if items[i].ID != "" {
			continue
		}
		for taken[strconv.Itoa(next)] {
			next++
		}
		items[i].ID = strconv.Itoa(next)
		next++
	}
	return nil
}
