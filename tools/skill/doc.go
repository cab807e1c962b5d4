// Package skill is the toolset "skills": skills_list, skill_view and skill_manage, by which the agent finds,
// loads, writes and repairs its own know-how.
//
// It turns calls into operations on package skills and answers into what a model reads. Who may be asked,
// where held changes go and which tools the session has come in as options; the rules on what may be
// written belong to package skills. Start with skill.go (Options), then manage.go and view.go.
package skill
