package scripted

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// pick finds the reply for req and fills in its templates.
func (s *Server) pick(req *Request) (rendered, error) {
	reply, v, err := s.choose(req)
	if err != nil {
		return rendered{}, err
	}
	if reply.Chunk == 0 {
		reply.Chunk = s.scenario.Chunk
	}
	out, err := render(reply, req, v, func(r rendered) string { return s.usageOf(r) })
	if err != nil {
		return out, fmt.Errorf("render the reply of request %d: %w", req.N, err)
	}
	return out, nil
}

// choose goes through Func, the current step, the rules and the catch-all.
func (s *Server) choose(req *Request) (Reply, vars, error) {
	if s.scenario.Func != nil {
		if r, ok := s.scenario.Func(req); ok {
			return r, nil, nil // a Go reply is sent as written: no templates
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.step < len(s.scenario.Steps) {
		rule := &s.scenario.Steps[s.step]
		if reply, v, ok := s.try(rule, req); ok {
			if s.used[rule] >= max(1, rule.limit()) {
				s.step++
			}
			return reply, v, nil
		}
	}
	for i := range s.scenario.Rules {
		rule := &s.scenario.Rules[i]
		if limit := rule.limit(); limit > 0 && s.used[rule] >= limit {
			continue
		}
		if reply, v, ok := s.try(rule, req); ok {
			return reply, v, nil
		}
	}
	if s.scenario.Else != nil {
		v := vars{}
		v.addRequest(req)
		return *s.scenario.Else, v, nil
	}
	return Reply{}, nil, fmt.Errorf("scenario %s has no rule for request %d (turn %d, last user message %s, last result %s)",
		s.scenario.Name, req.N, req.Turn(), excerpt(req.User()), excerpt(req.LastResult()))
}

// try matches one rule and counts its use. The caller holds the lock.
func (s *Server) try(rule *Rule, req *Request) (Reply, vars, bool) {
	v := vars{}
	if !rule.When.match(req, v) {
		return Reply{}, nil, false
	}
	reply := rule.Reply
	if reply == nil {
		turn := req.Turn()
		if turn >= len(rule.Turns) {
			return Reply{}, nil, false
		}
		reply = &rule.Turns[turn]
	}
	s.used[rule]++
	v.addRequest(req)
	v.addCaptures(req, rule.Capture)
	return *reply, v, true
}

func excerpt(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return strconv.Quote(s)
}

// usageOf is the JSON of the usage field. Estimates count four bytes a token; the cached part is the
// longest prefix of the body that any earlier request shares, as a prompt cache would find it.
func (s *Server) usageOf(r rendered) string {
	switch u := r.Usage; u.Mode {
	case "none":
		return ""
	case "null":
		return "null"
	case "raw":
		raw, err := u.Raw.render(r.vars)
		if err != nil {
			return "null"
		}
		return raw
	case "given":
		return usageJSON(u.Prompt, u.Completion, u.Cached, u.Reasoning)
	}
	const bytesPerToken = 4
	completion := len(r.Text) + len(r.Reasoning)
	for _, c := range r.calls {
		completion += len(c.Name) + len(c.args)
	}
	cached := s.sharedPrefix(r.req) / bytesPerToken
	reasoning := len(r.Reasoning) / bytesPerToken
	return usageJSON(len(r.req.Body)/bytesPerToken, completion/bytesPerToken+1, &cached, &reasoning)
}

func usageJSON(prompt, completion int, cached, reasoning *int) string {
	out := fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d`, prompt, completion, prompt+completion)
	if cached != nil {
		out += fmt.Sprintf(`,"prompt_tokens_details":{"cached_tokens":%d}`, *cached)
	}
	if reasoning != nil {
		out += fmt.Sprintf(`,"completion_tokens_details":{"reasoning_tokens":%d}`, *reasoning)
	}
	return out + "}"
}

// sharedPrefix is the number of leading body bytes an earlier request has too.
func (s *Server) sharedPrefix(req *Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	best := 0
	for _, old := range s.requests {
		if old.N >= req.N {
			continue
		}
		n := 0
		for n < len(old.Body) && n < len(req.Body) && old.Body[n] == req.Body[n] {
			n++
		}
		best = max(best, n)
	}
	return best
}
