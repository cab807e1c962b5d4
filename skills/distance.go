package skills

// distance is the number of single-rune edits, neighbours swapped included, between two short words. More
// than three counts as far away.
func distance(a, b string) int {
	const far = 4
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) >= far || len(y)-len(x) >= far || len(x) > 80 || len(y) > 80 {
		return far
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(y)], far)
}
