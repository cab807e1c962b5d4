package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// root is the module's folder, seen from this package.
const root = "../.."

// goPackage is a package of the module as its non-test files show it.
type goPackage struct {
	dir     string // relative to the module, slashes
	imports map[string]string
	doc     bool
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	byDir := map[string]*goPackage{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && p != root) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(p))
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(rel)
		if byDir[dir] == nil {
			byDir[dir] = &goPackage{dir: dir, imports: map[string]string{}}
		}
		byDir[dir].take(f, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var out []goPackage
	for _, p := range byDir {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b goPackage) int { return strings.Compare(a.dir, b.dir) })
	return out
}

func (p *goPackage) take(f *ast.File, file string) {
	p.doc = p.doc || f.Doc != nil
	for _, i := range f.Imports {
		if name, err := strconv.Unquote(i.Path.Value); err == nil {
			p.imports[name] = file
		}
	}
}

// leaf packages of the core may be imported by all of it and import only core, home and text.
var leaves = []string{"core/home", "core/text", "core/fuzzy", "core/threat", "core/config", "core/ledger", "core/redact", "core/undo"}

// charm lists the terminal libraries.
var charm = []string{"charm.land/", "github.com/charmbracelet/"}

func under(dir string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(r string) bool { return dir == r || strings.HasPrefix(dir, r+"/") })
}

// forbidden says why dir may not import what, "" when it may. It is the table of the design.
func forbidden(dir, what string) string {
	own, inside := strings.CutPrefix(what, "hermes/")
	if !inside {
		return forbiddenModule(dir, what)
	}
	coreAndLeaves := own == "core" || slices.Contains(leaves, own)
	switch {
	case under(dir, "cmd"):
		return ""
	case dir == "core":
		return "package core is standard library only"
	case slices.Contains(leaves, dir):
		if own != "core" && own != "core/home" && own != "core/text" {
			return "a leaf imports core, core/home and core/text only"
		}
	case under(dir, "core"):
		// A package may use its own sub-packages' parent and nothing beside it.
		if !coreAndLeaves && !under(dir, own) && !under(own, dir) {
			return "siblings in the core meet through ports"
		}
	case under(dir, "index"), under(dir, "skills/guard"):
		if !coreAndLeaves {
			return "it imports core and its leaves only"
		}
	case dir == "skills":
		if !coreAndLeaves && own != "skills/guard" && own != "skills/bundled" {
			return "skills imports core, leaves, skills/guard and skills/bundled"
		}
	case under(dir, "skills"):
		if !coreAndLeaves && !under(own, "skills") {
			return "it imports core, leaves and skills only"
		}
	case dir == "tools":
		if !coreAndLeaves {
			return "the registry imports no tool"
		}
	case under(dir, "tools"):
		if !coreAndLeaves && own != "tools" && own != "core/memory" && own != "skills" && own != "index" {
			return "a toolset imports tools, core, leaves, core/memory, skills and index"
		}
	case dir == "tui":
		if under(own, "cmd") {
			return "cmd stands above the screen"
		}
	case under(dir, "tui"):
		return forbiddenPane(dir, own)
	}
	return ""
}

// widgets are the parts of the screen that panes may share.
var widgets = []string{
	"tui/pane", "tui/keys", "tui/theme", "tui/markdown", "tui/layout", "tui/cell", "tui/composer", "tui/tuitest", "tui/card", "tui/match", "tui/report",
}

func forbiddenPane(dir, own string) string {
	switch {
	case own == "tui":
		return "a pane does not know the root"
	case under(own, "cmd", "tools"):
		return "stores and tools come in by port"
	case under(own, "tui") && !slices.Contains(widgets, own) && !under(own, dir):
		return "a pane never imports another pane"
	}
	return ""
}

func forbiddenModule(dir, what string) string {
	third := strings.Contains(strings.Split(what, "/")[0], ".")
	switch {
	case dir == "core" && third:
		return "package core is standard library only"
	case !under(dir, "tui", "cmd") && slices.ContainsFunc(charm, func(c string) bool { return strings.HasPrefix(what, c) }):
		return "the core speaks Go, never terminal"
	case !under(dir, "core/provider") && strings.HasPrefix(what, "github.com/openai/"):
		return "only core/provider knows the client"
	}
	return ""
}

func TestHouse_floorsHold(t *testing.T) {
	t.Parallel()
	ps := packages(t)
	if len(ps) < 10 || len(ps) > 72 {
		t.Errorf("%d packages; the plan is about 60, and 72 is where one should be merged", len(ps))
	}
	for _, p := range ps {
		if !p.doc {
			t.Errorf("%s has no package comment", p.dir)
		}
		for what, file := range p.imports {
			if why := forbidden(p.dir, what); why != "" {
				t.Errorf("%s imports %s: %s", path.Join(p.dir, filepath.Base(file)), what, why)
			}
		}
	}
}

// The rules themselves must bite.
func TestHouse_rulesRefuse(t *testing.T) {
	t.Parallel()
	for _, tt := range [][2]string{
		{"core", "github.com/x/y"},
		{"core", "hermes/core/home"},
		{"core/home", "hermes/core/config"},
		{"core/agent", "hermes/core/session"},
		{"core/agent", "charm.land/bubbletea/v2"},
		{"core/session", "github.com/openai/openai-go/v3"},
		{"tools", "hermes/tools/file"},
		{"tools/file", "hermes/tools/terminal"},
		{"tools/file", "hermes/tui"},
		{"skills/guard", "hermes/skills"},
		{"index", "hermes/skills"},
		{"tui/chat", "hermes/tui/activity"},
		{"tui/chat", "hermes/tui"},
		{"tui/chat", "hermes/tools"},
		{"tui", "hermes/cmd/hermes/internal/app"},
	} {
		if forbidden(tt[0], tt[1]) == "" {
			t.Errorf("%s may import %s", tt[0], tt[1])
		}
	}
}

func TestHouse_topLevelFolders(t *testing.T) {
	t.Parallel()
	allowed := []string{"cmd", "tui", "core", "index", "tools", "skills", "testdata"}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) {
			t.Errorf("folder %s is not on the plan", e.Name())
		}
	}
}

// Every direct dependency has its line in the README, and every path the README names exists.
func TestHouse_readme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(root + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(root + "/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mod)) {
		f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(f) != 2 || !strings.HasPrefix(f[1], "v") {
			continue // indirect, or no requirement
		}
		if !strings.Contains(string(readme), "`"+f[0]+"`") {
			t.Errorf("README.md#dependencies lacks %s", f[0])
		}
	}
	tree, _, _ := strings.Cut(string(readme)[strings.Index(string(readme), "## Where things are"):], "\n## ")
	dir := ""
	for line := range strings.Lines(tree) {
		name := strings.Fields(line)
		if len(name) == 0 || !strings.HasSuffix(name[0], "/") {
			continue
		}
		if !strings.HasPrefix(line, " ") {
			dir = name[0]
		}
		for _, n := range name {
			if !strings.HasSuffix(n, "/") || strings.Contains(n, "…") {
				continue
			}
			p := filepath.Join(root, dir, n)
			if n == dir {
				p = filepath.Join(root, n)
			}
			if _, err := os.Stat(p); err != nil {
				t.Errorf("README.md names %s, which does not exist", p)
			}
		}
	}
}
