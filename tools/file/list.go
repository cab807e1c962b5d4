package file

import (
	"context"
	"path"

	"hermes/core"
	"hermes/tools"
)

// List returns the files below dir and the folders that hold them, relative, with slashes, folders with one
// at the end, in a fixed order; what git ignores and what is protected is left out. At most limit entries
// are given.
func List(ctx context.Context, p tools.Policy, dir string, limit int) ([]string, error) {
	w := walker{policy: p}
	if err := w.walk(ctx, dir); err != nil {
		return nil, &core.Error{Op: "list files", Subject: dir, Err: err}
	}
	var out []string
	seen := map[string]bool{}
	for _, f := range w.files {
		for d := path.Dir(f.rel); d != "." && !seen[d]; d = path.Dir(d) {
			seen[d] = true
			out = append(out, d+"/")
		}
		if out = append(out, f.rel); len(out) >= limit {
			break
		}
	}
	return out, nil
}
