package terminal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"hermes/core/threat"
	"hermes/tools"
)

// Programs under names that are not what they seem: letters of other scripts, blanks that are none, copies of
// hermes itself.

// disguised judges a program's name with characters that only look like others; the words are judged as they
// read.
func (s *scan) disguised(argv []string) {
	name := argv[0]
	plain := true
	for i := range len(name) {
		plain = plain && name[i] < 0x80
	}
	if plain {
		return
	}
	read := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, threat.Fold(name))
	if read == name || strings.Contains(name, "/") && s.exists(name) {
		return
	}
	s.askExact("look-alike", "starts "+read+" by a name that only looks like it")
	if words := strings.Fields(read); len(words) > 0 {
		s.wordsOf(append(words, argv[1:]...), false)
	}
}

func (s *scan) exists(word string) bool {
	p, ok := s.path(word)
	if !ok {
		return false
	}
	_, err := os.Stat(p)
	return err == nil
}

// answers finds what is a person's of hermes, whatever name its program has here: a copy, or one reached
// through another terminal, knows nothing of the mark.
func (s *scan) answers(name string, argv []string) {
	args := argv[1:]
	_, operands := options(args, "")
	own := len(operands) > 1 && operands[0] == "approvals" && operands[1] == "revoke" ||
		len(operands) > 2 && operands[0] == "config" && slices.Contains([]string{"set", "unset", "add", "remove"}, operands[1]) && settings(operands[2])
	if !own && slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--yolo") }) && !plainTaker(name) {
		own = true
	}
	if !own && name != "hermes" && strings.Contains(argv[0], "/") && s.copyOfOwn(argv[0]) {
		s.ownProgram("hermes", args)
	}
	if own && name != "hermes" {
		s.note(finding{tier: tools.ActionAsk, id: "hermes-settings", exact: true, firm: true, reason: "changes hermes' own settings, approvals or history, which are the person's"})
	}
}

// settings reports whether a key is one of those in hermes' configuration that decide what runs.
func settings(key string) bool {
	section, _, dotted := strings.Cut(key, ".")
	return strings.Contains(key, hole) || dotted && slices.Contains([]string{"approvals", "terminal", "security", "memory", "skills", "review", "web", "delegation", "trusted_dirs", "tools"}, section) || key == "trusted_dirs"
}

// copyOfOwn reports whether word is a file as large as this very program.
func (s *scan) copyOfOwn(word string) bool {
	p, ok := s.path(word)
	if !ok {
		return false
	}
	there, err := os.Stat(p)
	if err != nil || !there.Mode().IsRegular() {
		return false
	}
	self, err := os.Executable()
	if err != nil {
		return false
	}
	own, err := os.Stat(filepath.Clean(self))
	return err == nil && own.Size() == there.Size()
}
