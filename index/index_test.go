package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes/core"
	"hermes/core/home"
)

// shelf is a home with transcripts written the way core/session does.
type shelf struct {
	t    testing.TB
	home home.Home
	n    int
}

func newShelf(tb testing.TB) *shelf {
	tb.Helper()
	s := &shelf{t: tb, home: home.At(filepath.Join(tb.TempDir(), "home"))}
	if err := os.MkdirAll(s.home.Sessions(), 0o700); err != nil {
		tb.Fatal(err)
	}
	return s
}

func (s *shelf) append(id string, v any) {
	s.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		s.t.Fatal(err)
	}
	f, err := os.OpenFile(s.home.Transcript(id), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // the write is checked
	if _, err := f.Write(append(b, '\n')); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) header(id string) {
	s.append(id, map[string]any{"type": "session", "v": 1, "id": id, "created": time.Now().UTC()})
}

func (s *shelf) say(id string, role core.Role, text string) string {
	s.t.Helper()
	if _, err := os.Stat(s.home.Transcript(id)); err != nil {
		s.header(id)
	}
	s.n++
	m := core.Message{ID: fmt.Sprint("m", s.n), Role: role, Content: text}
	if role == core.RoleTool {
		m.ToolName, m.ToolCallID = "terminal", "c"
	}
	s.append(id, core.Record{Type: core.RecordMessage, Time: time.Now().UTC(), Message: &m})
	return m.ID
}

func (s *shelf) index() *Index {
	s.t.Helper()
	x := New(s.home)
	s.t.Cleanup(func() {
		if err := x.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return x
}

// found lists the sessions a query finds.
func found(tb testing.TB, x *Index, q string, o Options) (string, Results) {
	tb.Helper()
	r, err := x.Search(tb.Context(), Parse(q, time.Now()), o)
	if err != nil {
		tb.Fatalf("%q: %v", q, err)
	}
	var ids []string
	for _, g := range r.Sessions {
		ids = append(ids, g.SessionID)
	}
	return strings.Join(ids, " "), r
}

func wantFound(tb testing.TB, x *Index, q, want string) Results {
	tb.Helper()
	got, r := found(tb, x, q, Options{})
	if len(strings.Fields(got)) != len(strings.Fields(want)) {
		tb.Errorf("%q finds %q, want %q", q, got, want)
		return r
	}
	for _, id := range strings.Fields(want) {
		if !strings.Contains(got, id) {
			tb.Errorf("%q finds %q, want %q", q, got, want)
		}
	}
	return r
}

func TestOpenSE01_shortCJKTerms(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for id, text := range map[string]string{"s1": "周末去杭州看西湖", "s2": "成都火锅很辣", "s3": "明天修自行车"} {
		s.say(id, core.RoleUser, text)
	}
	x := s.index()
	for q, want := range map[string]string{"西湖 OR 火锅": "s1 s2", "辣": "s2", "西湖*": "s1", `"西湖"`: "s1", "车": "s3", "自行车 OR 辣": "s2 s3", "湖西": ""} {
		wantFound(t, x, q, want)
	}
}

func TestOpenSE02_latinGluedToCJK(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.say("s1", core.RoleUser, "把redis缓存改成64MB，重启nginx服务")
	x := s.index()
	for _, q := range []string{"redis", "nginx", "64MB", "redis 缓存", "REDIS", "缓存 nginx", "redi*"} {
		wantFound(t, x, q, "s1")
	}
}

func TestOpenSE03_punctuationAndOperators(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.say("s1", core.RoleUser, "fixed chat-send in scripts/deploy.sh for bot@example.org, issue #123, 50% done, it's C++ v2.2 (a:b)")
	x := s.index()
	for _, q := range []string{
		"chat-send", "scripts/deploy.sh", "bot@example.org", "#123", "50%", "it's", "C++", "v2.2", "a:b", `"chat-send in"`, `"chat-send`, "wrong-book OR chat-send",
	} {
		r := wantFound(t, x, q, "s1")
		if len(r.Sessions) == 1 && len(r.Sessions[0].Hits[0].Marks) == 0 {
			t.Errorf("%q marks nothing in %q", q, r.Sessions[0].Hits[0].Excerpt)
		}
	}
	for _, q := range []string{"NOT", "AND AND", "***", "+", "(", ""} {
		if r := wantFound(t, x, q, ""); len(r.Notes) == 0 {
			t.Errorf("%q: an empty result without a word", q)
		}
	}
}

func TestSearch_groupsRanksAndExcludes(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.say("tool", core.RoleTool, "deploy finished")
	s.say("chat", core.RoleUser, "please deploy the app")
	s.say("chat", core.RoleAssistant, "I will deploy it.\nline two\nthe deploy is done")
	s.say("titled", core.RoleUser, "hello")
	s.append("titled", core.Record{Type: core.RecordTitle, Time: time.Now(), Title: "Deploy day"})
	s.say("live", core.RoleUser, "deploy now")
	x := s.index()
	got, r := found(t, x, "deploy", Options{Exclude: "live"})
	if got != "titled chat tool" && got != "titled tool chat" || r.Total != 4 {
		t.Errorf("%q, %d", got, r.Total)
	}
	if r.Sessions[0].Title != "Deploy day" {
		t.Errorf("%+v", r.Sessions[0])
	}
	wantFound(t, x, "deploy role:tool", "tool")
	wantFound(t, x, "deploy tool:terminal", "tool")
	wantFound(t, x, "deploy session:chat", "chat")
	wantFound(t, x, "deploy -app role:user", "live")
	wantFound(t, x, "deploy since:1h", "tool chat titled live")
	wantFound(t, x, "deploy before:2020-01-01", "")
	wantFound(t, x, "role:tool", "tool")
}

// Messages are found as they come, deletions and retries are followed, copies in forks are not found twice.
func TestSync_followsTheTranscripts(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.say("a", core.RoleUser, "first pelican")
	x := s.index()
	wantFound(t, x, "pelican", "a")
	void := s.say("a", core.RoleAssistant, "half an ibis")
	wantFound(t, x, "ibis", "a")
	s.append("a", core.Record{Type: core.RecordDiscard, Time: time.Now(), Target: void})
	wantFound(t, x, "ibis", "")
	b, err := os.ReadFile(s.home.Transcript("a"))
	if err != nil {
		t.Fatal(err)
	}
	_, copied, _ := strings.Cut(string(b), "\n")
	s.append("b", map[string]any{"type": "session", "v": 1, "id": "b", "created": time.Now().Add(time.Hour), "parent": map[string]string{"session": "a"}})
	f, err := os.OpenFile(s.home.Transcript("b"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(copied)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	wantFound(t, x, "pelican", "a")
	if err := os.Remove(s.home.Transcript("a")); err != nil {
		t.Fatal(err)
	}
	wantFound(t, x, "pelican", "")
	// Another file under the old name.
	s.say("c", core.RoleUser, "one heron")
	wantFound(t, x, "heron", "c")
	if err := os.Remove(s.home.Transcript("c")); err != nil {
		t.Fatal(err)
	}
	s.say("c", core.RoleUser, "a stork, and much more text than there was before in this file")
	wantFound(t, x, "heron", "")
	wantFound(t, x, "stork", "c")
}

func TestOpenSE04_theIndexIsOpenElsewhere(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.say("a", core.RoleUser, "a pelican")
	one, two := s.index(), s.index()
	wantFound(t, one, "pelican", "a")
	// The first holds the lease for longer than the second waits.
	idx, err := one.engine.lease(t.Context())
	if err != nil || idx == nil {
		t.Fatal(err)
	}
	start := time.Now()
	r := wantFound(t, two, "pelican", "a")
	if took := time.Since(start); took > 3*time.Second || r.Limited == "" {
		t.Errorf("took %s, limited %q", took, r.Limited)
	}
	one.engine.release()
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	s.say("b", core.RoleUser, "another pelican")
	if r = wantFound(t, two, "pelican", "a b"); r.Limited != "" {
		t.Errorf("still limited: %q", r.Limited)
	}
}

func TestOpenSE05_damagedIndexFiles(t *testing.T) {
	t.Parallel()
	damage := map[string]func(t *testing.T, dir string){
		"truncated segment": func(t *testing.T, dir string) {
			t.Helper()
			eachFile(t, dir, ".zap", func(b []byte) []byte { return b[:len(b)/2] })
		},
		"zeros inside": func(t *testing.T, dir string) {
			t.Helper()
			eachFile(t, dir, ".zap", func(b []byte) []byte { copy(b[len(b)/3:], make([]byte, len(b)/3)); return b })
		},
		"empty metadata": func(t *testing.T, dir string) {
			t.Helper()
			eachFile(t, dir, "index_meta.json", func([]byte) []byte { return nil })
		},
		"no root": func(t *testing.T, dir string) {
			t.Helper()
			eachFile(t, dir, "root.bolt", nil)
		},
		"from the future": func(t *testing.T, dir string) {
			t.Helper()
			e := engine{dir: dir}
			idx, err := e.lease(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := writeMeta(idx, meta{Version: Version + 1}); err != nil {
				t.Fatal(err)
			}
			e.release()
			if err := e.close(); err != nil {
				t.Fatal(err)
			}
		},
		"gone": func(t *testing.T, dir string) {
			t.Helper()
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, hurt := range damage {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t)
			for i := range 50 {
				s.say(fmt.Sprint("s", i%5), core.RoleUser, fmt.Sprintf("pelican number %d 漢字 %s", i, strings.Repeat("word ", i)))
			}
			x := s.index()
			wantFound(t, x, "pelican", "s0 s1 s2 s3 s4")
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			before := treeOf(t, s.home.Sessions())
			hurt(t, x.engine.dir)
			y := s.index()
			r := wantFound(t, y, "pelican", "s0 s1 s2 s3 s4")
			t.Logf("limited: %q", r.Limited)
			if r = wantFound(t, y, "漢字", "s0 s1 s2 s3 s4"); r.Limited != "" && !strings.Contains(r.Limited, "candidates") {
				t.Errorf("the person is told twice: %q", r.Limited)
			}
			if treeOf(t, s.home.Sessions()) != before {
				t.Error("a transcript was touched")
			}
		})
	}
}

func eachFile(t *testing.T, dir, suffix string, change func([]byte) []byte) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, suffix) {
			return err
		}
		n++
		if change == nil {
			return os.Remove(p)
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		return os.WriteFile(p, change(b), 0o600)
	})
	if err != nil || n == 0 {
		t.Fatalf("%d files %s: %v", n, suffix, err)
	}
}

func treeOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(e.Name() + "\n" + string(text))
	}
	return b.String()
}

// The same query means the same with and without the engine.
func TestSearch_scanAgreesWithTheEngine(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	words := []string{"pelican", "heron", "redis缓存", "64MB", "src/main.go", "getUserName", "西湖", "火锅", "C++", "it's", "v2.2", "#12"}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 120 {
		var text []string
		for range 1 + r.IntN(5) {
			text = append(text, words[r.IntN(len(words))])
		}
		s.say(fmt.Sprintf("s%02d", i%40), core.RoleUser, strings.Join(text, []string{" ", "，", "\n", ""}[r.IntN(4)]))
	}
	x := s.index()
	for range 150 {
		q := words[r.IntN(len(words))] + []string{" ", " OR ", " -"}[r.IntN(3)] + words[r.IntN(len(words))]
		query, o := Parse(q, time.Now()), Options{Now: time.Now(), Limit: 100}
		engine, more, err := func() ([]Hit, bool, error) {
			if _, err := x.Sync(t.Context(), nil); err != nil {
				return nil, false, err
			}
			f, err := x.ask(t.Context(), query, o)
			return f.hits, f.limited != "", err
		}()
		if err != nil || more {
			t.Fatal(err, more)
		}
		plain, _, err := x.scan(t.Context(), query, o)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := ids(engine), ids(plain); a != b {
			t.Errorf("%q: engine %s\nscan %s", q, a, b)
		}
	}
}

func ids(hits []Hit) string {
	seen := map[string]bool{}
	for _, h := range hits {
		seen[h.MessageID] = true
	}
	var out []string
	for i := range 200 {
		if id := fmt.Sprint("m", i); seen[id] {
			out = append(out, id)
		}
	}
	return strings.Join(out, " ")
}

func TestSearch_stopsWithItsContext(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.say("a", core.RoleUser, "x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.index().Search(ctx, Parse("x", time.Now()), Options{}); err == nil {
		t.Error("a cancelled search answers")
	}
}

// Looking for something where nothing was ever said writes nothing.
func TestSearch_emptyHome(t *testing.T) {
	t.Parallel()
	h := home.At(filepath.Join(t.TempDir(), "home"))
	x := (&shelf{t: t, home: h}).index()
	wantFound(t, x, "anything", "")
	if _, err := x.Rebuild(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(h.Dir()); !os.IsNotExist(err) {
		t.Errorf("the home was made: %v", err)
	}
}
