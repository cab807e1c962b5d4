package skills

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"hermes/core"
	"hermes/core/text"
)

var (
	// whenClause begins the part of a description that says when the skill helps.
	whenClause = text.NewPattern(`(?i)(?:^|[.;,—–-]\s+|\s)(?:use (?:this skill |this |it )?(?:when|whenever|if)|useful (?:when|for)|triggers? (?:when|on)|when(?:ever)?)\s+(?:you need to |you want to |you are |(?:the )?users? (?:asks? to|wants? to|asks? for|asks? about|asks?|requests?|wants?|needs? to|needs?)\s+|asked to |working with |working on )?`)
	cjkWhen    = text.NewPattern(`[^。、，；.;,]*?(?:する場合|とき|時に|際に|时候|时使用|當|当|할 때)[^。；.;]*`)
	cjkUse     = text.NewPattern(`使う|使い|使用|利用|用いる|사용|쓴다`)
	// filler begins descriptions and says nothing.
	filler = text.NewPattern(`(?i)^(?:this skill (?:helps (?:you )?(?:to )?|provides |is for |lets you |allows you to |should be used to )?|a skill (?:that|for|to) |(?:comprehensive|complete|detailed) (?:guide|instructions|toolkit|suite)s? (?:for|to|on) |provides |guide (?:for|to|on) |helps (?:you )?(?:to )?|use this skill to |use to )`)
	// loose are words a description must not end with once it is cut.
	loose = text.NewPattern(`(?i)[\s,;:—–(/&+-]+(?:and|or|with|for|to|of|the|a|an|in|on|via|from|by|using|including|that|which|as|at|into|when|is|are)?$`)
)

// Shorten proposes a description that the prompt shows whole: at most IndexDescription characters, what it is
// good for first, made of the description's own words. What fits already is given back on one line. It is a
// proposal: people know better.
func Shorten(description string) string {
	whole := strings.TrimSpace(text.OneLine(description))
	if text.Len(whole) <= IndexDescription {
		return whole
	}
	what := filler.Regexp().ReplaceAllString(firstSentence(whole), "")
	if when := trigger(whole); when != "" {
		if wide(when) {
			return withWhat(squeeze(when), what)
		}
		both := "When " + when + ": " + lower(what)
		if !strings.Contains(what, when) && text.Len(both) <= IndexDescription {
			return both
		}
		return upper(squeeze(when))
	}
	return upper(squeeze(what))
}

// wide reports whether s is written in a script of East Asia.
func wide(s string) bool { return strings.ContainsFunc(s, func(r rune) bool { return r >= 0x1100 }) }

// withWhat is a trigger with as much behind it of what the skill does as the prompt shows.
func withWhat(when, what string) string {
	if strings.Contains(what, when) {
		return when
	}
	sep := "。"
	for part := range strings.FieldsFuncSeq(what, func(r rune) bool { return strings.ContainsRune("、，,", r) }) {
		if text.Len(when)+1+text.Len(part) > IndexDescription {
			break
		}
		when += sep + part
		sep = "、"
	}
	return when
}

// trigger is the clause that says when the skill helps, without the word that opens it; "" when nothing says so.
func trigger(s string) string {
	at := whenClause.Regexp().FindStringIndex(s)
	if at == nil {
		clauses := cjkWhen.Regexp().FindAllString(s, -1)
		if len(clauses) == 0 {
			return ""
		}
		// A condition may be one of a step; the one that speaks of use is about the skill.
		i := max(slices.IndexFunc(clauses, cjkUse.Regexp().MatchString), 0)
		return strings.TrimSpace(strings.TrimLeft(clauses[i], "。、，；.;, "))
	}
	return firstSentence(s[at[1]:])
}

// firstSentence is s up to the end of its first sentence.
func firstSentence(s string) string {
	for i, r := range s {
		switch r {
		case '。', '！', '？':
			return strings.TrimSpace(s[:i])
		case '.', '!', '?', ';':
			if rest := s[i+1:]; rest == "" || rest[0] == ' ' {
				return strings.TrimSpace(s[:i])
			}
		}
	}
	return strings.TrimSpace(s)
}

// squeeze cuts s where a thought ends: before a bracket or a dash, after a comma, else after a word.
func squeeze(s string) string {
	s = strings.TrimSpace(s)
	if text.Len(s) <= IndexDescription {
		return strings.TrimRight(s, " ,;:.、，")
	}
	r := []rune(s)[:IndexDescription+1]
	best := 0
	for i := IndexDescription; i > IndexDescription/2; i-- {
		if c := r[i]; strings.ContainsRune("(—–;:,、，；", c) {
			best = i
			break
		}
	}
	if best == 0 {
		best = IndexDescription
		for i := IndexDescription; i > IndexDescription/2; i-- {
			if r[i] == ' ' {
				best = i
				break
			}
		}
	}
	out := string(r[:best])
	for {
		cut := loose.Regexp().ReplaceAllString(out, "")
		if cut == out || cut == "" {
			break
		}
		out = cut
	}
	if i := strings.LastIndexAny(out, "(（"); i > 0 && !strings.ContainsAny(out[i:], ")）") {
		out = out[:i]
	}
	return strings.TrimRight(out, " ,;:.、，")
}

func upper(s string) string { return first(s, unicode.ToUpper) }

// lower leaves names and abbreviations alone.
func lower(s string) string {
	if r := []rune(s); len(r) > 1 && unicode.IsLower(r[1]) {
		return first(s, unicode.ToLower)
	}
	return s
}

func first(s string, f func(rune) rune) string {
	for i, r := range s {
		return s[:i] + string(f(r)) + s[i+len(string(r)):]
	}
	return s
}

// Describe gives a SKILL.md another description and leaves every other byte of it alone. An error means that
// its frontmatter is written in a way that is better changed by hand.
func Describe(data []byte, description string) ([]byte, error) {
	fail := func(what string) error {
		return &core.Error{Code: core.CodeUsage, Op: "change description", Err: errors.New(what), Hint: "change it in your editor"}
	}
	before := Parse(data)
	line := 0
	for _, k := range before.Meta.Keys {
		if k.Path == "description" {
			line = k.Line
		}
	}
	if !before.Has || !before.Strict || line < 2 {
		return nil, fail("the frontmatter has no description that can be found for certain")
	}
	lines := strings.SplitAfter(string(data), "\n")
	key, end := lines[line-1], line // end is the index of the line behind the value
	for i := line; i < len(lines) && (strings.TrimSpace(lines[i]) == "" || lines[i][0] == ' ' || lines[i][0] == '\t'); i++ {
		if strings.TrimSpace(lines[i]) != "" {
			end = i + 1
		}
	}
	if !strings.HasPrefix(key, "description") {
		return nil, fail("the description does not begin its line")
	}
	out := []byte(strings.Join(lines[:line-1], "") + "description: " + quote(description) + key[len(strings.TrimRight(key, "\r\n")):] + strings.Join(lines[end:], ""))
	after := Parse(out)
	want := before.Meta
	want.Description, want.Keys = after.Meta.Description, after.Meta.Keys
	if after.Problem != nil || after.Body != before.Body || strings.TrimSpace(after.Meta.Description) != strings.TrimSpace(description) || !reflect.DeepEqual(want, after.Meta) {
		return nil, fail("the frontmatter would not be what it was")
	}
	return out, nil
}

// quote writes s as a YAML string on one line: a JSON string is one.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // a string always can
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
