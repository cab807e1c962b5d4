package sessions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/tui/report"
	"hermes/tui/sessions"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

// hit marks the words of an excerpt that stand in brackets.
func hit(message, role, excerpt string) sessions.Hit {
	h := sessions.Hit{Message: message, Role: role, Time: now().Add(-50 * time.Hour)}
	if role == "tool" {
		h.Tool = "terminal"
	}
	for {
		from := strings.Index(excerpt, "[")
		to := strings.Index(excerpt, "]")
		if from < 0 || to < from {
			break
		}
		excerpt = excerpt[:from] + excerpt[from+1:to] + excerpt[to+1:]
		h.Marks = append(h.Marks, [2]int{from, to - 1})
	}
	h.Excerpt = excerpt
	return h
}

func found() sessions.Found {
	return sessions.Found{Query: "西湖", Total: 4, Groups: []sessions.Group{
		{ID: "s3", Title: "東京タワー trip", Hits: []sessions.Hit{
			hit("m4", "user", "周末\n去杭州看[西湖]，坐船"),
			hit("m9", "tool", strings.Repeat("output line\n", 30)+"west lake [西湖] \x1b[2Jscripts/deploy.sh"),
		}},
		{ID: "t1", Title: "task: read the docs", Hits: []sessions.Hit{hit("m2", "assistant", "[西湖]")}},
		{ID: "s2", Title: "每周新闻摘要 digest", Hits: []sessions.Hit{hit("", "title", "[西湖] digest"), hit("m1", "assistant", "the [西湖] and the [西湖] again")}},
		{ID: "gone", Title: "deleted since", Hits: []sessions.Hit{hit("m1", "user", "[西湖]")}},
	}}
}

func searching(t *testing.T) *sessions.Picker {
	t.Helper()
	p := sessions.New("s1", now)
	p.Searches()
	p.ShowPreviews()
	p.SetRows(rows())
	for _, k := range []string{"/", "西", "湖"} {
		p.Update(tuitest.Key(k))
	}
	p.SetFound("西湖", found(), "")
	p.SetPreview("s3", "m4", []report.PreviewLine{
		{Who: "hermes", Text: "Where do you want to go? 去哪里？"}, {Who: "you", Text: "周末\n去杭州看西湖，坐船", Here: true}, {Who: "hermes", Text: strings.Repeat("A long answer 很长. ", 30)},
	})
	return p
}

func TestSearch_keys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, keys string
		want       sessions.Action
	}{
		{"the best place is chosen", "enter enter", sessions.Action{Do: sessions.Read, ID: "s3", Message: "m4", Words: "西湖"}},
		{"the next one", "down enter", sessions.Action{Do: sessions.Read, ID: "s3", Message: "m9", Words: "西湖"}},
		{"its session", "enter k enter", sessions.Action{Do: sessions.Resume, ID: "s3"}},
		{"resume from a hit", "enter c", sessions.Action{Do: sessions.Resume, ID: "s3"}},
		{"fork from there", "enter f", sessions.Action{Do: sessions.Fork, ID: "s3", Message: "m4"}},
		{"next session", "enter tab enter", sessions.Action{Do: sessions.Resume, ID: "s2"}},
		{"a hit in the title is the session", "enter tab j enter", sessions.Action{Do: sessions.Read, ID: "s2", Message: "m1", Words: "西湖"}},
		{"sub-agents on demand", "enter a tab j enter", sessions.Action{Do: sessions.Read, ID: "t1", Message: "m2", Words: "西湖"}},
		{"delete", "enter d y", sessions.Action{Do: sessions.Delete, ID: "s3"}},
		{"Esc ends the search first", "enter esc", sessions.Action{}},
		{"then the view", "enter esc esc", sessions.Action{Do: sessions.Close}},
		{"the list is back", "esc enter", sessions.Action{Do: sessions.Resume, ID: "s1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := searching(t)
			var got sessions.Action
			for k := range strings.FieldsSeq(tc.keys) {
				got = p.Update(tuitest.Key(k))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What is known at every moment is said, and an answer to an older query changes nothing.
func TestSearch_states(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Plain)
	p := searching(t)
	see := func(want string) {
		t.Helper()
		box, _, _ := p.View(st, 120, 30)
		if got := ansi.Strip(strings.Join(box, "\n")); !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	see("4 messages match")
	see("1 sub-agent hidden")
	p.Update(tuitest.Key("x"))
	see("searching …")
	see("東京タワー trip") // until the answer comes
	p.SetFound("西湖", sessions.Found{Total: 99}, "")
	see("searching …")
	p.SetFound("西湖x", sessions.Found{Query: "西湖x", Limited: "the index is being built (40 %); the transcripts were searched directly", Notes: []string{"role: is empty"}}, "")
	see("no message matches · the index is being built (40 %)")
	see("! role: is empty")
	see("no sessions match")
	p.Update(tuitest.Key("y"))
	p.SetFound("西湖xy", sessions.Found{}, "disk full")
	see("✗ the search failed: disk full")
	p.SetRows(rows()[:1])
	p.Update(tuitest.Key("esc"))
	see("deploy the flask app")
}

func TestHit_line(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Plain)
	for _, tc := range []struct {
		excerpt string
		w       int
		want    string
	}{
		{"a [b] c", 20, "a b c"},
		{"周末\n去杭州看[西湖]，坐船", 40, "周末 去杭州看西湖，坐船"},
		{strings.Repeat("x", 60) + " [西湖] end", 20, "…xxxxxxxxxx 西湖 end"},
		{"[西湖]" + strings.Repeat("y", 60), 12, "西湖yyyyyyy…"},
		{"no mark at all", 8, "no mark…"},
		{"\x07\n[hit]", 10, "hit"},
	} {
		h := hit("m", "user", tc.excerpt)
		got := ansi.Strip(h.Line(st, tc.w))
		if got != tc.want {
			t.Errorf("%q: %q, want %q", tc.excerpt, got, tc.want)
		}
		tuitest.Fits(t, h.Line(st, tc.w), tc.w, 1)
	}
	// Marks that lie, as an index of another version might bring them.
	h := sessions.Hit{Excerpt: "東京", Marks: [][2]int{{1, 2}, {-1, 3}, {0, 99}, {3, 3}, {0, 3}, {0, 3}}}
	if got := ansi.Strip(h.Line(st, 20)); got != "東京" || h.Word() != "東" {
		t.Errorf("%q %q", got, h.Word())
	}
}

func TestGolden_search(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 23}, {120, 39}, {100, 49}, {200, 49}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			box, _, _ := searching(t).View(theme.New(theme.Plain), size[0], size[1])
			frame := strings.Join(box, "\n")
			tuitest.Fills(t, frame, size[0], size[1])
			tuitest.Golden(t, fmt.Sprintf("search-%dx%d", size[0], size[1]), frame)
		})
	}
	box, _, _ := searching(t).View(theme.New(theme.Dark), 120, 39)
	tuitest.GoldenColour(t, "colour/search-dark", strings.Join(box, "\n"))
}

func TestView_everySize(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"", "enter", "enter a j r", "enter d"} {
		p := searching(t)
		for k := range strings.FieldsSeq(keys) {
			p.Update(tuitest.Key(k))
		}
		for _, w := range []int{1, 2, 5, 20, 40, 60, 80, 103, 104, 200} {
			for _, h := range []int{1, 2, 3, 6, 11, 17, 18, 24, 60} {
				box, cx, cy := p.View(theme.New(theme.Dark), w, h)
				tuitest.Fills(t, strings.Join(box, "\n"), w, h)
				if cx >= w || cx >= 0 && cy >= h {
					t.Errorf("cursor %d,%d", cx, cy)
				}
				if t.Failed() {
					t.Fatalf("%q at %dx%d", keys, w, h)
				}
			}
		}
	}
}

// BenchmarkKeyToFrame types a letter and moves with 2,000 sessions and 30 × 5 hits in sight.
func BenchmarkKeyToFrame(b *testing.B) {
	var many []sessions.Row
	f := sessions.Found{Query: "a", Total: 150}
	for i := range 2000 {
		many = append(many, sessions.Row{ID: fmt.Sprint("s", i), Title: fmt.Sprintf("session %d 東京", i), Updated: now(), Cost: core.Cost{USD: 1, Known: true}})
		if i < 30 {
			g := sessions.Group{ID: fmt.Sprint("s", i)}
			for k := range 5 {
				g.Hits = append(g.Hits, hit(fmt.Sprint("m", k), "user", strings.Repeat("words 単語 ", 20)+"[a] and"))
			}
			f.Groups = append(f.Groups, g)
		}
	}
	p := sessions.New("s1", now)
	p.Searches()
	p.SetRows(many)
	st := theme.New(theme.Dark)
	p.Update(tuitest.Key("/"))
	for b.Loop() {
		p.Update(tuitest.Key("a"))
		p.SetFound("a", f, "")
		p.View(st, 200, 60)
		p.Update(tuitest.Key("down"))
		p.View(st, 200, 60)
		p.Update(tuitest.Key("/"))
		p.Update(tuitest.Key("backspace"))
	}
}
