package terminal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes/core/home"
)

// Links that the command itself makes, which are not there yet when it is judged.

// links remembers what ln and its like make of their operands; "" is a target nobody knows.
func (s *scan) linked(name string, flags, operands []string, to string) {
	if name == "ln" && len(operands) == 1 {
		operands = append(slices.Clone(operands), filepath.Base(operands[0]))
		to = operands[1]
	}
	if len(operands) == 0 {
		return
	}
	makes := name == "ln" || name == "cp" && has(flags, "sl", "symbolic-link", "link")
	for _, from := range operands[:max(len(operands)-1, 1)] {
		source, known := s.path(from)
		if name == "ln" && has(flags, "s", "symbolic") && !filepath.IsAbs(from) && known {
			source, known = s.path(filepath.Join(filepath.Dir(to), from)) // as seen from where the link lies
		}
		if !makes {
			if info, err := os.Lstat(s.absolute(from)); err != nil || info.Mode()&os.ModeSymlink == 0 {
				continue
			}
		}
		at := s.absolute(to)
		if at == "" {
			s.anyLink = true
			continue
		}
		if info, err := os.Stat(at); err == nil && info.IsDir() {
			at = filepath.Join(at, filepath.Base(from))
		}
		if dir, err := home.ResolvePath(filepath.Dir(at)); err == nil {
			at = filepath.Join(dir, filepath.Base(at))
		}
		if s.links == nil {
			s.links = map[string]string{}
		}
		s.links[at] = ""
		if known && source != at {
			s.links[at] = source
		}
	}
}

// follow takes p through the links that the command made; ok is false when nobody knows where it leads.
func (s *scan) follow(p string) (to string, ok bool) {
	for range 8 {
		next := p
		for at, target := range s.links {
			if !home.Within(at, p) {
				continue
			}
			if target == "" {
				return "", false
			}
			next = target + strings.TrimPrefix(p, at)
		}
		if next == p {
			return p, true
		}
		p = next
		if r, err := home.ResolvePath(next); err == nil {
			p = r
		}
	}
	return "", false
}
