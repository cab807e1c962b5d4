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

// Sources finds the files, folders and addresses that a request names. stat tells what stands at an absolute
// path; relative ones are below dir. Words that name nothing are no sources: they are requirements.
func Sources(request, dir string, stat func(path string) (isDir, ok bool)) []Source {
	var out []Source
	seen := map[string]bool{}
	for _, word := range words(request) {
		s := Source{Name: word}
		if u, err := url.Parse(word); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			s.Kind = URL
		} else {
			s.Path = word
			if !filepath.IsAbs(s.Path) {
				s.Path = filepath.Join(dir, s.Path)
			}
			s.Path = filepath.Clean(s.Path)
			isDir, ok := stat(s.Path)
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
