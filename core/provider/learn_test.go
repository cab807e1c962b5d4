package provider

import (
	"strings"
	"testing"

	"hermes/core"
	"hermes/core/provider/scripted"
)

func TestLearn_otherFields(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		o       Options
		says    string // the complaint
		has     string // while the body has this
		becomes string // what takes its place; "" nothing
	}{
		"stream options":  {Options{}, "Unknown parameter: 'stream_options'", `"stream_options"`, ""},
		"max tokens":      {Options{}, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", `"max_tokens"`, `"max_completion_tokens":7`},
		"completion":      {Options{Provider: "openai"}, "unknown field max_completion_tokens", `"max_completion_tokens"`, `"max_tokens":7`},
		"cache key":       {Options{Provider: "openai"}, "prompt_cache_key: extra inputs are not permitted", `"prompt_cache_key"`, ""},
		"cache markers":   {Options{Provider: "openrouter", Model: "anthropic/x"}, "cache_control is not supported", `"cache_control"`, ""},
		"nothing of ours": {Options{}, "temperature is wrong", `"never"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, &scripted.Scenario{Func: func(r *scripted.Request) (scripted.Reply, bool) {
				if strings.Contains(string(r.Body), tc.has) || r.N == 1 {
					complaint := scripted.Raw(`{"message":` + quote(tc.says) + `}`)
					return scripted.Reply{Fault: &scripted.Fault{Status: 400, Error: &complaint}}, true
				}
				return scripted.Say("ok"), true
			}})
			c := client(t, srv, func(o *Options) {
				o.Provider = tc.o.Provider
				if tc.o.Model != "" {
					o.Model = tc.o.Model
				}
			})
			req := ask("x")
			req.MaxTokens, req.SessionID = 7, "s"
			_, err := c.Stream(t.Context(), req, nil)
			reqs := srv.Requests()
			if name == "nothing of ours" {
				if core.CodeOf(err) != core.CodeRequest || len(reqs) != 1 {
					t.Errorf("got %v after %d requests", err, len(reqs))
				}
				return
			}
			if err != nil || len(reqs) != 2 || !strings.Contains(string(reqs[1].Body), tc.becomes) {
				t.Errorf("got %v after %d requests", err, len(reqs))
			}
		})
	}
}

func statuses(srv *scripted.Server) []int {
	var out []int
	for _, r := range srv.Requests() {
		out = append(out, r.Status)
	}
	return out
}

func TestLearn_toolsMustBeDeclared(t *testing.T) {
	t.Parallel()
	srv := serve(t, &scripted.Scenario{Func: func(r *scripted.Request) (scripted.Reply, bool) {
		if len(r.Tools) == 0 {
			complaint := scripted.Raw(`{"message":"Requests which include ` + "`tool_use`" + ` blocks must define tools."}`)
			return scripted.Reply{Fault: &scripted.Fault{Status: 400, Error: &complaint}}, true
		}
		return scripted.Say("ok"), true
	}})
	h := append(conversation(1, ""), core.Message{Role: core.RoleUser, Content: "sum up"})
	if _, err := client(t, srv).Stream(t.Context(), core.Request{Messages: h}, nil); err != nil {
		t.Error(err)
	}
}
