package cleanup

// Click selects the entry at column x, line y of what Draw drew last.
func (v *View) Click(x, y int) {
	if v.mode != browsing || len(v.sheets) == 0 {
		return
	}
	if v.beside {
		s := 0
		if x > v.split {
			s = 1
		}
		if n := y - 2; n >= 0 && n < v.rows && v.top[s]+n < len(v.cur[s]) {
			v.store, v.sel[s] = s, v.top[s]+n
		}
		return
	}
	n := y - 1 - len(v.sheets)
	if n < 0 || n >= v.rows {
		return
	}
	n += v.scroll
	for s := range v.cur {
		if n < len(v.cur[s]) {
			v.store, v.sel[s] = s, n
			return
		}
		n -= len(v.cur[s])
	}
}
