package file

import (
	"context"
	"encoding/json"
	"strings"

	"hermes/core"
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
	if reason := unwanted(path, a.Content); reason != "" {
		return tools.Deny(path, reason)
	}
	c, err := t.prepare(a, path)
	if err != nil {
		return tools.Unable(broken("write_file "+a.Path, err))
	}
	if why := t.opts.Seen.overwrite(run.SessionID, c); why != "" {
		return tools.Unable(tools.Fail("write_file " + a.Path + " was not run: " + why + "."))
	}
	v := tools.Verdict{Action: action, Subject: path, Diff: c.diff, Run: func(_ context.Context, run core.ToolRun) core.ToolResult { return t.finish(run, c) }}
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
	if reason := unwanted(path, a.Content); reason != "" {
		return tools.Fail("write_file " + a.Path + " was not run: " + reason + ".")
	}
	c, err := t.prepare(a, path)
	if err != nil {
		return broken("write_file "+a.Path, err)
	}
	if why := t.opts.Seen.overwrite(run.SessionID, c); why != "" {
		return tools.Fail("write_file " + a.Path + " was not run: " + why + ".")
	}
	return t.finish(run, c)
}

// prepare looks at what is there and works out what will be written.
func (t *Write) prepare(a writeArguments, path string) (*change, error) {
	c, err := t.opts.look(path)
	if err != nil {
		return nil, err
	}
	if c.exists {
		if err := c.decode(); err != nil {
			return nil, err
		}
	}
	if c.data, err = c.form.encode(a.Content); err != nil {
		return nil, err
	}
	c.newText, c.whole = a.Content, true
	if c.form.crlf { // compare like with like
		c.oldText = strings.ReplaceAll(c.oldText, "\r\n", "\n")
		c.newText = strings.ReplaceAll(c.newText, "\r\n", "\n")
	}
	c.diff = unified(c.shown, c.oldText, c.newText, c.exists)
	return c, nil
}

// finish writes the change in one step, unless something moved since it was prepared.
func (t *Write) finish(run core.ToolRun, c *change) core.ToolResult {
	detail := &core.ToolDetail{Path: c.path, Diff: c.diff}
	if c.exists && string(c.data) == string(c.old) {
		detail.Summary = "unchanged"
		t.opts.Seen.wrote(run.SessionID, c)
		return core.ToolResult{OK: true, Content: c.shown + " already holds exactly this.", Detail: detail}
	}
	notes, err := t.opts.carryOut(run, []*change{c})
	if err != nil {
		return broken("write_file", err)
	}
	detail.Summary = c.summary()
	return core.ToolResult{OK: true, Content: "Wrote " + c.shown + ": " + detail.Summary + "." + noted(notes), Detail: detail}
}

// noted writes notes behind a result.
func noted(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return "\n[" + strings.Join(notes, "; ") + "]"
}
