package skill

import (
	"context"
	_ "embed" // the description
	"encoding/json"
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
	return result(true, out, &core.ToolDetail{Summary: text.Count(n, "skill", "skills")})
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
