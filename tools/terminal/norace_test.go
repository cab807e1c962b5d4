//go:build !race

package terminal

const raceFactor = 1
