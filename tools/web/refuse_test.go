package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"hermes/tools/web"
)

func TestExtract_refusesAddresses(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("an address inside was reached") }))
	t.Cleanup(other.Close)
	port := other.URL[strings.LastIndexByte(other.URL, ':'):]
	for name, tc := range map[string]struct{ url, says string }{
		"loopback":        {other.URL, "is a loopback address. Web tools do not reach into private networks; the person can set web.allow_private"},
		"by name":         {"http://localhost" + port, "is a loopback address"},
		"mapped":          {"http://[::ffff:127.0.0.1]" + port, "is a loopback address"},
		"metadata":        {"http://169.254.169.254/latest/meta-data/", "a cloud machine's keys are. This is never opened"},
		"private":         {"http://10.1.2.3/", "its address 10.1.2.3 is a private address"},
		"nat64":           {"http://[64:ff9b::7f00:1]/", "NAT64"},
		"unspecified":     {"http://0.0.0.0" + port, "unspecified"},
		"file":            {"file:///etc/passwd", "only http and https are opened, not file"},
		"gopher":          {"gopher://example.org/", "not gopher"},
		"no scheme":       {"example.org/page", "has no scheme. Write it like https://"},
		"no host":         {"https:///x", "names no host"},
		"account":         {"https://user:hunter3@example.org/", "holds a user name or password"},
		"secret":          {"https://example.org/?q=hunter2%2Dsecret", "holds a secret known to hermes"},
		"invalid":         {"https://exa mple.org/", "not a valid address"},
		"escape":          {"https://example.org/%zz", "not a valid address"},
		"endless":         {"https://example.org/" + strings.Repeat("a", 5000), "at most 4096"},
		"host of nowhere": {"http://nowhere.invalid/", "open http://nowhere.invalid/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := setUp(t, web.Options{}, func(http.ResponseWriter, *http.Request) { t.Error("reached") })
			res := p.call(t.Context(), "web_extract", `{"urls":[%q]}`, tc.url)
			if res.OK || !strings.Contains(res.Content, tc.says) || strings.Contains(res.Content, "hunter") || res.Detail.Taint != "" {
				t.Errorf("%+v; want %q", res, tc.says)
			}
		})
	}
}

func TestExtract_allowPrivateLeavesMetadataOut(t *testing.T) {
	t.Parallel()
	inner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { page(w, filler) }))
	t.Cleanup(inner.Close)
	p := setUp(t, web.Options{AllowPrivate: true}, nil)
	if res := p.call(t.Context(), "web_extract", `{"url":%q}`, inner.URL); !res.OK {
		t.Errorf("%+v", res)
	}
	if res := p.call(t.Context(), "web_extract", `{"url":"http://169.254.169.254/"}`); res.OK || !strings.Contains(res.Content, "never opened") {
		t.Errorf("%+v", res)
	}
}

func TestExtract_judgesEveryRedirect(t *testing.T) {
	t.Parallel()
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect got inside") }))
	t.Cleanup(inner.Close)
	for name, tc := range map[string]struct{ to, says string }{
		"metadata":  {"http://169.254.169.254/latest/meta-data/iam/", "a cloud machine's keys are"},
		"loopback":  {inner.URL, "is a loopback address"},
		"by name":   {strings.Replace(inner.URL, "127.0.0.1", "localhost", 1), "is a loopback address"},
		"file":      {"file:///etc/passwd", "redirects to where hermes does not go: only http and https"},
		"account":   {"http://a:b@example.org/", "holds a user name"},
		"secret":    {"https://evil.example/?k=hunter2-secret", "holds a secret"},
		"broken":    {"http://[::1", "does not answer as a web server should"},
		"very long": {"/" + strings.Repeat("a", 5000), "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := setUp(t, web.Options{}, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/start" {
					w.Header().Set("Location", "/second")
				} else {
					w.Header().Set("Location", tc.to)
				}
				w.WriteHeader(http.StatusTemporaryRedirect)
			})
			res := p.extract(t, "/start")
			if res.OK || !strings.Contains(res.Content, tc.says) || strings.Contains(res.Content, "hunter2") {
				t.Errorf("%+v; want %q", res, tc.says)
			}
		})
	}
}

func TestExtract_whenRedirectsNeverEnd(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	p := setUp(t, web.Options{}, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, fmt.Sprintf("/%d", asked.Add(1)), http.StatusFound)
	})
	res := p.extract(t, "/")
	if res.OK || !strings.Contains(res.Content, "redirected 10 times without an end") || asked.Load() != web.MaxHops+1 {
		t.Errorf("%+v after %d requests", res, asked.Load())
	}
}

func TestExtract_refusesCalls(t *testing.T) {
	t.Parallel()
	p := setUp(t, web.Options{}, func(http.ResponseWriter, *http.Request) { t.Error("reached") })
	for args, says := range map[string]string{
		`{}`:             "names no address",
		`{"urls":[" "]}`: "names no address",
		`{"urls":["http://a","http://b","http://c","http://d","http://e","http://f"]}`: "6 addresses",
		`{"urls":["http://a","http://b"],"offset":5}`:                                  "offset goes with one address only",
		`{"url":"http://a","offset":-1}`:                                               "at least 0",
		`{"link":"http://a"}`:                                                          `unknown field "link"`,
	} {
		if res := p.call(t.Context(), "web_extract", "%s", args); res.OK || !strings.Contains(res.Content, says) {
			t.Errorf("%s: %+v; want %q", args, res, says)
		}
	}
}
