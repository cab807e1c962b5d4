package guard

import (
	"strings"

	"hermes/core/text"
)

// weigh is the severity of a match in its context; false when it is no attack at all.
func (h *hit) weigh() (Severity, bool) {
	sev := h.severity
	if h.check != nil {
		var ok bool
		if sev, ok = h.check(h); !ok {
			return "", false
		}
	}
	if h.firm {
		return sev, true
	}
	if from := h.seg.from; from != nil && from.kind == prose {
		return h.fromProse(sev), true
	}
	switch s := h.seg; {
	case s.warned:
		return Low, true
	case s.kind == code && !h.trailing():
		if h.listed() {
			return atMostMedium(sev), true
		}
		return sev, true
	case h.denied():
		return Low, true
	case s.kind != prose && h.where != inProse && h.category != "injection":
		return atMostMedium(sev), true // a comment is read, not run
	case s.pitfall || h.quotedExample() || h.where == inCode && h.torn():
		return atMostMedium(sev), true
	}
	return sev, true
}

// torn reports whether the match goes from one piece of inline code to another: words in between belong to
// a sentence, not to a command.
func (h *hit) torn() bool {
	return !h.seg.long && strings.Count(strings.Trim(h.match(), "`"), "`")%2 == 1
}

// fromProse weighs what was put together out of the inline code of a paragraph: a warning anywhere in it
// counts, because the place within it is lost.
func (h *hit) fromProse(sev Severity) Severity {
	t := h.seg.from.text
	switch {
	case badExample.Regexp().MatchString(t) && !incite.Regexp().MatchString(t) || denyAfter.Regexp().MatchString(t):
		return Low
	case h.seg.pitfall || teaching.Regexp().MatchString(t):
		return atMostMedium(sev)
	}
	return sev
}

func atMostMedium(s Severity) Severity {
	if s.weight() > Medium.weight() {
		return Medium
	}
	return s
}

func most(a, b Severity) Severity {
	if a.weight() > b.weight() {
		return a
	}
	return b
}

// trailing reports whether the match stands in a comment at the end of a line of code.
func (h *hit) trailing() bool {
	before := h.seg.text[:h.at]
	i := max(strings.LastIndex(before, " # "), strings.LastIndex(before, " // "))
	return i >= 0 && strings.Count(before[:i], `"`)%2 == 0 && strings.Count(before[:i], `'`)%2 == 0
}

var (
	denial    = text.NewPattern(`(?i)(?:\b(?:never|do\s+not|don['’]?t|does\s+not|doesn['’]?t|must\s+not|should\s+not|shouldn['’]?t|refuses?(?:\s+to)?|avoid|blocks?|rejects?|forbids?|prohibit\w*|(?:commands?|things|phrases?|inputs?|patterns?|strings?)\s+(?:such\s+as|like))\b|❌|🚫)([^!?]{0,100})$`)
	turned    = text.NewPattern("(?i)[^`\"'],|;|\\b(?:but|instead|just|then|simply|always|unless)\\b") // the warning ends before the match
	denyAfter = text.NewPattern(`(?i)^[^.!?]{0,60}?\b(?:(?:is|are|must|should)\s+(?:never|forbidden|prohibited|blocked|refused|rejected|dangerous|unsafe|not\s+allowed|not\s+be)|must\s+not|should\s+not|will\s+be\s+(?:blocked|refused|rejected))\b`)
	sentence  = text.NewPattern(`[.!?;]["')]?\s`)
	teaching  = text.NewPattern(`(?i)\b(?:inject(?:ion|ed)|jailbreak|attack(?:er|s)?|detect\w*|flag(?:s|ged)?|suspicious|malicious|adversarial|red[- ]team\w*|looks?\s+for|watch\s+for)\b`)
)

// sentenceBefore is what stands in front of the match in its own sentence.
func (h *hit) sentenceBefore() string {
	before := h.seg.text[max(0, h.at-240):h.at]
	if ends := sentence.Regexp().FindAllStringIndex(before, -1); len(ends) > 0 {
		before = before[ends[len(ends)-1][1]:]
	}
	return before
}

// denied reports whether the sentence warns against what matched.
func (h *hit) denied() bool {
	before := h.sentenceBefore()
	if m := denial.Regexp().FindStringSubmatch(before); m != nil && !turned.Regexp().MatchString(m[1]) {
		return !incite.Regexp().MatchString(before + h.seg.text[h.at:min(len(h.seg.text), h.at+20)])
	}
	return denyAfter.Regexp().MatchString(h.seg.text[h.end:min(len(h.seg.text), h.end+120)])
}

// quotedExample reports whether the match is quoted in a text about attacks.
func (h *hit) quotedExample() bool {
	t := h.seg.text
	quoted := h.inline()
	for _, q := range []string{`"`, "“"} {
		quoted = quoted || strings.Count(t[:h.at], q)%2 == 1 || strings.HasPrefix(t[h.at:], q)
	}
	return quoted && teaching.Regexp().MatchString(t[max(0, h.at-200):h.at])
}

var denyList = text.NewPattern(`(?i)(?:deny|block|forbid|danger|unsafe|blacklist|malicious|suspicious|banned|disallow|pattern)\w*["']?\s*(?::\s*[\w\[\]]+\s*)?(?:=|:|\+=)\s*[\[({]`)

// listed reports whether the match is a string in a list of forbidden things.
func (h *hit) listed() bool {
	before := h.seg.text[:h.at]
	if !denyList.Regexp().MatchString(before) {
		return false
	}
	return strings.Count(before, `"`)%2 == 1 || strings.Count(before, `'`)%2 == 1 || strings.HasPrefix(before[len(before)-1:], `"`)
}
