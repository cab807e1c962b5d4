package index

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// looksLikeJSON tells JSON by its beginning: it may be cut off at its end.
func looksLikeJSON(s string) bool {
	s = strings.TrimSpace(s[:min(len(s), 64)])
	if s == "" || s[0] != '{' && s[0] != '[' {
		return false
	}
	inside := strings.TrimSpace(s[1:])
	return inside != "" && strings.IndexByte(`"{[`, inside[0]) >= 0
}

// plain is JSON as people would read it: what is escaped in its strings stands for itself. Otherwise the words of a
// file that a call wrote would be glued to the escapes of their line breaks, and some encoders escape all of Chinese.
func plain(s string) string {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for ; i >= 0 && i+1 < len(s); i = strings.IndexByte(s, '\\') {
		b.WriteString(s[:i])
		r, n := escaped(s[i:])
		if n == 0 {
			r, n = '\\', 1
		}
		b.WriteRune(r)
		s = s[i+n:]
	}
	b.WriteString(s)
	return b.String()
}

// escaped reads one escape of JSON and says how long it is; 0 when it is none.
func escaped(s string) (r rune, n int) {
	if i := strings.IndexByte(`"\/bfnrt`, s[1]); i >= 0 {
		return rune("\"\\/ \n\n \t"[i]), 2
	}
	r, ok := unit(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if low, ok := unit(s[6:]); ok {
		if whole := utf16.DecodeRune(r, low); whole != utf8.RuneError {
			return whole, 12
		}
	}
	return utf8.RuneError, 6
}

// unit reads \uXXXX.
func unit(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(v), err == nil
}
