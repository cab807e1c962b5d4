package bundled

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"hermes/skills/guard"
)

// What we ship follows the rules we set: form, length, sections, and the guard has nothing to say.
func TestSkills_followOurOwnRules(t *testing.T) {
	t.Parallel()
	all, err := Skills()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, s := range all {
		names[s.Name] = true
	}
	for _, want := range []string{
		"plan", "hermes-workspace", "skill-authoring", "debugging", "code-review", "git-workflow", "test-first", "web-research-manual", "data-wrangling", "writing-notes",
	} {
		if !names[want] {
			t.Errorf("%s is missing", want)
		}
	}
	scanner := guard.New(guard.Options{})
	for _, s := range all {
		text := string(s.Files["SKILL.md"])
		head, body, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
		var meta struct {
			Name, Description, Version, Author, License string

			Metadata struct {
				Hermes struct {
					Tags     []string
					Related  []string `yaml:"related_skills"`
					Fallback []string `yaml:"fallback_for_toolsets"`
				}
			}
		}
		if err := yaml.Unmarshal([]byte(head), &meta); err != nil || !ok {
			t.Fatalf("%s: %v", s.Name, err)
		}
		d := meta.Description
		if meta.Name != s.Name || utf8.RuneCountInString(d) > 60 || !strings.HasSuffix(d, ".") || strings.Contains(strings.ToLower(d), s.Name) {
			t.Errorf("%s: name %q, description %q", s.Name, meta.Name, d)
		}
		if meta.Version == "" || meta.Author == "" || meta.License == "" || len(meta.Metadata.Hermes.Tags) == 0 {
			t.Errorf("%s: front matter is incomplete: %+v", s.Name, meta)
		}
		for _, r := range meta.Metadata.Hermes.Related {
			if !names[r] {
				t.Errorf("%s names %s, which is not shipped", s.Name, r)
			}
		}
		if s.Name == "web-research-manual" && strings.Join(meta.Metadata.Hermes.Fallback, " ") != "web" {
			t.Errorf("%s: %+v", s.Name, meta)
		}
		at := 0
		for _, section := range []string{"\n# ", "\n## When to Use", "\n## Prerequisites", "\n## How to Run", "\n## Quick Reference", "\n## Procedure", "\n## Pitfalls", "\n## Verification"} {
			i := strings.Index(body[at:], section)
			if i < 0 {
				t.Errorf("%s: no %q in its place", s.Name, section)
				break
			}
			at += i
		}
		if len(text) < 1500 || len(text) > 6<<10 {
			t.Errorf("%s: %d bytes", s.Name, len(text))
		}
		r, err := scanner.Dir(t.Context(), s.Name, s.Files)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != guard.Safe || guard.Decide(guard.Builtin, r.Verdict) != guard.Allow {
			t.Errorf("%s", r.Text())
		}
		for _, f := range r.Findings {
			if f.Severity != guard.Low {
				t.Errorf("%s: %+v", s.Name, f)
			}
		}
	}
}

// A version that was shipped once must be known for ever, or its untouched copies stop following.
// HERMES_UPDATE=1 adds the present ones.
func TestVersions_holdWhatIsShipped(t *testing.T) {
	t.Parallel()
	all, err := Skills()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("versions.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := parseVersions(string(data))
	for _, s := range all {
		line := s.Name + ":" + s.Hash()
		if known[line] {
			continue
		}
		if os.Getenv("HERMES_UPDATE") == "" {
			t.Errorf("versions.txt lacks %s", line)
			continue
		}
		data = append(data, line+"\n"...)
		if err := os.WriteFile("versions.txt", data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
