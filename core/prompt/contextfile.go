package prompt

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/text"
	"hermes/core/threat"
)

// Limits of one context file in code points: a share of the window between floor and ceiling.
const (
	contextFloor   = 20_000
	contextCeiling = 500_000
	charsPerToken  = 4  // a rough mean of English prose and code
	windowShare    = 10 // one tenth of the window
	// maxContextBytes is read of a context file at most; nobody writes 4 MiB of instructions.
	maxContextBytes = 4 << 20
)

func contextLimit(window int) int {
	return min(max(window*charsPerToken/windowShare, contextFloor), contextCeiling)
}

// contextFile is one file of a project that goes into the prompt.
type contextFile struct {
	name    string // as shown
	body    string // the text, possibly cut, or the blocked note
	text    string // body under its heading
	blocked bool
	notices []core.Notice
}

// contextFiles finds the project's instructions for folder: the first kind that exists wins, looked
// for from folder up to the root of its git repository.
func contextFiles(folder, private string, limit int) []contextFile {
	kinds := [][]string{{".hermes.md", "HERMES.md"}, {"AGENTS.md"}, {"CLAUDE.md"}, {".cursorrules"}}
	for _, names := range kinds {
		if path := findUp(folder, names); path != "" {
			c, ok := readContext(path, limit)
			if !ok {
				continue
			}
			c.keepOut(path, private)
			if names[0] == ".hermes.md" && !c.blocked {
				c.body = stripFrontmatter(c.body)
			}
			return []contextFile{headed(c, folder)}
		}
	}
	return cursorRules(folder, private, limit)
}

// cursorRules reads the rule files of the newer cursor layout, in the order of their names.
func cursorRules(folder, private string, limit int) []contextFile {
	paths, err := filepath.Glob(filepath.Join(globEscape(folder), ".cursor", "rules", "*.mdc"))
	if err != nil {
		return nil
	}
	sort.Strings(paths)
	var out []contextFile
	for _, p := range paths {
		if c, ok := readContext(p, limit); ok {
			c.keepOut(p, private)
			if !c.blocked {
				c.body = stripFrontmatter(c.body)
			}
			out = append(out, headed(c, folder))
		}
	}
	return out
}

// globEscape keeps the special characters of a folder's own name from being patterns.
func globEscape(path string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(path)
}

func headed(c contextFile, folder string) contextFile {
	c.text = "# Project instructions from " + c.name + "\n" + strings.TrimSpace(c.body)
	if rel, err := filepath.Rel(folder, c.name); err == nil {
		c.name = rel
	}
	return c
}

// findUp returns the first of names that exists in folder or a parent, up to its git root.
func findUp(folder string, names []string) string {
	root := gitRoot(folder)
	for dir := folder; ; dir = filepath.Dir(dir) {
		for _, n := range names {
			p := filepath.Join(dir, n)
			if fi, err := os.Stat(p); err == nil && fi.Mode().IsRegular() {
				return p
			}
		}
		if root == "" || dir == root || dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// gitRoot returns the folder that holds .git, or "".
func gitRoot(folder string) string {
	for dir := folder; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// readContext reads, scans and caps one file. ok is false when there is no such regular file.
func readContext(path string, limit int) (c contextFile, ok bool) {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return c, false // a pipe or a device would hang the start
	}
	c.name = path
	b, err := readHead(path)
	if err != nil {
		c.notices = append(c.notices, core.Notice{
			Level: core.LevelWarn, Text: fmt.Sprintf("%s was skipped: %v", path, err), Remedy: "make it readable, or remove it",
		})
		c.block("it cannot be read")
		return c, true
	}
	c.body = strings.ReplaceAll(strings.TrimPrefix(text.CleanUTF8(string(b)), "\ufeff"), "\r\n", "\n")
	fs := threat.Scan(c.body, threat.Context)
	if f := threat.Blocking(fs); f != nil {
		c.notices = append(c.notices, core.Notice{
			Level:  core.LevelWarn,
			Text:   fmt.Sprintf("%s:%d was kept out of the prompt: %s (%s)", path, f.Line, f.ID, f.Excerpt),
			Remedy: "look at that line; remove it if it is not yours, then start a new session",
		})
		c.block(fmt.Sprintf("line %d looks like an attempt to steer the agent (%s)", f.Line, f.ID))
		return c, true
	}
	for _, f := range fs {
		c.notices = append(c.notices, core.Notice{
			Level: core.LevelInfo, Text: fmt.Sprintf("%s:%d is unusual for instructions: %s (%s)", path, f.Line, f.ID, f.Excerpt),
		})
	}
	c.cap(limit, int(fi.Size())-len(b))
	return c, true
}

// keepOut blocks a file that is really one of the private folder, reached by a link.
func (c *contextFile) keepOut(path, private string) {
	real, err := home.ResolvePath(path)
	if private == "" || err == nil && !home.Within(private, real) {
		return
	}
	c.block("it leads into the agent's own home")
	c.notices = append(c.notices, core.Notice{
		Level: core.LevelWarn, Text: path + " was kept out of the prompt: it leads to " + real, Remedy: "remove the link",
	})
}

// block replaces the text by a note that says why.
func (c *contextFile) block(why string) {
	c.blocked = true
	c.body = "[BLOCKED: " + filepath.Base(c.name) + " was not read: " + why + "]"
}

// cap keeps 70 % of the limit from the head and 20 % from the tail, with a note between. unread is
// how many bytes of the file were not read at all.
func (c *contextFile) cap(limit, unread int) {
	rs := []rune(c.body)
	if len(rs) <= limit && unread <= 0 {
		return
	}
	head, tail := min(limit*7/10, len(rs)), min(limit*2/10, len(rs)-min(limit*7/10, len(rs)))
	left := len(rs) - head - tail
	note := fmt.Sprintf("\n\n[… %s characters of %s left out …]\n\n", text.Thousands(left), filepath.Base(c.name))
	c.body = string(rs[:head]) + note + string(rs[len(rs)-tail:])
	c.notices = append(c.notices, core.Notice{
		Level:  core.LevelWarn,
		Text:   fmt.Sprintf("%s is too long for the prompt: %s of %s characters left out of its middle", c.name, text.Thousands(left), text.Thousands(len(rs))),
		Remedy: "shorten it; what matters most belongs at its start",
	})
}

func readHead(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	return io.ReadAll(io.LimitReader(f, maxContextBytes))
}

// stripFrontmatter drops a leading "---" block.
func stripFrontmatter(s string) string {
	rest, ok := strings.CutPrefix(s, "---\n")
	if !ok {
		return s
	}
	if _, body, ok := strings.Cut("\n"+rest, "\n---\n"); ok {
		return body
	}
	return s
}
