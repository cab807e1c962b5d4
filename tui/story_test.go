package tui

import (
	"strings"
	"time"

	"hermes/core"
)

const storyAnswer = "# 部署 Deploying\n\nI'll build the **image** first, then push it to the 東京 registry. 服务器在东京，请稍等，部署大约需要三分钟。\n\n" +
	"- step one with `docker build`\n- step two: 推送镜像到仓库\n\n```go\nfunc main() {\n\tfmt.Println(\"東京\")\n}\n```\n\n" +
	"| service | 状態 |\n|---|---|\n| web | 稼働中 |\n"

// story is what a turn with tools tells the screen.
func story(c *clock) []core.Event {
	at := core.Meta{SessionID: "s1", Time: c.now()}
	one, zero := 1, 0
	return []core.Event{
		&core.RunStarted{Meta: at, Message: core.Message{ID: "m1", Role: core.RoleUser, Content: "deploy this Flask app\n部署到集群"}},
		&core.ReasoningDelta{Meta: at, MessageID: "m2", Text: "The person wants a deployment.\nFirst I read the app."},
		&core.TextDelta{Meta: at, MessageID: "m2", Text: "Let me look at the app."},
		&core.MessageEnded{Meta: at, Message: core.Message{ID: "m2", Role: core.RoleAssistant, Content: "Let me look at the app.", Reasoning: &core.Reasoning{Text: "The person wants a deployment.\nFirst I read the app."}}},
		&core.ToolStarted{Meta: at, CallID: "c1", Tool: "read_file", Arguments: `{"path":"app.py"}`},
		&core.ToolEnded{Meta: at, CallID: "c1", Tool: "read_file", OK: true, Result: "from flask import Flask", DurationMS: 12, Detail: &core.ToolDetail{Summary: "34 lines"}},
		&core.ToolStarted{Meta: at, CallID: "c2", Tool: "terminal", Arguments: `{"command":"kubectl apply -f k8s/ # 東京"}`},
		&core.ToolOutput{Meta: at, CallID: "c2", Text: "10%\r100%\nservice/web created\n"},
		&core.ToolEnded{Meta: at, CallID: "c2", Tool: "terminal", Result: "service/web created\nerror: ImagePullBackOff", DurationMS: 1234, ExitCode: &one},
		&core.ToolStarted{Meta: at, CallID: "c3", Tool: "write_file", Arguments: `{"path":"k8s/deploy.yaml","content":"…"}`},
		&core.ToolEnded{Meta: at, CallID: "c3", Tool: "write_file", OK: true, Result: "ok", DurationMS: 3, Detail: &core.ToolDetail{
			Path: "k8s/deploy.yaml", Diff: "--- k8s/deploy.yaml\n+++ k8s/deploy.yaml\n@@ -1,3 +1,3 @@\n spec:\n-  replicas: 1\n+  replicas: 3\n   image: 東京\n",
		}},
		&core.TextDelta{Meta: at, MessageID: "m5", Text: storyAnswer},
		&core.MessageEnded{Meta: at, Message: core.Message{ID: "m5", Role: core.RoleAssistant, Content: storyAnswer}},
		&core.UsageReported{Meta: at, Purpose: core.PurposeChat, Cost: core.Cost{USD: 0.031, Known: true}, Usage: core.Usage{
			Input: core.KnownTokens(15_000), Output: core.KnownTokens(300), Cached: core.KnownTokens(13_050),
		}},
		&core.UsageReported{Meta: at, Purpose: core.PurposeLearning, Cost: core.Cost{USD: 0.002, Known: true}},
		&core.Titled{Meta: at, Title: "deploy the flask app 部署"},
		&core.RunEnded{Meta: at, Reason: core.EndAnswered, Answer: storyAnswer},
		&core.RunStarted{Meta: at, Message: core.Message{ID: "m9", Role: core.RoleUser, Content: "and now push the image"}},
		&core.ToolStarted{Meta: at, CallID: "c4", Tool: "terminal", Arguments: `{"command":"docker push reg/app"}`},
		&core.ToolOutput{Meta: at, CallID: "c4", Text: "layer 1 pushed\nlayer 2 推送中\n"},
		&core.QueueChanged{Meta: at, Queue: []string{"then check the logs 日志"}},
		&core.ToolEnded{Meta: at, CallID: "c0", Tool: "search_files", OK: true, Result: "", DurationMS: 40, ExitCode: &zero},
	}
}

func storyRig(r *rig) {
	r.emit(story(r.clock)...)
	r.clock.advance(3400 * time.Millisecond)
}

func storyApproval() *core.ApprovalAsked {
	return &core.ApprovalAsked{Meta: core.Meta{SessionID: "s1"}, Approval: core.Approval{
		ID: "a1", SessionID: "s1", CallID: "c4", Tool: "terminal", Subject: "docker push reg/app\x1b[2K # 東京 && rm -rf ~/.cache\r",
		Reasons: []string{"pushes to a registry outside this machine", "removes files outside the working folder"},
		Rule:    "docker push reg/*", Folder: "~/src/app",
	}}
}

// hostile is content that tries to take over the terminal (OPEN-TU-04).
const hostile = "\x1b[?1049h\x1b[2J\x1b]0;owned\x07\x1b]52;c;aGk=\x07\x1b[?25l 10%\r20%\rdone\tx \x1b[1A\x1b[2K\u009b2J\u202e\x00\x1bP q\x1b\\\x1b_x\x1b\\👨‍👩‍👧❤️ 東"

func hostileEvents() []core.Event {
	at := core.Meta{SessionID: "s1"}
	one := 1
	arg := strings.NewReplacer(`\`, `\\`, "\x1b", `\u001b`, "\x07", `\u0007`, "\r", `\r`, "\t", `\t`, "\x00", `\u0000`).Replace(hostile)
	return []core.Event{
		&core.Titled{Meta: at, Title: hostile},
		&core.RunStarted{Meta: at, Message: core.Message{ID: "h1", Role: core.RoleUser, Content: hostile}},
		&core.ReasoningDelta{Meta: at, MessageID: "h2", Text: hostile},
		&core.TextDelta{Meta: at, MessageID: "h2", Text: hostile + "\n\n```\n" + hostile + "\n```\n\n[" + hostile + "](http://x/" + hostile + ")\n\n|" + hostile + "|b|\n|-|-|\n|c|" + hostile + "|\n"},
		&core.ToolStarted{Meta: at, CallID: "h3", Tool: hostile, Arguments: `{"command":"` + arg + `"}`},
		&core.ToolOutput{Meta: at, CallID: "h3", Text: hostile + "\n" + hostile},
		&core.ToolStarted{Meta: at, CallID: "h4", Tool: "write_file", Arguments: hostile},
		&core.ToolEnded{Meta: at, CallID: "h4", Tool: "write_file", OK: true, Result: hostile, Detail: &core.ToolDetail{
			Diff: "+" + hostile, Summary: hostile, Path: hostile, Spill: hostile,
		}},
		&core.ToolStarted{Meta: at, CallID: "h5", Tool: "terminal", Arguments: `{}`},
		&core.ToolEnded{Meta: at, CallID: "h5", Tool: "terminal", Result: hostile, ExitCode: &one},
		&core.Notice{Meta: at, Level: core.LevelWarn, Text: hostile, Remedy: hostile},
		&core.QueueChanged{Meta: at, Queue: []string{hostile}},
		&core.RunEnded{Meta: at, Reason: core.EndError, Error: &core.RunError{Message: hostile, Remedy: hostile}},
	}
}
