package provider

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"hermes/core"
)

// Options configure a client. The zero value of a limit takes its default.
type Options struct {
	Provider      string // preset name, a name from the config, or empty for "custom"
	BaseURL       string // overrides the preset's; "/v1" included where the server has one
	Key           string // sent to BaseURL and nowhere else; empty sends none
	KeyName       string // variable or setting Key comes from, for hints
	Model         string // empty takes the preset's default
	ContextLength int    // tokens; 0 takes the model table's
	Prices        Prices // override or extend the built-in price table
	Scripted      bool   // a demo server: said by Info

	Connect   time.Duration // to open a connection; default 15 s
	FirstByte time.Duration // until the first byte of an answer; default 300 s
	Idle      time.Duration // between two bytes; default 120 s
	Total     time.Duration // for one attempt; default 60 min

	Retries  int           // attempts after the first; default 3, negative for none
	Backoff  time.Duration // wait before the second attempt, doubled after each; default 500 ms
	MaxDelay time.Duration // longest wait; a server that asks for more is not asked again; default 60 s
}

// Client is one configured model. It is safe for concurrent use.
type Client struct {
	opts      Options
	preset    Preset
	info      core.ModelInfo
	prices    Prices
	api       openai.Client
	transport *http.Transport
	rules     rules
}

var _ core.Model = (*Client)(nil)

// rules are what a server taught us in this client's life; guarded by mu.
type rules struct {
	mu    sync.Mutex
	quirk quirks
}

// New returns a client for one model. It opens no connection. Errors are *core.Error with CodeSetup
// or CodeConfig.
func New(o Options) (*Client, error) {
	preset, base, err := resolve(o)
	if err != nil {
		return nil, err
	}
	o.Key = strings.TrimSpace(o.Key)
	if strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, &core.Error{
			Code: core.CodeAuth, Op: "use key", Subject: o.KeyName, Err: textError("the key holds characters no key has"),
			Hint: "paste the key again, without spaces or line breaks",
		}
	}
	o.defaults()
	model := o.Model
	if model == "" {
		model = preset.Model
	}
	if model == "" {
		return nil, &core.Error{
			Code: core.CodeSetup, Op: "choose a model", Err: textError("no model is named for " + base),
			Hint: "name one with --model, HERMES_MODEL or model.default; `hermes model list` shows what is served",
		}
	}
	c := &Client{opts: o, preset: preset, transport: newTransport(o)}
	table, err := builtinModels()
	if err != nil {
		return nil, err
	}
	c.prices = table.with(o.Prices)
	c.rules.quirk = preset.quirks(model)
	c.info = core.ModelInfo{
		Provider: preset.Name, Model: model, BaseURL: base, Scripted: o.Scripted,
		ContextLength: firstPositive(o.ContextLength, c.prices.find(preset.Name, model).Context),
	}
	c.api = openai.Client{Options: requestOptions(o, base, c.transport)}
	return c, nil
}

// resolve finds the preset and the base URL.
func resolve(o Options) (Preset, string, error) {
	name := o.Provider
	if name == "" {
		name = Custom
	}
	preset, ok := PresetByName(name)
	if !ok {
		preset, _ = PresetByName(Custom)
		preset.Name = name
	}
	base := o.BaseURL
	if base == "" {
		base = preset.BaseURL
	}
	if base == "" {
		return preset, "", &core.Error{
			Code: core.CodeSetup, Op: "choose a model", Subject: name, Err: textError("the provider has no base URL"),
			Hint: "set providers." + name + ".base_url in config.yaml, or OPENAI_BASE_URL",
		}
	}
	clean, err := cleanBaseURL(base)
	return preset, clean, err
}

// cleanBaseURL checks a base URL and removes what people paste too much of.
func cleanBaseURL(base string) (string, error) {
	base = strings.TrimRight(strings.TrimSpace(base), "/")
	base = strings.TrimRight(strings.TrimSuffix(base, "/chat/completions"), "/")
	u, err := url.Parse(base)
	if err == nil && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		err = textError("want http:// or https:// and a host")
	}
	if err == nil && (u.User != nil || u.RawQuery != "" || u.Fragment != "") {
		err = textError("user, query and fragment are not part of a base URL")
	}
	if err != nil {
		return "", &core.Error{
			Code: core.CodeConfig, Op: "read base URL", Err: err,
			Hint: "write it like https://host/v1",
		}
	}
	return base, nil
}

func (o *Options) defaults() {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&o.Connect, 15 * time.Second},
		{&o.FirstByte, 300 * time.Second},
		{&o.Idle, 120 * time.Second},
		{&o.Total, time.Hour},
		{&o.Backoff, 500 * time.Millisecond},
		{&o.MaxDelay, time.Minute},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	if o.Retries == 0 {
		o.Retries = 3
	}
	o.Retries = max(o.Retries, 0)
}

// newTransport is this client's own: proxies come from the environment, limits from o.
func newTransport(o Options) *http.Transport {
	dialer := &net.Dialer{Timeout: o.Connect, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: o.Connect,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true, // a compressing proxy would hold back deltas
	}
}

// requestOptions are all the options a request ever gets. openai.NewClient is not used: it would add
// the environment's key, organisation, project and custom headers, whatever the base URL.
func requestOptions(o Options, base string, transport http.RoundTripper) []option.RequestOption {
	opts := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithHTTPClient(&http.Client{Transport: boundedErrors{transport}, CheckRedirect: sameOrigin}),
		option.WithMaxRetries(0),
		option.WithHeader("User-Agent", "hermes"),
	}
	for _, h := range []string{"Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Retry-Count", "Timeout"} {
		opts = append(opts, option.WithHeaderDel("X-Stainless-"+h)) // the person's system is nobody's business
	}
	if o.Key != "" {
		opts = append(opts, option.WithAPIKey(o.Key))
	}
	return opts
}

// sameOrigin refuses redirects to another server: conversation and key were meant for this one.
func sameOrigin(req *http.Request, via []*http.Request) error {
	const most = 5
	if len(via) > most {
		return &protocolError{textError("too many redirects")}
	}
	if from := via[0].URL; from.Scheme != req.URL.Scheme || from.Host != req.URL.Host {
		return &protocolError{textError("the server redirects to " + req.URL.Host + ": put that address into the base URL if you trust it")}
	}
	return nil
}

// Info describes the model.
func (c *Client) Info() core.ModelInfo { return c.info }

// Close drops idle connections. Running streams are not affected; the client stays usable.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Stream sends req and reports deltas to sink; see core.Model. Failed attempts are repeated while
// nothing of the answer was shown.
func (c *Client) Stream(ctx context.Context, req core.Request, sink func(core.Delta)) (core.Response, error) {
	if sink == nil {
		sink = func(core.Delta) {}
	}
	learned := false
	for attempt := 1; ; attempt++ {
		quirk := c.quirks()
		a := newAnswer(sink)
		err := c.attempt(ctx, c.encode(req, quirk), a)
		if err == nil {
			return c.response(a, false), nil
		}
		if ctx.Err() != nil {
			return c.response(a, true), c.interrupted(ctx)
		}
		if !learned && !a.shown && c.learn(err, req, quirk) {
			learned = true
			attempt--
			continue
		}
		f := c.describe(err)
		if !f.retry || a.shown || attempt > c.opts.Retries {
			return c.response(a, true), f.err
		}
		if f.after > c.opts.MaxDelay { // it would only be refused again
			e := *f.err
			e.Hint = "the server asks to wait " + f.after.Round(time.Second).String() + "; send the message again after that, or switch the model"
			return c.response(a, true), &e
		}
		wait := c.wait(attempt, f.after)
		sink(core.Delta{Retry: &core.Retry{Attempt: attempt, Max: c.opts.Retries + 1, Wait: wait, Reason: f.err.Error()}})
		if !sleep(ctx, wait) {
			return c.response(a, true), c.interrupted(ctx)
		}
	}
}

// response turns an answer, finished or not, into what the caller gets.
func (c *Client) response(a *answer, failed bool) core.Response {
	m := a.message()
	m.Model = c.info.Ref()
	m.Time = time.Now().UTC()
	if failed {
		m.ToolCalls = nil
		m.Incomplete = true
	}
	return core.Response{
		Message: m,
		Finish:  a.finish,
		Usage:   a.usage.tokens(),
		Cost:    c.cost(a.usage),
	}
}

func firstPositive(values ...int) int {
	for _, v := range values {
		if v > 0 {
			return v
		}
	}
	return 0
}

// textError is an error of fixed text.
type textError string

// Error returns the text.
func (e textError) Error() string { return string(e) }
