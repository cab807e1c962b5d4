package app

import (
	"strings"

	"hermes/core"
	"hermes/skills"
)

// invoked is what the model reads of a message that invokes a skill by its slash command. What stands in the
// way is said; then, and for other messages, it is "" and the message goes as it is.
func (s *Session) invoked(message string) string {
	if !strings.HasPrefix(message, "/") {
		return ""
	}
	list, err := s.library.Entries(s.life)
	if err != nil {
		s.app.Log.Warn("list skills", "err", err)
		return ""
	}
	hits, words, ok := skills.Invocation(list, message)
	if !ok {
		return ""
	}
	out, err := s.SkillMessage(s.life, skills.BySlash, []string{hits[0].Rel}, words)
	if err != nil {
		s.learned(&core.Notice{Level: core.LevelWarn, Text: "the skill " + hits[0].Name + " was not loaded: " + err.Error(), Remedy: core.HintOf(err)})
		return ""
	}
	return out
}
