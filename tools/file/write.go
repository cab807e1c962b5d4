package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/text"
	"hermes/tools"
)

// Write is the write_file tool.
type Write struct{ opts Options }

var _ tools.Guarded = (*Write)(nil)

// Spec describes the tool.
func (*Write) Spec() core.ToolSpec {
	return spec("write_file", writeText, `{"type":"object","properties":{`+
		`"path":{"type":"string","description":"File to write, absolute or relative to the working folder."},`+
		`"content":{"type":"string","description":"The complete new text of the file."}`+
		`},"required":["path","content"],"additionalProperties":false}`)
}

type writeArguments struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// change is a write that was looked at and can be carried out.
type change struct {
	path    string // resolved
	shown   string // for people and the model
	old     []byte // what was there when it was judged
	oldText string
	newText string
	data    []byte // what will be on disk
	exists  bool
	form    form
	diff    string
}

// Guard judges the resolved path and the content, and shows the diff when it asks.
func (t *Write) Guard(_ context.Context, run core.ToolRun) tools.Verdict {
	var a writeArguments
	if err := json.Unmarshal(run.Arguments, &a); err != nil {
		return tools.Unable(broken("write_file", err))
	}
	path, err := t.opts.resolve(a.Path)
	if err != nil {
		return tools.Unable(broken("write_file "+a.Path, err))
	}
	action, why := t.opts.Policy.Write(path)
	if action == tools.ActionDeny {
		return tools.Deny(path, path+" "+why)
	}
	if reason := unwanted(a.Content); reason != "" {
		return tools.Deny(path, reason)
	}
	c, err := t.prepare(a, path)
	if err != nil {
		return tools.Unable(broken("write_file "+a.Path, err))
	}
	v := tools.Verdict{Action: action, Subject: path, Diff: c.diff, Run: func(context.Context, core.ToolRun) core.ToolResult { return c.carryOut() }}
	if action == tools.ActionAsk {
		v.Reasons = []string{path + " " + why}
		v.Rule = "write_file: exactly " + path
	}
	if tools.Instructions(path) {
		v.Action, v.Firm = tools.ActionAsk, true
		v.Reasons = append(v.Reasons, path+" tells agents what to do in later sessions")
	}
	return v
}

// Run writes without asking, but never a protected file.
func (t *Write) Run(_ context.Context, run core.ToolRun) core.ToolResult {
	var a writeArguments
	if err := json.Unmarshal(run.Arguments, &a); err != nil {
		return broken("write_file", err)
	}
	path, err := t.opts.resolve(a.Path)
	if err != nil {
		return broken("write_file", err)
	}
	if action, why := t.opts.Policy.Write(path); action == tools.ActionDeny {
		return tools.Fail(path + " " + why + ".")
	}
	c, err := t.prepare(a, path)
	if err != nil {
		return broken("write_file "+a.Path, err)
	}
	return c.carryOut()
}

// unwanted names content that must not reach a file.
func unwanted(content string) string {
	if strings.Contains(strings.ToLower(content), "[redacted") {
		return "the content holds a [redacted] mark where a secret was; writing it would destroy the secret. Leave that part of the file alone"
	}
	numbered := regexp.MustCompile(`^\s*\d+\|`)
	lines, hits := 0, 0
	for line := range strings.Lines(content) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if lines++; numbered.MatchString(line) {
			hits++
		}
	}
	if lines >= 3 && hits*10 >= lines*6 {
		return "the content has read_file's line numbers in it; send the text without them"
	}
	return ""
}

// prepare looks at what is there and works out what will be written.
func (t *Write) prepare(a writeArguments, path string) (*change, error) {
	c := &change{path: path, shown: t.opts.Workdir.Show(path), newText: a.Content}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("is a folder")
	case !info.Mode().IsRegular():
		return nil, errors.New("is no regular file")
	case info.Size() > maxEdit:
		return nil, fmt.Errorf("the file there has %s bytes, more than write_file replaces", text.Thousands(int(info.Size())))
	default:
		c.exists = true
		if c.old, err = os.ReadFile(path); err != nil {
			return nil, err
		}
		c.form = sniff(c.old[:min(len(c.old), sniffLen)])
		if c.form.binary != "" {
			return nil, fmt.Errorf("the file there is not text (%s); remove it first if it is to be replaced", c.form.binary)
		}
		decoded, err := io.ReadAll(c.form.decoder(strings.NewReader(string(c.old))))
		if err != nil {
			return nil, err
		}
		c.oldText = string(decoded)
	}
	if c.data, err = c.form.encode(a.Content); err != nil {
		return nil, err
	}
	c.newText = a.Content
	if c.form.crlf { // compare like with like
		c.oldText = strings.ReplaceAll(c.oldText, "\r\n", "\n")
		c.newText = strings.ReplaceAll(c.newText, "\r\n", "\n")
	}
	c.diff = unified(c.shown, c.oldText, c.newText, c.exists)
	return c, nil
}

// unified returns the change as a unified diff; of very large files only that it is too large.
func unified(name, before, after string, exists bool) string {
	if before == after {
		return ""
	}
	if len(before)+len(after) > 2*maxDiffBytes {
		return ""
	}
	from := name
	if !exists {
		from = "/dev/null"
	}
	diff, err := udiff.ToUnified(from, name, before, udiff.Lines(before, after), 3)
	if err != nil {
		return ""
	}
	return diff
}

// carryOut writes the change in one step, unless something moved since it was prepared.
func (c *change) carryOut() core.ToolResult {
	if err := unchanged(c.path); err != nil {
		return broken("write_file "+c.shown, err)
	}
	now, err := os.ReadFile(c.path)
	if c.exists != (err == nil) || (err == nil && string(now) != string(c.old)) {
		return tools.Fail("write_file " + c.shown + ": the file changed while the write waited. Read it again.")
	}
	detail := &core.ToolDetail{Path: c.path, Diff: c.diff}
	if c.exists && string(c.data) == string(c.old) {
		detail.Summary = "unchanged"
		return core.ToolResult{OK: true, Content: c.shown + " already holds exactly this.", Detail: detail}
	}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o755); err != nil {
		return broken("write_file "+c.shown, err)
	}
	if err := home.WriteFile(c.path, c.data, 0o644); err != nil {
		return broken("write_file "+c.shown, err)
	}
	detail.Summary = c.summary()
	return core.ToolResult{OK: true, Content: "Wrote " + c.shown + ": " + detail.Summary + ".", Detail: detail}
}

// summary is one line: "created, 14 lines" or "+3 -2 lines, 14 in all".
func (c *change) summary() string {
	lines := strings.Count(c.newText, "\n")
	if c.newText != "" && !strings.HasSuffix(c.newText, "\n") {
		lines++
	}
	if !c.exists {
		return fmt.Sprintf("created, %s", plural(lines, "line"))
	}
	if c.diff == "" {
		return fmt.Sprintf("replaced, %s", plural(lines, "line"))
	}
	plus, minus := 0, 0
	inside := false
	for l := range strings.Lines(c.diff) {
		switch {
		case strings.HasPrefix(l, "@@"):
			inside = true
		case inside && l[0] == '+':
			plus++
		case inside && l[0] == '-':
			minus++
		}
	}
	return fmt.Sprintf("+%d -%d, now %s", plus, minus, plural(lines, "line"))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return text.Thousands(n) + " " + noun + "s"
}
