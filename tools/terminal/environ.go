package terminal

import (
	"slices"
	"strings"

	"hermes/core/config"
	"hermes/core/home"
)

// environ is the environment of commands: without what looks like a secret unless it was passed
// through, without what would change a non-interactive shell, and with the session's mark.
func (t *Terminal) environ(session string) []string {
	var out []string
	for _, kv := range t.opts.Environ {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || name == "" || slices.Contains([]string{"BASH_ENV", "ENV", "PROMPT_COMMAND", "PS1", "HERMES_AGENT", home.EnvVar, "SSH_ASKPASS", "SUDO_ASKPASS", "GIT_ASKPASS"}, name) {
			continue
		}
		if config.LooksSecret(name) && !slices.Contains(t.opts.Passthrough, name) {
			continue
		}
		if slices.Contains([]string{"TERM", "NO_COLOR", "PAGER", "GIT_PAGER", "GIT_TERMINAL_PROMPT", "SSH_ASKPASS_REQUIRE", "CI_INTERACTIVE"}, name) {
			continue
		}
		out = append(out, kv)
	}
	if t.opts.Granted != nil {
		out = append(out, t.opts.Granted(session)...)
	}
	// Programs must neither page, prompt nor colour: nobody is at a terminal.
	return append(out,
		"HERMES_AGENT="+session, home.EnvVar+"="+t.opts.Home.Dir(),
		"TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "SSH_ASKPASS_REQUIRE=never",
	)
}
