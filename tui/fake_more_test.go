package tui

import (
	"context"
	"strings"
	"time"

	"hermes/core"
	"hermes/tui/report"
)

// The fakes of the optional ports: they note the call and answer with fixed values.

type questionPort struct{ *ports }

func (p questionPort) Answer(id string, a core.Answer) error {
	text := a.Text
	if a.Skipped {
		text = "skipped"
	}
	return p.note("question " + id + " " + text)
}

type sessionPort struct{ *ports }

func (p sessionPort) Steer(_ context.Context, text string) error { return p.note("steer " + text) }

func (p sessionPort) Compact(_ context.Context, focus string) error {
	return p.note("compact " + focus)
}

func (p sessionPort) Context(context.Context) (ContextUse, error) {
	return ContextUse{Window: 128_000, Used: 91_400, Compacts: 96_000, Sections: []ContextSection{
		{Name: "system prompt", Tokens: 9_800},
		{Name: "tools", Tokens: 6_200, Note: "24 tools"},
		{Name: "skills index 技能", Tokens: 1_100, Note: "14 shown"},
		{Name: "messages", Tokens: 74_300, Note: "212 messages"},
	}}, p.note("context")
}

func (p sessionPort) undo() UndoReport {
	return UndoReport{
		Message: "m1", Text: "Deploy this Flask app 到集群", Messages: 9,
		Files: []UndoFile{
			{Path: "k8s/deploy.yaml", Action: report.Restored},
			{Path: "新文件.md", Action: report.Removed},
			{Path: "app.py", Action: report.Kept, Reason: "it was changed after the turn"},
		},
		Notes: []string{"3 commands ran; what they did beyond these files stays"},
	}
}

func (p sessionPort) Preview(context.Context) (UndoReport, error) { return p.undo(), p.note("preview") }

func (p sessionPort) Undo(context.Context) (UndoReport, error) { return p.undo(), p.note("undo") }

type rulePort struct{ *ports }

func (p rulePort) List(context.Context) ([]Rule, error) {
	return []Rule{
		{ID: "1", Text: "terminal: kubectl get …", Added: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)},
		{ID: "2", Text: "write_file: 文档/**", Note: "this folder"},
	}, p.note("rules")
}

func (p rulePort) Revoke(_ context.Context, id string) error { return p.note("revoke " + id) }

type previewPort struct{ *ports }

func (p previewPort) Preview(_ context.Context, id string) ([]PreviewLine, error) {
	return []PreviewLine{
		{Who: "you", Text: "What changed this week? 这周有什么变化？"},
		{Who: "hermes", Text: strings.Repeat("Three things of session "+id+". ", 12)},
	}, p.note("session preview " + id)
}

type filePort struct{ *ports }

func (p filePort) List(context.Context) ([]string, error) {
	return []string{"README.md", "app.py", "docs/", "docs/部署.md", "docs/deploy guide.md", "src/", "src/app/main.go"}, p.note("files")
}

type shellPort struct{ *ports }

func (p shellPort) Run(ctx context.Context, command string, out func(string)) (int, error) {
	out("first 行\n")
	if command == "hang" {
		<-ctx.Done()
		return -1, ctx.Err()
	}
	out("second\n")
	return 3, p.note("shell " + command)
}

type deskPort struct{ *ports }

func (p deskPort) Open(_ context.Context, target string) error { return p.note("open link " + target) }

// farPort is a machine without a clipboard.
type farPort struct{ deskPort }

func (p farPort) Write(context.Context, string) error {
	return &core.Error{Code: core.CodeNotFound, Op: "copy", Err: errFake}
}

func (p deskPort) Write(_ context.Context, text string) error { return p.note("clipboard " + text) }

func (p deskPort) Dump(_ context.Context, text string) (string, error) {
	return "~/.hermes/ui/screen.txt", p.note("dump " + text)
}

type layoutPort struct{ *ports }

func (p layoutPort) Load(context.Context) (map[string]LayoutState, error) {
	return map[string]LayoutState{"130x40": {Side: 8}}, p.note("layouts")
}

func (p layoutPort) Save(_ context.Context, s map[string]LayoutState) error {
	p.mu.Lock()
	p.layouts = s
	p.mu.Unlock()
	return p.note("layouts saved")
}
