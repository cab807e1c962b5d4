// Package provider talks to OpenAI-compatible chat servers and hides them behind core.Model.
//
// It owns the presets (base URLs, key variables, quirks), the choice of a model, the request bytes,
// the reading and assembly of streamed answers, retries, error classes, usage and prices. It must
// not know the agent, sessions, configuration files or the screen: it takes plain values. It is the
// only package that knows openai-go, and it uses that client for transport alone: requests are
// encoded here (equal values give equal bytes, which keeps prompt caches warm) and streams are read
// here from the raw body (see sse.go for why).
//
// Start reading at client.go (New, Stream), then attempt.go (one request), assemble.go (deltas to a
// message), encode.go (a message to bytes) and choose.go (which model).
package provider
