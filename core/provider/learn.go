package provider

import (
	"errors"
	"net/http"
	"strings"

	"hermes/core"
)

// quirks are the rules in force now.
func (c *Client) quirks() quirks {
	c.rules.mu.Lock()
	defer c.rules.mu.Unlock()
	return c.rules.quirk
}

// learn changes a rule when the server refused the request for a field that used can be blamed for. It
// says whether the request is worth repeating. The rule holds for the client's life; that earlier
// messages then change their bytes is the documented exception to byte stability.
func (c *Client) learn(err error, req core.Request, used quirks) bool {
	var se *serverError
	if !errors.As(err, &se) || se.status != http.StatusBadRequest && se.status != http.StatusUnprocessableEntity {
		return false
	}
	words := strings.ToLower(se.message + " " + se.param)
	next := used
	switch {
	case strings.Contains(words, "reasoning") && hasReasoning(req.Messages, c.info.Ref()):
		next.reasoning = learnReasoning(used.reasoning, words)
	case strings.Contains(words, "max_completion_tokens") && !used.completionLimit && req.MaxTokens > 0:
		next.completionLimit = true // the message names the field it wants
	case strings.Contains(words, "max_completion_tokens") && used.completionLimit && req.MaxTokens > 0:
		next.completionLimit = false
	case len(req.Tools) == 0 && has(words, "must define tools", "tools="):
		next.declareTools = true
	case has(words, "stream_options", "include_usage"):
		next.streamOptions = false
	case strings.Contains(words, "prompt_cache_key"):
		next.cacheKey = false
	case strings.Contains(words, "cache_control"):
		next.cacheMarkers = false
	}
	if next == used {
		return false
	}
	c.rules.mu.Lock()
	c.rules.quirk = next
	c.rules.mu.Unlock()
	return true
}

// learnReasoning picks the next rule: less when the server does not know the field, more when it
// misses it.
func learnReasoning(used replay, words string) replay {
	unknown := has(words, "unknown", "unrecognized", "unexpected", "extra", "not permitted", "not allowed", "unsupported", "not supported", "should not", "must not")
	switch {
	case used == replayNever && !unknown:
		return replayCalls
	case used == replayNever || unknown:
		return replayNever
	case used == replayCalls && has(words, "must be", "missing", "required", "must include", "expected"):
		return replayAll
	}
	return replayNever
}
