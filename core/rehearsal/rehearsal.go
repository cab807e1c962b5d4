// Package rehearsal holds the stories of the built-in demo as data: the scenario of the scripted
// model, the files of its throw-away folder and the question to ask. It has no runner and knows
// neither the agent nor the server: cmd/hermes plugs them together, so that the demo, its headless
// twin and the end-to-end test play the same story over the same wire.
package rehearsal

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed demo
var demo embed.FS

// Story is one rehearsal.
type Story struct {
	Name     string
	Scenario []byte // YAML for core/provider/scripted
	Question string // what the person is invited to send
	files    fs.FS
}

// Demo is the short story: read, write, run, and one approval.
func Demo() (Story, error) {
	scenario, err := demo.ReadFile("demo/scenario.yaml")
	if err != nil {
		return Story{}, err
	}
	files, err := fs.Sub(demo, "demo/files")
	if err != nil {
		return Story{}, err
	}
	return Story{
		Name: "demo", Scenario: scenario, files: files,
		Question: "Add a --loud flag to greet.sh, try it, and clear out the old-releases folder",
	}, nil
}

// Lay copies the story's files into dir.
func (s Story) Lay(dir string) error {
	return fs.WalkDir(s.files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		b, err := fs.ReadFile(s.files, name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, b, 0o644)
	})
}
