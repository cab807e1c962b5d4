package skills

// Code names a kind of warning. Programs rely on the values.
type Code string

// The codes.
const (
	CodeDescriptionCut     Code = "description-cut"
	CodeDescriptionMissing Code = "description-missing"
	CodeDescriptionBlocked Code = "description-blocked" // it tries to steer the agent and is kept out of prompts
	CodeHiddenPlatform     Code = "hidden-platform"
	CodeHiddenTools        Code = "hidden-tools"
	CodeHiddenToolsets     Code = "hidden-toolsets"
	CodeHiddenEnvironment  Code = "hidden-environment"
	CodeHiddenDisabled     Code = "hidden-disabled"
	CodeNamesOnly          Code = "names-only"
	CodeShadowed           Code = "shadowed"
	CodeDuplicateName      Code = "duplicate-name"
	CodeDanglingRelation   Code = "dangling-relation"
	CodeLenient            Code = "lenient-frontmatter"
	CodeUnreadable         Code = "unreadable"
	CodeMissingSection     Code = "missing-section"
	CodeUnknownKey         Code = "unknown-key"
	CodeNearDuplicate      Code = "near-duplicate"
	CodeNeverUsed          Code = "never-used"
	CodeNameMismatch       Code = "name-mismatch"
	CodeBrokenReference    Code = "broken-reference"
	CodeTooLarge           Code = "too-large"
	CodeSuspicious         Code = "suspicious" // its text tries to steer the agent
	CodeDangerous          Code = "dangerous"  // the guard would not simply let it in
)

// Information reports whether the code is worth knowing but nothing to put right.
func (c Code) Information() bool { return c == CodeNeverUsed }

// Hides reports whether a skill with this warning is not in the prompt.
func (c Code) Hides() bool {
	switch c {
	case CodeHiddenPlatform, CodeHiddenTools, CodeHiddenToolsets, CodeHiddenEnvironment, CodeHiddenDisabled:
		return true
	default:
		return false
	}
}

// Warning is something about a skill that its owner should know.
type Warning struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	File    string `json:"file,omitempty"` // below the skill's folder
	Line    int    `json:"line,omitempty"` // 1-based; 0 for the whole file
}
