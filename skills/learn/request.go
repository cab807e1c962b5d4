package learn

import (
	_ "embed"
	"net/url"
	"path/filepath"
	"strings"

	"hermes/core/text"
)

//go:embed standard.md
var standard string

// Command is how a message that asks to learn begins.
const Command = "/learn"

// Asked gives what stands after the command; ok is false for other messages.
func Asked(message string) (sources string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(message), Command)
	if !ok || rest != "" && !strings.ContainsAny(rest[:1], " \t\n") {
		return "", false
	}
	return strings.TrimSpace(rest), true
}

// WhatWeDid is the request when no source is named.
const WhatWeDid = "what we just did in this conversation"

// Request is the message that a turn works on.
func Request(sources string) string {
	if sources = strings.TrimSpace(sources); sources == "" {
		sources = WhatWeDid
	}
	return strings.TrimSpace(standard) + "\n\nThe sources:\n" + text.CleanUTF8(sources)
}

// Kind says what a source is.
type Kind string

// The kinds.
const (
	File   Kind = "file"
	Folder Kind = "folder"
	URL    Kind = "url"
)

// Source is something that has to be read.
type Source struct {
	Kind Kind
	Name string // as it was written
	Path string // absolute, of a file or folder
}

// Place is where the paths of a request are looked for.
type Place struct {
	Dir  string // of relative paths
	Home string // what "~" stands for
	// Stat tells what stands at an absolute path.
	Stat func(path string) (isDir, ok bool)
}

// Sources finds the files, folders and addresses that a request names. Words that name nothing are no sources:
// they are requirements.
func (p Place) Sources(request string) []Source {
	var out []Source
	seen := map[string]bool{}
	for _, word := range words(request) {
		s := Source{Name: word}
		if isURL(word) {
			s.Kind = URL
		} else {
			s.Path = p.path(word)
			isDir, ok := p.Stat(s.Path)
			switch {
			case !ok:
				continue
			case isDir:
				s.Kind = Folder
			default:
				s.Kind = File
			}
		}
		if !seen[s.Name] {
			seen[s.Name] = true
			out = append(out, s)
		}
	}
	return out
}

// Missing is the first path of a request that stands nowhere, when the request is nothing but paths: words
// beside a path may explain it.
func (p Place) Missing(request string) string {
	missing := ""
	for _, word := range words(request) {
		_, there := p.Stat(p.path(word))
		switch {
		case there || isURL(word):
		case !looksLikePath(word):
			return ""
		case missing == "":
			missing = word
		}
	}
	return missing
}

func looksLikePath(word string) bool {
	for _, p := range []string{"/", "./", "../", "~/"} {
		if strings.HasPrefix(word, p) {
			return true
		}
	}
	return strings.ContainsRune(word, filepath.Separator) || filepath.Ext(word) != "" && !strings.HasSuffix(word, ".")
}

func isURL(word string) bool {
	u, err := url.Parse(word)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// path is the absolute path that a word would name.
func (p Place) path(word string) string {
	if rest, ok := strings.CutPrefix(word, "~/"); ok && p.Home != "" {
		return filepath.Join(p.Home, rest)
	}
	if filepath.IsAbs(word) {
		return filepath.Clean(word)
	}
	return filepath.Join(p.Dir, word)
}

// words splits a request; quoted words may hold blanks, and marks around a word are no part of it.
func words(s string) []string {
	var out []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		end := strings.IndexAny(s, " \t\n")
		if q := s[0]; q == '"' || q == '\'' || q == '`' {
			if i := strings.IndexByte(s[1:], q); i >= 0 {
				out = append(out, s[1:1+i])
				s = s[2+i:]
				continue
			}
		}
		if end < 0 {
			end = len(s)
		}
		if w := strings.TrimPrefix(strings.Trim(s[:end], ",;:()[]<>，；。、"), "@"); w != "" && strings.Trim(w, "./") != "" {
			out = append(out, strings.TrimSuffix(w, "."))
		} else if w != "" {
			out = append(out, w)
		}
		s = s[end:]
	}
	return out
}
