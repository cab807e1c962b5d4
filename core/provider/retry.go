package provider

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// wait is how long to pause after attempt (from 1): what the server wants, or twice as long each time
// with a random part, so that many clients do not come back at once, at most MaxDelay.
func (c *Client) wait(attempt int, after time.Duration) time.Duration {
	if after > 0 {
		return min(after, c.opts.MaxDelay)
	}
	const mostDoublings = 20
	d := min(c.opts.Backoff<<min(attempt-1, mostDoublings), c.opts.MaxDelay)
	return d/2 + rand.N(d/2+1) //nolint:gosec // spreading load needs no secrecy
}

// retryAfter reads the server's wish from the headers: milliseconds, seconds or a date; 0 when there is
// none.
func retryAfter(header func(string) string, now time.Time) time.Duration {
	if header == nil {
		return 0
	}
	const longest = 24 * 60 * 60 // seconds; beyond it the number may overflow and is capped anyway
	for _, h := range []struct {
		name string
		unit time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		value := strings.TrimSpace(header(h.name))
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			if n > 0 {
				return time.Duration(min(n, longest) * float64(h.unit))
			}
			continue
		}
		if at, err := http.ParseTime(value); err == nil {
			return max(at.Sub(now), 0)
		}
	}
	return 0
}

// sleep waits d; false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
