package web

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"hermes/core"
	"hermes/core/text"
)

var (
	errSecret  = errors.New("the address holds a secret known to hermes and is not opened. Never put keys or passwords into an address")
	errAccount = errors.New("the address holds a user name or password and is not opened. Leave that part out")
)

// vault tells whether a text holds a known secret, plainly or in the encodings an address can carry.
type vault struct{ r core.Redactor }

func (v vault) holds(s string) bool {
	if v.r == nil {
		return false
	}
	for range 3 { // as it is, decoded, decoded twice
		if v.changes(s) {
			return true
		}
		s = unescape(s)
	}
	for _, word := range strings.FieldsFunc(s, notCoded) {
		for _, plain := range decodings(word) {
			if v.changes(plain) {
				return true
			}
		}
	}
	return false
}

func (v vault) changes(s string) bool { return v.r.Redact(s) != s }

// unescape decodes percent escapes where they are valid, and "+" too: a secret does not hide behind
// one broken escape elsewhere.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := hex.DecodeString(s[i+1 : i+3]); err == nil {
				b.WriteByte(c[0])
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func notCoded(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '+':
		return false
	}
	return true
}

func decodings(word string) []string {
	if len(word) < 8 {
		return nil
	}
	var out []string
	for _, dec := range []func(string) ([]byte, error){base64.RawStdEncoding.DecodeString, base64.RawURLEncoding.DecodeString, hex.DecodeString} {
		if b, err := dec(word); err == nil {
			out = append(out, string(b))
		}
	}
	return out
}

// parseURL reads an address the model or a redirect gave. The error is written for the model.
func (v vault) parseURL(raw string) (*url.URL, error) {
	raw = strings.TrimSpace(raw)
	switch {
	case raw == "":
		return nil, errors.New("the address is empty")
	case len(raw) > maxURL:
		return nil, fmt.Errorf("the address has %d characters, at most %d are taken", len(raw), maxURL)
	case v.holds(raw):
		return nil, errSecret
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("it is not a valid address. Write it like https://example.org/page")
	}
	return u, v.check(u)
}

// check judges an absolute address; every hop of a redirect passes here.
func (v vault) check(u *url.URL) error {
	switch {
	case u.Scheme == "":
		return errors.New("the address has no scheme. Write it like https://example.org/page")
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("only http and https are opened, not %s", text.Cut(u.Scheme, 20))
	case u.User != nil:
		return errAccount
	case u.Hostname() == "":
		return errors.New("the address names no host. Write it like https://example.org/page")
	case v.holds(u.String()):
		return errSecret
	}
	return nil
}

// show writes an address for a message or a mark: without fragment, one line, not endless, and without
// characters that could be taken for the end of the mark or for words of ours.
func show(u *url.URL) string {
	c := *u
	c.Fragment, c.RawFragment, c.User = "", "", nil
	s := text.OneLine(c.String())
	at := strings.Index(s, "://") + len("://") // brackets belong to the host
	if end := strings.IndexAny(s[min(at, len(s)):], "/?"); end >= 0 {
		at += end
		s = s[:at] + strings.NewReplacer("<", "%3C", ">", "%3E", "[", "%5B", "]", "%5D", " ", "%20", "`", "%60").Replace(s[at:])
	}
	return text.Cut(s, 500)
}
