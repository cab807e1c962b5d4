package session

import (
	"math"
	"os"
	"testing"

	"hermes/core"
	"hermes/core/home"
)

// A row adds up what the conversation cost; side tasks count as cost, not as requests that carried the prompt.
func TestList_requestsAndCost(t *testing.T) {
	t.Parallel()
	st := NewStore(home.At(t.TempDir()))
	s := st.New("/w", "p/m", Prompt{System: "the prompt 系统"})
	usage := func(reason string, usd float64, known bool) core.Record {
		return core.Record{
			Type: core.RecordUsage, Purpose: core.PurposeChat, Reason: reason, Usage: &core.Usage{Input: core.KnownTokens(7), Reasoning: core.KnownTokens(1)},
			Cost: &core.Cost{USD: usd, Known: known}, Model: "p/m",
		}
	}
	for _, r := range []core.Record{
		{Type: core.RecordMessage, Message: &core.Message{ID: "m1", Role: core.RoleUser, Content: `"type":"usage","cost":99`}},
		usage("", 0.25, true), usage("", 0, false), usage("title", 0.5, true), usage("", 1e-7, true),
	} {
		if err := s.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	rows, problems, err := st.List()
	if err != nil || len(problems) > 0 || len(rows) != 1 {
		t.Fatalf("%v %v %v", rows, problems, err)
	}
	r := rows[0]
	if r.Requests != 3 || !r.Cost.Known || math.Abs(r.Cost.USD-0.7500001) > 1e-9 {
		t.Errorf("%d requests, %+v", r.Requests, r.Cost)
	}
	if text, err := st.PromptText(r.Prompt); err != nil || text != "the prompt 系统" {
		t.Errorf("%q %v", text, err)
	}
}

// A look at the lines is enough to see a file that is no transcript and one that was cut.
func TestList_damage(t *testing.T) {
	t.Parallel()
	h := home.At(t.TempDir())
	st := NewStore(h)
	s := st.New("/w", "p/m", Prompt{})
	for range 2 {
		if err := s.Append(core.Record{Type: core.RecordMessage, Message: &core.Message{ID: s.NewMessageID(), Role: core.RoleUser, Content: "问题"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(h.Transcript(s.ID()))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, want string
		data       []byte
	}{
		{"whole", "", whole},
		{"torn", "its last line is torn", whole[:len(whole)-20]},
		{"garbage", "no readable header", []byte("garbage\n")},
		{"empty", "no readable header", nil},
	} {
		if err := os.WriteFile(h.Transcript(s.ID()), tc.data, home.FileMode); err != nil {
			t.Fatal(err)
		}
		rows, _, err := st.List()
		if err != nil || len(rows) != 1 || rows[0].Damage != tc.want {
			t.Errorf("%s: %+v %v", tc.name, rows, err)
		}
	}
}
