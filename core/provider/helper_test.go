package provider

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"hermes/core"
	"hermes/core/provider/scripted"
)

// serve runs a scenario.
func serve(tb testing.TB, s *scripted.Scenario) *scripted.Server {
	tb.Helper()
	srv, err := scripted.Start(tb.Context(), s, scripted.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := srv.Close(); err != nil {
			tb.Error(err)
		}
	})
	return srv
}

// play runs a scenario written as YAML.
func play(tb testing.TB, yaml string) *scripted.Server {
	tb.Helper()
	s, err := scripted.Load("test.yaml", []byte(yaml))
	if err != nil {
		tb.Fatal(err)
	}
	return serve(tb, s)
}

// replies answers request n with reply n, the last one from then on.
func replies(list ...scripted.Reply) *scripted.Scenario {
	return &scripted.Scenario{Func: func(r *scripted.Request) (scripted.Reply, bool) {
		return list[min(r.N, len(list))-1], true
	}}
}

// client makes a client of srv with short waits.
func client(tb testing.TB, srv *scripted.Server, change ...func(*Options)) *Client {
	tb.Helper()
	o := Options{BaseURL: srv.URL(), Model: "m", Backoff: time.Millisecond}
	for _, f := range change {
		f(&o)
	}
	c, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.Close)
	return c
}

func ask(text string) core.Request {
	return core.Request{Messages: []core.Message{{Role: core.RoleSystem, Content: "sys"}, {Role: core.RoleUser, Content: text}}}
}

// seen collects what a sink gets.
type seen struct {
	text, reasoning strings.Builder
	retries         []core.Retry
	names           map[int]string
	args            map[int]string
}

func (s *seen) sink(d core.Delta) {
	s.text.WriteString(d.Text)
	s.reasoning.WriteString(d.Reasoning)
	if d.Retry != nil {
		s.retries = append(s.retries, *d.Retry)
	}
	if s.names == nil {
		s.names, s.args = map[int]string{}, map[int]string{}
	}
	if d.CallName != "" {
		s.names[d.Call] = d.CallName
	}
	s.args[d.Call] += d.CallArgs
}

// messagesOf cuts the messages array, without its end, out of a body.
func messagesOf(tb testing.TB, body []byte) string {
	tb.Helper()
	_, msgs, ok := strings.Cut(string(body), `"messages":[`)
	if !ok || !json.Valid(body) {
		tb.Fatalf("no messages in %s", body)
	}
	return strings.TrimSuffix(msgs, "]}")
}

func quote(s string) string { return string(appendString(nil, s)) }
