package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"hermes/core"
	"hermes/core/text"
	"hermes/tools"
)

// The limits of a search.
const (
	defaultMatches = 100
	maxMatches     = 1_000
	maxShownLine   = 400 // code points of a line in a result
)

// Search is the search_files tool.
type Search struct{ opts Options }

var _ tools.Guarded = (*Search)(nil)

// Spec describes the tool.
func (*Search) Spec() core.ToolSpec {
	return spec("search_files", searchText, `{"type":"object","properties":{`+
		`"pattern":{"type":"string","description":"Regular expression for content, glob for files."},`+
		`"target":{"type":"string","enum":["content","files"],"description":"What to search; default content."},`+
		`"path":{"type":"string","description":"Folder or file to search; default is the working folder."},`+
		`"file_glob":{"type":"string","description":"Only files matching this glob, for content."},`+
		`"output_mode":{"type":"string","enum":["content","files_only","count"],"description":"Lines, file names, or matches per file; default content."},`+
		`"context":{"type":"integer","description":"Lines to show around each match.","minimum":0,"maximum":10},`+
		`"limit":{"type":"integer","description":"Most results to return; default 100.","minimum":1,"maximum":1000},`+
		`"offset":{"type":"integer","description":"Results to skip.","minimum":0}`+
		`},"required":["pattern"],"additionalProperties":false}`)
}

type searchArguments struct {
	Pattern string `json:"pattern"`
	Target  string `json:"target"`
	Path    string `json:"path"`
	Glob    string `json:"file_glob"`
	Mode    string `json:"output_mode"`
	Context int    `json:"context"`
	Limit   int    `json:"limit"`
	Offset  int    `json:"offset"`
}

func (t *Search) parse(run core.ToolRun) (a searchArguments, dir string, err error) {
	if err := json.Unmarshal(run.Arguments, &a); err != nil {
		return a, "", err
	}
	if a.Path == "" {
		a.Path = "."
	}
	if a.Limit == 0 {
		a.Limit = defaultMatches
	}
	a.Limit = min(a.Limit, maxMatches)
	dir, err = t.opts.resolve(a.Path)
	return a, dir, err
}

// Guard refuses searching protected places; inside a free one they are skipped.
func (t *Search) Guard(_ context.Context, run core.ToolRun) tools.Verdict {
	a, dir, err := t.parse(run)
	if err != nil {
		return tools.Unable(broken("search_files "+a.Path, err))
	}
	action, why := t.opts.Policy.Read(dir, run.SessionID)
	v := tools.Verdict{Action: action, Subject: dir}
	if action != tools.ActionAllow {
		v.Reasons = []string{dir + " " + why}
		v.Rule = "search_files: exactly " + dir
	}
	v.Run = func(ctx context.Context, run core.ToolRun) core.ToolResult { return t.search(ctx, run, a, dir) }
	return v
}

// Run searches without judging the path; the registry has.
func (t *Search) Run(ctx context.Context, run core.ToolRun) core.ToolResult {
	a, dir, err := t.parse(run)
	if err != nil {
		return broken("search_files", err)
	}
	return t.search(ctx, run, a, dir)
}

func (t *Search) search(ctx context.Context, run core.ToolRun, a searchArguments, dir string) core.ToolResult {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t.opts.notFound(a.Path, dir)
	case err != nil:
		return broken("search_files "+a.Path, err)
	}
	if a.Glob != "" && !doublestar.ValidatePattern(a.Glob) {
		return tools.Fail("search_files: file_glob " + a.Glob + " is not a valid glob.")
	}
	w := &walker{policy: t.opts.Policy, session: run.SessionID}
	if info.IsDir() {
		if err := w.walk(ctx, dir); err != nil {
			return broken("search_files", err)
		}
	} else {
		w.files = []found{{path: dir, rel: filepath.Base(dir)}}
	}
	if a.Target == "files" {
		return t.names(a, w)
	}
	m, err := newMatcher(a.Pattern)
	if err != nil {
		return tools.Fail("search_files: the pattern is not a valid regular expression: " + strings.TrimPrefix(err.Error(), "error parsing regexp: ") +
			`. Put \ before characters that are meant literally; lookaround and backreferences do not exist here.`)
	}
	files := w.files[:0]
	for _, f := range w.files {
		if !f.link && (a.Glob == "" || globMatch(a.Glob, f.rel)) {
			files = append(files, f)
		}
	}
	w.files = files
	return t.contents(ctx, a, m, w)
}

// globMatch matches a glob against a slash path; one without "/" against the name alone.
func globMatch(glob, rel string) bool {
	if !strings.Contains(glob, "/") {
		rel = path.Base(rel)
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(strings.TrimPrefix(glob, "./"), "/"), rel)
}

// names answers a search for file names.
func (t *Search) names(a searchArguments, w *walker) core.ToolResult {
	if !doublestar.ValidatePattern(a.Pattern) {
		return tools.Fail("search_files: the pattern is not a valid glob. Use * ? [ab] {a,b} and **.")
	}
	var hits []string
	for _, f := range w.files {
		if globMatch(a.Pattern, f.rel) {
			hits = append(hits, text.OneLine(t.opts.Workdir.Show(f.path)))
		}
	}
	total := len(hits)
	hits = hits[min(a.Offset, total):]
	hits = hits[:min(a.Limit, len(hits))]
	var b strings.Builder
	for _, h := range hits {
		b.WriteString(h + "\n")
	}
	b.WriteString(tail(total, a, len(hits), "file", "files", w.cut))
	return core.ToolResult{OK: true, Content: b.String(), Detail: &core.ToolDetail{Summary: text.Count(total, "file", "files")}}
}

// tail is the last line of every answer: how many there are and how to get the rest.
func tail(total int, a searchArguments, shown int, one, many string, cut bool) string {
	var s string
	switch {
	case total == 0:
		s = "[nothing found"
	case shown == total:
		s = "[" + text.Count(total, one, many)
	default:
		s = fmt.Sprintf("[%d-%d of %s", a.Offset+1, a.Offset+shown, text.Count(total, one, many))
		if a.Offset+shown < total {
			s += fmt.Sprintf("; continue with offset %d or narrow the search", a.Offset+shown)
		}
	}
	if cut {
		s += "; only the first " + text.Thousands(maxFiles) + " files were looked at, narrow the path"
	}
	return s + "]"
}
