package session

import (
	"os"
	"slices"
	"strings"
	"testing"

	"hermes/core"
	"hermes/core/home"
)

// A message of a background review that a faulty program wrote into the conversation is not obeyed: it is left
// out with all that followed from it, the file is mended and its original kept.
func TestOpenCU04_leakedReviewIsLeftOut(t *testing.T) {
	t.Parallel()
	h := home.At(t.TempDir())
	st := NewStore(h)
	s := st.New("/x", "m", Prompt{System: "sys"})
	say := func(role core.Role, text string) {
		t.Helper()
		if err := s.Append(core.Record{Type: core.RecordMessage, Message: &core.Message{ID: s.NewMessageID(), Role: role, Content: text}}); err != nil {
			t.Fatal(err)
		}
	}
	say(core.RoleUser, "hello")
	say(core.RoleAssistant, "hi")
	say(core.RoleUser, core.ReviewMark+" and so on")
	say(core.RoleAssistant, "Nothing to save.")
	say(core.RoleUser, "go on")
	id := s.ID()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := st.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // a test
	var got []string
	for _, m := range s.Messages() {
		got = append(got, m.Content)
	}
	if want := []string{"hello", "hi", "go on"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	d, aside := s.Damage()
	if d.Leaked != 2 || !strings.Contains(d.String(), "background review") || aside == "" {
		t.Errorf("%+v %q", d, aside)
	}
	if b, err := os.ReadFile(h.Transcript(id)); err != nil || strings.Contains(string(b), "Review") {
		t.Errorf("%v: %s", err, b)
	}
}
