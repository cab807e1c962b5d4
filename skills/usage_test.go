package skills

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes/core/home"
)

// OPEN-CU-01: no count is lost, within a process and between writers.
func TestCase_usageIsExact(t *testing.T) {
	t.Parallel()
	h := home.At(t.TempDir())
	var wg sync.WaitGroup
	const writers, routines, each = 2, 25, 40
	for range writers {
		u := NewUsage(h, time.Now)
		wg.Go(func() {
			var in sync.WaitGroup
			for g := range routines {
				in.Go(func() {
					for i := range each {
						u.Bump(t.Context(), fmt.Sprintf("s%d", i%4), Used)
						if g == 0 && i%10 == 0 {
							if err := u.Flush(t.Context()); err != nil {
								t.Error(err)
							}
						}
					}
				})
			}
			in.Wait()
			if err := u.Flush(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	records, err := NewUsage(h, time.Now).Records()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if n := records[fmt.Sprintf("s%d", i)].UseCount; n != writers*routines*each/4 {
			t.Errorf("s%d: %d", i, n)
		}
	}
}

// OPEN-CU-01: what other programs write.
func TestCase_usageOfOthers(t *testing.T) {
	t.Parallel()
	h := home.At(t.TempDir())
	write(t, h.Skills(), ".usage.json", `{"a":{"last_used_at":1760000000.5,"use_count":"7","view_count":-3,"pinned":"yes","x_note":"汉","created_at":"2026-01-02T03:04:05","patch_count":true},
		"list":[1,2],"x_top":"kept","old":{"agent_created":true,"state":"odd"}}`)
	u := NewUsage(h, time.Now)
	records, err := u.Records()
	if err != nil {
		t.Fatal(err)
	}
	a := records["a"]
	if a.UseCount != 7 || a.ViewCount != 0 || a.PatchCount != 0 || a.Pinned || a.LastUsed.UnixMilli() != 1760000000500 || a.Created.Format(time.DateOnly) != "2026-01-02" {
		t.Errorf("%+v", a)
	}
	if o := records["old"]; o.CreatedBy != ByAgent || o.State != StateActive {
		t.Errorf("%+v", o)
	}
	if _, ok := records["list"]; ok {
		t.Error("a list counts as a record")
	}
	u.Bump(t.Context(), "a", Viewed)
	u.Bump(t.Context(), "list", Used)
	if err := u.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := read(t, u.Path())
	for _, want := range []string{`"x_note": "汉"`, `"x_top": "kept"`, `"use_count": 8`, `"view_count": 1`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
	if strings.Index(got, `"a"`) > strings.Index(got, `"list"`) {
		t.Error("not sorted")
	}
}

// OPEN-CU-01: a damaged file is kept aside and named; what is counted meanwhile is not lost.
func TestCase_usageIsDamaged(t *testing.T) {
	t.Parallel()
	h := home.At(t.TempDir())
	write(t, h.Skills(), ".usage.json", `{"a":`)
	u := NewUsage(h, time.Now)
	if _, err := u.Records(); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("%v", err)
	}
	if got := read(t, u.Path()); got != `{"a":` {
		t.Error("reading changed it")
	}
	u.Bump(t.Context(), "b", Used)
	err := u.Flush(t.Context())
	if !errors.Is(err, errAside) || !strings.Contains(err.Error(), ".usage.json.damaged-") {
		t.Errorf("%v", err)
	}
	aside, err := filepath.Glob(u.Path() + ".damaged-*")
	if err != nil || len(aside) != 1 || read(t, aside[0]) != `{"a":` {
		t.Errorf("%v %v", aside, err)
	}
	records, err := u.Records()
	if err != nil || records["b"].UseCount != 1 {
		t.Errorf("%+v %v", records, err)
	}
}

// Counts reach the disk by themselves.
func TestUsage_flushesByItself(t *testing.T) {
	t.Parallel()
	h := home.At(t.TempDir())
	u := NewUsage(h, time.Now)
	u.Bump(t.Context(), "a", Used)
	if _, err := os.Stat(u.Path()); err == nil {
		t.Error("written at once")
	}
	for start := time.Now(); ; {
		if _, err := os.Stat(u.Path()); err == nil {
			break
		}
		if time.Since(start) > 10*time.Second {
			t.Fatal("never written")
		}
		<-time.After(20 * time.Millisecond)
	}
}

func TestUsage_reuseAfterPatch(t *testing.T) {
	t.Parallel()
	u := NewUsage(home.At(t.TempDir()), time.Now)
	for _, e := range []Event{Used, Patched, Patched} {
		u.Bump(t.Context(), "a", e)
	}
	r, err := u.Records()
	if err != nil || r["a"].Generation != 2 || r["a"].LastReused != 0 || r["a"].PatchCount != 2 {
		t.Errorf("%+v %v", r, err)
	}
	u.Bump(t.Context(), "a", Viewed)
	if r, err = u.Records(); err != nil || r["a"].LastReused != 2 || r["a"].UseCount != 2 {
		t.Errorf("%+v %v", r, err)
	}
	if err := u.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	var raw map[string]map[string]any
	if err := json.Unmarshal([]byte(read(t, u.Path())), &raw); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"created_by", "use_count", "view_count", "patch_count", "last_used_at", "last_viewed_at", "last_patched_at", "patch_generation", "last_reused_patch_generation", "created_at", "state", "pinned", "archived_at"} {
		if _, ok := raw["a"][f]; !ok {
			t.Errorf("%s is missing", f)
		}
	}
}
