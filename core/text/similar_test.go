package text_test

import (
	"slices"
	"testing"

	"hermes/core/text"
)

func TestDice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, a, b string
		low, high  float64
	}{
		{"same words in another order", "registry is at host:5000", "At host:5000 is REGISTRY", 1, 1},
		{"half", "likes green tea daily", "likes green coffee weekly", 0.4, 0.6},
		{"nothing", "likes green tea", "nginx on port eighty", 0, 0},
		{"too short to judge", "tea", "tea", 0, 0},
		{"CJK by pairs", "以后只要五条新闻", "以后每周只要五条新闻", 0.7, 0.95},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if d := text.Dice(text.Words(c.a), text.Words(c.b)); d < c.low || d > c.high {
				t.Errorf("Dice = %.2f, want %.2f to %.2f", d, c.low, c.high)
			}
		})
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	var got []string
	for w := range text.Words("Redis缓存改小 v2") {
		got = append(got, w)
	}
	slices.Sort(got)
	if want := []string{"redis", "v2", "存改", "改小", "缓存"}; !slices.Equal(got, want) {
		t.Errorf("Words = %q, want %q", got, want)
	}
}
