package ledger

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUndo(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		changes []map[string]string
		move    [2]string // after the changes
		undo    []int     // indexes
		merge   bool
		want    map[string]string // nil: refused, as before
		verdict Verdict
	}{
		"last":             {changes: []map[string]string{{"a": "1\n"}, {"a": "2\n"}}, undo: []int{1}, want: map[string]string{"a": "1\n"}, verdict: Clean},
		"creation":         {changes: []map[string]string{{"d/e/a": "1\n"}}, undo: []int{0}, want: map[string]string{}, verdict: Clean},
		"removal":          {changes: []map[string]string{{"d/e/a": "1\n"}, {"d/e/a": ""}}, undo: []int{1}, want: map[string]string{"d/e/a": "1\n"}, verdict: Clean},
		"overlap":          {changes: []map[string]string{{"a": "1\n"}, {"a": "2\n"}, {"a": "3\n"}}, undo: []int{1}, verdict: Conflicts},
		"elsewhere":        {changes: []map[string]string{{"a": "1\nx\nz\n"}, {"a": "2\nx\nz\n"}, {"a": "2\nx\n3\n"}}, undo: []int{1}, merge: true, want: map[string]string{"a": "1\nx\n3\n"}, verdict: Merged},
		"merge not wanted": {changes: []map[string]string{{"a": "1\nx\nz\n"}, {"a": "2\nx\nz\n"}, {"a": "2\nx\n3\n"}}, undo: []int{1}, verdict: Merged},
		"whole session":    {changes: []map[string]string{{"a": "1\n", "b": "b"}, {"a": "2\n"}, {"b": ""}, {"a": "3\n", "c": "c"}}, undo: []int{1, 2, 3}, want: map[string]string{"a": "1\n", "b": "b"}, verdict: Clean},
		"all":              {changes: []map[string]string{{"a": "1\n", "b": "b"}, {"a": "2\n"}, {"b": ""}}, undo: []int{0, 2, 1}, want: map[string]string{}, verdict: Clean},
		"a move":           {changes: []map[string]string{{"d/a": "1\n"}}, move: [2]string{"d", "x/d"}, undo: []int{1}, want: map[string]string{"d/a": "1\n"}, verdict: Clean},
		"moved since":      {changes: []map[string]string{{"d/a": "1\n"}, {"d/a": "2\n"}}, move: [2]string{"d", "x"}, undo: []int{1}, verdict: Conflicts},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t, t.TempDir())
			var ids []string
			for _, c := range tt.changes {
				ids = append(ids, write(t, l, byAgent, c).ID)
			}
			if tt.move[0] != "" {
				e, err := l.Apply(t.Context(), byAgent, func(tx *Tx) error { return tx.Move(l.Path(tt.move[0]), l.Path(tt.move[1])) })
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, e.ID)
			}
			var undo []string
			for _, i := range tt.undo {
				undo = append(undo, ids[i])
			}
			before := tree(t, l.home.Dir())
			p, err := l.PlanUndo(t.Context(), undo...)
			if err != nil || p.Verdict != tt.verdict {
				t.Errorf("plan %+v, %v", p, err)
			}
			wantTree(t, l, before)
			e, err := l.Undo(t.Context(), Change{Actor: You}, tt.merge, undo...)
			if tt.want == nil {
				if err == nil {
					t.Error("not refused")
				}
				wantTree(t, l, before)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wantTree(t, l, tt.want)
			if _, err := l.Undo(t.Context(), Change{Actor: You}, true, undo...); err == nil {
				t.Error("undone twice")
			}
			// Undoing the undo brings everything back.
			if _, err := l.Undo(t.Context(), Change{Actor: You}, tt.merge, e.ID); err != nil {
				t.Fatal(err)
			}
			wantTree(t, l, before)
		})
	}
}

func TestUndo_conflictNamesTheLaterChange(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	one := write(t, l, byAgent, map[string]string{"a": "1\n"})
	two := write(t, l, byAgent, map[string]string{"a": "2\n"})
	_, err := l.Undo(t.Context(), Change{Actor: You}, true, one.ID)
	var c *ConflictError
	if !errors.As(err, &c) || !strings.Contains(err.Error(), two.ID) {
		t.Errorf("%v", err)
	}
}

func TestUndoIDs_ofSession(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	write(t, l, Change{Actor: You, Action: "write", Subject: "skill:a"}, map[string]string{"a": "mine"})
	one := write(t, l, byAgent, map[string]string{"b": "1"})
	two := write(t, l, byAgent, map[string]string{"b": "2"})
	if _, err := l.Undo(t.Context(), Change{Actor: You, SessionID: "s1"}, false, two.ID); err != nil {
		t.Fatal(err)
	}
	ids, err := l.UndoIDs(Filter{SessionID: "s1"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{one.ID}, ids); diff != "" {
		t.Error(diff)
	}
}
