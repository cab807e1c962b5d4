package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"hermes/core"
)

// dataset generates the transcript the figures are measured with: 5,000 messages, 20 MB, a tenth CJK.
// It is the same every time.
func dataset(messages, bytes int) []core.Record {
	g := generator{rnd: rand.New(rand.NewPCG(1, 2)), at: time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)}
	var out []core.Record
	each := bytes / messages
	for i := 0; len(out) < messages; i++ {
		out = append(out, g.turn(i, each)...)
	}
	return out[:messages]
}

type generator struct {
	rnd *rand.Rand
	at  time.Time
}

// turn is a question, an answer that calls a tool, its result and the final answer.
func (g *generator) turn(i, each int) []core.Record {
	rec := func(m core.Message) core.Record {
		g.at = g.at.Add(time.Second)
		return core.Record{Type: core.RecordMessage, Time: g.at, Message: &m}
	}
	id := func(s string) string { return fmt.Sprint(s, i) }
	call := core.ToolCall{ID: id("c"), Name: "terminal", Arguments: fmt.Sprintf(`{"command":"make step-%d"}`, i)}
	return []core.Record{
		rec(core.Message{ID: id("u"), Role: core.RoleUser, Content: g.text(each / 8)}),
		rec(core.Message{ID: id("a"), Role: core.RoleAssistant, Content: g.text(each / 8), ToolCalls: []core.ToolCall{call}}),
		rec(core.Message{ID: id("t"), Role: core.RoleTool, ToolCallID: call.ID, Content: g.text(each * 2)}),
		rec(core.Message{ID: id("b"), Role: core.RoleAssistant, Content: g.markdown(each * 7 / 4)}),
	}
}

// text is running text of about n bytes, a tenth of its characters CJK.
func (g *generator) text(n int) string {
	var b strings.Builder
	for b.Len() < n {
		for range 6 {
			b.WriteString([]string{"deploy ", "the ", "cluster ", "registry ", "failed ", "again, ", "look "}[g.rnd.IntN(7)])
		}
		b.WriteString([]string{"部署到集群", "東京タワー", "다시 시도", "日志已更新"}[g.rnd.IntN(4)])
		b.WriteString([]string{" ", ". ", "\n"}[g.rnd.IntN(3)])
	}
	return b.String()
}

// markdown is an answer of about n bytes with headings, lists, a table and code.
func (g *generator) markdown(n int) string {
	var b strings.Builder
	for b.Len() < n {
		switch g.rnd.IntN(5) {
		case 0:
			fmt.Fprintf(&b, "## Step %d 步骤\n\n", g.rnd.IntN(90))
		case 1:
			b.WriteString("- " + strings.ReplaceAll(strings.TrimSpace(g.text(120)), "\n", "\n- ") + "\n\n")
		case 2:
			b.WriteString("```go\nfunc f(x int) int {\n\treturn x + 1 // 行\n}\n```\n\n")
		case 3:
			b.WriteString("| what | 状態 |\n| --- | --- |\n| web | 稼働中 |\n| queue | stopped |\n\n")
		default:
			b.WriteString(g.text(400) + "\n\n")
		}
	}
	return b.String()
}
