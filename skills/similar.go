package skills

import (
	"strings"

	"hermes/core/text"
)

const (
	near = 0.75 // how much of their words two skills share (Dice) to count as saying the same
	// common is in how many skills a word may stand and still lead to candidates; it keeps the
	// comparison of thousands of skills from growing with their square.
	common = 60
)

// Near maps the file of a skill to the one that says nearly the same.
func Near(list []Entry) map[string]Entry { return nearDuplicates(list) }

// nearDuplicates maps the file of a skill to the one most like it, by name, description and triggers.
// Skills that share a name are told apart elsewhere.
func nearDuplicates(list []Entry) map[string]Entry {
	words := make([]map[string]bool, len(list))
	where := map[string][]int{}
	for i, e := range list {
		words[i] = text.Words(strings.ReplaceAll(e.Name, "-", " ") + " " + e.Description + " " + strings.Join(e.Meta.Triggers, " "))
		for w := range words[i] {
			where[w] = append(where[w], i)
		}
	}
	out := map[string]Entry{}
	for i, e := range list {
		shared := map[int]int{}
		for w := range words[i] {
			if len(where[w]) > common {
				continue
			}
			for _, j := range where[w] {
				if j != i {
					shared[j]++
				}
			}
		}
		best, score := -1, 0.0
		for j, n := range shared {
			o := list[j]
			if n < 2 || e.Named(o.Dir) || e.Named(o.Name) {
				continue
			}
			if s := text.Dice(words[i], words[j]); s >= near && (s > score || s == score && j < best) {
				best, score = j, s
			}
		}
		if best >= 0 {
			out[e.Path] = list[best]
		}
	}
	return out
}
