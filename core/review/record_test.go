package review

import (
	"testing"
	"time"

	"hermes/core/home"
)

// A review is found by the names a person sees: its id, the end of it, "last", and its number in the workspace.
func TestRecords_Get(t *testing.T) {
	t.Parallel()
	r := NewRecords(home.At(t.TempDir()))
	began := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for i, id := range []string{"rv-20261130-120000.000-aaaa", "rv-20261130-120100.000-bbbb", "rv-20261130-120200.000-cccc"} {
		if err := r.Save(Record{ID: id, State: Saved, StartedAt: began.Add(time.Duration(i) * time.Minute)}); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string]string{
		"last": "cccc", "1": "aaaa", "#1": "aaaa", "#3": "cccc", "bbbb": "bbbb", "rv-20261130-120100.000-bbbb": "bbbb", "4": "", "#0": "", "-1": "", "rv-2": "", "": "", "#": "",
	} {
		rec, err := r.Get(id)
		if got := rec.ID; (err == nil) != (want != "") || want != "" && got[len(got)-4:] != want {
			t.Errorf("%q: %q %v", id, got, err)
		}
	}
}
