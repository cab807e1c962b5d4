package skills

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"hermes/core/text"
)

// Document is a SKILL.md (or DESCRIPTION.md) taken apart.
type Document struct {
	Meta Meta
	// Body is what stands behind the frontmatter. Of a file whose frontmatter is never closed it is what
	// stands behind the lines that look like metadata: those are no instructions.
	Body string
	// End is the byte of the file where the body begins; 0 without frontmatter.
	End int
	// Has says that there is closed frontmatter.
	Has bool
	// Strict says that the frontmatter is valid YAML and a mapping.
	Strict bool
	// Problem says what is wrong with the frontmatter; nil when it is in order.
	Problem *Fault
}

// Fault is a place in a file and what is wrong there.
type Fault struct {
	Line    int    `json:"line"` // 1-based in the file; 0 for the whole file
	Message string `json:"message"`
}

// Parse reads a file of the library. It never fails: what cannot be read strictly is read leniently, and
// Problem says so.
func Parse(data []byte) (d Document) {
	s := string(data)
	f := text.Frontmatter(s)
	switch {
	case !f.Open:
		d.Body = strings.TrimPrefix(s, "\uFEFF")
		d.Problem = &Fault{Line: 1, Message: `there is no frontmatter: the first line must be "---"`}
		return d
	case !f.Found:
		d.Body = behindMetadata(s[f.Start:])
		d.Problem = &Fault{Line: 1, Message: `the frontmatter is never closed: a line that is exactly "---" must end it`}
		return d
	}
	d.Has, d.Body, d.End = true, s[f.Body:], f.Body
	d.Meta, d.Strict, d.Problem = parseMeta(s[f.Start:f.End])
	return d
}

// head is Parse of a file of which only the start was read, for the index.
func head(data []byte) Document {
	d := Parse(data)
	d.Body = ""
	return d
}

// parseMeta reads the lines between the fences: as YAML, else as YAML with the values quoted that YAML
// cannot stand, else line by line.
func parseMeta(src string) (Meta, bool, *Fault) {
	src = strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", "\n"), "\r", "\n")
	node, err := decode(src)
	if err == nil {
		return newMeta(node), true, nil
	}
	fault := yamlFault(err)
	if fixed, line, what := quoted(src); line > 0 {
		if node, err := decode(fixed); err == nil {
			return newMeta(node), false, &Fault{Line: line + 1, Message: what + "; it was read leniently. " + remedyQuote}
		}
	}
	fault.Message += "; what could be read line by line was used. " + remedyQuote
	return newMeta(lines(src)), false, fault
}

const remedyQuote = "Put the value in quotes."

var (
	errNotMapping = errors.New("the frontmatter is no list of \"key: value\" lines")
	yamlLine      = text.NewPattern(`line (\d+): `)
)

// decode is strict YAML. The decoder is shielded: a fault of its own must not end the program.
func decode(src string) (n *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			n, err = nil, fmt.Errorf("the YAML cannot be read: %v", p)
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(src), &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return &yaml.Node{Kind: yaml.MappingNode}, nil
	}
	if doc.Content[0].Kind != yaml.MappingNode {
		return nil, errNotMapping
	}
	return doc.Content[0], nil
}

// yamlFault translates the decoder's words; its lines count from behind the opening fence.
func yamlFault(err error) *Fault {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	f := &Fault{Line: 2}
	if m := yamlLine.Regexp().FindStringSubmatch(msg); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			f.Line = n + 1
		}
		msg = strings.Replace(msg, m[0], "", 1)
	}
	f.Message = "the frontmatter is not valid YAML (" + msg + ")"
	return f
}

var keyLine = text.NewPattern(`^(\s*(?:- )?)([A-Za-z_][\w.-]*):[ \t]+(.+?)[ \t]*$`)

// quoted puts plain values in quotes that hold what YAML reads as syntax. It returns the first line that
// it changed, from 1, and what was wrong there.
func quoted(src string) (fixed string, line int, what string) {
	out := strings.Split(src, "\n")
	block := -1 // indentation of the key whose block scalar we are in
	for i, l := range out {
		indent := len(l) - len(strings.TrimLeft(l, " "))
		if block >= 0 && (strings.TrimSpace(l) == "" || indent > block) {
			continue
		}
		block = -1
		m := keyLine.Regexp().FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if strings.ContainsAny(m[3][:1], "|>") {
			block = indent
			continue
		}
		why := unquotable(m[3])
		if why == "" {
			continue
		}
		out[i] = m[1] + m[2] + ": " + strconv.Quote(strings.Trim(m[3], `"`))
		if line == 0 {
			line, what = i+1, fmt.Sprintf("the value of %q %s", m[2], why)
		}
	}
	return strings.Join(out, "\n"), line, what
}

// unquotable says what in a plain value YAML cannot stand, "" for nothing.
func unquotable(v string) string {
	switch v[0] {
	case '"', '\'':
		if len(v) < 2 || v[len(v)-1] != v[0] {
			return "begins with a quote that does not end it"
		}
		return ""
	case '[', '{':
		if strings.HasSuffix(v, "]") || strings.HasSuffix(v, "}") {
			return ""
		}
		return "begins with a bracket"
	case '@', '`', '%', '*', '&', '!', '?', ',', ']', '}':
		return fmt.Sprintf("begins with %q, which means something in YAML", v[:1])
	}
	if strings.Contains(v, ": ") || strings.HasSuffix(v, ":") {
		return "holds a colon with a blank behind it, which means something in YAML"
	}
	return ""
}

// lines reads top-level "key: value" lines, block scalars and simple lists, whatever is wrong around them.
func lines(src string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	all := strings.Split(src, "\n")
	for i := 0; i < len(all); i++ {
		m := keyLine.Regexp().FindStringSubmatch(all[i])
		if m == nil {
			k, ok := strings.CutSuffix(strings.TrimRight(all[i], " \t"), ":")
			if !ok || k == "" || strings.ContainsAny(k, " \t\"'") {
				continue
			}
			m = []string{"", "", k, ""}
		}
		if m[1] != "" {
			continue
		}
		key := &yaml.Node{Kind: yaml.ScalarNode, Value: m[2], Line: i + 1}
		var more []string
		for i+1 < len(all) && (strings.TrimSpace(all[i+1]) == "" || all[i+1][0] == ' ' || all[i+1][0] == '\t' || strings.HasPrefix(all[i+1], "- ")) {
			i++
			more = append(more, strings.TrimSpace(all[i]))
		}
		if v := value(m[3], more); v != nil {
			n.Content = append(n.Content, key, v)
		}
	}
	return n
}

// value is what a key means whose first line holds first and whose further lines are more.
func value(first string, more []string) *yaml.Node {
	scalar := func(s string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.Trim(strings.TrimSpace(s), `"'`)}
	}
	list := func(items []string) *yaml.Node {
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, it := range items {
			if it = strings.TrimSpace(it); it != "" {
				n.Content = append(n.Content, scalar(it))
			}
		}
		return n
	}
	switch {
	case first == "" && len(more) > 0 && strings.HasPrefix(more[0], "- "):
		for i := range more {
			more[i] = strings.TrimPrefix(more[i], "- ")
		}
		return list(more)
	case first == "":
		return nil
	case first[0] == '|' || first[0] == '>':
		return scalar(strings.Join(strings.Fields(strings.Join(more, " ")), " "))
	case strings.HasPrefix(first, "["):
		return list(strings.Split(strings.Trim(first, "[]"), ","))
	}
	return scalar(first)
}

var metadataLine = text.NewPattern(`^(?:\s*|-{3,}\s*|[A-Za-z_][\w.-]*:.*|[ \t]+.*|- .*)$`)

// behindMetadata is s without the lines at its start that look like metadata.
func behindMetadata(s string) string {
	for s != "" {
		line, rest, _ := strings.Cut(s, "\n")
		if !metadataLine.Regexp().MatchString(strings.TrimRight(line, "\r")) {
			break
		}
		s = rest
	}
	return s
}
