//go:build !windows

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes/core/provider/scripted"
)

// outcome is how a plain command ended.
type outcome struct {
	code     int
	out, err string
}

// hermes runs the program without a terminal.
func (w world) hermes(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary(t), args...)
	cmd.Env, cmd.Dir, cmd.Stdin = w.env, w.dir, strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	o := outcome{out: out.String(), err: errs.String()}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		o.code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return o
}

// model starts a scripted server and returns the environment that points at it.
func model(t *testing.T, yaml string) (*scripted.Server, []string) {
	t.Helper()
	sc, err := scripted.Load("model.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	srv, err := scripted.Start(context.WithoutCancel(t.Context()), sc, scripted.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv, []string{"OPENAI_BASE_URL=" + srv.URL(), "HERMES_MODEL=scripted"}
}

// events decodes the lines of run --json.
func events(t *testing.T, out string) []map[string]any {
	t.Helper()
	var evs []map[string]any
	sc := bufio.NewScanner(strings.NewReader(out))
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var e map[string]any
		if err := json.Unmarshal(sc.Bytes(), &e); err != nil {
			t.Fatalf("%v in line %q", err, sc.Text())
		}
		evs = append(evs, e)
	}
	return evs
}

func find(evs []map[string]any, kind string) []map[string]any {
	var out []map[string]any
	for _, e := range evs {
		if e["type"] == kind {
			out = append(out, e)
		}
	}
	return out
}

const threeTools = `
strict: true
rules:
  - {when: {turn: 0}, reply: {text: "I look first.", tool_calls: [{name: read_file, arguments: {path: in.txt}}]}}
  - {when: {turn: 1}, reply: {tool_calls: [{name: write_file, arguments: {path: out.txt, content: "HELLO\n"}}]}}
  - {when: {turn: 2}, reply: {tool_calls: [{name: terminal, arguments: {command: "cat out.txt"}}]}}
  - {when: {turn: 3, result: HELLO}, reply: {text: "Written and checked.", usage: {prompt: 100, completion: 10, cached: 80}}}
`

func TestE2E_runCompletesAThreeToolTask(t *testing.T) {
	t.Parallel()
	srv, env := model(t, threeTools)
	w := newWorld(t, env...)
	if err := os.WriteFile(filepath.Join(w.dir, "in.txt"), []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := w.hermes(t, "", "run", "shout", "--json")
	if o.code != 0 {
		t.Fatalf("exit %d\n%s\n%s", o.code, o.out, o.err)
	}
	evs := events(t, o.out)
	var tools []string
	for _, e := range find(evs, "tool_ended") {
		tools = append(tools, e["tool"].(string))
		if e["ok"] != true {
			t.Errorf("%v", e)
		}
	}
	if !slices.Equal(tools, []string{"read_file", "write_file", "terminal"}) {
		t.Errorf("tools: %v", tools)
	}
	end := find(evs, "run_ended")
	if len(end) != 1 || end[0]["reason"] != "answered" || end[0]["answer"] != "Written and checked." || end[0]["tool_calls"] != 3.0 {
		t.Errorf("%v", end)
	}
	if evs[len(evs)-1]["type"] != "done" {
		t.Errorf("last line: %v", evs[len(evs)-1])
	}
	if b, err := os.ReadFile(filepath.Join(w.dir, "out.txt")); err != nil || string(b) != "HELLO\n" {
		t.Errorf("out.txt: %q %v", b, err)
	}
	if n := len(srv.Requests()); n != 4 {
		t.Errorf("%d requests", n)
	}

	// The session can be taken up again, and the commands read it.
	id := end[0]["session_id"].(string)
	if o = w.hermes(t, "", "run", "--resume", id, "again"); o.code != 0 || !strings.Contains(o.out, "Written and checked.") {
		t.Errorf("resume: %+v", o)
	}
	o = w.hermes(t, "", "sessions", "show", "last", "--json")
	var shown struct {
		SessionID    string `json:"session_id"`
		SystemPrompt string `json:"system_prompt"`
		Messages     []any
	}
	if err := json.Unmarshal([]byte(o.out), &shown); err != nil || shown.SessionID != id || shown.SystemPrompt == "" || len(shown.Messages) != 16 {
		t.Errorf("show: %v %d messages", err, len(shown.Messages))
	}
}

func TestE2E_unattendedRefusals(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
strict: true
rules:
  - {when: {turn: 0, user: outside}, reply: {tool_calls: [{name: write_file, arguments: {path: "../outside.txt", content: x}}]}}
  - {when: {turn: 0, user: danger}, reply: {tool_calls: [{name: terminal, arguments: {command: "chmod -R 777 sub"}}]}}
  - {when: {turn: 0, user: floor}, reply: {tool_calls: [{name: terminal, arguments: {command: "rm -rf /"}}]}}
  - {reply: {text: "I was told: {{result}}"}}
`)
	w := newWorld(t, env...)
	if err := os.Mkdir(filepath.Join(w.dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		prompt string
		yolo   bool
		denied bool
	}{{"outside", false, true}, {"danger", false, true}, {"floor", false, true}, {"floor", true, true}, {"danger", true, false}} {
		args := []string{"run", tt.prompt, "--json"}
		if tt.yolo {
			args = append(args, "--yolo")
		}
		o := w.hermes(t, "", args...)
		if o.code != 0 {
			t.Fatalf("%+v", o)
		}
		ended := find(events(t, o.out), "tool_ended")
		if len(ended) != 1 || ended[0]["ok"] == tt.denied {
			t.Errorf("%s, yolo %v: %v", tt.prompt, tt.yolo, ended)
		}
	}
	// An agent that calls hermes from its own shell cannot switch approvals off for another one.
	inner := world{home: w.home, dir: w.dir, env: append(slices.Clone(w.env), "HERMES_AGENT=s")}
	o := inner.hermes(t, "", "run", "danger", "--json", "--yolo")
	if ended := find(events(t, o.out), "tool_ended"); len(ended) != 1 || ended[0]["ok"] == true {
		t.Errorf("--yolo inside an agent's shell: %v", ended)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(w.dir), "outside.txt")); err == nil {
		t.Error("the refused write happened")
	}
	if fi, err := os.Stat(filepath.Join(w.dir, "sub")); err != nil || fi.Mode().Perm() != 0o777 {
		t.Errorf("with --yolo the command must run: %v", fi.Mode())
	}
}

func TestE2E_runReadsStandardInput(t *testing.T) {
	t.Parallel()
	srv, env := model(t, "rules:\n  - {reply: {text: 'ok'}}\n")
	w := newWorld(t, env...)
	for _, args := range [][]string{{"run", "sum up"}, {"run", "-"}, {"run"}} {
		if o := w.hermes(t, "piped text 漢字\n", args...); o.code != 0 || o.out != "ok\n" {
			t.Errorf("%v: %+v", args, o)
		}
	}
	rs := srv.Requests()
	if got := rs[0].User(); got != "sum up\n\npiped text 漢字" {
		t.Errorf("appended: %q", got)
	}
	if got := rs[1].User(); got != "piped text 漢字" {
		t.Errorf("alone: %q", got)
	}
}

func TestE2E_badInputIsAClearLine(t *testing.T) {
	t.Parallel()
	_, env := model(t, "models: [scripted]\nkey: sk-right\nrules:\n  - {when: {user: html}, reply: {fault: {status: 200, content_type: text/html, body: <html>}}}\n  - {when: {user: empty}, reply: {}}\n  - {reply: {text: ok}}\n")
	good := append(slices.Clone(env), "OPENAI_API_KEY=sk-right")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		env  []string
		args []string
		code int
		say  []string // on standard error
	}{
		{"no prompt", good, []string{"run"}, 2, []string{"prompt", "→"}},
		{"unknown command", good, []string{"frobnicate"}, 2, []string{"unknown command"}},
		{"unknown flag", good, []string{"run", "--nope", "x"}, 2, []string{"unknown flag"}},
		{"nothing configured", nil, []string{"run", "x"}, 4, []string{"→"}},
		{"refused key", append(slices.Clone(env), "OPENAI_API_KEY=sk-wrong"), []string{"run", "x"}, 1, []string{"key", "→"}},
		{"unknown model", append(slices.Clone(good), "HERMES_MODEL=nope"), []string{"run", "x"}, 1, []string{"nope", "→"}},
		{"html", good, []string{"run", "html"}, 1, []string{"→"}},
		{"empty", good, []string{"run", "empty"}, 1, []string{"empty answer", "→"}},
		{"no network", []string{"OPENAI_BASE_URL=http://127.0.0.1:9/v1", "HERMES_MODEL=m"}, []string{"run", "x"}, 1, []string{"→"}},
		{"no such session", good, []string{"run", "--resume", "nope", "x"}, 3, []string{"no such session", "→"}},
		{"home is a file", append(slices.Clone(good), "HERMES_HOME="+file), []string{"run", "x"}, 4, []string{file, "→"}},
		{"bad format", good, []string{"sessions", "export", "x", "--format", "pdf"}, 2, []string{"pdf"}},
		{"agent configures", append(slices.Clone(good), "HERMES_AGENT=s"), []string{"config", "set", "agent.max_turns", "5"}, 1, []string{"agent", "→"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tt.env...)
			o := w.hermes(t, "", tt.args...)
			if o.code != tt.code {
				t.Errorf("exit %d, want %d: %+v", o.code, tt.code, o)
			}
			for _, s := range tt.say {
				if !strings.Contains(o.err, s) {
					t.Errorf("standard error lacks %q: %s", s, o.err)
				}
			}
			// The same with --json: one object, also for what failed inside the run.
			o = w.hermes(t, "", append(tt.args, "--json")...)
			if o.code != tt.code {
				t.Errorf("--json: exit %d: %+v", o.code, o)
			}
			if !strings.Contains(o.out, `"code":`) || !strings.Contains(o.out, `"message":`) {
				t.Errorf("--json: %s", o.out)
			}
		})
	}
}

func TestE2E_commands(t *testing.T) {
	t.Parallel()
	_, env := model(t, "models: [scripted, other]\nrules:\n  - {reply: {text: 'the answer'}}\n")
	w := newWorld(t, env...)
	run := func(code int, args ...string) string {
		t.Helper()
		o := w.hermes(t, "", args...)
		if o.code != code {
			t.Fatalf("%v: %+v", args, o)
		}
		return o.out
	}
	lacks := func(text string) {
		t.Helper()
		if _, err := os.Stat(w.home); err == nil {
			t.Error(text)
		}
	}
	run(0, "version")
	run(0, "sessions", "list")
	run(0, "config", "get")
	run(0, "doctor")
	run(0, "logs")
	run(0, "model", "list")
	run(0, "completion", "bash")
	lacks("a reading command made the home")
	run(0, "run", "first question")
	out := run(0, "sessions", "list", "--json")
	var list struct {
		Sessions []struct{ ID, Title string }
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Sessions) != 1 || list.Sessions[0].Title != "first question" {
		t.Fatalf("%s %v", out, err)
	}
	id := list.Sessions[0].ID
	run(0, "sessions", "rename", id, "a", "new", "name")
	if out = run(0, "sessions", "show", id[:len(id)-1]); !strings.Contains(out, "# a new name") || !strings.Contains(out, "the answer") {
		t.Error(out)
	}
	var forked struct {
		SessionID string `json:"session_id"`
	}
	if err := json.Unmarshal([]byte(run(0, "sessions", "fork", id, "--at", "m1", "--json")), &forked); err != nil {
		t.Fatal(err)
	}
	run(0, "sessions", "export", id, "-o", "out.json", "--format", "json")
	if b, err := os.ReadFile(filepath.Join(w.dir, "out.json")); err != nil || !json.Valid(b) {
		t.Error(err)
	}
	run(1, "sessions", "delete", forked.SessionID)
	run(0, "sessions", "delete", forked.SessionID, "--yes")
	run(3, "sessions", "show", forked.SessionID)
	run(0, "config", "set", "agent.max_turns", "7")
	if out = run(0, "config", "get", "agent.max_turns"); out != "7\n" {
		t.Errorf("%q", out)
	}
	if out = run(0, "config", "unset", "agent.max_turns"); out != "agent.max_turns: taken out; now 90\n" {
		t.Errorf("%q", out)
	}
	run(3, "config", "unset", "agent.max_turn")
	var doc struct {
		Checks []struct{ Name, Status, Message, Remedy string }
	}
	if err := json.Unmarshal([]byte(run(0, "doctor", "--json")), &doc); err != nil || len(doc.Checks) < 7 {
		t.Errorf("%+v %v", doc, err)
	}
	for _, f := range []string{"sessions", "config.yaml"} {
		fi, err := os.Stat(filepath.Join(w.home, f))
		if err != nil || fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", f, fi.Mode(), err)
		}
	}
}

// Three files of a turn are put back, the one edited by hand since is left and named, and the conversation
// goes back with them.
func TestE2E_undo(t *testing.T) {
	t.Parallel()
	srv, env := model(t, `
strict: true
rules:
  - {when: {user: change, turn: 0}, reply: {tool_calls: [{name: read_file, arguments: {path: a.txt}}, {name: read_file, arguments: {path: b.txt}}, {name: read_file, arguments: {path: c.txt}}]}}
  - {when: {user: change, turn: 1}, reply: {tool_calls: [{name: write_file, arguments: {path: a.txt, content: "new a\n"}}, {name: write_file, arguments: {path: b.txt, content: "new b\n"}}, {name: write_file, arguments: {path: c.txt, content: "new c\n"}}, {name: write_file, arguments: {path: d.txt, content: "made\n"}}]}}
  - {reply: {text: "ok {{user}}"}}
`)
	w := newWorld(t, env...)
	for _, n := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(w.dir, n+".txt"), []byte("old "+n+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"run", "first"}, {"run", "--resume", "last", "change"}} {
		if o := w.hermes(t, "", args...); o.code != 0 {
			t.Fatalf("%+v", o)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(w.dir, "a.txt")); string(b) != "new a\n" {
		t.Fatalf("the turn did not change a.txt: %q", b)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "b.txt"), []byte("by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := w.hermes(t, "", "undo", "--dry-run"); o.code != 0 || !strings.Contains(o.out, "b.txt") || !strings.HasPrefix(o.out, "would take back ") {
		t.Errorf("%+v", o)
	}
	o := w.hermes(t, "", "undo", "--json")
	var u struct {
		Messages int
		Files    []struct{ Path, Action, Reason string }
	}
	if err := json.Unmarshal([]byte(o.out), &u); err != nil || len(u.Files) != 4 {
		t.Fatalf("%+v %v", o, err)
	}
	want := map[string]string{"a.txt": "old a\n", "b.txt": "by hand\n", "c.txt": "old c\n"}
	for n, text := range want {
		if b, err := os.ReadFile(filepath.Join(w.dir, n)); err != nil || string(b) != text {
			t.Errorf("%s: %q %v", n, b, err)
		}
	}
	if _, err := os.Stat(filepath.Join(w.dir, "d.txt")); err == nil {
		t.Error("the created file is still there")
	}
	if o = w.hermes(t, "", "run", "--resume", "last", "after"); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	rs := srv.Requests()
	if body := string(rs[len(rs)-1].Body); strings.Contains(body, `"content":"change"`) || !strings.Contains(body, "ok first") {
		t.Errorf("the next request still knows the turn: %s", body[strings.Index(body, `"messages"`):])
	}
}

// What is read in a folder that was never trusted taints the turn; in a trusted one it does not.
func TestE2E_taint(t *testing.T) {
	t.Parallel()
	_, env := model(t, "rules:\n  - {when: {turn: 0}, reply: {tool_calls: [{name: read_file, arguments: {path: a.txt}}]}}\n  - {reply: {text: ok}}\n")
	w := newWorld(t, env...)
	if err := os.WriteFile(filepath.Join(w.dir, "a.txt"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	taint := func() any {
		t.Helper()
		o := w.hermes(t, "", "run", "go", "--json")
		ended := find(events(t, o.out), "tool_ended")
		if len(ended) != 1 {
			t.Fatalf("%+v", o)
		}
		detail, _ := ended[0]["detail"].(map[string]any)
		return detail["taint"]
	}
	if got, _ := taint().(string); !strings.HasPrefix(got, "file: ") || !strings.HasSuffix(got, "a.txt") {
		t.Errorf("untrusted: %v", got)
	}
	if o := w.hermes(t, "", "trust"); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	if got := taint(); got != nil {
		t.Errorf("trusted: %v", got)
	}
}

// A person and a model find an earlier session by a two-character Chinese word and by a path.
func TestE2E_sessionSearch(t *testing.T) {
	t.Parallel()
	srv, env := model(t, `
strict: true
rules:
  - {when: {turn: 0, user: 上次}, reply: {tool_calls: [{name: session_search, arguments: {query: 西湖}}]}}
  - {when: {turn: 1}, reply: {text: "found: {{result}}"}}
  - {reply: {text: "noted"}}
`)
	w := newWorld(t, env...)
	for _, prompt := range []string{"周末去杭州看西湖", "look at scripts/deploy.sh again", "成都火锅很辣"} {
		if o := w.hermes(t, "", "run", prompt); o.code != 0 {
			t.Fatalf("%+v", o)
		}
	}
	for query, want := range map[string]string{"西湖": "杭州", "scripts/deploy.sh": "deploy.sh", "辣": "火锅"} {
		o := w.hermes(t, "", "sessions", "search", query, "--json")
		var r struct {
			Total    int
			Sessions []struct {
				SessionID string `json:"session_id"`
				Hits      []struct{ Excerpt string }
			}
		}
		if err := json.Unmarshal([]byte(o.out), &r); err != nil || len(r.Sessions) != 1 || !strings.Contains(r.Sessions[0].Hits[0].Excerpt, want) {
			t.Errorf("%s: %+v %v", query, o, err)
		}
	}
	if o := w.hermes(t, "", "sessions", "search", "nowhere"); o.code != 3 {
		t.Errorf("%+v", o)
	}
	if o := w.hermes(t, "", "run", "我们上次去哪儿？"); o.code != 0 || !strings.Contains(o.out, "杭州") {
		t.Errorf("%+v", o)
	}
	if got := srv.Requests()[0].System(); !strings.Contains(got, "session_search") {
		t.Error("the prompt does not say when to search")
	}
	if err := os.RemoveAll(filepath.Join(w.home, "index")); err != nil {
		t.Fatal(err)
	}
	if o := w.hermes(t, "", "sessions", "search", "西湖"); o.code != 0 || !strings.Contains(o.out, "杭州") {
		t.Errorf("without an index: %+v", o)
	}
	if o := w.hermes(t, "", "sessions", "reindex"); o.code != 0 {
		t.Errorf("%+v", o)
	}
}
