package file

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/text"
	"hermes/tools"
)

//go:embed patch.md
var patchText string

//go:embed read_file.md
var readText string

//go:embed write_file.md
var writeText string

//go:embed search_files.md
var searchText string

// The limits of what is read at once.
const (
	MaxLines     = 2_000   // lines a call of read_file
	MaxLine      = 2_000   // code points a line
	MaxRead      = 100_000 // code points a call of read_file
	maxEdit      = 16 << 20
	maxDiffBytes = 512 << 10
)

// Options configures the toolset. Workdir and Policy are required.
type Options struct {
	Workdir *tools.Workdir
	Policy  tools.Policy
	Keeper  tools.Keeper // nil keeps no copies for undo
	Seen    *Seen        // nil makes one; toolsets that share files may share it
	// Trusted reports whether the person trusts what stands in the file at a resolved path. Text of others
	// taints the turn that reads it. nil trusts all.
	Trusted func(path string) bool
}

// taint names the file at path as a source of foreign text, "" when it is trusted.
func (o Options) taint(path string) string {
	if o.Trusted == nil || o.Trusted(path) {
		return ""
	}
	return "file: " + path
}

// New returns the toolset: patch, read_file, search_files and write_file.
func New(opts Options) []core.Tool {
	if opts.Seen == nil {
		opts.Seen = NewSeen()
	}
	return []core.Tool{&Patch{opts}, &Read{opts}, &Search{opts}, &Write{opts}}
}

func spec(name, description, parameters string) core.ToolSpec {
	return core.ToolSpec{Name: name, Description: strings.TrimSpace(description), Parameters: json.RawMessage(parameters)}
}

// resolve returns the file a path argument means.
func (o Options) resolve(path string) (string, error) {
	if strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("the path holds a NUL character")
	}
	if strings.TrimSpace(path) == "" {
		return "", fmt.Errorf("the path is empty")
	}
	return o.Workdir.Resolve(path)
}

// notFound says that path does not exist and names what may have been meant.
func (o Options) notFound(path, resolved string) core.ToolResult {
	msg := "There is no file " + path + " (working folder: " + o.Workdir.Dir() + ")."
	entries, err := os.ReadDir(filepath.Dir(resolved))
	if err != nil {
		return tools.Fail(msg + " Its folder does not exist either; search_files finds files by name.")
	}
	want := strings.ToLower(filepath.Base(resolved))
	stem := strings.TrimSuffix(want, filepath.Ext(want))
	var near []string
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if len(near) < 5 && (name == want || (len(stem) > 2 && strings.Contains(name, stem)) || (len(strings.TrimSuffix(name, filepath.Ext(name))) > 2 && strings.Contains(want, strings.TrimSuffix(name, filepath.Ext(name))))) {
			near = append(near, o.Workdir.Show(filepath.Join(filepath.Dir(resolved), e.Name())))
		}
	}
	if len(near) > 0 {
		msg += " Did you mean " + strings.Join(near, ", ") + "?"
	}
	return tools.Fail(msg)
}

// broken words an error for the model.
func broken(what string, err error) core.ToolResult {
	msg := what + ": " + err.Error()
	if hint := core.HintOf(err); hint != "" {
		msg += ". " + hint
	}
	return tools.Fail(strings.TrimSuffix(msg, ".") + ".")
}

// listFolder is what reading a folder gives.
func (o Options) listFolder(path, resolved, session string) core.ToolResult {
	entries, err := os.ReadDir(resolved)
	if err != nil {
		return broken("read_file "+path, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s is a folder with %d entries:\n", path, len(entries))
	shown := 0
	for _, e := range entries {
		if a, _ := o.Policy.Read(filepath.Join(resolved, e.Name()), session); a == tools.ActionDeny {
			continue
		}
		if shown++; shown > 200 {
			b.WriteString("...\n")
			break
		}
		name := text.OneLine(e.Name())
		if e.IsDir() {
			name += "/"
		}
		b.WriteString(name + "\n")
	}
	b.WriteString("Use search_files with target \"files\" to look deeper.")
	return core.ToolResult{OK: true, Content: b.String(), Detail: &core.ToolDetail{Summary: fmt.Sprintf("folder, %d entries", len(entries)), Path: resolved}}
}

// unchanged fails when the path no longer leads where it did when it was judged.
func unchanged(resolved string) error {
	now, err := home.ResolvePath(resolved)
	if err != nil {
		return err
	}
	if now != resolved {
		return fmt.Errorf("%s leads somewhere else than when it was checked", resolved)
	}
	return nil
}
