package chat

import (
	"encoding/json"
	"net/url"
	"strings"
	"unicode"
)

// maxCollected bounds how much of an entry is looked through, in bytes.
const maxCollected = 256 << 10

// CodeBlocks returns the fenced code blocks of the selected entry, in order.
func (p *Pane) CodeBlocks() []string {
	it := p.selected()
	if it == nil {
		return nil
	}
	var out []string
	var block []string
	fence := ""
	for line := range strings.SplitSeq(it.raw(), "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence == "" && (strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
			block = nil
		case fence != "" && strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "":
			out = append(out, strings.Join(block, "\n"))
			fence = ""
		case fence != "":
			block = append(block, line)
		}
	}
	if fence != "" && len(block) > 0 { // still streaming, or never closed
		out = append(out, strings.Join(block, "\n"))
	}
	return out
}

// Links returns the links and paths in the selected entry, in order, each once.
func (p *Pane) Links() []string {
	it := p.selected()
	if it == nil {
		return nil
	}
	text := it.raw()
	var out []string
	if it.call != nil {
		out = append(out, argumentPaths(it.call.Arguments)...)
		text = it.call.Text()
	}
	if len(text) > maxCollected {
		text = text[:maxCollected]
	}
	out = append(out, links(text)...)
	seen := map[string]bool{}
	kept := out[:0]
	for _, l := range out {
		if !seen[l] {
			seen[l] = true
			kept = append(kept, l)
		}
	}
	return kept
}

// argumentPaths returns the paths and addresses a call was given.
func argumentPaths(arguments string) []string {
	var args map[string]any
	if json.Unmarshal([]byte(arguments), &args) != nil {
		return nil
	}
	var out []string
	for _, key := range []string{"path", "file_path", "url"} {
		if s, ok := args[key].(string); ok && s != "" {
			out = append(out, s)
		}
	}
	return out
}

// links finds web addresses, and words that look like paths.
func links(text string) []string {
	var out []string
	split := func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("<>\"'`()[]{}|，。；：、（）「」《》", r)
	}
	for word := range strings.FieldsFuncSeq(text, split) {
		word = strings.TrimRight(word, ".,;:!?*_")
		if i := strings.Index(word, "://"); i > 0 {
			if u, err := url.Parse(word); err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
				out = append(out, word)
			}
			continue
		}
		if looksLikePath(word) {
			out = append(out, word)
		}
	}
	return out
}

// looksLikePath tells whether word names a file: it has a folder and an extension, or starts like a path.
func looksLikePath(word string) bool {
	if len(word) < 3 || len(word) > 300 || !strings.Contains(word, "/") || strings.Contains(word, "//") {
		return false
	}
	if strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") || strings.HasPrefix(word, "~/") {
		return true
	}
	base := word[strings.LastIndexByte(word, '/')+1:]
	if i := strings.IndexByte(base, ':'); i > 0 { // main.go:12
		base = base[:i]
	}
	dot := strings.LastIndexByte(base, '.')
	return dot > 0 && dot < len(base)-1 && len(base)-dot <= 9 && strings.ContainsFunc(base[dot:], unicode.IsLetter)
}
