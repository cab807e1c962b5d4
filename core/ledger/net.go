package ledger

import "slices"

// Fate is what became of the parts of one kind between two moments, taken together: what came and went again
// is not in it.
type Fate struct {
	Added   []string // keys that are new
	Changed []string // keys that took the place of what stood there before
	Gone    []string // keys that stood there before
}

// Net is the fate of the parts of kind through changes, given newest first as Log does.
func Net(kind string, changes []Entry) Fate {
	n := net{origin: map[string]string{}, gone: map[string]bool{}}
	for _, e := range slices.Backward(changes) {
		for _, p := range e.Of(kind).Parts {
			n.part(p)
		}
	}
	var out Fate
	for _, k := range n.order {
		was, there := n.origin[k]
		switch {
		case !there:
		case was == "":
			out.Added = append(out.Added, k)
		default:
			out.Changed = append(out.Changed, k)
		}
		delete(n.origin, k)
	}
	for k := range n.gone {
		out.Gone = append(out.Gone, k)
	}
	slices.Sort(out.Gone)
	return out
}

// net follows parts from change to change.
type net struct {
	origin map[string]string // key → the key it goes back to, "" for none
	order  []string          // keys as they came
	gone   map[string]bool   // keys of before that have no successor
}

func (n *net) part(p Part) {
	was := ""
	if p.Was != "" {
		first, known := n.origin[p.Was]
		if was = p.Was; known {
			was = first
		}
		delete(n.origin, p.Was)
	}
	switch {
	case p.Key == "" && was != "":
		n.gone[was] = true
	case p.Key == "", p.Key == was:
	case n.gone[p.Key]: // it is back
		delete(n.gone, p.Key)
		if was != "" {
			n.gone[was] = true
		}
	default:
		n.origin[p.Key] = was
		n.order = append(n.order, p.Key)
	}
}
