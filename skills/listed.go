package skills

import "strings"

// Listed is a line of the skills index as it stands in a prompt.
type Listed struct {
	Category  string
	About     string // the category's description; "" for none
	Name      string // what skill_view takes
	Text      string // what the model reads behind the name; "" for none
	NamesOnly bool   // the category is listed without descriptions
}

const (
	listOpen  = "\n<available_skills>\n"
	listClose = "\n</available_skills>"
	onlyNames = " [names only]: "
)

// ReadIndex takes the skills out of a system prompt, in its order: what a session was told stays what it was
// told, whatever happens on disk. Nil when the prompt lists none.
func ReadIndex(prompt string) []Listed {
	first, _, _ := strings.Cut(strings.TrimSpace(indexText), "\n")
	if i := strings.Index(prompt, first); i >= 0 {
		prompt = prompt[i:]
	} else if i := strings.LastIndex(prompt, listOpen); i >= 0 { // of an older version of this program
		prompt = prompt[i:]
	}
	_, rest, ok := strings.Cut(prompt, listOpen)
	if !ok {
		return nil
	}
	body, _, ok := strings.Cut("\n"+rest, listClose)
	if !ok {
		return nil
	}
	var out []Listed
	var category, about string
	for line := range strings.SplitSeq(strings.Trim(body, "\n"), "\n") {
		if item, ok := strings.CutPrefix(line, "    - "); ok {
			name, text, _ := strings.Cut(item, ": ")
			out = append(out, Listed{Category: category, About: about, Name: name, Text: text})
			continue
		}
		line = strings.TrimPrefix(line, "  ")
		if head, names, ok := strings.Cut(line, onlyNames); ok {
			for name := range strings.SplitSeq(names, ", ") {
				out = append(out, Listed{Category: head, Name: name, NamesOnly: true})
			}
			continue
		}
		category, about, _ = strings.Cut(line, ":")
		about = strings.TrimSpace(about)
	}
	return out
}
