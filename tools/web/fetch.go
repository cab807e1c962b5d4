package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/text"
)

// client opens pages. It is safe for concurrent use.
type client struct {
	http    *http.Client
	vault   vault
	agent   string
	timeout time.Duration
}

// newTransport returns a transport whose every connection control judges; nil judges none.
func newTransport(r *rule) *http.Transport {
	d := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}
	if r != nil {
		d.ControlContext = r.control
	}
	return &http.Transport{
		Proxy:                  nil, // see the package comment
		DialContext:            d.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  20 * time.Second,
		IdleConnTimeout:        15 * time.Second,
		MaxIdleConns:           8,
		MaxResponseHeaderBytes: 256 << 10,
	}
}

func newClient(opts Options) *client {
	return &client{
		http: &http.Client{
			Transport: newTransport(newRule(opts.AllowPrivate, opts.Reachable)),
			// Redirects are followed by fetch, which judges each of them.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		vault: vault{opts.Redactor}, agent: opts.UserAgent, timeout: opts.Timeout,
	}
}

// fetched is what an address led to, before it is understood.
type fetched struct {
	url  *url.URL // after the redirects
	kind kind
	size int64 // as the server says; -1 when it does not
	body []byte
	cut  bool   // there is more than MaxBody
	flaw string // why the body may not be complete, in words; "" when it is
}

// fetch opens u and follows its redirects. The body is read when it can be text.
func (c *client) fetch(ctx context.Context, u *url.URL) (*fetched, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	for hop := 0; ; hop++ {
		resp, err := c.get(ctx, u)
		if err != nil {
			return nil, c.fault(ctx, u, err)
		}
		next, err := c.redirect(resp, u)
		if err != nil || next == nil {
			defer func() { _ = resp.Body.Close() }()
			if err != nil {
				return nil, err
			}
			return c.read(ctx, resp, u)
		}
		_ = resp.Body.Close()
		if hop == MaxHops {
			return nil, &core.Error{
				Code: core.CodeProtocol, Op: "open", Subject: show(u), Err: fmt.Errorf("it was redirected %d times without an end", MaxHops),
				Hint: "Look for another address of the page",
			}
		}
		u = next
	}
}

func (c *client) get(ctx context.Context, u *url.URL) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("Accept", "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.5")
	return c.http.Do(req)
}

// redirect returns where resp leads, nil when it is the page itself. The error says why the way is
// not taken; it never repeats an address that holds a secret.
func (c *client) redirect(resp *http.Response, from *url.URL) (*url.URL, error) {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	to := resp.Header.Get("Location")
	if to == "" {
		return nil, nil
	}
	refuse := func(err error) error {
		return &core.Error{Code: core.CodeDenied, Op: "open", Subject: show(from), Err: fmt.Errorf("it redirects to where hermes does not go: %w", err), Hint: "Look for another address of the page"}
	}
	if len(to) > maxURL {
		return nil, refuse(errors.New("the address is too long"))
	}
	next, err := from.Parse(to)
	if err != nil {
		return nil, refuse(errors.New("the address is not valid"))
	}
	if err := c.vault.check(next); err != nil {
		return nil, refuse(err)
	}
	return next, nil
}

// read takes the body of the page resp is, as far as it is text.
func (c *client) read(ctx context.Context, resp *http.Response, u *url.URL) (*fetched, error) {
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, statusFault(u, resp)
	}
	f := &fetched{url: u, kind: kindOf(resp.Header), size: resp.ContentLength}
	if f.kind.form == formOther {
		return f, nil
	}
	if enc := resp.Header.Get("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		return nil, &core.Error{Code: core.CodeProtocol, Op: "open", Subject: show(u), Err: errors.New("the answer is compressed in a way nobody asked for"), Hint: "Look for another address of the page"}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxBody+1))
	if len(body) > MaxBody {
		body, f.cut = body[:MaxBody], true
	}
	f.body = body
	if err != nil && !f.cut {
		if len(body) == 0 || errors.Is(ctx.Err(), context.Canceled) {
			return nil, c.fault(ctx, u, err)
		}
		f.flaw = "the connection broke off; this is the part that came"
		if ctx.Err() != nil {
			f.flaw = fmt.Sprintf("the server was too slow; this is the part that came within %s", c.timeout)
		}
	}
	return f, nil
}

// statusFault words an answer that is no page. The server's own words are left out: they are foreign.
func statusFault(u *url.URL, resp *http.Response) error {
	e := &core.Error{Code: core.CodeServer, Op: "open", Subject: show(u), Hint: "Try again later, or look for another source"}
	name := http.StatusText(resp.StatusCode)
	if name == "" {
		name = "an unknown status"
	}
	e.Err = fmt.Errorf("the server answered %d (%s)", resp.StatusCode, name)
	switch resp.StatusCode {
	case http.StatusNotFound, http.StatusGone:
		e.Code, e.Hint = core.CodeNotFound, "Check the address, or look for the page under another one"
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusUnavailableForLegalReasons, http.StatusPaymentRequired:
		e.Code, e.Hint = core.CodeDenied, "The page wants a login or keeps programs out; look for another source"
	case http.StatusTooManyRequests:
		e.Code, e.Hint = core.CodeRate, "Wait before the next page of this server"
	}
	return e
}

// fault words why nothing came. Text a server sent is left out of it.
func (c *client) fault(ctx context.Context, u *url.URL, err error) error {
	e := &core.Error{Code: core.CodeNetwork, Op: "open", Subject: show(u), Hint: "Try again later, or look for another source"}
	var refused *addressError
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var op *net.OpError
	switch {
	case errors.As(err, &refused):
		e.Code, e.Err = core.CodeDenied, refused
		e.Hint = "Web tools do not reach into private networks; the person can set web.allow_private to true in config.yaml if they want that"
		if refused.firm {
			e.Hint = "This is never opened; look for another source"
		}
	case errors.Is(ctx.Err(), context.DeadlineExceeded), isTimeout(err):
		e.Err = fmt.Errorf("no answer within %s", c.timeout)
	case ctx.Err() != nil:
		e.Code, e.Err, e.Hint = core.CodeInterrupted, errors.New("interrupted"), ""
	case errors.As(err, &dns):
		e.Err, e.Hint = errors.New("the name cannot be looked up"), "Check the network, then the spelling"
		if dns.IsNotFound {
			e.Code, e.Err, e.Hint = core.CodeNotFound, errors.New("there is no host of that name"), "Check the spelling of the address"
		}
	case errors.As(err, &cert):
		e.Err, e.Hint = errors.New("its certificate is not valid"), "Do not trust the site; look for another source"
	case errors.As(err, &op):
		e.Err = fmt.Errorf("%s: %s", op.Op, text.Cut(text.OneLine(op.Err.Error()), 200))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Err = errors.New("the server closed the connection without an answer")
	default:
		e.Code, e.Err = core.CodeProtocol, errors.New("the server does not answer as a web server should")
	}
	return e
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}
