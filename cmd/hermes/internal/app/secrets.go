package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"hermes/core"
	"hermes/core/provider"
	"hermes/skills"
	toolskill "hermes/tools/skill"
	"hermes/tui/skillpane"
)

// secretAsker asks the person for the variables that skills need, whether a skill may use them, and for the
// settings of skills.
type secretAsker struct {
	s *Session

	mu      sync.Mutex      // one question after the other
	refused map[string]bool // what is not asked again in this session
}

// secrets asks the person; nil when nobody is there.
func (s *Session) secrets() toolskill.Secrets {
	if s.Questions == nil {
		return nil
	}
	s.askerOnce.Do(func() { s.asker = &secretAsker{s: s, refused: map[string]bool{}} })
	return s.asker
}

// consent is how an agreement is written down.
func consent(skill, name string) string { return skill + " " + name }

// Capture sees to it that skill may use v. What was refused is not asked again in this session.
func (q *secretAsker) Capture(ctx context.Context, run core.ToolRun, skill string, v skills.Variable) (bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	a := q.s.app
	key, value := consent(skill, v.Name), a.lookup(v.Name)
	switch {
	case a.providerKey(v.Name), q.refused[key]:
		return false, nil // the key of a provider is never a skill's
	case value != "" && slices.Contains(a.Config().Skills.EnvConsent, key):
		return true, nil
	}
	given, err := q.ask(ctx, run, skill, v, value)
	if err != nil || given == "" {
		q.refused[key] = err == nil
		return false, err
	}
	if value == "" {
		if err := a.Settings.SetEnv(ctx, v.Name, given); err != nil {
			return false, err
		}
	}
	if err := a.Settings.Add(ctx, "skills.env_consent", key); err != nil {
		return false, err
	}
	a.Reload()
	return a.lookup(v.Name) != "", nil
}

// ask returns the value to use; "" is "not now".
func (q *secretAsker) ask(ctx context.Context, run core.ToolRun, skill string, v skills.Variable, value string) (string, error) {
	ask := core.Question{SessionID: run.SessionID, RunID: run.RunID, CallID: run.CallID}
	what := fmt.Sprintf("The skill %s needs %s", skill, v.Name)
	if v.RequiredFor != "" {
		what += " for " + v.RequiredFor
	}
	var more []string
	for _, s := range []string{v.Prompt, v.Help} {
		if s != "" && s != v.Name {
			more = append(more, s)
		}
	}
	after := "the model does not see it; commands can use it in sessions that loaded this skill."
	if value != "" {
		ask.Text = strings.Join(append([]string{what + ", which is set already."}, append(more, "May it? T"+after[1:])...), "\n")
		ask.Options = []string{"yes, this skill may use it", "not now"}
		answer, err := q.s.Questions.Ask(ctx, ask)
		if err != nil || answer.Skipped || answer.Option != 1 {
			return "", err
		}
		return value, nil
	}
	ask.Secret, ask.FreeText = true, true
	ask.Text = strings.Join(append([]string{what + "."}, append(more, "What you type is kept in the .env file of the hermes home; "+after)...), "\n")
	answer, err := q.s.Questions.Ask(ctx, ask)
	if err != nil || answer.Skipped {
		return "", err
	}
	return strings.TrimSpace(answer.Text), nil
}

// Settle asks for the settings of e that nobody set. What is left open keeps its default and is not asked again
// in this session; what is answered is asked never again.
func (q *secretAsker) Settle(ctx context.Context, run core.ToolRun, e skills.Entry) []skills.Value {
	q.mu.Lock()
	defer q.mu.Unlock()
	a, asked := q.s.app, false
	for _, v := range q.s.settledNow().Values(e) {
		key := "skills.config." + v.Key
		if v.Set || q.refused[key] {
			continue
		}
		q.refused[key] = true
		given, err := q.want(ctx, run, e, v)
		if err != nil {
			break // interrupted
		}
		if given == "" {
			continue
		}
		if err := a.Settings.Set(ctx, key, given); err != nil {
			q.s.learned(&core.Notice{Level: core.LevelWarn, Text: "the setting " + v.Key + " was not kept: " + err.Error(), Remedy: core.HintOf(err)})
			continue
		}
		asked = true
	}
	if asked {
		a.Reload()
	}
	return q.s.settledNow().Values(e)
}

// settledNow is the library with the settings of skills as they are now; what the session was told of skills
// does not change.
func (s *Session) settledNow() *skills.Library {
	return s.library.With(func(o *skills.Options) { o.Settings = s.app.Config().Skills.Config })
}

// want asks for one setting; "" is "not now".
func (q *secretAsker) want(ctx context.Context, run core.ToolRun, e skills.Entry, v skills.Value) (string, error) {
	ask := core.Question{
		SessionID: run.SessionID, RunID: run.RunID, CallID: run.CallID, FreeText: true,
		Text: fmt.Sprintf("The skill %s asks once for a setting: %s\n%s\nIt is kept as skills.config.%s; hermes skills config %s changes it.", e.Qualified(), v.Key, v.Prompt, v.Key, e.Qualified()),
	}
	if v.Value != "" {
		ask.Options = []string{"keep " + v.Value}
	}
	answer, err := q.s.Questions.Ask(ctx, ask)
	switch {
	case err != nil || answer.Skipped:
		return "", err
	case answer.Option == 1:
		return v.Default, nil
	}
	return strings.TrimSpace(answer.Text), nil
}

// providerKey reports whether a variable holds the key of a model's provider, or looks like one of hermes's own.
func (a *App) providerKey(name string) bool {
	for _, p := range provider.Presets() {
		if slices.Contains(p.KeyEnv, name) {
			return true
		}
	}
	for _, p := range a.Config().Providers {
		if p.KeyEnv == name {
			return true
		}
	}
	return strings.HasPrefix(name, "HERMES_") || name == a.Config().Web.SearchKeyEnv
}

// granted are the variables that commands of the session see because a skill it loaded may use them.
func (s *Session) granted(session string) []string {
	if s.ses == nil || session != s.ID() {
		return nil
	}
	allowed := s.app.Config().Skills.EnvConsent
	if len(allowed) == 0 {
		return nil
	}
	list, err := s.library.Entries(s.life)
	if err != nil {
		s.app.Log.Warn("list skills", "err", err)
		return nil
	}
	loaded := loadedIn(s.ses.Records())
	var out []string
	for _, e := range list {
		for _, v := range e.Meta.Variables {
			if !slices.Contains(allowed, consent(e.Qualified(), v.Name)) || s.app.providerKey(v.Name) || !slices.ContainsFunc(loaded, func(m skillpane.Mark) bool { return m.Means(e) }) {
				continue
			}
			if value := s.app.lookup(v.Name); value != "" {
				out = append(out, v.Name+"="+value)
			}
		}
	}
	return out
}
