package scripted

import (
	"regexp"
	"strconv"
	"strings"
)

// vars are the names a template may use.
type vars map[string]string

// templateName finds {{name}}.
func templateName() *regexp.Regexp { return regexp.MustCompile(`\{\{\s*([A-Za-z0-9_.]+)\s*\}\}`) }

// fill replaces every {{name}} of v; names it does not know stay as they are.
func (v vars) fill(text string) string {
	if v == nil || !strings.Contains(text, "{{") {
		return text
	}
	re := templateName()
	return re.ReplaceAllStringFunc(text, func(m string) string {
		name := re.FindStringSubmatch(m)[1]
		if val, ok := v[name]; ok {
			return val
		}
		if strings.HasPrefix(name, "result.") {
			return "" // that call was not made
		}
		return m
	})
}

// capture matches re and stores its groups by number and name.
func (v vars) capture(re *regexp.Regexp, text string) bool {
	m := re.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	for i, name := range re.SubexpNames() {
		if i > 0 {
			v[strconv.Itoa(i)] = m[i]
		}
		if name != "" {
			v[name] = m[i]
		}
	}
	return true
}

// addRequest adds the names every template may use.
func (v vars) addRequest(r *Request) {
	v["open"] = "{{"
	v["user"] = r.User()
	v["result"] = r.LastResult()
	v["model"] = r.Model
	v["request"] = strconv.Itoa(r.N)
	v["turn"] = strconv.Itoa(r.Turn())
	for i, res := range r.Results() {
		v["result."+strconv.Itoa(i+1)] = res.Content
	}
}

// addCaptures adds the rule's captures; what does not match becomes empty.
func (v vars) addCaptures(r *Request, captures map[string]Capture) {
	for name, c := range captures {
		v[name] = ""
		for _, text := range captureSources(r, c.From) {
			m := c.Regexp.FindStringSubmatch(text)
			if m == nil {
				continue
			}
			v[name] = m[0]
			if len(m) > 1 {
				v[name] = m[1]
			}
			break
		}
	}
}

func captureSources(r *Request, from string) []string {
	switch from {
	case "user":
		return []string{r.User()}
	case "result":
		return []string{r.LastResult()}
	case "system":
		return []string{r.System()}
	}
	var all []string
	for i := len(r.Messages) - 1; i >= 0; i-- {
		all = append(all, r.Messages[i].Content)
	}
	return all
}

// names lists what a template of rule may use; rule may be nil.
func names(rule *Rule) map[string]bool {
	known := map[string]bool{"open": true, "user": true, "result": true, "model": true, "request": true, "turn": true}
	if rule == nil {
		return known
	}
	for name := range rule.Capture {
		known[name] = true
	}
	rule.When.groupNames(known)
	return known
}

// groupNames adds the groups of every regexp below w.
func (w *When) groupNames(known map[string]bool) {
	if w == nil {
		return
	}
	texts := []*Text{w.User, w.Result, w.Last, w.System, w.Any, w.Model}
	if w.Call != nil {
		texts = append(texts, w.Call.Result)
	}
	for _, t := range texts {
		if t == nil || t.Regexp == nil {
			continue
		}
		for i, name := range t.Regexp.SubexpNames() {
			if i > 0 {
				known[strconv.Itoa(i)] = true
			}
			if name != "" {
				known[name] = true
			}
		}
	}
	for i := range w.Either {
		w.Either[i].groupNames(known)
	}
}

// checkTemplate reports the first name in text that nothing defines.
func checkTemplate(text string, line int, known map[string]bool) error {
	for _, m := range templateName().FindAllStringSubmatch(text, -1) {
		if !known[m[1]] && !strings.HasPrefix(m[1], "result.") {
			return lineError(line, "template name %q is not defined; write {{open}} for a literal {{", m[1])
		}
	}
	return nil
}
