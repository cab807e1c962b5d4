package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
	"hermes/skills"
	"hermes/skills/bundled"
	"hermes/skills/guard"
	toolskill "hermes/tools/skill"
)

// skillLibrary is the library as the command line sees it, without a project. It touches nothing.
func (a *App) skillLibrary() *skills.Library {
	c := a.Config().Skills
	o := skills.Options{
		Home: a.Home, Ledger: a.Ledger, External: c.ExternalDirs, Disabled: c.Disabled, Settings: c.Config, Budget: c.IndexTokenBudget, Getenv: a.opts.Getenv,
	}
	if c.GuardAgentCreated {
		o.Guard = skills.Scanned(guard.New(guard.Options{}), guard.AgentCreated)
	}
	return skills.New(o)
}

// SkillsAt is the library as seen from folder: with the skills of its project, when the person trusts them.
// The notice says when they are left out although the project is trusted, or could be.
func (a *App) SkillsAt(folder string, emit func(core.Event)) (*skills.Library, *core.Notice) {
	c := a.Config().Skills
	project, notice := a.trustedProject(folder)
	return a.Skills.With(func(o *skills.Options) {
		o.Project, o.Emit = project, emit
		o.External, o.Disabled, o.Settings, o.Budget = c.ExternalDirs, c.Disabled, c.Config, c.IndexTokenBudget
	}), notice
}

// trustedProject is the project that folder lies in, when its skills may be used; "" otherwise.
func (a *App) trustedProject(folder string) (string, *core.Notice) {
	project := skills.Project(folder)
	if project == "" {
		return "", nil
	}
	trust := "to use them: hermes skills trust " + project
	real, err := home.ResolvePath(project)
	if err != nil || !slices.ContainsFunc(a.Config().Skills.TrustedProjectDirs, func(dir string) bool { return a.samePlace(dir, real) }) {
		return "", &core.Notice{Level: core.LevelInfo, Text: "this project brings skills of its own, which are not used yet", Remedy: trust}
	}
	same, _, err := skills.NewTrusts(a.Home).Same(project)
	switch {
	case err != nil:
		return "", &core.Notice{Level: core.LevelWarn, Text: "the skills of this project are not used: " + err.Error(), Remedy: core.HintOf(err)}
	case !same:
		return "", &core.Notice{Level: core.LevelWarn, Text: "the skills of this project changed since you trusted them, so they are not used", Remedy: "look at them; then, " + trust}
	}
	return project, nil
}

// seedSkills brings the shipped skills into the home. A fresh machine stays as it is until the person chose
// something; asked for a run they did.
func (a *App) seedSkills(ctx context.Context, asked bool) error {
	if _, err := os.Stat(a.Home.Dir()); err != nil && !asked {
		return nil // no home yet
	}
	if err := a.Home.Open(); err != nil {
		return err
	}
	r, err := bundled.Seed(ctx, a.Home, a.Ledger)
	if msg := r.Message(); msg != "" {
		a.Log.Info("shipped skills", "message", msg)
	}
	return err
}

// rememberProject keeps what the skills of a project say that is trusted by its path and was never used.
func (a *App) rememberProject(ctx context.Context, folder string) error {
	project, _ := a.trustedProject(folder)
	if project == "" {
		return nil
	}
	trusts := skills.NewTrusts(a.Home)
	if _, known, err := trusts.Same(project); err != nil || known {
		return err
	}
	return trusts.Renew(ctx, project)
}

// samePlace reports whether a folder as written in the configuration is real.
func (a *App) samePlace(dir, real string) bool {
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		dir = filepath.Join(a.opts.Getenv("HOME"), rest)
	}
	got, err := home.ResolvePath(dir)
	return err == nil && filepath.IsAbs(dir) && got == real
}

// TrustSkills lets the skills of the project that dir lies in be used, as they are now.
func (a *App) TrustSkills(ctx context.Context, dir string) (string, error) {
	project := skills.Project(a.Abs(dir))
	if project == "" {
		return "", &core.Error{Code: core.CodeNotFound, Op: "trust skills", Subject: dir, Err: fmt.Errorf("no project with .hermes/skills or .agents/skills there"), Hint: "name a folder in a git repository that holds skills"}
	}
	real, err := home.ResolvePath(project)
	if err != nil {
		return "", err
	}
	if err := a.Home.Open(); err != nil {
		return "", err
	}
	if err := skills.NewTrusts(a.Home).Renew(ctx, project); err != nil {
		return "", err
	}
	if err := a.Settings.Add(ctx, "skills.trusted_project_dirs", real); err != nil {
		return "", err
	}
	a.Reload()
	return project, nil
}

// skillTools are the session's skill tools, in the name of by. Without an approver dangerous changes wait in
// the inbox.
func (s *Session) skillTools(by func(core.ToolRun) ledger.Change, approver core.Approver) []core.Tool {
	return toolskill.New(toolskill.Options{
		Library: s.library, Scope: s.skillScope, By: by, Why: s.skillsHeld, Holder: s.app.Inbox, Added: s.proposed,
		Approver: approver, Lookup: s.app.lookup, Emit: s.learned, Secrets: s.secrets(),
	})
}

// skillsHeld says whether every change of skills waits for the person.
func (s *Session) skillsHeld(ledger.Change) core.Held {
	if s.app.Config().Skills.WriteApproval {
		return core.HeldApproval
	}
	return ""
}

// skillScope is what decides which skills this session is offered.
func (s *Session) skillScope() skills.Scope {
	return skills.Scope{Tools: toolNames(s.tools.Specs()), Toolsets: append([]string{}, s.tools.chosen...), Window: s.model.Info().ContextLength}
}

func toolNames(specs []core.ToolSpec) []string {
	out := make([]string, len(specs))
	for i, t := range specs {
		out[i] = t.Name
	}
	return out
}

// skillsIndex is the part of the prompt that lists skills, with how to keep them; both are empty when the
// tools are not there.
func (s *Session) skillsIndex(ctx context.Context, names []string) (index, guidance string, notice *core.Notice) {
	if slices.Contains(names, toolskill.Manage) {
		guidance = skills.Guidance()
	}
	if !slices.Contains(names, toolskill.View) {
		return "", guidance, nil
	}
	s.app.quiet(ctx, "bring the shipped skills", func() error { return s.app.seedSkills(ctx, s.Approvals == nil) })
	s.app.quiet(ctx, "record edits of skills", func() error { return s.library.RecordOutside(ctx) })
	s.app.quiet(ctx, "remember trusted skills", func() error { return s.app.rememberProject(ctx, s.folder) })
	scope := s.skillScope()
	scope.Tools = names
	x, err := s.library.Index(ctx, scope)
	if err != nil {
		return "", guidance, &core.Notice{Level: core.LevelWarn, Text: "skills are left out of the prompt: " + err.Error(), Remedy: core.HintOf(err)}
	}
	for _, l := range x.Lines {
		if l.Root.Kind == skills.RootHome { // those of projects come and go with the folder
			s.holds.skills[l.Subject()] = true
		}
	}
	return x.Text, guidance, nil
}

// SkillScope is the scope of a session that would be opened now, as far as it is known without one.
func (a *App) SkillScope() skills.Scope {
	b := &box{}
	return skills.Scope{Toolsets: b.choose(a.toolsets(nil))}
}

// SkillMessage is the user message by which skills enter the conversation when the person names them: each
// with its whole text, then the person's words. Errors name the skill that cannot be loaded.
func (s *Session) SkillMessage(ctx context.Context, by skills.By, names []string, words string) (string, error) {
	var parts []string
	for i, name := range names {
		v, err := s.library.View(ctx, name, "")
		if err != nil {
			return "", &core.Error{Code: core.CodeOf(err), Op: "load skill", Err: err, Hint: firstOf(core.HintOf(err), "see hermes skills list")}
		}
		said := ""
		if i == len(names)-1 {
			said = words
		}
		needs := s.needs(ctx, v.Entry)
		parts = append(parts, s.settledNow().Message(v, needs, by, said))
		s.library.Usage().Bump(ctx, v.Dir, skills.Used)
		s.learned(&core.SkillLoaded{Name: v.Name, Category: v.Category, By: string(by), Version: v.Hash})
		if v.Finding != nil {
			s.learned(&core.Notice{
				Level: core.LevelWarn, Text: fmt.Sprintf("the skill %s holds text that reads like an attempt to steer the agent: line %d (%s)", v.Qualified(), v.Finding.Line, v.Finding.ID),
				Remedy: "it was marked for the agent; look at " + v.Path,
			})
		}
	}
	return strings.Join(parts, "\n\n"), nil
}

// needs is what a skill needs that a person invoked, after they were asked for what is missing.
func (s *Session) needs(ctx context.Context, e skills.Entry) skills.Needs {
	run := core.ToolRun{SessionID: s.ID()}
	if asker := s.secrets(); asker != nil {
		for _, v := range e.Meta.Variables {
			if v.Optional && s.app.lookup(v.Name) == "" {
				continue
			}
			if _, err := asker.Capture(ctx, run, e.Qualified(), v); err != nil {
				break // nobody answers: what is missing is told instead
			}
		}
		asker.Settle(ctx, run, e)
	}
	return s.library.Needs(e, func(name string) bool { return s.app.lookup(name) != "" })
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// checkSkills is the doctor's line about skills.
func (a *App) checkSkills(ctx context.Context) Check {
	l, notice := a.SkillsAt(a.opts.Dir, nil)
	checked, err := l.Check(ctx, a.SkillScope())
	if err != nil {
		return bad("skills", "warn", err)
	}
	if _, err := l.Usage().Records(); err != nil {
		return bad("skills", "warn", err)
	}
	visible, warned := 0, 0
	for _, c := range checked {
		if c.Visible {
			visible++
		}
		if slices.ContainsFunc(c.Warnings, func(w skills.Warning) bool { return !w.Code.Information() && !w.Code.Hides() }) {
			warned++
		}
	}
	c := ok("skills", "%d shown, %d hidden, %d with warnings", visible, len(checked)-visible, warned)
	if warned > 0 {
		c.Status, c.Remedy = "warn", "see what: hermes skills check"
	}
	if notice != nil {
		c.Message += "; " + notice.Text
	}
	for _, p := range l.Problems() {
		c.Status = "warn"
		c.Message += "; " + p.Error()
	}
	return c
}
