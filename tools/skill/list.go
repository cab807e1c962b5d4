package skill

import (
	"context"
	_ "embed" // the description
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/text"
	"hermes/skills"
	"hermes/tools"
)

//go:embed list.md
var listText string

// lister is skills_list.
type lister struct{ *set }

var _ core.Tool = (*lister)(nil)

// ReadsOnly: a list may run beside other reading calls.
func (*lister) ReadsOnly(json.RawMessage) bool { return true }

// Spec describes the tool.
func (*lister) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: List, Description: strings.TrimSpace(listText),
		Parameters: json.RawMessage(`{"type":"object","properties":{"category":{"type":"string","description":"Only this category, exactly."}},"additionalProperties":false}`),
	}
}

type listed struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Category    *string `json:"category"`
}

type listing struct {
	Success    bool     `json:"success"`
	Skills     []listed `json:"skills"`
	Categories []string `json:"categories"`
	Count      *int     `json:"count,omitempty"`
	Message    string   `json:"message,omitempty"`
	Hint       string   `json:"hint,omitempty"`
}

// Run lists what the index would show now.
func (l *lister) Run(ctx context.Context, run core.ToolRun) core.ToolResult {
	var a struct {
		Category string `json:"category"`
	}
	if err := json.Unmarshal(run.Arguments, &a); err != nil {
		return tools.Fail("The arguments cannot be read: " + err.Error() + ".")
	}
	index, err := l.Library.Index(ctx, l.Scope())
	if err != nil {
		return failed(err)
	}
	out := listing{Success: true, Skills: []listed{}, Categories: []string{}}
	for _, n := range index.Lines {
		if n.Category != "" && !slices.Contains(out.Categories, n.Category) {
			out.Categories = append(out.Categories, n.Category)
		}
		if c := strings.TrimSpace(a.Category); c != "" && c != n.Category {
			continue
		}
		out.Skills = append(out.Skills, describe(n))
	}
	slices.Sort(out.Categories)
	if len(out.Skills) == 0 {
		out.Message = "There is no skill here yet. skill_manage creates one."
		if a.Category != "" {
			out.Message = "There is no skill in this category. The categories are listed."
		}
		return result(true, out, &core.ToolDetail{Summary: "no skills"})
	}
	n := len(out.Skills)
	out.Count, out.Hint = &n, "Load one with skill_view(name)."
	out.fit(maxList)
	return result(true, out, &core.ToolDetail{Summary: text.Count(n, "skill", "skills")})
}

// maxList is how long a list may be, in code points; a longer answer would be cut in its middle.
const maxList = 40_000

// fit shortens the descriptions, leaves them out where that is not enough, and ends the list where even names
// are too many.
func (l *listing) fit(limit int) {
	for _, most := range []int{skills.MaxDescription, skills.IndexDescription, 20, 0} {
		size, whole := 0, 0
		for i := range l.Skills {
			s := &l.Skills[i]
			s.Description = text.Cut(s.Description, most)
			size += s.size()
			if size <= limit {
				whole = i + 1
			}
		}
		if whole == len(l.Skills) {
			return
		}
		l.Message = "The list is long: the descriptions are cut. Ask for one category to read them whole."
		if most == 0 {
			l.Message = fmt.Sprintf("The list is long: %d of %d skills, without descriptions. Ask for one category to see more.", whole, len(l.Skills))
			l.Skills = l.Skills[:whole]
		}
	}
}

// size is about what a skill takes in the answer.
func (d *listed) size() int {
	n := len(`{"name":"","description":"","category":null},`) + text.Len(d.Name) + text.Len(d.Description)
	if d.Category != nil {
		n += text.Len(*d.Category)
	}
	return n
}

// describe is a skill as the list tells it.
func describe(n skills.Line) listed {
	d := listed{Name: n.Shown, Description: text.Cut(n.Description, skills.MaxDescription)}
	if n.Threat != "" {
		d.Description = n.Text
	}
	if n.Category != "" {
		d.Category = &n.Category
	}
	return d
}
