package review

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes/core"
	"hermes/core/home"
)

func TestBook_counts(t *testing.T) {
	t.Parallel()
	turn := func(steps int, memory, skills bool) Turn {
		return Turn{Steps: steps, UsedMemory: memory, UsedSkills: skills, MemoryEvery: 3, SkillsEvery: 10}
	}
	for _, c := range []struct {
		name  string
		turns []Turn
		due   Trigger
	}{
		{"short sessions add up by turns", []Turn{turn(1, false, false), turn(1, false, false), turn(1, false, false)}, ByMemory},
		{"by steps", []Turn{turn(6, false, false), turn(4, false, false)}, BySkills},
		{"by both", []Turn{turn(4, false, false), turn(4, false, false), turn(4, false, false)}, ByBoth},
		{"using memory begins its count again", []Turn{turn(1, false, false), turn(1, true, false), turn(1, false, false), turn(1, false, false)}, ""},
		{"changing a skill begins its count again", []Turn{turn(9, false, true), turn(9, false, false)}, ""},
		{"one short", []Turn{turn(9, false, false)}, ""},
		{"thresholds of 0 are off", []Turn{{Steps: 50}, {Steps: 50}, {Steps: 50}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := home.At(t.TempDir())
			var due Trigger
			for _, turn := range c.turns {
				var err error
				if due, err = NewBook(h).Count(t.Context(), turn); err != nil { // a new process each time
					t.Fatal(err)
				}
			}
			if due != c.due {
				t.Errorf("due = %q, want %q", due, c.due)
			}
		})
	}
}

func TestBook_sharedByPrograms(t *testing.T) {
	t.Parallel()
	h := home.At(t.TempDir())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			b := NewBook(h)
			for range 10 {
				if _, err := b.Count(t.Context(), Turn{Steps: 2, SkillsEvery: 1000, MemoryEvery: 1000}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	c, err := NewBook(h).Counts()
	if err != nil || c.UserTurns != 40 || c.ModelSteps != 80 || c.Unreviewed != 40 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestBook_damagedIsSetAside(t *testing.T) {
	t.Parallel()
	h := home.At(t.TempDir())
	if err := os.WriteFile(h.ReviewState(), []byte(`{"version":1,"user_`), 0o600); err != nil {
		t.Fatal(err)
	}
	b := NewBook(h)
	if _, err := b.Counts(); err == nil || !strings.Contains(err.Error(), "review_state.json") {
		t.Errorf("Counts of a damaged file: %v", err)
	}
	if _, err := b.Count(t.Context(), Turn{Steps: 1}); err != nil {
		t.Fatal(err)
	}
	aside, err := filepath.Glob(h.ReviewState() + ".damaged-*")
	if err != nil || len(aside) != 1 {
		t.Errorf("set aside: %v, %v", aside, err)
	}
}

func TestBook_newerVersionIsNotWritten(t *testing.T) {
	t.Parallel()
	h := home.At(t.TempDir())
	const newer = `{"version":99,"user_turns":4,"dreams":[1]}`
	if err := os.WriteFile(h.ReviewState(), []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewBook(h).Count(t.Context(), Turn{Steps: 1, MemoryEvery: 1}); err == nil {
		t.Error("a newer file was written")
	}
	if b, _ := os.ReadFile(h.ReviewState()); string(b) != newer {
		t.Errorf("now %s", b)
	}
}

func TestBook_spent(t *testing.T) {
	t.Parallel()
	b := NewBook(home.At(t.TempDir()))
	day := time.Date(2026, 11, 30, 12, 0, 0, 0, time.Local)
	b.now = func() time.Time { return day }
	for range 2 {
		if err := b.Spend(t.Context(), core.Usage{Input: core.KnownTokens(100), Output: core.KnownTokens(10)}, core.Cost{USD: 0.25, Known: true}); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := b.SpentToday(); err != nil || s.Tokens != 220 || s.USD != 0.5 {
		t.Errorf("%+v, %v", s, err)
	}
	day = day.AddDate(0, 0, 1)
	if s, err := b.SpentToday(); err != nil || s.Tokens != 0 {
		t.Errorf("the next day: %+v, %v", s, err)
	}
}

func TestBook_refusedLessonsComeBackInOtherWords(t *testing.T) {
	t.Parallel()
	b := NewBook(home.At(t.TempDir()))
	for _, lesson := range []string{
		"The user prefers answers in French",
		"以后只要五条新闻，不要更多",
		"- Push the image before applying the manifests, or the pods cannot pull it\n- Probe /healthz on port 8080",
	} {
		if err := b.Refuse(t.Context(), Refusal{Store: core.StoreMemory, Lesson: lesson, How: "refused"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		text string
		want bool
	}{
		{"The user prefers answers in French.", true},
		{"user prefers the answers in French", true},
		{"The user prefers answers in German, for he lives in Kiel", false},
		{"以后每天只要五条新闻，不要更多", true},
		{"# Deploy\n\nApply.\n\n1. Push the image before applying manifests, or the pods cannot pull it\n", true},
		{"The registry is at reg:5000", false},
		{"", false},
	} {
		if _, found, err := b.Before(core.StoreMemory, c.text); err != nil || found != c.want {
			t.Errorf("Before(%q) = %v, %v; want %v", c.text, found, err, c.want)
		}
	}
	if _, found, _ := b.Before(core.StoreSkills, "The user prefers answers in French"); found {
		t.Error("found in the other store")
	}
	if err := b.Allow(t.Context(), core.StoreMemory, "prefers answers in French: the user"); err != nil {
		t.Fatal(err)
	}
	if _, found, _ := b.Before(core.StoreMemory, "The user prefers answers in French"); found {
		t.Error("still refused after the person wanted it")
	}
}
