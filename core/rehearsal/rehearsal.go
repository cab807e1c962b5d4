// Package rehearsal holds the stories of the built-in demo as data: the scenario of the scripted
// model, the made-up programs and files of its world, and what the person asks. It has no runner and knows
// neither the agent nor the server: cmd/hermes plugs them together, so that the demo, its headless
// twin and the end-to-end test play the same story over the same wire.
package rehearsal

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

//go:embed k8s
var k8s embed.FS

//go:embed digest
var digest embed.FS

// Story is one rehearsal.
type Story struct {
	Name     string
	Title    string
	Scenario []byte // YAML for core/provider/scripted
	Sessions []Part
	files    fs.FS
}

// Part is one session of a story.
type Part struct {
	Label  string   // "Flask"
	Folder string   // where it works, below the story's folder
	Ask    []string // what the person says, a turn each
}

// Bin is the folder of a story that goes in front of PATH: the programs of its made-up world.
const Bin = "bin"

// Named finds a story with sessions by its name.
func Named(name string) (Story, bool) {
	switch name {
	case "k8s":
		return load(k8s, Story{
			Name: "k8s", Title: "Three deployments to one cluster",
			Sessions: []Part{
				{Label: "Flask", Folder: "flask-app", Ask: []string{"Deploy the Flask app in this folder to our cluster, as hello."}},
				{Label: "Django", Folder: "django-shop", Ask: []string{"Now the Django shop in this folder, as shop. I run the platform team: two sentences are enough for me."}},
				{Label: "FastAPI", Folder: "fastapi-orders", Ask: []string{"And the FastAPI service here, as orders."}},
			},
		}), true
	case "digest":
		return load(digest, Story{
			Name: "digest", Title: "A weekly digest whose source has moved",
			Sessions: []Part{
				{Label: "week 1", Folder: "week-1", Ask: []string{"帮我做这周的科技新闻摘要，存成 digest.md。", "好。以后只要 5 条，不要更多。"}},
				{Label: "week 2", Folder: "week-2", Ask: []string{"帮我做这周的科技新闻摘要，存成 digest.md。"}},
			},
		}), true
	}
	return Story{}, false
}

// Names lists the stories with sessions.
func Names() []string { return []string{"k8s", "digest"} }

// load fills in the files. They are part of the program, so that what is missing is a fault of the build.
func load(from embed.FS, s Story) Story {
	var err error
	if s.Scenario, err = from.ReadFile(s.Name + "/scenario.yaml"); err != nil {
		panic(err)
	}
	if s.files, err = fs.Sub(from, s.Name); err != nil {
		panic(err)
	}
	return s
}

// homeFiles is the folder of a story that is laid into its home.
const homeFiles = "home"

// LayHome copies what the story's home begins with into dir.
func (s Story) LayHome(dir string) error {
	sub, err := fs.Sub(s.files, homeFiles)
	if err != nil {
		return err
	}
	if _, err := fs.Stat(sub, "."); errors.Is(err, fs.ErrNotExist) {
		return nil // it begins empty
	}
	return lay(sub, dir)
}

// Lay copies the story's files into dir.
func (s Story) Lay(dir string) error { return lay(s.files, dir) }

func lay(files fs.FS, dir string) error {
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name == homeFiles {
			return fs.SkipDir
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		if name == "scenario.yaml" {
			return nil
		}
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if path.Dir(name) == Bin {
			mode = 0o755
		}
		return os.WriteFile(to, b, mode)
	})
}
