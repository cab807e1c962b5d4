package app

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"hermes/core/config"
)

// maxEnvFile is how much of a project's file of settings is read.
const maxEnvFile = 256 << 10

// envFileNames are the files in which projects keep settings that are often secret.
func envFileNames() []string {
	return []string{
		".env", ".env.local", ".env.development", ".env.development.local", ".env.production", ".env.production.local", ".env.staging", ".env.test", ".env.test.local", ".env.prod", ".env.dev", ".envrc",
	}
}

// projectSecrets are the values of the .env files of the folders that tools work in. They are never used,
// only hidden: the model has no need to know them.
type projectSecrets struct {
	mu     sync.Mutex
	stamps map[string]time.Time // of the files that were read, zero for one that was not there
	values map[string]map[string]string
}

// addTo puts what is known into secrets, under names that are not taken.
func (p *projectSecrets) addTo(secrets map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, file := range p.values {
		for name, value := range file {
			if _, taken := secrets[name]; taken && secrets[name] != value {
				name = "project " + name
			}
			secrets[name] = value
		}
	}
}

// look reads the files of folder that changed; it reports whether there were any.
func (p *projectSecrets) look(folder string) (changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stamps == nil {
		p.stamps, p.values = map[string]time.Time{}, map[string]map[string]string{}
	}
	for _, name := range envFileNames() {
		path := filepath.Join(folder, name)
		at := time.Time{}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			at = info.ModTime()
		}
		if was := p.stamps[path]; was.Equal(at) {
			continue
		}
		p.stamps[path] = at
		if at.IsZero() {
			continue
		}
		found := hidden(readEnv(path))
		for n, before := range p.values[path] { // what it held before stays hidden
			if now, set := found[n]; set && now != before {
				n += " before"
			}
			found[n] = before
		}
		p.values[path] = found
		changed = true
	}
	return changed
}

// readEnv reads one file of settings; one that cannot be read has none.
func readEnv(path string) map[string]string {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(f, maxEnvFile))
	if err != nil {
		return nil
	}
	return config.EnvValues(string(text))
}

// hidden are the settings that look secret, by name or by value: "development" and "http://localhost" must stay
// readable wherever they occur.
func hidden(settings map[string]string) map[string]string {
	out := map[string]string{}
	for name, value := range settings {
		if !strings.Contains(value, "$") && (config.LooksSecret(name) || random(value)) {
			out[name] = value
		}
	}
	return out
}

// random reports whether a value looks like one that was drawn: long, without a blank, of letters and digits.
func random(value string) bool {
	if len(value) < 20 || !regexp.MustCompile(`^[A-Za-z0-9_+/=-]+$`).MatchString(value) {
		return false
	}
	digits, letters := 0, 0
	for _, r := range value {
		if r >= '0' && r <= '9' {
			digits++
		} else if r != '/' && r != '-' && r != '_' {
			letters++
		}
	}
	return digits >= 4 && letters >= 4
}

// projectRedactor hides what App.Redactor hides and the secrets of the folder that tools work in, as they are
// now: an agent may have written them a moment ago.
type projectRedactor struct {
	a      *App
	folder string
}

// Redact removes secrets from text.
func (r projectRedactor) Redact(text string) string {
	if r.a.projects.look(r.folder) {
		r.a.renewRedactor()
	}
	return r.a.Redactor().Redact(text)
}

// Partial is how much at the end of text may be the beginning of a secret.
func (r projectRedactor) Partial(text string) int { return currentRedactor{r.a}.Partial(text) }
