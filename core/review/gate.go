package review

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"hermes/core"
)

// The tools that act in a review; every other call is answered with a refusal. The list that the model is
// shown stays the conversation's own, because it is part of the cached prefix.
const (
	toolMemory = "memory"
	toolManage = "skill_manage"
	toolView   = "skill_view"
	toolList   = "skills_list"
	toolRead   = "read_file"
	toolSearch = "search_files"
)

func acting() []string {
	return []string{toolMemory, toolManage, toolView, toolList, toolRead, toolSearch}
}

// gate decides on every call of one review before it runs. Calls come one at a time.
type gate struct {
	max    int
	asked  bool // a person asked for the review: what was refused before may be offered again
	before func(store string, lessons ...string) (Refusal, bool, error)
	exists func(skill, file string) bool

	calls int
	tried int // also refused ones
	seen  map[string]bool
	told  []string // lessons that were offered although refused, for the person
}

func newGate(limit int, asked bool, before func(store string, lessons ...string) (Refusal, bool, error), exists func(skill, file string) bool) *gate {
	if exists == nil {
		exists = func(string, string) bool { return true }
	}
	return &gate{max: limit, asked: asked, before: before, exists: exists, seen: map[string]bool{}}
}

// manage are the arguments of skill_manage and skill_view that matter here.
type manage struct {
	Action   string `json:"action"`
	Name     string `json:"name"`
	FilePath string `json:"file_path"`
	Absorbed string `json:"absorbed_into"`
	Target   string `json:"target"`
}

// judge returns why a call must not run, "" when it may.
func (g *gate) judge(c core.ToolCall) string {
	g.tried++
	if !slices.Contains(acting(), c.Name) {
		return fmt.Sprintf("Refused: %s does not act in a review. These do: %s. Save what is worth saving, or answer \"Nothing to save.\"", c.Name, strings.Join(acting(), ", "))
	}
	if g.calls >= g.max {
		return fmt.Sprintf("Refused: the %d calls of this review are spent. End it now with one short sentence on what was saved.", g.max)
	}
	var a manage
	if err := json.Unmarshal([]byte(c.Arguments), &a); err != nil {
		a = manage{}
	}
	if why := g.unread(c.Name, a); why != "" {
		return why
	}
	if why := g.refused(c); why != "" {
		return why
	}
	g.calls++
	return ""
}

// unread refuses changes of what the review has not looked at.
func (g *gate) unread(tool string, a manage) string {
	if tool != toolManage {
		return ""
	}
	name := skillKey(a.Name)
	const first = "Refused: read before you write. Call skill_view for %s in this review first, then make the change against what it says now."
	switch a.Action {
	case "patch", "edit", "write_file", "remove_file":
		if file := fileKey(a.FilePath); !g.seen[name+"/"+file] && g.exists(a.Name, file) {
			return fmt.Sprintf(first, skillAndFile(a.Name, file))
		}
	case "delete":
		if strings.TrimSpace(a.Absorbed) == "" {
			return "Refused: a review may only remove a skill whose content another skill took over. Name that skill in absorbed_into, or leave the skill alone."
		}
	}
	return ""
}

// refused stops a lesson that the person does not want.
func (g *gate) refused(c core.ToolCall) string {
	store, lessons := core.StoreMemory, textsIn(c.Arguments)
	if c.Name == toolManage {
		store, lessons = core.StoreSkills, []string{strings.Join(lessons, "\n")}
	}
	if c.Name != toolMemory && c.Name != toolManage || g.asked || g.before == nil {
		return ""
	}
	r, found, err := g.before(store, lessons...)
	if err != nil || !found {
		return ""
	}
	why := ""
	if r.Reason != "" {
		why = " (" + r.Reason + ")"
	}
	g.told = append(g.told, firstLine(r.Lesson))
	return fmt.Sprintf("Refused: the person has %s this lesson on %s%s. It is not written again unless they ask for it. Leave it.", r.How, r.Time.Local().Format("2006-01-02"), why)
}

// read notes what a call has shown.
func (g *gate) read(c core.ToolCall, ok bool) {
	if !ok {
		return
	}
	switch c.Name {
	case toolView, toolManage:
		var a manage
		if json.Unmarshal([]byte(c.Arguments), &a) == nil {
			g.seen[skillKey(a.Name)+"/"+fileKey(a.FilePath)] = true
		}
	case toolRead:
		var a struct {
			Path string `json:"path"`
		}
		if json.Unmarshal([]byte(c.Arguments), &a) != nil {
			return
		}
		// .../<skill>/SKILL.md or .../<skill>/references/x.md
		parts := strings.Split(strings.ReplaceAll(a.Path, `\`, "/"), "/")
		for i := 1; i < len(parts); i++ {
			g.seen[strings.ToLower(parts[i-1])+"/"+strings.Join(parts[i:], "/")] = true
		}
	}
}

// skillKey is a skill's name without its category.
func skillKey(name string) string { return strings.ToLower(path.Base(strings.TrimSpace(name))) }

// fileKey is a file of a skill; none means its SKILL.md.
func fileKey(file string) string {
	if file = strings.TrimSpace(file); file == "" {
		return "SKILL.md"
	}
	return path.Clean(strings.ReplaceAll(file, `\`, "/"))
}

func skillAndFile(name, file string) string {
	if file == "SKILL.md" {
		return name
	}
	return name + " with file_path " + file
}
