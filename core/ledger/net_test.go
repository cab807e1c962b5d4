package ledger

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNet(t *testing.T) {
	t.Parallel()
	add := func(k string) Part { return Part{Key: k} }
	del := func(k string) Part { return Part{Was: k} }
	set := func(was, k string) Part { return Part{Key: k, Was: was} }
	for name, c := range map[string]struct {
		parts [][]Part // by change, oldest first
		want  Fate
	}{
		"nothing":                    {nil, Fate{}},
		"added":                      {[][]Part{{add("a")}}, Fate{Added: []string{"a"}}},
		"added and undone":           {[][]Part{{add("a")}, {del("a")}}, Fate{}},
		"added and reworded":         {[][]Part{{add("a")}, {set("a", "b")}}, Fate{Added: []string{"b"}}},
		"removed":                    {[][]Part{{del("x")}}, Fate{Gone: []string{"x"}}},
		"removed and restored":       {[][]Part{{del("x")}, {add("x")}}, Fate{}},
		"changed twice":              {[][]Part{{set("x", "y")}, {set("y", "z")}}, Fate{Changed: []string{"z"}}},
		"changed and back":           {[][]Part{{set("x", "y")}, {set("y", "x")}}, Fate{}},
		"changed, then removed":      {[][]Part{{set("x", "y")}, {del("y")}}, Fate{Gone: []string{"x"}}},
		"moved to the other store":   {[][]Part{{del("x"), add("x")}}, Fate{}},
		"replaced by what was there": {[][]Part{{del("x")}, {set("y", "x")}}, Fate{Gone: []string{"y"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log []Entry
			for _, parts := range c.parts {
				log = append(log, Entry{Subject: "memory:user", Parts: parts})
			}
			slices.Reverse(log)
			if diff := cmp.Diff(c.want, Net("memory", log)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
