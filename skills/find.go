package skills

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/text"
)

// Match is a skill found by name.
type Match struct {
	Entry
	// Call is the name that skill_view takes for exactly this one.
	Call string
	// Note says which of several was taken and why; "" when there was only one.
	Note string
}

// Find returns the skill that name means: "category/folder" (or "category:folder"), the name of its
// folder, the name in its frontmatter, or, where those leave a choice, "home:name" or the path of its folder, as
// Entry.Call gives them. A name that several skills have is refused with the list, except
// that the skill of a trusted project is preferred, which Note says. Disabled skills and those for other
// systems are found only when nothing else is meant. Errors are *RefusedError.
func (l *Library) Find(ctx context.Context, name string) (Match, error) {
	list, err := l.Entries(ctx)
	if err != nil {
		return Match{}, err
	}
	return l.find(list, name)
}

func (l *Library) find(list []Entry, name string) (Match, error) {
	if e, ok := addressed(list, name); ok {
		return Match{Entry: e, Call: e.Call(twins(list, e))}, nil
	}
	want, r := lookupName(name)
	if r != nil {
		return Match{}, r
	}
	hits := named(list, want)
	if len(hits) == 0 {
		return Match{}, l.unknown(list, want)
	}
	if fit := slices.DeleteFunc(slices.Clone(hits), func(e Entry) bool { return !l.usable(e) }); len(fit) > 0 {
		hits = fit
	}
	if len(hits) == 1 {
		return Match{Entry: hits[0], Call: hits[0].Call(twins(list, hits[0]))}, nil
	}
	project := slices.DeleteFunc(slices.Clone(hits), func(e Entry) bool { return e.Root.Kind != RootProject })
	if len(project) == 1 {
		var others []string
		for _, e := range hits {
			if e.Path != project[0].Path {
				others = append(others, e.Path)
			}
		}
		return Match{Entry: project[0], Call: project[0].Dir, Note: fmt.Sprintf("%q is also the name of %s; the skill of the trusted project was taken.", want, strings.Join(others, ", "))}, nil
	}
	r = &RefusedError{Code: RefusedAmbiguous, Name: want, Message: fmt.Sprintf("%d skills are called %q. Name the one you mean as it is listed here.", len(hits), want)}
	for _, e := range hits {
		r.Matches = append(r.Matches, e.Call(twins(list, e))+"  ("+e.Path+")")
	}
	return Match{}, r
}

// addressed finds the skill whose place name is: the folder or SKILL.md of one that is known, or "home:place".
func addressed(list []Entry, name string) (Entry, bool) {
	name = strings.TrimSpace(name)
	if filepath.IsAbs(name) {
		at := filepath.Clean(name)
		i := slices.IndexFunc(list, func(e Entry) bool { return e.Folder == at || e.Path == at })
		if i < 0 {
			return Entry{}, false
		}
		return list[i], true
	}
	kind, rel, ok := strings.Cut(name, ":")
	if !ok || len(named(list, kind+"/"+rel)) > 0 { // a category may be called so
		return Entry{}, false
	}
	hits := slices.DeleteFunc(slices.Clone(list), func(e Entry) bool { return string(e.Root.Kind) != kind || e.Rel != rel })
	if len(hits) != 1 {
		return Entry{}, false
	}
	return hits[0], true
}

// twins are the other skills that answer to one of e's names.
func twins(list []Entry, e Entry) []Entry {
	var out []Entry
	for _, o := range list {
		if o.Path != e.Path && (o.Named(e.Dir) || o.Named(e.Name)) {
			out = append(out, o)
		}
	}
	return out
}

// Call is the shortest name that means e and none of its twins.
func (e Entry) Call(twins []Entry) string {
	alike := func(o Entry) bool { return o.Rel == e.Rel }
	switch {
	case len(twins) == 0:
		return e.Dir
	case strings.Contains(e.Rel, "/") && !slices.ContainsFunc(twins, alike):
		return e.Rel
	case !slices.ContainsFunc(twins, func(o Entry) bool { return alike(o) && o.Root.Kind == e.Root.Kind }):
		return string(e.Root.Kind) + ":" + e.Rel
	}
	return e.Folder
}

// named are the skills that want means: those at that place, else those of that name.
func named(list []Entry, want string) []Entry {
	var exact, loose []Entry
	for _, e := range list {
		switch {
		case e.Rel == want && strings.Contains(want, "/"):
			exact = append(exact, e)
		case e.Named(want):
			loose = append(loose, e)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	if c, n, ok := strings.Cut(want, "/"); ok && len(loose) == 0 { // by frontmatter name within a category
		for _, e := range list {
			if e.Category == c && e.Named(n) {
				loose = append(loose, e)
			}
		}
	}
	return loose
}

// lookupName cleans a name that somebody asks for.
func lookupName(name string) (string, *RefusedError) {
	want := strings.TrimSpace(name)
	bad := func(why string) (string, *RefusedError) {
		return "", &RefusedError{Code: RefusedName, Name: text.Cut(oneLine(name), 80), Message: fmt.Sprintf("%q is no name of a skill: %s. Use a name from skills_list, or category/name.", text.Cut(oneLine(name), 80), why)}
	}
	switch {
	case want == "":
		return bad("it is empty")
	case strings.ContainsAny(want, "\x00\\"):
		return bad("it holds a character that names cannot have")
	case strings.HasPrefix(want, "/") || strings.HasPrefix(want, "~") || filepath.IsAbs(want) || len(want) > 1 && want[1] == ':' && strings.ContainsAny(want[:1], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"):
		return bad("it is a path")
	}
	if c, n, ok := strings.Cut(want, ":"); ok && !strings.Contains(n, ":") && !strings.Contains(want, " ") {
		want = c + "/" + n
	}
	want = strings.TrimSuffix(strings.TrimSuffix(want, "/"+FileName), "/")
	if slices.Contains(strings.Split(want, "/"), "..") {
		return bad("it leads out of the library")
	}
	return want, nil
}

// unknown refuses a name that no skill has and offers those that are near.
func (l *Library) unknown(list []Entry, want string) *RefusedError {
	r := &RefusedError{Code: RefusedUnknown, Name: want, Message: fmt.Sprintf("There is no skill %q.", want)}
	for _, e := range list {
		if !l.usable(e) {
			continue
		}
		if distance(strings.ToLower(want), strings.ToLower(e.Dir)) <= 2 {
			r.Message += fmt.Sprintf(" Did you mean %q?", e.Dir)
			break
		}
	}
	for _, e := range list {
		if len(r.Available) == 20 {
			break
		}
		if l.usable(e) {
			r.Available = append(r.Available, e.Dir)
		}
	}
	return r
}

// Duplicates maps each skill's file to the other skills that answer to one of its names.
func Duplicates(list []Entry) map[string][]Entry {
	byName := map[string][]int{}
	for i, e := range list {
		byName[e.Dir] = append(byName[e.Dir], i)
		if e.Name != e.Dir {
			byName[e.Name] = append(byName[e.Name], i)
		}
	}
	out := map[string][]Entry{}
	for i, e := range list {
		seen := map[int]bool{i: true}
		for _, name := range []string{e.Dir, e.Name} {
			for _, j := range byName[name] {
				if !seen[j] {
					seen[j] = true
					out[e.Path] = append(out[e.Path], list[j])
				}
			}
		}
	}
	return out
}

// RefusedCode says why nothing was done.
type RefusedCode string

// The reasons.
const (
	RefusedName        RefusedCode = "name"
	RefusedCategory    RefusedCode = "category"
	RefusedFrontmatter RefusedCode = "frontmatter"
	RefusedSize        RefusedCode = "size"
	RefusedCollision   RefusedCode = "collision"
	RefusedPath        RefusedCode = "path"
	RefusedMissing     RefusedCode = "missing" // an argument, a file
	RefusedUnknown     RefusedCode = "unknown"
	RefusedAmbiguous   RefusedCode = "ambiguous"
	RefusedNoMatch     RefusedCode = "no_match"
	RefusedStale       RefusedCode = "stale"
	RefusedUnread      RefusedCode = "unread" // a review changes only what it has read
	RefusedGuard       RefusedCode = "guard"
	RefusedReadOnly    RefusedCode = "read_only" // a link, a project's, bundled for a review …
	RefusedPinned      RefusedCode = "pinned"
	RefusedDisabled    RefusedCode = "disabled"
	RefusedAction      RefusedCode = "action"
	RefusedSecret      RefusedCode = "secret"
	RefusedSame        RefusedCode = "same" // it is so already
)

// RefusedError says why nothing was changed, and what to do. Message is written for the model and for people.
type RefusedError struct {
	Code      RefusedCode
	Name      string
	Message   string
	Hint      string
	Preview   string   // the start of the file, when a match failed
	Matches   []string // the places, when ambiguous
	Available []string // what there is instead
	Report    string   // of the guard
	Findings  []string // of the guard, a line each
}

// Error is the message.
func (r *RefusedError) Error() string { return r.Message }

// Unwrap gives the class of failure for commands.
func (r *RefusedError) Unwrap() error {
	code := core.CodeUsage
	switch r.Code {
	case RefusedUnknown, RefusedNoMatch, RefusedMissing:
		code = core.CodeNotFound
	case RefusedGuard, RefusedReadOnly, RefusedPinned, RefusedDisabled, RefusedSecret, RefusedUnread:
		code = core.CodeDenied
	case RefusedStale:
		code = core.CodeBusy
	default:
	}
	return &core.Error{Code: code, Op: "skills", Subject: r.Name, Hint: r.Hint}
}
