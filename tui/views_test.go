package tui

import (
	"fmt"
	"time"

	"hermes/core"
	"hermes/tui/approval"
	"hermes/tui/card"
	"hermes/tui/question"
	"hermes/tui/report"
	"hermes/tui/tuitest"
)

// views brings a rig into each state worth a golden frame.
func views() map[string]func(r *rig) {
	return map[string]func(r *rig){
		"chat": storyRig,
		"tools": func(r *rig) {
			storyRig(r)
			r.keys("ctrl+x", "2", "k")
		},
		"tool-output": func(r *rig) {
			storyRig(r)
			r.keys("ctrl+x", "2", "k", "k", "k", "enter")
		},
		"reading": func(r *rig) {
			storyRig(r)
			r.keys("tab", "g", "j", "enter")
		},
		"approval": func(r *rig) {
			storyRig(r)
			r.emit(storyApproval())
			r.clock.advance(approval.Quiet)
		},
		"which-key": func(r *rig) {
			storyRig(r)
			r.keys("ctrl+x")
			r.send(whichMsg{id: 1})
		},
		"help": func(r *rig) { r.keys("ctrl+x", "?") },
		"commands": func(r *rig) {
			storyRig(r)
			r.text("/re")
		},
		"sessions": func(r *rig) {
			r.m.Update(tuitest.Key("ctrl+x"))
			r.m.Update(tuitest.Key("s"))
			var rows []SessionRow
			for i, title := range []string{"deploy the flask app", "每周新闻摘要 digest", "東京タワー trip", "한강 ferry 渡し舟"} {
				rows = append(rows, SessionRow{
					ID: fmt.Sprint("s", i+1), Title: title, Model: "openai/gpt-5-mini", Folder: "~/src/app", Messages: 4 * i * i, Bytes: int64(1 + i*i*i*230_000),
					Cost: core.Cost{USD: float64(i) * 0.021, Known: true}, Task: i == 3,
					Updated: r.clock.now().Add(-time.Duration(i*i*7) * time.Hour), Open: i == 0,
				})
			}
			r.send(listedMsg{rows: rows})
			r.keys("j", "j")
			lines, _ := previewPort{r.p}.Preview(r.t.Context(), "s3")
			l, _ := r.m.layers[0].(*sessionsLayer)
			l.picker.SetPreview("s3", "", lines)
		},
		"failed": func(r *rig) {
			at := core.Meta{SessionID: "s1"}
			r.emit(
				&core.RunStarted{Meta: at, Message: core.Message{ID: "m1", Role: core.RoleUser, Content: "hello 你好"}},
				&core.TextDelta{Meta: at, MessageID: "m2", Text: "Half an ans"},
				&core.RunEnded{Meta: at, Reason: core.EndError, Error: &core.RunError{
					Code: core.CodeAuth, Message: "ask openai/gpt-5-mini: the server refused the key", Remedy: "run hermes setup, or check OPENAI_API_KEY",
				}})
		},
		"plan": func(r *rig) { // a task list, sub-agents, compaction, words on the way
			storyRig(r)
			at := core.Meta{SessionID: "s1", Time: r.clock.now()}
			r.emit(&core.TodoChanged{Meta: at, Items: []core.TodoItem{
				{ID: "1", Text: "read the app 读代码", Status: core.TodoDone},
				{ID: "2", Text: "build and push the image", Status: core.TodoActive},
				{ID: "3", Text: "部署到集群并检查日志", Status: core.TodoPending},
				{ID: "4", Text: "ask for the registry", Status: core.TodoCancelled},
			}}, &core.Compacted{Meta: at, MessageID: "s", Messages: 42, Before: 64_000, After: 12_800, Summary: "We deployed 部署.", Auto: true},
				&core.ToolStarted{Meta: at, CallID: "c9", Tool: "delegate_task", Arguments: `{"task":"research"}`},
				&core.TaskStarted{Meta: at, TaskID: "t1", CallID: "c9", Title: "read the docs 文档", Limit: 8},
				&core.TaskStarted{Meta: at, TaskID: "t2", CallID: "c9", Title: "read the tests", Limit: 8},
				&core.TaskStep{Meta: at, TaskID: "t1", CallID: "c9", Request: 2, ToolCalls: 3, Text: "search_files 部署"},
				&core.TaskEnded{Meta: at, TaskID: "t2", CallID: "c9", DurationMS: 4200, Result: core.TaskResult{Requests: 3, ToolCalls: 4, ToolErrors: 1, Reason: core.EndAnswered}},
				&core.Steered{Meta: at, Text: "use the 東京 registry"})
			r.clock.advance(2 * time.Second)
		},
		"task": func(r *rig) {
			views()["plan"](r)
			r.keys("ctrl+x", "2", "G", "k", "enter")
		},
		"question": func(r *rig) {
			storyRig(r)
			r.emit(&core.QuestionAsked{Meta: core.Meta{SessionID: "s1"}, Question: core.Question{
				ID: "q1", Text: "Which registry should the image go to? 推送到哪个仓库？", Options: []string{"東京 (registry.jp)", "Frankfurt (registry.de)"}, FreeText: true,
			}})
			r.clock.advance(question.Quiet)
		},
		"question-words": func(r *rig) {
			views()["question"](r)
			r.keys("3")
			r.text("東京tower北")
		},
		"context": func(r *rig) {
			storyRig(r)
			use, _ := sessionPort{r.p}.Context(r.t.Context())
			r.send(contextMsg{gen: r.m.ws.gen, use: use})
		},
		"undo": func(r *rig) {
			storyRig(r)
			r.send(undoMsg{gen: r.m.ws.gen, report: sessionPort{r.p}.undo()})
		},
		"rules": func(r *rig) {
			storyRig(r)
			r.m.push(&rulesLayer{list: &report.RuleList{}})
			rules, _ := rulePort{r.p}.List(r.t.Context())
			r.send(rulesMsg{gen: r.m.ws.gen, rules: rules})
			r.keys("j", "d")
		},
		"mention": func(r *rig) {
			storyRig(r)
			names, _ := filePort{r.p}.List(r.t.Context())
			r.send(filesMsg{gen: r.m.ws.gen, names: names})
			r.text("look at @d")
		},
		"shell": func(r *rig) {
			storyRig(r)
			call := card.NewShell("shell 1", "ls 文档", r.clock.now())
			r.m.chat.AddShell(call)
			call.Output("deploy guide.md\n部署.md\n")
			call.Finish(2, "", 300*time.Millisecond)
			r.text("!make test")
		},
		"history": func(r *rig) {
			r.send(historyMsg{gen: r.m.ws.gen, entries: []string{"deploy the app", "部署到集群", "what failed?\nand why"}})
			r.keys("ctrl+r")
			r.text("a")
		},
		"queue": func(r *rig) {
			storyRig(r)
			r.emit(&core.QueueChanged{Meta: core.Meta{SessionID: "s1"}, Queue: []string{"then check the logs 日志", "and tell me\nwhat you saw"}})
			r.keys("ctrl+x", "q", "k")
		},
		"palette": func(r *rig) {
			storyRig(r)
			r.keys("ctrl+x", "p")
			r.text("se")
		},
		"models": func(r *rig) {
			storyRig(r)
			r.emit(&core.RunEnded{Meta: core.Meta{SessionID: "s1"}, Reason: core.EndAnswered})
			r.keys("ctrl+x", "l")
			r.send(modelsMsg{models: []string{"gpt-5", "gpt-5-mini", "qwen3-深度"}})
			r.text("5")
		},
		"search": func(r *rig) {
			storyRig(r)
			r.keys("tab", "/")
			r.text("東京")
			r.send(foundMsg{matches: r.m.chat.Corpus().Find(r.t.Context())})
		},
		"folded": func(r *rig) {
			storyRig(r)
			r.keys("tab", "Z", "g")
		},
		"zoomed": func(r *rig) {
			storyRig(r)
			r.keys("ctrl+x", "2", "ctrl+x", "z")
		},
	}
}
