package provider

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"hermes/core"
)

// failure is a failed attempt as the person sees it, and what to do next.
type failure struct {
	err   *core.Error
	retry bool
	after time.Duration // the server's wish; 0 when it has none
}

// statusError reads the error of a refused request.
func (c *Client) statusError(ctx context.Context, resp *http.Response) error {
	body, err := io.ReadAll(resp.Body)
	if err != nil && ctx.Err() != nil {
		return c.cause(ctx, err)
	}
	e := parseErrorBody(body)
	e.status = resp.StatusCode
	e.header = resp.Header.Get
	if e.message == "" {
		e.message = strings.ToLower(http.StatusText(resp.StatusCode))
	}
	return e
}

// interrupted is the error of a stream that the caller ended.
func (c *Client) interrupted(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return c.fail(core.CodeStall, "the model took longer than allowed", ctx.Err())
	}
	return c.fail(core.CodeInterrupted, "", ctx.Err())
}

func (c *Client) fail(code core.Code, hint string, err error) *core.Error {
	return &core.Error{Code: code, Op: "ask", Subject: c.info.Model, Hint: hint, Err: err}
}

// describe gives err its class, remedy and fate.
func (c *Client) describe(err error) failure {
	var se *serverError
	var pe *protocolError
	var stall *stallError
	switch {
	case errors.As(err, &se):
		return c.describeServer(se)
	case errors.As(err, &stall):
		return failure{retry: true, err: c.fail(core.CodeStall, "the server is silent: try again, or choose another model", stall)}
	case errors.Is(err, errTotal):
		return failure{err: c.fail(core.CodeStall, "ask for less at once, or choose a faster model", errTotal)}
	case errors.Is(err, errLineLimit):
		return failure{err: c.fail(core.CodeProtocol, "ask for a smaller answer, in pieces", errLineLimit)}
	case errors.As(err, &pe):
		return failure{err: c.fail(core.CodeProtocol, c.urlHint(), textError(oneLine(pe.Error())))}
	case errors.Is(err, errTruncated), errors.Is(err, io.ErrUnexpectedEOF):
		return failure{retry: true, err: c.fail(core.CodeNetwork, "send the message again", errTruncated)}
	case errors.Is(err, errEmptyBody):
		return failure{retry: true, err: c.fail(core.CodeProtocol, c.urlHint(), errEmptyBody)}
	}
	return c.describeNetwork(err)
}

// describeNetwork handles what the operating system or TLS said.
func (c *Client) describeNetwork(err error) failure {
	var dns *net.DNSError
	var cert *x509.UnknownAuthorityError
	var host *x509.HostnameError
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err // the URL adds nothing but length
	}
	text := c.clean(err.Error())
	hint := "check the network, then try again"
	retry := true
	switch {
	case strings.Contains(text, "server gave HTTP response to HTTPS client"):
		hint, retry = "the base URL should start with http:// instead of https://", false
	case errors.As(err, &cert), errors.As(err, &host):
		hint, retry = "the server's certificate does not fit: check the base URL, or the system's certificates", false
	case IsLoopback(c.info.BaseURL):
		hint = "is the server running?"
		if c.preset.Start != "" {
			hint += " start it with `" + c.preset.Start + "`"
		}
	case errors.As(err, &dns):
		hint = "check the base URL " + c.info.BaseURL + " and the network"
	case errors.Is(err, syscall.ECONNREFUSED):
		hint = "is the server at " + c.info.BaseURL + " running?"
	}
	return failure{retry: retry, err: c.fail(core.CodeNetwork, hint, textError(text))}
}

// describeServer sorts what the server said.
func (c *Client) describeServer(e *serverError) failure {
	f := failure{after: retryAfter(e.header, time.Now())}
	code, hint := c.classify(e)
	switch code {
	case core.CodeRate:
		f.retry = !quotaGone(e)
	case core.CodeServer:
		f.retry = true
	default:
		f.retry = e.status == http.StatusRequestTimeout || e.status == http.StatusConflict || e.status == http.StatusTooEarly
	}
	text := c.clean(e.Error())
	if e.status >= http.StatusBadRequest && e.header != nil {
		text = fmt.Sprintf("%s (HTTP %d)", text, e.status)
	}
	f.err = c.fail(code, hint, textError(text))
	return f
}

// classify gives the class of a server's error and its remedy. The words come first where servers
// disagree about the status.
func (c *Client) classify(e *serverError) (core.Code, string) {
	words := strings.ToLower(e.code + " " + e.kind + " " + e.message)
	switch {
	case e.html && (e.status == 0 || e.status == http.StatusOK || e.status == http.StatusNotFound || e.status == http.StatusMethodNotAllowed):
		return core.CodeProtocol, c.urlHint()
	case isOverflow(e.status, words):
		return core.CodeOverflow, "shorten the conversation (compact it or start a new session), or choose a model with a larger context"
	case e.status == http.StatusUnauthorized || e.status == http.StatusForbidden || has(words, "invalid_api_key", "incorrect api key", "authentication_error"):
		return core.CodeAuth, c.keyHint()
	case quotaGone(e):
		return core.CodeRate, "the account has no credit left: add some, or choose another provider"
	case e.status == http.StatusTooManyRequests || has(words, "rate_limit", "rate limit", "too many requests"):
		return core.CodeRate, "wait a little, or choose another model"
	case isUnknownModel(e.status, words):
		return core.CodeModel, "see `hermes model list` for what is served"
	case e.status == http.StatusNotFound:
		return core.CodeRequest, c.urlHint()
	case e.status >= http.StatusInternalServerError:
		return core.CodeServer, "the server has a problem: try again later, or choose another model"
	case e.status >= http.StatusBadRequest || has(words, "invalid_request"):
		return core.CodeRequest, "the server does not accept this request; another model may"
	}
	return core.CodeServer, "try again, or choose another model"
}

func has(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

func isOverflow(status int, words string) bool {
	if status == http.StatusRequestEntityTooLarge {
		return true
	}
	return has(words, "context_length_exceeded", "maximum context length", "exceeds the available context size", "prompt is too long",
		"context window", "input is too long", "too many tokens", "exceed_context_size", "input token count")
}

func isUnknownModel(status int, words string) bool {
	if has(words, "model_not_found", "not a valid model") {
		return true
	}
	if !strings.Contains(words, "model") || status != http.StatusNotFound && status != http.StatusBadRequest {
		return false
	}
	return has(words, "not found", "does not exist", "not exist", "unknown model", "invalid model", "no such model")
}

// quotaGone says that waiting will not help.
func quotaGone(e *serverError) bool {
	words := strings.ToLower(e.code + " " + e.kind + " " + e.message)
	return e.status == http.StatusPaymentRequired || has(words, "insufficient_quota", "insufficient balance", "insufficient credits")
}

func (c *Client) keyHint() string {
	switch {
	case c.opts.Key == "" && len(c.preset.KeyEnv) > 0 && origin(c.preset.BaseURL) == origin(c.info.BaseURL):
		return "set " + c.preset.KeyEnv[0] + ", or run `hermes setup`"
	case c.opts.Key == "" && c.info.Provider == Custom:
		return "the server wants a key: set OPENAI_API_KEY beside OPENAI_BASE_URL, or run `hermes setup`"
	case c.opts.Key == "":
		return "the server wants a key: name its variable in config.yaml under providers." + c.info.Provider + ".key_env"
	case c.opts.KeyName != "":
		return "check the key in " + c.opts.KeyName
	}
	return "check the key, or run `hermes setup`"
}

func (c *Client) urlHint() string {
	if strings.HasSuffix(c.info.BaseURL, "/v1") {
		return "check the base URL " + c.info.BaseURL + ": something else than a model server answers there"
	}
	return "the base URL " + c.info.BaseURL + " looks wrong: it usually ends in /v1"
}

// clean removes the key from a text and makes it one line.
func (c *Client) clean(text string) string {
	const shortest = 8 // shorter keys are placeholders such as "none"
	if len(c.opts.Key) >= shortest {
		text = strings.ReplaceAll(text, c.opts.Key, "[key]")
	}
	return oneLine(text)
}
