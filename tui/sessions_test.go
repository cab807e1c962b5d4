package tui

import (
	"context"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/tui/sessions"
	"hermes/tui/tuitest"
)

// findPort answers each query with one hit; a query of hold waits until it is given up.
type findPort struct {
	*ports
	mu    sync.Mutex
	given []string // queries that were given up
	// building is how many answers come from an unfinished index.
	building int
}

func (p *findPort) Find(ctx context.Context, query string) (Found, error) {
	if err := p.note("find " + query); err != nil {
		return Found{}, err
	}
	if strings.HasPrefix(query, "hold") {
		<-ctx.Done()
		p.mu.Lock()
		p.given = append(p.given, query)
		p.mu.Unlock()
		return Found{}, ctx.Err()
	}
	partial := ""
	p.mu.Lock()
	if p.building > 0 {
		p.building--
		partial = "the index is being built (40 %)"
	}
	p.mu.Unlock()
	return Found{Query: query, Total: 1, Limited: partial, Partial: partial != "", Groups: []sessions.Group{{ID: "s9", Hits: []sessions.Hit{
		{Message: "a4", Role: "assistant", Excerpt: "words 西湖 words", Marks: [][2]int{{6, 12}}},
	}}}}, nil
}

func findRig(t *testing.T, w, h int) (*rig, *findPort) {
	t.Helper()
	p, c := newPorts(), newClock()
	find := &findPort{ports: p}
	p.rows = []SessionRow{{ID: "s1", Title: "open one", Open: true}, {ID: "s8", Title: "an other"}, {ID: "s9", Title: "weekend 周末"}}
	ws := p.workspace("s1")
	ws.Finder, ws.Transcripts = find, storedPort{p}
	r := startRig(t, New(Options{Workspace: ws, Setup: setupPort{p}, Now: c.now, Theme: "dark", Version: "0.1"}), p, c, w, h)
	r.keys("ctrl+x", "s")
	r.until("the list", func() bool { return strings.Contains(r.plain(), "weekend 周末") })
	return r, find
}

// Find as you type, see the place, open it there, fork from there.
func TestSessions_search(t *testing.T) {
	t.Parallel()
	r, _ := findRig(t, 120, 40)
	r.keys("/")
	r.text("西")
	r.text("湖")
	r.until("the hit", func() bool { return strings.Contains(r.plain(), "1 message matches") })
	if r.p.has("find 西") {
		t.Error("searched for what was typed on")
	}
	r.called("around s9 a4")
	r.until("its place", func() bool { return strings.Contains(r.plain(), "here it is: 西湖 a4") })
	r.keys("enter", "enter")
	r.until("the session", func() bool { return strings.Contains(r.plain(), "5 of 9") })
	r.shows("the session s9", "answer 4", "/ 西湖", "read only")
	r.keys("n")
	r.shows("answer 4")
	r.keys("esc", "/")
	r.text("question 7")
	r.keys("enter")
	r.until("another place", func() bool { return strings.Contains(r.plain(), "question 7") })
	r.keys("esc", "esc")
	r.shows("1 message matches") // the search is as it was left
	r.keys("f")
	r.called("fork s9 a4")
	r.until("the fork", func() bool { return !r.m.covered() })
}

// A search that takes long never holds a key, and is given up by the next one and by closing.
func TestSessions_searchIsGivenUp(t *testing.T) {
	t.Parallel()
	r, find := findRig(t, 80, 24)
	given := func(n int) func() bool {
		return func() bool { find.mu.Lock(); defer find.mu.Unlock(); return len(find.given) == n }
	}
	r.keys("/")
	r.text("hold")
	r.called("find hold")
	r.text("er")
	r.until("the first to be given up", given(1))
	r.called("find holder")
	r.shows("searching …", "/ holder")
	r.keys("esc", "esc")
	r.until("the second to be given up", given(2))
	if r.m.covered() {
		t.Error("still open")
	}
}

func TestSessions_searchFails(t *testing.T) {
	t.Parallel()
	r, _ := findRig(t, 80, 24)
	r.p.mu.Lock()
	r.p.err = errFake
	r.p.mu.Unlock()
	r.keys("/")
	r.text("week")
	r.until("the failure", func() bool { return strings.Contains(r.plain(), "the search failed: "+errFake.Error()) })
	r.shows("weekend 周末") // what the titles say is found anyway
}

// While the index is being built the answer says so, and a better one follows by itself.
func TestSessions_searchAgain(t *testing.T) {
	t.Parallel()
	r, find := findRig(t, 100, 30)
	find.mu.Lock()
	find.building = 1
	find.mu.Unlock()
	r.keys("/")
	r.text("西湖")
	r.until("the first answer", func() bool { return strings.Contains(r.plain(), "the index is being built (40 %)") })
	r.shows("1 message matches")
	r.until("the second", func() bool { return !strings.Contains(r.plain(), "being built") })
	r.shows("1 message matches")
	r.keys("enter", "?")
	r.shows("What a search may hold", "exactly these words")
}

// OPEN-TU-02 with the two views open, while text streams below.
func TestResizeStorm_stored(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) *rig{
		"clean-up": func(t *testing.T) *rig {
			t.Helper()
			r, _ := cleanRig(t, 80, 24)
			r.keys("d", "e")
			return r
		},
		"search": func(t *testing.T) *rig {
			t.Helper()
			r, _ := findRig(t, 80, 24)
			r.keys("/")
			r.text("西湖")
			r.until("its place", func() bool { return strings.Contains(r.plain(), "here it is: 西湖 a4") })
			return r
		},
		"transcript": func(t *testing.T) *rig {
			t.Helper()
			r, _ := findRig(t, 80, 24)
			r.run(r.m.readSession(place{session: "s9", message: "a4"}))
			r.until("the session", func() bool { return strings.Contains(r.plain(), "the session s9") })
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, fresh := open(t), open(t)
			for _, s := range [][2]int{{120, 40}, {40, 12}, {40, 10}, {20, 5}, {1, 1}, {0, 0}, {200, 60}, {108, 13}, {80, 24}} {
				delta := &core.TextDelta{Meta: core.Meta{SessionID: "s1"}, MessageID: "m30", Text: "streamed 東京 text "}
				r.emit(delta)
				fresh.emit(delta)
				r.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
				if s[0] > 0 && s[1] > 0 {
					tuitest.Fills(t, r.screen(), s[0], s[1])
				}
			}
			if diff := cmp.Diff(fresh.plain(), r.plain()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
