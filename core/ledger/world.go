package ledger

import (
	"maps"
	"os"
	"strings"
)

// A world is what should stand at some paths at one moment of a change: the hash of a file, nothing, a
// link, or (of a moved folder whose files are not known) something.
type world map[string]string

const (
	nothing   = ""
	something = "*"
	linkTo    = "link:"
)

// reached tells how many of the steps of a change have happened: the steps are made in order, so the disk
// looks like after the first n of them. strange names a file that looks like none of these moments; then
// n is judged by the others.
func (l *Ledger) reached(files []FileChange) (n int, strange string) {
	worlds := moments(files)
	skip := map[string]bool{}
	for {
		for n := len(files); n >= 0; n-- {
			if l.matches(worlds[n], skip) {
				return n, strange
			}
		}
		name := l.stranger(worlds, skip)
		if name == "" { // each file for itself is possible, all together are not: judge by fewer
			for name = range worlds[0] {
				if !skip[name] {
					break
				}
			}
		}
		if name == "" || skip[name] {
			return 0, files[0].Path
		}
		skip[name], strange = true, name
	}
}

// stranger is a path that looks like at no moment of the change.
func (l *Ledger) stranger(worlds []world, skip map[string]bool) string {
	names := map[string]bool{}
	for _, w := range worlds {
		for name := range w {
			names[name] = true
		}
	}
	for name := range names {
		if skip[name] {
			continue
		}
		known := false
		for _, w := range worlds {
			if want, ok := w[name]; !ok || l.looks(name, want) {
				known = true
				break
			}
		}
		if !known {
			return name
		}
	}
	return ""
}

func (l *Ledger) matches(w world, skip map[string]bool) bool {
	for name, want := range w {
		if !skip[name] && !l.looks(name, want) {
			return false
		}
	}
	return true
}

func (l *Ledger) looks(name, want string) bool {
	path := l.Path(name)
	switch {
	case want == something:
		return stands(path)
	case want == nothing:
		return !stands(path)
	case strings.HasPrefix(want, linkTo):
		target, err := os.Readlink(path)
		return err == nil && linkTo+target == want
	}
	now, err := hashOf(path)
	return err == nil && now == want
}

func isLink(path string) bool {
	_, err := os.Readlink(path)
	return err == nil
}

// moments are the worlds before the first step and after each step.
func moments(files []FileChange) []world {
	first := world{}
	now := world{}
	for i, f := range files {
		learn(first, now, files[:i], f)
		now = now.after(f)
	}
	out := []world{first}
	for _, f := range files {
		out = append(out, out[len(out)-1].after(f))
	}
	return out
}

// learn adds to first what step f tells about the beginning; earlier are the steps before it, now is the
// world they lead to as far as it is known.
func learn(first, now world, earlier []FileChange, f FileChange) {
	fact := func(name, value string) {
		if _, ok := now[name]; ok {
			return
		}
		now[name] = value
		origin := name
		for i := len(earlier) - 1; i >= 0; i-- {
			m := earlier[i]
			switch {
			case m.Op != OpMove:
			case under(m.Path, origin):
				origin = m.From + strings.TrimPrefix(origin, m.Path)
			case under(m.From, origin):
				return // it was moved away: its absence says nothing about the beginning
			}
		}
		first[origin] = value
	}
	switch {
	case f.Op == OpMove:
		if !now.knows(f.From) {
			fact(f.From, something)
		}
		if !now.knows(f.Path) {
			fact(f.Path, nothing)
		}
	case f.Link != "":
		fact(f.Path, linkTo+f.Link)
	default:
		fact(f.Path, f.Before)
	}
}

// knows reports whether w says anything of name or of what lies in it.
func (w world) knows(name string) bool {
	for n := range w {
		if under(name, n) {
			return true
		}
	}
	return false
}

// after is the world one step later.
func (w world) after(f FileChange) world {
	out := maps.Clone(w)
	if f.Op != OpMove {
		if f.After != nothing {
			out.fill(f.Path)
		} else { // the last file may have gone with it
			maps.DeleteFunc(out, func(n, value string) bool { return value == something && under(n, f.Path) })
		}
		out[f.Path] = f.After
		return out
	}
	out.fill(f.Path)
	came := false
	for name, value := range w {
		if !under(f.From, name) {
			continue
		}
		out[name] = nothing
		if value != nothing {
			out[f.Path+strings.TrimPrefix(name, f.From)] = value
			came = true
		}
	}
	if !came {
		out[f.Path] = something
	}
	out[f.From] = nothing
	return out
}

// fill forgets that nothing stood at the folders of name: something will.
func (w world) fill(name string) {
	for n, value := range w {
		if value == nothing && n != name && under(n, name) || n == name && value == nothing {
			delete(w, n)
		}
	}
}

// under reports whether name is dir or lies in it; both as in the journal.
func under(dir, name string) bool {
	rest, ok := strings.CutPrefix(name, dir)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '\\')
}
