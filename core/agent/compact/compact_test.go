package compact

import (
	"fmt"
	"strings"
	"testing"

	"hermes/core"
)

func user(s string) core.Message { return core.Message{Role: core.RoleUser, Content: s} }
func say(s string) core.Message  { return core.Message{Role: core.RoleAssistant, Content: s} }

func calls(n int) []core.Message {
	m := core.Message{Role: core.RoleAssistant}
	out := []core.Message{}
	for i := range n {
		id := fmt.Sprint("c", i)
		m.ToolCalls = append(m.ToolCalls, core.ToolCall{ID: id, Name: "read_file", Arguments: `{"path":"a.go"}`})
		out = append(out, core.Message{Role: core.RoleTool, ToolCallID: id, ToolName: "read_file", Content: "text"})
	}
	return append([]core.Message{m}, out...)
}

func join(parts ...[]core.Message) []core.Message {
	var out []core.Message
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func TestFind_neverTearsACallFromItsResults(t *testing.T) {
	t.Parallel()
	for groups := 1; groups < 12; groups++ {
		for width := 1; width < 5; width++ {
			msgs := []core.Message{user("go")}
			for range groups {
				msgs = append(msgs, calls(width)...)
			}
			msgs = append(msgs, say("done"), user("next"))
			for first := range 6 {
				for last := range 12 {
					from, until, ok := Find(msgs, Limits{First: first, Last: last})
					if !ok {
						continue
					}
					for _, i := range []int{from, until} {
						if i < len(msgs) && msgs[i].Role == core.RoleTool {
							t.Fatalf("%d×%d, first %d, last %d: boundary %d is inside a group", groups, width, first, last, i)
						}
					}
					rest := join(msgs[:from], []core.Message{user(Marker)}, msgs[until:])
					if got := core.RepairMessages(rest); len(got) != len(rest) {
						t.Fatalf("what stays is not valid: %d → %d", len(rest), len(got))
					}
				}
			}
		}
	}
}

func TestFind_givesUpTailWhenItIsTooLarge(t *testing.T) {
	t.Parallel()
	var msgs []core.Message
	for range 30 {
		msgs = append(msgs, user("q"), say(strings.Repeat("word ", 2000)))
	}
	from, until, ok := Find(msgs, Limits{First: 3, Last: 20, Room: 12_000})
	if !ok || from != 3 || len(msgs)-until > 8 {
		t.Errorf("%d, %d of %d, %v", from, until, len(msgs), ok)
	}
	if _, _, ok := Find(msgs[:5], Limits{First: 3, Last: 20}); ok {
		t.Error("five messages are compacted")
	}
}

func TestRequest_updatesTheEarlierNote(t *testing.T) {
	t.Parallel()
	middle := join([]core.Message{user(Wrap("## Goal\nship it"))}, calls(1), []core.Message{say("读完了")})
	got := Request(middle, "the tests", 0)
	ask := got[1].Content
	for _, want := range []string{"note so far", "ship it", "calls read_file", "读完了", "above all what concerns: the tests"} {
		if !strings.Contains(ask, want) {
			t.Errorf("lacks %q:\n%s", want, ask)
		}
	}
	if strings.Contains(ask, Marker) || got[0].Role != core.RoleSystem || !strings.Contains(got[0].Content, "## Next steps") {
		t.Errorf("%+v", got)
	}
	if long := Request([]core.Message{user(strings.Repeat("x", 1_000_000)), user("y")}, "", 5_000); len(long[1].Content) > 20_000 {
		t.Errorf("%d characters for a small summariser", len(long[1].Content))
	}
}

func TestFallback_keepsWhatCanBeKeptWithoutAModel(t *testing.T) {
	t.Parallel()
	middle := join([]core.Message{user(Wrap("old note")), user("fix the build"), {
		Role: core.RoleAssistant, ToolCalls: []core.ToolCall{{Name: "terminal", Arguments: `{"command":"go test ./..."}`}},
	}}, calls(2), []core.Message{say("it is green")})
	got := Fallback(middle)
	for _, want := range []string{"old note", "- fix the build", "- a.go", "- go test ./...", "it is green"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q occurs %d times:\n%s", want, strings.Count(got, want), got)
		}
	}
}

func TestTokens_countsWideCharacters(t *testing.T) {
	t.Parallel()
	if a, b := TextTokens(strings.Repeat("abcd", 100)), TextTokens(strings.Repeat("漢", 100)); a != 100 || b != 75 {
		t.Errorf("%d, %d", a, b)
	}
}

// The figure of the issue: 5,000 messages without the model call.
func BenchmarkCompact(b *testing.B) {
	var msgs []core.Message
	for range 1000 {
		msgs = append(msgs, user("do the next thing, 请继续"))
		msgs = append(msgs, calls(2)...)
		msgs = append(msgs, say(strings.Repeat("Some words about what was done. ", 20)))
	}
	for b.Loop() {
		from, until, ok := Find(msgs, Limits{First: 3, Last: 20, Room: 50_000})
		if !ok {
			b.Fatal("nothing to compact")
		}
		Request(msgs[from:until], "", 100_000)
		Fallback(msgs[from:until])
	}
}
