package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/core/memory"
	"hermes/tui/cleanup"
	"hermes/tui/tuitest"
)

// streamText is 100 KB of Markdown with headings, a table and code blocks, in 2,500 pieces.
func streamText() []string {
	para := strings.Repeat("plain words and 東京 text with `code`, ", 12) + "\n\n"
	code := "```go\n" + strings.Repeat("func f(x int) int { return x + 1 } // 行\n", 60) + "```\n\n"
	table := "| a | b |\n|---|---|\n" + strings.Repeat("| cell one | 値 two |\n", 30) + "\n"
	var b strings.Builder
	for i := 0; b.Len() < 100_000; i++ {
		fmt.Fprintf(&b, "## Heading %d\n\n", i)
		b.WriteString(strings.Repeat(para, 6))
		if i%6 == 2 {
			b.WriteString(code)
		}
		if i == 4 {
			b.WriteString(table)
		}
	}
	runes := []rune(b.String())
	var out []string
	for i := 0; i < len(runes) && len(out) < 2500; i += 40 {
		out = append(out, string(runes[i:min(i+40, len(runes))]))
	}
	return out
}

func benchModel(tb testing.TB) *Model {
	tb.Helper()
	p := newPorts()
	m := New(Options{Workspace: p.workspace("s1"), Now: newClock().now})
	m.ctx = tb.Context()
	m.Init()
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	return m
}

func deltaCost(m *Model, pieces []string) time.Duration {
	start := time.Now()
	for _, s := range pieces {
		m.applyEvents(eventsMsg{gen: m.ws.gen, batch: []core.Event{&core.TextDelta{Meta: core.Meta{SessionID: "s1"}, MessageID: "m1", Text: s}}})
		m.View()
	}
	return time.Since(start) / time.Duration(max(len(pieces), 1))
}

// OPEN-TU-05: the last deltas of a long answer cost no more than three times what early ones did,
// and a key is drawn within 100 ms all the time.
func TestDeltaCost_staysFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	pieces := streamText()
	m := benchModel(t)
	deltaCost(m, pieces[:250])
	early := deltaCost(m, pieces[250:500])
	deltaCost(m, pieces[500:len(pieces)-250])
	late := deltaCost(m, pieces[len(pieces)-250:])
	start := time.Now()
	m.Update(tuitest.Key("x"))
	m.View()
	key := time.Since(start)
	t.Logf("%d deltas: early %v, late %v, key %v", len(pieces), early, late, key)
	if late > 3*early+time.Millisecond {
		t.Errorf("a delta costs %v at the end, %v at the start", late, early)
	}
	if key > 100*time.Millisecond {
		t.Errorf("a key takes %v", key)
	}
}

func BenchmarkDelta(b *testing.B) {
	pieces := streamText()
	m := benchModel(b)
	i := 0
	for b.Loop() {
		deltaCost(m, pieces[i%len(pieces):i%len(pieces)+1])
		i++
	}
}

func BenchmarkFrame(b *testing.B) {
	c := newClock()
	m := benchModel(b)
	m.applyEvents(eventsMsg{gen: m.ws.gen, batch: story(c)})
	for b.Loop() {
		m.View()
	}
}

func BenchmarkResize(b *testing.B) {
	m := benchModel(b)
	for i := range 300 {
		m.applyEvents(eventsMsg{gen: m.ws.gen, batch: []core.Event{&core.MessageEnded{Meta: core.Meta{SessionID: "s1"}, Message: core.Message{
			ID: fmt.Sprint("m", i), Role: core.RoleAssistant, Content: storyAnswer,
		}}}})
	}
	w := 120
	for b.Loop() {
		w = 240 - w
		m.Update(tea.WindowSizeMsg{Width: 100 + w%31, Height: 40})
		m.View()
	}
}

// BenchmarkOpen is opening a session of 5,000 messages and 20 MB down to its last screen.
func BenchmarkOpen(b *testing.B) {
	p := newPorts()
	p.past = dataset(5000, 20<<20)
	for b.Loop() {
		m := New(Options{Workspace: p.workspace("s1"), Now: newClock().now})
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		m.View()
	}
}

// BenchmarkSearch is looking through 5,000 messages and 20 MB for words that stand in none.
func BenchmarkSearch(b *testing.B) {
	p := newPorts()
	p.past = dataset(5000, 20<<20)
	m := New(Options{Workspace: p.workspace("s1"), Now: newClock().now})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	m.View()
	m.chat.StartSearch()
	m.chat.SearchKey("", tea.PasteMsg{Content: "edge of 不存在"})
	for b.Loop() {
		m.chat.Corpus().Find(b.Context())
	}
}

// BenchmarkKey is one key with its frame, in the middle of 5,000 messages.
func BenchmarkKey(b *testing.B) {
	p := newPorts()
	p.past = dataset(5000, 20<<20)
	m := New(Options{Workspace: p.workspace("s1"), Now: newClock().now})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	m.chat.Scroll(-4000)
	for i := 0; b.Loop(); i++ {
		m.Update(tuitest.Key(string(rune('a' + i%26))))
		m.View()
		if i%200 == 199 {
			m.chat.Composer().Reset()
		}
	}
}

// tidyModel is the clean-up with 200 entries on a large screen, over a full chat.
func tidyModel(tb testing.TB) *Model {
	tb.Helper()
	var sheets []memory.Sheet
	for s, target := range memory.Targets() {
		sheet := memory.Sheet{Target: target, Limit: 40_000}
		for i := range 100 {
			text := fmt.Sprintf("%d-%d %s", s, i, strings.Repeat("東京 tower ", 20))
			sheet.Entries = append(sheet.Entries, memory.Entry{ID: memory.ID(text), Text: text, Chars: 190})
			sheet.Used += 193
		}
		sheets = append(sheets, sheet)
	}
	m := benchModel(tb)
	deltaCost(m, streamText()[:500])
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	l := &cleanupLayer{view: cleanup.New(time.Now, "")}
	l.view.SetSheets(sheets)
	m.push(l)
	return m
}

// BenchmarkCleanup_keyToFrame is a key with its whole frame.
func BenchmarkCleanup_keyToFrame(b *testing.B) {
	m := tidyModel(b)
	for _, key := range []string{"j", "d", "J", "t", "u"} {
		b.Run(key, func(b *testing.B) {
			for b.Loop() {
				m.Update(tuitest.Key(key))
				_ = m.View()
			}
		})
	}
}
