package skills

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"hermes/core/home"
)

// snapshotVersion is the version of .skills_prompt_snapshot.json that this program reads and writes;
// files of other versions and programs are ignored and replaced.
//
//	hermes-1  first version: what the folders and files of the home and of external roots said when
//	          they were read, each with the time stamps that prove it
const snapshotVersion = "hermes-1"

// snapshot is the disk layer of the cache. It holds facts about files and no decisions, so that any
// session may use it; whatever is not proven by time stamp and size is read again.
type snapshot struct {
	Version string                `json:"version"`
	Home    string                `json:"home"`
	Dirs    map[string]dirRecord  `json:"dirs"`
	Files   map[string]fileRecord `json:"files"`
}

func readSnapshot(h home.Home) (map[string]dirRecord, map[string]fileRecord) {
	data, err := os.ReadFile(h.SkillsSnapshot())
	if err != nil {
		return nil, nil
	}
	// What we write begins with the version; whatever begins otherwise is not ours and not worth decoding.
	var s snapshot
	if !bytes.HasPrefix(data, []byte(`{"version":"`+snapshotVersion+`",`)) || json.Unmarshal(data, &s) != nil || s.Home != h.Dir() {
		return nil, nil
	}
	return s.Dirs, s.Files
}

// writeSnapshot keeps what was read, projects excepted. It is only a cache: no sync to disk, and what
// fails is not told.
func writeSnapshot(h home.Home, roots []Root, dirs map[string]dirRecord, files map[string]fileRecord) {
	if _, err := os.Stat(h.Skills()); err != nil {
		return
	}
	s := snapshot{Version: snapshotVersion, Home: h.Dir(), Dirs: map[string]dirRecord{}, Files: map[string]fileRecord{}}
	for _, r := range roots {
		if r.Kind == RootProject {
			continue
		}
		for p, d := range dirs {
			if under(r.Path, p) {
				s.Dirs[p] = d
			}
		}
		for p, f := range files {
			if under(r.Path, p) {
				s.Files[p] = f
			}
		}
	}
	data, err := json.Marshal(s)
	if err != nil {
		return
	}
	tmp, err := os.CreateTemp(h.Dir(), ".skills_snapshot_*.tmp")
	if err != nil {
		return
	}
	_, werr := tmp.Write(data)
	if cerr := tmp.Close(); werr != nil || cerr != nil || os.Rename(tmp.Name(), h.SkillsSnapshot()) != nil {
		_ = os.Remove(tmp.Name())
	}
}

// under reports whether path is dir or lies in it, as written.
func under(dir, path string) bool {
	return path == dir || len(path) > len(dir) && path[:len(dir)] == dir && (path[len(dir)] == filepath.Separator || dir[len(dir)-1] == filepath.Separator)
}
