package web

import (
	"bytes"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	"hermes/core/text"
)

// form is how a body is understood.
type form int

const (
	formSniff form = iota // the server does not say; the bytes must
	formHTML
	formText
	formOther
)

// kind is what a server says its answer is.
type kind struct {
	form  form
	media string // "text/html", lower case; "" when not given
	label string // the character set given; "" when not
}

// kindOf reads the headers of an answer.
func kindOf(h http.Header) kind {
	media, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil && media == "" {
		media, _, _ = strings.Cut(h.Get("Content-Type"), ";")
	}
	k := kind{media: text.Cut(text.OneLine(strings.ToLower(media)), 80), label: params["charset"]}
	k.form = formOf(k.media)
	return k
}

func formOf(media string) form {
	main, sub, _ := strings.Cut(media, "/")
	switch {
	case media == "", media == "application/octet-stream", media == "binary/octet-stream", media == "application/unknown", media == "unknown/unknown":
		return formSniff
	case media == "text/html", media == "application/xhtml+xml":
		return formHTML
	case main == "text", strings.HasSuffix(sub, "+json"), strings.HasSuffix(sub, "+xml") && main == "application":
		return formText
	case main == "application" && slices.Contains([]string{
		"json", "xml", "yaml", "x-yaml", "toml", "x-ndjson", "ndjson", "jsonl", "json-seq", "javascript", "x-javascript", "ecmascript",
		"typescript", "x-sh", "x-httpd-php", "sql", "graphql", "x-tex", "x-latex", "x-www-form-urlencoded", "markdown",
	}, sub):
		return formText
	}
	return formOther
}

// sniff decides by the bytes what the headers left open, and doubts "text" that is none.
func sniff(k kind, body []byte) kind {
	found := http.DetectContentType(body)
	media, _, _ := mime.ParseMediaType(found)
	wide := strings.Contains(found, "utf-16") || strings.HasPrefix(strings.ToLower(k.label), "utf-16") || strings.HasPrefix(strings.ToLower(k.label), "utf-32")
	switch {
	case k.form == formSniff:
		k.form = formOf(media)
		if k.form == formSniff {
			k.form = formOther
		}
		if k.media == "" || k.form == formHTML {
			k.media = media
		}
	case !wide && bytes.IndexByte(body[:min(len(body), 8<<10)], 0) >= 0:
		k.form = formOther // whatever it calls itself
	}
	return k
}

// decodeText turns a body into valid UTF-8. name is the character set when it is another one, broken
// tells that some bytes had to be replaced.
func decodeText(body []byte, label string) (s, name string, broken bool) {
	contentType := "text/html"
	if label != "" {
		contentType += "; charset=" + label
	}
	body, partial := trimRune(body)
	enc, name, certain := charset.DetermineEncoding(body, contentType)
	valid := utf8.Valid(body)
	switch {
	case name == "replacement", valid && !stateful(name) && (isASCII(body) || !certain || singleByte(name)):
		name = "utf-8" // text in a one-byte set is hardly ever valid UTF-8 by accident
	case name == "utf-8" && !valid && label != "":
		// The header is wrong; perhaps the document knows better (windows-1252 is the answer of one that
		// does not).
		if e, n, _ := charset.DetermineEncoding(body, "text/html"); n != "utf-8" && n != "windows-1252" {
			enc, name = e, n
		}
	}
	if name == "utf-8" {
		s = string(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
		return text.CleanUTF8(s), "", !valid
	}
	body = append(body, partial...)
	return decodeWith(enc, body), name, false
}

func decodeWith(enc encoding.Encoding, body []byte) string {
	out, err := enc.NewDecoder().Bytes(body)
	if err != nil { // decoders replace what they do not know; keep what there is all the same
		return text.CleanUTF8(string(body))
	}
	return text.CleanUTF8(strings.TrimPrefix(string(out), "\ufeff"))
}

// trimRune takes a UTF-8 sequence off the end that a cut has left incomplete.
func trimRune(body []byte) (whole, partial []byte) {
	for n := 1; n <= min(3, len(body)); n++ {
		at := len(body) - n
		if utf8.RuneStart(body[at]) {
			if body[at] >= 0xC0 && !utf8.FullRune(body[at:]) {
				return body[:at:at], body[at:]
			}
			break
		}
	}
	return body[:len(body):len(body)], nil
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// stateful sets say everything in ASCII bytes.
func stateful(name string) bool { return name == "iso-2022-jp" || strings.HasPrefix(name, "utf-16") }

func singleByte(name string) bool {
	for _, p := range []string{"windows-", "iso-8859-", "koi8-", "macintosh", "x-mac", "ibm866", "x-user-defined"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
