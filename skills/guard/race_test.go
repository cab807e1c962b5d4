//go:build race

package guard

// slowness is how much longer things may take under the race detector.
const slowness = 15
