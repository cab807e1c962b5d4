package skills

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hermes/core/redact"
	"hermes/core/text"
)

// checkText refuses what no file of a skill may hold.
func checkText(name, s string) *RefusedError {
	switch n := text.Len(s); {
	case !utf8.ValidString(s) || strings.Contains(s, "\x00"):
		return &RefusedError{Code: RefusedFrontmatter, Name: name, Message: "The text is not valid UTF-8, or holds NUL bytes. Nothing was changed."}
	case n > MaxContent:
		return &RefusedError{Code: RefusedSize, Name: name, Message: fmt.Sprintf(
			"The text has %s characters; at most %s are allowed. Move detail into files under references/ and keep SKILL.md short.", text.Thousands(n), text.Thousands(MaxContent))}
	case strings.Contains(s, redact.Mark):
		return &RefusedError{Code: RefusedSecret, Name: name, Message: "The text holds the mark of a removed secret (" + redact.Mark + "…]). Writing it would replace the real value by the mark. Refer to an environment variable instead."}
	}
	return nil
}

// checkSkill refuses a SKILL.md that could not be found, listed or followed. name is that of its folder, before
// what stands there now, nil for a new skill.
func checkSkill(name, s string, before []byte) *RefusedError {
	refuse := func(format string, args ...any) *RefusedError {
		return &RefusedError{Code: RefusedFrontmatter, Name: name, Message: fmt.Sprintf(format, args...) + " Nothing was changed."}
	}
	if strings.TrimSpace(strings.TrimPrefix(s, "\uFEFF")) == "" {
		return refuse("SKILL.md would be empty. It begins with frontmatter (---, name, description, ---), then the instructions.")
	}
	d := Parse([]byte(s))
	if d.Problem != nil && !d.Strict {
		return invalid(d, s, before, refuse)
	}
	has := map[string]bool{}
	for _, k := range d.Meta.Keys {
		has[k.Path] = true
	}
	switch n := text.Len(d.Meta.Description); {
	case !has["name"]:
		return refuse("The frontmatter has no \"name\". It must be the skill's name: name: %s.", name)
	case d.Meta.Name == "":
		return refuse("\"name\" in the frontmatter is empty. It must be: name: %s.", name)
	case !has["description"]:
		return refuse("The frontmatter has no \"description\". One sentence of at most %d characters says when to use the skill.", IndexDescription)
	case n == 0:
		return refuse("\"description\" in the frontmatter is empty. One sentence of at most %d characters says when to use the skill.", IndexDescription)
	case n > MaxDescription:
		return refuse("\"description\" has %s characters; at most %s are allowed, and the prompt shows %d.", text.Thousands(n), text.Thousands(MaxDescription), IndexDescription)
	case d.Meta.Name != name && (before == nil || d.Meta.Name != Parse(before).Meta.Name):
		return refuse("\"name\" in the frontmatter is %q; it must be the name of the skill: name: %s.", text.Cut(oneLine(d.Meta.Name), 80), name)
	case strings.TrimSpace(d.Body) == "":
		return refuse("There is no text behind the frontmatter. Write down what to do.")
	}
	if id := poison(d.Meta.Name, d.Meta.Description); id != "" {
		return &RefusedError{Code: RefusedGuard, Name: name, Message: "The name or description reads like an attempt to steer the agent (" + id + "). It would enter every prompt. Nothing was changed."}
	}
	return nil
}

// invalid judges frontmatter that is no YAML: new text is refused; an edit elsewhere in a file that was so
// before is allowed.
func invalid(d Document, s string, before []byte, refuse func(string, ...any) *RefusedError) *RefusedError {
	if before == nil {
		return refuse("%s (SKILL.md, line %d).", capital(d.Problem.Message), d.Problem.Line)
	}
	old := Parse(before)
	switch {
	case old.Strict:
		return refuse("The edit would break the frontmatter: %s (SKILL.md, line %d).", d.Problem.Message, d.Problem.Line)
	case d.Has && old.Has && s[:d.End] == string(before[:old.End]):
		return nil // it was so before, and this edit is elsewhere
	}
	return refuse("The frontmatter was invalid before this edit (line %d: %s), and still is. Repair it with this edit or one of its own.", d.Problem.Line, d.Problem.Message)
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
