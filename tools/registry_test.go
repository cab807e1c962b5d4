package tools_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"hermes/core"
	"hermes/core/config"
	"hermes/core/home"
	"hermes/tools"
)

// probe is a tool whose behaviour a test writes down.
type probe struct {
	name    string
	schema  string
	run     func(context.Context, core.ToolRun) core.ToolResult
	verdict func(core.ToolRun) tools.Verdict
}

func (p probe) Spec() core.ToolSpec {
	s := p.schema
	if s == "" {
		s = `{"type":"object","properties":{}}`
	}
	return core.ToolSpec{Name: p.name, Description: p.name, Parameters: json.RawMessage(s)}
}

func (p probe) Run(ctx context.Context, r core.ToolRun) core.ToolResult {
	if p.run == nil {
		return core.ToolResult{OK: true, Content: string(r.Arguments)}
	}
	return p.run(ctx, r)
}

func (p probe) Guard(_ context.Context, r core.ToolRun) tools.Verdict {
	if p.verdict == nil {
		return tools.Verdict{}
	}
	return p.verdict(r)
}

type redactor struct{}

func (redactor) Redact(s string) string { return strings.ReplaceAll(s, "hunter2-secret", "[redacted]") }

func call(t *testing.T, r *tools.Registry, name, args string) core.ToolResult {
	t.Helper()
	return r.Run(t.Context(), core.ToolCall{ID: "call/1", Name: name, Arguments: args}, core.ToolRun{SessionID: "s1"})
}

func TestRegistry_specs(t *testing.T) {
	t.Parallel()
	r := tools.New(tools.Options{}, probe{name: "b"}, probe{name: "c"}, probe{name: "a"})
	var names []string
	for _, s := range r.Specs() {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, ""); got != "abc" {
		t.Errorf("order %s", got)
	}
	if res := call(t, r, "d", "{}"); res.OK || !strings.Contains(res.Content, "a, b, c") {
		t.Errorf("unknown tool: %+v", res)
	}
}

func TestRegistry_arguments(t *testing.T) {
	t.Parallel()
	r := tools.New(tools.Options{}, probe{name: "x", schema: `{"type":"object","required":["path"],"properties":{
		"path":{"type":"string"},"n":{"type":"integer","minimum":1,"maximum":9},"f":{"type":"number"},"b":{"type":"boolean"},
		"mode":{"type":"string","enum":["one","two"]},"list":{"type":"array","items":{"type":"string"}}}}`})
	for in, want := range map[string]string{
		`{"path":"a"}`: `{"path":"a"}`,
		`{"path":"a","n":"3","b":"True","f":"1.5"}`: `{"b":true,"f":1.5,"n":3,"path":"a"}`,
		`{"path":"a","n":3.0,"mode":null}`:          `{"n":3,"path":"a"}`,
		`{"path":"a","list":["b"]}`:                 `{"list":["b"],"path":"a"}`,
		` {"path":"é\u0000<"} `:                     `{"path":"é\u0000\u003c"}`,
	} {
		if res := call(t, r, "x", in); !res.OK || res.Content != want {
			t.Errorf("%s → %s", in, res.Content)
		}
	}
	for in, want := range map[string]string{
		``:                          `field "path" is missing`,
		`{"path":"a",}`:             `not valid JSON: invalid character '}' looking for beginning of object key string at character 13`,
		`{"path":"a`:                `end too early`,
		`["path"]`:                  `a JSON array, not an object`,
		`null`:                      `null is not an object`,
		`"x"`:                       `a JSON string, not an object`,
		`{"path":"a"} {"path":"b"}`: `more text behind the object`,
		`{"path":1}`:                `field "path" must be a string`,
		`{"path":"a","n":"many"}`:   `field "n" must be a number`,
		`{"path":"a","n":2.5}`:      `must be a whole number`,
		`{"path":"a","n":10}`:       `at most 9`,
		`{"path":"a","n":0}`:        `at least 1`,
		`{"path":"a","mode":"red"}`: `one of one, two`,
		`{"path":"a","list":"b"}`:   `must be a list`,
		`{"path":"a","list":[1]}`:   `item 1 must be a string`,
		`{"pth":"a"}`:               `unknown field "pth"; field "path" is missing. The fields are: b (boolean)`,
	} {
		res := call(t, r, "x", in)
		if res.OK || !strings.Contains(res.Content, want) {
			t.Errorf("%s → %s, want %s", in, res.Content, want)
		}
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1}`, `{"a":"1e400"}`, `{"a":[`, "\xff", `{"a":"\ud800"}`, `{"a":NaN}`, `[]`, `{"b":"0x10","c":[[]]}`} {
		f.Add(s)
	}
	r := tools.New(tools.Options{}, probe{name: "x", schema: `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"number"},"c":{"type":"array"},"d":{"type":"boolean"}}}`})
	f.Fuzz(func(t *testing.T, s string) {
		res := call(t, r, "x", s)
		if res.Content == "" || res.OK && !json.Valid([]byte(res.Content)) {
			t.Errorf("%q → %+v", s, res)
		}
	})
}

func TestRegistry_panics(t *testing.T) {
	t.Parallel()
	heard := 0
	r := tools.New(tools.Options{Fault: func(string, any, []byte) { heard++ }},
		probe{name: "run", run: func(context.Context, core.ToolRun) core.ToolResult { panic("oops") }},
		probe{name: "guard", verdict: func(core.ToolRun) tools.Verdict { panic("oops") }})
	for _, name := range []string{"run", "guard"} {
		if res := call(t, r, name, "{}"); res.OK || !strings.Contains(res.Content, "oops") {
			t.Errorf("%s: %+v", name, res)
		}
	}
	if heard != 2 {
		t.Errorf("heard %d faults", heard)
	}
}

func TestRegistry_stuckTool(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	defer close(release)
	r := tools.New(tools.Options{Limit: 10 * time.Millisecond, Grace: 20 * time.Millisecond},
		probe{name: "obeys", run: func(ctx context.Context, _ core.ToolRun) core.ToolResult { <-ctx.Done(); return core.ToolResult{} }},
		probe{name: "stuck", run: func(context.Context, core.ToolRun) core.ToolResult { <-release; return core.ToolResult{OK: true} }})
	if res := call(t, r, "obeys", "{}"); res.OK || !strings.Contains(res.Content, "stopped after 10ms") {
		t.Errorf("%+v", res)
	}
	if res := call(t, r, "stuck", "{}"); res.OK || !strings.Contains(res.Content, "left behind") {
		t.Errorf("%+v", res)
	}
}

// waiting is a tool that waits for somebody.
type waiting struct{ probe }

func (waiting) WaitsForOthers() {}

func TestRegistry_waitsForPeople(t *testing.T) {
	t.Parallel()
	r := tools.New(tools.Options{Limit: time.Nanosecond, Grace: time.Nanosecond}, waiting{probe{name: "asks", run: func(ctx context.Context, _ core.ToolRun) core.ToolResult {
		_, bounded := ctx.Deadline()
		return core.ToolResult{OK: !bounded, Content: "answered"}
	}}})
	if res := call(t, r, "asks", "{}"); !res.OK {
		t.Errorf("%+v", res)
	}
}

func TestRegistry_interrupted(t *testing.T) {
	t.Parallel()
	r := tools.New(tools.Options{}, probe{name: "x", run: func(ctx context.Context, _ core.ToolRun) core.ToolResult { <-ctx.Done(); return core.ToolResult{} }})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	res := r.Run(ctx, core.ToolCall{ID: "1", Name: "x"}, core.ToolRun{})
	if res.OK || res.Detail == nil || !res.Detail.Aborted || !strings.Contains(res.Content, "Interrupted") {
		t.Errorf("%+v", res)
	}
}

// allowed is a rule store in memory.
type allowed map[string]bool

func (a allowed) Allowed(rule string) bool                   { return a[rule] }
func (a allowed) Allow(_ context.Context, rule string) error { a[rule] = true; return nil }

func TestRegistry_approval(t *testing.T) {
	t.Parallel()
	ask := tools.Verdict{Action: tools.ActionAsk, Reasons: []string{"is risky"}, Rule: "r", Subject: "subject"}
	firm := ask
	firm.Firm = true
	norule := ask
	norule.Rule = ""
	for name, c := range map[string]struct {
		verdict tools.Verdict
		yolo    bool
		answers []core.Decision // one a question that is expected
		calls   int
		ran     int
		always  bool
	}{
		"allow":            {tools.Verdict{}, false, nil, 2, 2, false},
		"once asks again":  {ask, false, []core.Decision{core.DecideOnce, core.DecideDeny}, 2, 1, false},
		"session":          {ask, false, []core.Decision{core.DecideSession}, 3, 3, false},
		"always":           {ask, false, []core.Decision{core.DecideAlways}, 2, 2, true},
		"always, no rule":  {norule, false, []core.Decision{core.DecideAlways, core.DecideAlways}, 2, 2, false},
		"deny":             {ask, false, []core.Decision{core.DecideDeny}, 1, 0, false},
		"no answer":        {ask, false, []core.Decision{""}, 1, 0, false},
		"yolo":             {ask, true, nil, 2, 2, false},
		"yolo, firm":       {firm, true, []core.Decision{core.DecideSession, core.DecideOnce}, 2, 2, false},
		"yolo, refused":    {tools.Deny("s", "never"), true, nil, 1, 0, false},
		"refused":          {tools.Deny("s", "never"), false, nil, 1, 0, false},
		"remembered rules": {tools.Verdict{Action: tools.ActionAsk, Rule: "known"}, false, nil, 1, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked, ran := 0, 0
			store := allowed{"known": true}
			r := tools.New(tools.Options{
				Yolo: c.yolo, Allow: store,
				Approver: core.ApproverFunc(func(_ context.Context, a core.Approval) (core.Decision, string) {
					if asked >= len(c.answers) {
						t.Errorf("asked once too often: %+v", a)
						return core.DecideDeny, ""
					}
					if a.Tool != "x" || a.SessionID != "s1" || a.Subject != c.verdict.Subject {
						t.Errorf("approval %+v", a)
					}
					asked++
					return c.answers[asked-1], "because"
				}),
			}, probe{
				name: "x", verdict: func(core.ToolRun) tools.Verdict { return c.verdict },
				run: func(context.Context, core.ToolRun) core.ToolResult {
					ran++
					return core.ToolResult{OK: true, Content: "ran"}
				},
			})
			for i := range c.calls {
				res := call(t, r, "x", "{}")
				if !res.OK && (res.Detail == nil || !res.Detail.Denied) {
					t.Errorf("call %d: %+v", i, res)
				}
			}
			if ran != c.ran || asked != len(c.answers) || store["r"] != c.always {
				t.Errorf("ran %d (want %d), asked %d (want %d), always %v", ran, c.ran, asked, len(c.answers), store["r"])
			}
		})
	}
}

func TestRegistry_approvalUnanswered(t *testing.T) {
	t.Parallel()
	r := tools.New(tools.Options{
		ApprovalTimeout: 5 * time.Millisecond,
		Approver: core.ApproverFunc(func(ctx context.Context, _ core.Approval) (core.Decision, string) {
			<-ctx.Done()
			return core.DecideDeny, ""
		}),
	}, probe{name: "x", verdict: func(core.ToolRun) tools.Verdict { return tools.Verdict{Action: tools.ActionAsk} }})
	if res := call(t, r, "x", "{}"); res.OK || !strings.Contains(res.Content, "nobody answered") {
		t.Errorf("%+v", res)
	}
	alone := tools.New(tools.Options{}, probe{name: "x", verdict: func(core.ToolRun) tools.Verdict { return tools.Verdict{Action: tools.ActionAsk} }})
	if res := call(t, alone, "x", "{}"); res.OK || !strings.Contains(res.Content, "nobody is there") {
		t.Errorf("%+v", res)
	}
}

func TestRegistry_output(t *testing.T) {
	t.Parallel()
	h := home.At(t.TempDir())
	full := strings.Repeat("line with hunter2-secret é\n", 4000)
	r := tools.New(tools.Options{Home: h, Redactor: redactor{}}, probe{name: "x", run: func(context.Context, core.ToolRun) core.ToolResult {
		return core.ToolResult{OK: true, Content: full, Detail: &core.ToolDetail{Summary: "hunter2-secret", Diff: "+hunter2-secret"}}
	}})
	res := call(t, r, "x", "{}")
	if strings.Contains(res.Content+res.Detail.Summary+res.Detail.Diff, "hunter2") {
		t.Error("a secret got out")
	}
	if n := len([]rune(res.Content)); n > tools.OutputLimit+300 || !strings.Contains(res.Content, "characters left out") {
		t.Errorf("%d code points", n)
	}
	if !home.Within(h.SessionFiles("s1"), res.Detail.Spill) || res.Detail.Cut == 0 {
		t.Fatalf("spill %q, cut %d", res.Detail.Spill, res.Detail.Cut)
	}
	kept, err := os.ReadFile(res.Detail.Spill)
	if err != nil || string(kept) != strings.ReplaceAll(full, "hunter2-secret", "[redacted]") {
		t.Errorf("spilled %d bytes, %v", len(kept), err)
	}
	if info, err := os.Stat(res.Detail.Spill); err != nil || (runtime.GOOS != "windows" && info.Mode().Perm() != 0o600) {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
}

func TestRegistry_liveOutput(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	var late func(string)
	r := tools.New(tools.Options{Redactor: redactor{}}, probe{name: "x", run: func(_ context.Context, run core.ToolRun) core.ToolResult {
		for _, s := range []string{"a hunter2", "-sec", "ret b", "\nend hunter2-secret"} {
			run.Output(s)
		}
		late = run.Output
		return core.ToolResult{OK: true}
	}})
	r.Run(t.Context(), core.ToolCall{ID: "1", Name: "x"}, core.ToolRun{Output: func(s string) { got.WriteString(s) }})
	late("too late")
	if got.String() != "a [redacted] b\nend [redacted]" {
		t.Errorf("live output %q", got.String())
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("POSIX paths")
	}
	p := tools.Policy{Home: home.At("/u/.hermes"), Root: "/u/work", User: "/u"}
	for path, c := range map[string]struct{ read, write tools.Action }{
		"/u/work/x":                          {tools.ActionAllow, tools.ActionAllow},
		"/u/work/.env":                       {tools.ActionAllow, tools.ActionAsk},
		"/u/work/.git/hooks/pre-commit":      {tools.ActionAllow, tools.ActionAsk},
		"/u/other/x":                         {tools.ActionAllow, tools.ActionAsk},
		"/u/.hermes":                         {tools.ActionDeny, tools.ActionDeny},
		"/u/.hermes/memories/MEMORY.md":      {tools.ActionDeny, tools.ActionDeny},
		"/u/.hermes/sessions/x.jsonl":        {tools.ActionDeny, tools.ActionDeny},
		"/u/.hermes/sessions/s1.files/1.txt": {tools.ActionAllow, tools.ActionDeny},
		"/u/.hermes/sessions/s2.files/1.txt": {tools.ActionDeny, tools.ActionDeny},
		"/u/.hermesx":                        {tools.ActionAllow, tools.ActionAsk},
		"/u/.ssh/id_ed25519":                 {tools.ActionDeny, tools.ActionDeny},
		"/u/.ssh/work-key":                   {tools.ActionDeny, tools.ActionDeny},
		"/u/.ssh/config":                     {tools.ActionAllow, tools.ActionAsk},
		"/u/.ssh/id_rsa.pub":                 {tools.ActionAllow, tools.ActionAsk},
		"/u/.netrc":                          {tools.ActionAsk, tools.ActionAsk},
		"/u/.aws/credentials":                {tools.ActionAsk, tools.ActionAsk},
		"/u/.npmrc":                          {tools.ActionAsk, tools.ActionAsk},
		"/u/work/.npmrc":                     {tools.ActionAllow, tools.ActionAsk},
		"/u/.cargo/credentials.toml":         {tools.ActionAsk, tools.ActionAsk},
		"/u/.codex/auth.json":                {tools.ActionAsk, tools.ActionAsk},
		"/u/.password-store/a/b.gpg":         {tools.ActionAsk, tools.ActionAsk},
		"/etc/ssl/private/x.key":             {tools.ActionDeny, tools.ActionDeny},
		"/u/work/.husky/pre-commit":          {tools.ActionAllow, tools.ActionAsk},
		"/u/work/.gitattributes":             {tools.ActionAllow, tools.ActionAsk},
		"/u/work/.vscode/tasks.json":         {tools.ActionAllow, tools.ActionAsk},
		"/u/work/.vscode/extensions.json":    {tools.ActionAllow, tools.ActionAllow},
		"/u/work/.git/info/attributes":       {tools.ActionAllow, tools.ActionAsk},
		"/u/work/.pre-commit-config.yaml":    {tools.ActionAllow, tools.ActionAsk},
		"/u/work/missing.pem":                {tools.ActionAllow, tools.ActionAllow},
		"/etc/shadow":                        {tools.ActionDeny, tools.ActionDeny},
		"/etc/hosts":                         {tools.ActionAllow, tools.ActionDeny},
		"/dev/sda":                           {tools.ActionAllow, tools.ActionDeny},
		"/proc/1/environ":                    {tools.ActionDeny, tools.ActionDeny},
	} {
		if got, why := p.Read(path, "s1"); got != c.read {
			t.Errorf("read %s: %d %s", path, got, why)
		}
		if got, why := p.Write(path); got != c.write || (got != tools.ActionAllow) != (why != "") {
			t.Errorf("write %s: %d %s", path, got, why)
		}
	}
	inside := tools.Policy{Home: home.At("/tmp/h"), Root: "/tmp/h/work"}
	if got, _ := inside.Write("/tmp/h/work/x"); got != tools.ActionAllow {
		t.Error("a working folder placed in the home is unusable")
	}
	if got, _ := inside.Read("/tmp/h/config.yaml", ""); got != tools.ActionDeny {
		t.Error("a working folder placed in the home opens the home")
	}
	for path, want := range map[string]bool{"/w/AGENTS.md": true, "/w/sub/claude.md": true, "/w/.hermes/x": true, "/w/.cursor/rules/a.mdc": true, "/w/README.md": false, "/w/.claude/settings.json": true, "/w/.agents/skills/x/SKILL.md": true, "/w/CLAUDE.local.md": true, "/w/AGENTS.override.md": true, "/w/.clinerules": true, "/w/.claude/worktrees/a/x.go": false, "/w/skills/x/SKILL.md": false} {
		if got := tools.Instructions(path); got != want {
			t.Errorf("Instructions(%s) = %v", path, got)
		}
	}
}

func TestWorkdir(t *testing.T) {
	t.Parallel()
	top, err := home.ResolvePath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(top, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := tools.NewWorkdir(top)
	if err != nil {
		t.Fatal(err)
	}
	w.Move(filepath.Join(top, "nowhere"))
	w.Move("sub")
	if w.Dir() != top {
		t.Errorf("moved to %s", w.Dir())
	}
	w.Move(sub)
	if got, err := w.Resolve("../x"); err != nil || got != filepath.Join(top, "x") {
		t.Errorf("resolved %s, %v", got, err)
	}
	if got := w.Show(filepath.Join(top, "x")); got != "../x" {
		t.Errorf("shows %s", got)
	}
	if err := os.Remove(sub); err != nil {
		t.Fatal(err)
	}
	if w.Dir() != top || w.Root() != top {
		t.Errorf("a removed folder stays current: %s", w.Dir())
	}
	if _, err := tools.NewWorkdir(filepath.Join(top, "nowhere")); err == nil {
		t.Error("a missing folder is accepted")
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	h := home.At(t.TempDir())
	if err := os.WriteFile(h.Config(), []byte("# mine\napprovals:\n  allow:\n    - \"terminal: any chmod\" # why\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, problems := config.Load(h)
	r := tools.NewRules(config.Open(h), cfg.Approvals.Allow)
	if len(problems) > 0 || !r.Allowed("terminal: any chmod") || r.Allowed("terminal: any") {
		t.Errorf("rules of the file: %v", problems)
	}
	const rule = `terminal: exactly echo "a: b" > ../x # y`
	for range 2 {
		if err := r.Allow(t.Context(), rule); err != nil {
			t.Fatal(err)
		}
	}
	again, _ := config.Load(h)
	if want := []string{"terminal: any chmod", rule}; strings.Join(again.Approvals.Allow, "|") != strings.Join(want, "|") || !r.Allowed(rule) {
		t.Errorf("saved %q", again.Approvals.Allow)
	}
	if b, err := os.ReadFile(h.Config()); err != nil || !strings.HasPrefix(string(b), "# mine\n") || !strings.Contains(string(b), "# why\n") {
		t.Errorf("comments are gone: %s", b)
	}
}

// keyBlocks redacts whole key blocks only, as the real redactor does.
type keyBlocks struct{}

func (keyBlocks) Redact(s string) string {
	begin := strings.Index(s, "-----BEGIN ")
	end := strings.Index(s, "-----END KEY-----")
	if begin < 0 || end < begin {
		return s
	}
	return s[:begin] + "[redacted]" + s[end+len("-----END KEY-----"):]
}

func TestOutput_keyBlocksStayWhole(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	r := tools.New(tools.Options{Redactor: keyBlocks{}}, probe{name: "x", run: func(_ context.Context, run core.ToolRun) core.ToolResult {
		for line := range strings.Lines("start\n-----BEGIN KEY-----\nabc\ndef\n-----END KEY-----\nend\n") {
			run.Output(line)
		}
		return core.ToolResult{OK: true}
	}})
	r.Run(t.Context(), core.ToolCall{ID: "1", Name: "x"}, core.ToolRun{Output: func(s string) { got.WriteString(s) }})
	if got.String() != "start\n[redacted]\nend\n" {
		t.Errorf("live %q", got.String())
	}
	spill, err := tools.NewSpills(home.At(t.TempDir()), keyBlocks{}).Open("s", "c")
	if err != nil {
		t.Fatal(err)
	}
	filler := strings.Repeat("filler line\n", 6000)
	for _, s := range []string{filler[:60_000], "\n-----BEGIN KEY-----\nabc\n", strings.Repeat("def\n", 2000), "-----END KEY-----\n", filler} {
		_, _ = spill.Write([]byte(s))
	}
	path, err := spill.Close()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(kept), "def") || !strings.Contains(string(kept), "\n[redacted]\nfiller") {
		t.Errorf("spilled key: %v", err)
	}
}
