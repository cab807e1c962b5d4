package file

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// repeatMark opens the short answer to an unchanged repeated read.
const repeatMark = "[unchanged: "

// unwanted names content that must not reach the file at path; "" when it may.
func unwanted(path, content string) string {
	if kind := documentKind(path); kind != "" {
		return path + " would be " + kind + ", which text cannot be; make it with a program for that format"
	}
	return unwantedText(content)
}

// unwantedText names text that is not a file's but comes from what the model was shown.
func unwantedText(content string) string {
	if strings.Contains(strings.ToLower(content), "[redacted") {
		return "the content holds a [redacted] mark where a secret was; writing it would destroy the secret. Leave that part of the file alone"
	}
	if trimmed := strings.TrimSpace(content); strings.HasPrefix(trimmed, repeatMark) && strings.HasSuffix(trimmed, "]") && !strings.Contains(trimmed, "\n") {
		return "the content is read_file's notice that a file is unchanged, not the file"
	}
	numbered := regexp.MustCompile(`^\s*\d+\|`)
	lines, hits := 0, 0
	for line := range strings.Lines(content) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if lines++; numbered.MatchString(line) {
			hits++
		}
	}
	if lines >= 3 && hits*10 >= lines*6 {
		return "the content has read_file's line numbers in it; send the text without them"
	}
	return ""
}

// documentKind names formats that are never plain text, by the name of the file. Other binary formats
// are noticed by what stands there already.
func documentKind(path string) string {
	ext := strings.ToLower(filepath.Ext(path))
	switch {
	case slices.Contains([]string{".docx", ".xlsx", ".pptx", ".docm", ".xlsm", ".pptm", ".doc", ".xls", ".ppt", ".odt", ".ods", ".odp"}, ext):
		return "an office document"
	case strings.HasSuffix(ext, "-wal"), strings.HasSuffix(ext, "-shm"), strings.HasSuffix(ext, "-journal"):
		return "the journal of a database"
	}
	return ""
}
