package bundled

import "strings"

// manifest is HOME/skills/.bundled_manifest, shared with the reference system: "name:md5" a line, the
// hash being that of the shipped version which was put there last. Lines of others, odd ones too, are
// kept as they are.
type manifest struct {
	lines []string          // as read, without line ends
	hash  map[string]string // by name; "" when the line has none
}

const manifestFile = ".bundled_manifest"

func parseManifest(data string) manifest {
	m := manifest{hash: map[string]string{}}
	for line := range strings.Lines(strings.TrimPrefix(data, "\ufeff")) {
		line = strings.TrimRight(line, "\r\n")
		m.lines = append(m.lines, line)
		name, hash, _ := strings.Cut(strings.TrimSpace(line), ":")
		name = strings.TrimSpace(name)
		if name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		m.hash[name] = strings.ToLower(strings.TrimSpace(hash))
	}
	return m
}

// set records the hash of name, in the place of its old line or at the end.
func (m *manifest) set(name, hash string) {
	line := name + ":" + hash
	found := false
	kept := m.lines[:0:0]
	for _, old := range m.lines {
		of, _, _ := strings.Cut(strings.TrimSpace(old), ":")
		switch {
		case strings.TrimSpace(of) != name:
			kept = append(kept, old)
		case !found:
			kept, found = append(kept, line), true
		}
	}
	if !found {
		kept = append(kept, line)
	}
	m.lines, m.hash[name] = kept, hash
}

func (m *manifest) bytes() []byte { return []byte(strings.Join(m.lines, "\n") + "\n") }
