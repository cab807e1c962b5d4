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
func serve(t testing.TB, s *scripted.Scenario) *scripted.Server {
	t.Helper()
	srv, err := scripted.Start(t.Context(), s, scripted.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

// play runs a scenario written as YAML.
func play(t testing.TB, yaml string) *scripted.Server {
	t.Helper()
	s, err := scripted.Load("test.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, s)
}

// replies answers request n with reply n, the last one from then on.
func replies(list ...scripted.Reply) *scripted.Scenario {
	return &scripted.Scenario{Func: func(r *scripted.Request) (scripted.Reply, bool) {
		return list[min(r.N, len(list))-1], true
	}}
}

// client makes a client of srv with short waits.
func client(t testing.TB, srv *scripted.Server, change ...func(*Options)) *Client {
	t.Helper()
	o := Options{BaseURL: srv.URL(), Model: "m", Backoff: time.Millisecond}
	for _, f := range change {
		f(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
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
func messagesOf(t testing.TB, body []byte) string {
	t.Helper()
	_, msgs, ok := strings.Cut(string(body), `"messages":[`)
	if !ok || !json.Valid(body) {
		t.Fatalf("no messages in %s", body)
	}
	return strings.TrimSuffix(msgs, "]}")
}

func quote(s string) string { return string(appendString(nil, s)) }
