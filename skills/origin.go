package skills

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hermes/core"
)

// OriginBy says who brought a skill.
type OriginBy string

// The origins.
const (
	OriginHand      OriginBy = "you"       // a person wrote it
	OriginAgent     OriginBy = "agent"     // the agent wrote it
	OriginBundled   OriginBy = "bundled"   // it came with the program
	OriginInstalled OriginBy = "installed" // from a hub
	OriginProject   OriginBy = "project"
	OriginExternal  OriginBy = "external"
)

// Origin is where a skill comes from, and whether a person protects it.
type Origin struct {
	By     OriginBy
	Pinned bool
	Record Record // of the usage file; the zero value when there is none
}

// Origin tells where e comes from. An error means that it cannot be known: then nobody but the person may
// change it.
func (l *Library) Origin(e Entry) (Origin, error) {
	origins, err := l.Origins()
	if err != nil {
		return Origin{}, err
	}
	return origins(e), nil
}

// Origins reads once what Origin needs, for many skills.
func (l *Library) Origins() (func(Entry) Origin, error) {
	records, err := l.Usage().Records()
	if err != nil {
		return nil, err
	}
	bundled, err := l.bundled()
	if err != nil {
		return nil, err
	}
	installed, err := l.installed()
	if err != nil {
		return nil, err
	}
	return func(e Entry) Origin {
		r := records[e.Dir]
		o := Origin{By: OriginHand, Pinned: r.Pinned, Record: r}
		switch {
		case e.Root.Kind == RootProject:
			o = Origin{By: OriginProject}
		case e.Root.Kind == RootExternal:
			o = Origin{By: OriginExternal}
		case bundled[e.Dir]: // not by the name in the file, which anybody may write
			o.By = OriginBundled
		case installed[e.Dir] || r.CreatedBy == "installed":
			o.By = OriginInstalled
		case r.CreatedBy == ByAgent:
			o.By = OriginAgent
		}
		return o
	}, nil
}

// bundled are the names in the manifest of shipped skills: "name:hash" a line.
func (l *Library) bundled() (map[string]bool, error) {
	file := filepath.Join(l.Home(), ".bundled_manifest")
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &core.Error{Op: "read manifest of bundled skills", Subject: file, Err: err}
	}
	out := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name != "" && !strings.HasPrefix(name, "#") {
			out[name] = true
		}
	}
	return out, nil
}

// installed are the names in the lock file of the hub.
func (l *Library) installed() (map[string]bool, error) {
	file := filepath.Join(l.Home(), ".hub", "lock.json")
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return map[string]bool{}, nil
	case err != nil:
		return nil, &core.Error{Op: "read lock file of the hub", Subject: file, Err: err}
	}
	var lock struct {
		Installed map[string]json.RawMessage `json:"installed"`
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return nil, &core.Error{Code: core.CodeConfig, Op: "read lock file of the hub", Subject: file, Err: err, Hint: "Repair or remove the file."}
	}
	out := map[string]bool{}
	for name := range lock.Installed {
		out[name] = true
	}
	return out, nil
}
