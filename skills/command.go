package skills

import (
	"strings"
	"unicode"
)

// Command is what a person types behind "/" to invoke e: its slug, or, when its name is not written in ASCII,
// the name itself with hyphens for blanks. "" when nothing of it can be typed on one word.
func Command(e Entry) string {
	name := strings.ToLower(strings.TrimSpace(e.Name))
	ascii := strings.IndexFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) < 0
	if ascii {
		return Slug(name)
	}
	name = strings.Join(strings.Fields(name), "-")
	if strings.IndexFunc(name, func(r rune) bool { return r == '/' || !unicode.IsPrint(r) }) >= 0 {
		return Slug(name)
	}
	return name
}

// Invocation splits "/command words" when it names one of list; the others that answer to the same command
// come along. ok is false for other text.
func Invocation(list []Entry, message string) (hits []Entry, words string, ok bool) {
	message = strings.TrimSpace(message)
	if !strings.HasPrefix(message, "/") {
		return nil, "", false
	}
	name, words := message[1:], ""
	if i := strings.IndexFunc(name, unicode.IsSpace); i >= 0 {
		name, words = name[:i], strings.TrimSpace(name[i:])
	}
	for _, e := range list {
		if name != "" && Command(e) == strings.ToLower(name) {
			hits = append(hits, e)
		}
	}
	return hits, words, len(hits) > 0
}
