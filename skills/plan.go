package skills

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"hermes/core"
	"hermes/core/fuzzy"
	"hermes/core/home"
	"hermes/core/ledger"
	"hermes/core/text"
)

// Action is what a change does. The first six are those of skill_manage, in its order.
type Action string

// The actions.
const (
	Create     Action = "create"
	Patch      Action = "patch"
	Edit       Action = "edit"
	Delete     Action = "delete" // an archive, under this name in the ledger
	WriteFile  Action = "write_file"
	RemoveFile Action = "remove_file"
)

// Actions lists them in order.
func Actions() []Action { return []Action{Create, Patch, Edit, Delete, WriteFile, RemoveFile} }

// Op is a change as somebody wishes it.
type Op struct {
	Action     Action
	Name       string
	Category   string  // of create
	Content    *string // of create and edit: the whole SKILL.md
	Old, New   *string // of patch
	ReplaceAll bool
	File       string  // of patch, write_file and remove_file; "" is SKILL.md for patch
	Body       *string // of write_file
	// AbsorbedInto names the skill that took over what the deleted one said; "" says that it was
	// dropped on purpose, nil says nothing.
	AbsorbedInto *string
	Reason       string // one line for the ledger
	// Base is the hash of the changed file as whoever wishes this last saw it; "" when it was not seen.
	Base string
}

// Plan is a change that passed its gates and waits to be made.
type Plan struct {
	Op
	Entry   Entry  // the skill; of create as it will be
	Diff    string // unified
	Verdict Verdict
	// Held says why a change by a review, or of a tainted turn, has to wait for a person; "" for no reason.
	Held core.Held
	// Base maps the files it was made against to their hashes, by their path below the home; "" for a file
	// that is not there.
	Base map[string]string
	// Match is how a patch found its place.
	Match    fuzzy.Result
	Warnings []Warning // about the skill as it will be

	by    ledger.Change
	files []fileChange
	move  string // where the folder goes
}

// fileChange is what happens to one file; nil is no file.
type fileChange struct {
	path          string // absolute
	rel           string // below the skill's folder, with slashes
	before, after []byte
}

// Plan passes op through all gates, in the published order, and changes nothing. Errors are *RefusedError
// where a rule said no.
func (l *Library) Plan(ctx context.Context, by ledger.Change, op Op) (*Plan, error) {
	list, err := l.Entries(ctx)
	if err != nil {
		return nil, err
	}
	p := &Plan{Op: op, Base: map[string]string{}, by: by}
	p.Name = strings.TrimSpace(op.Name)
	var r *RefusedError
	switch op.Action {
	case Create:
		r = l.planCreate(p, list)
	case Patch, Edit, WriteFile, RemoveFile, Delete:
		if r = l.planTarget(ctx, p, list); r == nil {
			r = l.planChange(p, list)
		}
	default:
		r = &RefusedError{Code: RefusedAction, Name: p.Name, Message: fmt.Sprintf("There is no action %q. The actions are %s.", op.Action, actionNames())}
	}
	if r != nil {
		return nil, r
	}
	for _, c := range p.files {
		p.Base[l.journalName(c.path)] = hash(c.before)
	}
	p.Diff = p.diff(l)
	if err := l.judge(ctx, p); err != nil {
		return nil, err
	}
	if by.Taint != "" && p.Held == "" {
		p.Held = core.HeldTainted
	}
	p.Warnings = l.foresee(ctx, p, list)
	return p, nil
}

func actionNames() string {
	var out []string
	for _, a := range Actions() {
		out = append(out, string(a))
	}
	return strings.Join(out, ", ")
}

func hash(data []byte) string {
	if data == nil {
		return ""
	}
	return ledger.Hash(data)
}

func (l *Library) journalName(file string) string {
	rel, err := filepath.Rel(l.opts.Home.Dir(), file)
	if err != nil || !home.Within(l.opts.Home.Dir(), file) {
		return file
	}
	return filepath.ToSlash(rel)
}

// planCreate: name, category, frontmatter, size, collision.
func (l *Library) planCreate(p *Plan, list []Entry) *RefusedError {
	p.Category = strings.TrimSpace(p.Category)
	if r := checkName(p.Name); r != nil {
		return r
	}
	if r := checkCategory(p.Category); r != nil {
		return r
	}
	if p.Content == nil {
		return missing(p.Name, "content is missing: the whole text of SKILL.md.")
	}
	if r := checkSkill(p.Name, *p.Content, nil); r != nil {
		return r
	}
	if r := checkText(p.Name, *p.Content); r != nil {
		return r
	}
	rel := path.Join(p.Category, p.Name)
	folder := filepath.Join(l.Home(), filepath.FromSlash(rel))
	if r := l.collision(p, list, folder); r != nil {
		return r
	}
	f := found{root: Root{RootHome, l.Home()}, rel: rel, folder: folder, file: filepath.Join(folder, FileName)}
	rec := fileRecord{Mtime: l.opts.Now().UnixNano(), Size: int64(len(*p.Content))}
	rec.note([]byte(*p.Content))
	p.Entry = rec.entry(f)
	p.files = []fileChange{{path: f.file, rel: FileName, after: []byte(*p.Content)}}
	return nil
}

// collision refuses a name that is taken anywhere, and places where something stands already.
func (l *Library) collision(p *Plan, list []Entry, folder string) *RefusedError {
	taken := func(where string) *RefusedError {
		return &RefusedError{
			Code: RefusedCollision, Name: p.Name,
			Message: fmt.Sprintf("The name %q is taken: %s. Patch that skill, or choose another name.", p.Name, where),
		}
	}
	for _, e := range list {
		if strings.EqualFold(e.Dir, p.Name) || strings.EqualFold(e.Name, p.Name) {
			return taken(e.Path)
		}
		if e.Root.Kind == RootHome && e.Rel == p.Category {
			return &RefusedError{Code: RefusedCollision, Name: p.Name, Message: fmt.Sprintf("Category %q is a skill (%s). Choose another category.", p.Category, e.Path)}
		}
		if e.Root.Kind == RootHome && strings.HasPrefix(e.Rel, p.Name+"/") && p.Category == "" {
			return &RefusedError{Code: RefusedCollision, Name: p.Name, Message: fmt.Sprintf("%q is a category that holds skills (%s). Choose another name.", p.Name, e.Path)}
		}
	}
	if _, err := os.Lstat(folder); err == nil {
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			return taken("something stands at " + folder)
		}
	}
	for dir := filepath.Dir(folder); home.Within(l.Home(), dir) && dir != l.Home(); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			return &RefusedError{Code: RefusedCollision, Name: p.Name, Message: fmt.Sprintf("%s is a link or a file, so no skill can be made in it.", dir)}
		}
	}
	return nil
}

func missing(name, message string) *RefusedError {
	return &RefusedError{Code: RefusedMissing, Name: name, Message: message}
}

// planTarget finds the skill that op changes and refuses those that may not be changed.
func (l *Library) planTarget(_ context.Context, p *Plan, list []Entry) *RefusedError {
	m, err := l.find(list, p.Name)
	if err != nil {
		var r *RefusedError
		errors.As(err, &r)
		return r
	}
	e := m.Entry
	p.Entry, p.Name = e, e.Dir
	refuse := func(code RefusedCode, format string, args ...any) *RefusedError {
		return &RefusedError{Code: code, Name: e.Rel, Message: fmt.Sprintf(format, args...) + " Nothing was changed."}
	}
	switch {
	case e.Root.Kind == RootProject:
		return refuse(RefusedReadOnly, "%s belongs to the project (%s). Change it as a file of the project, with the user's consent.", e.Name, e.Path)
	case e.Root.Kind == RootExternal:
		return refuse(RefusedReadOnly, "%s comes from a folder of skills.external_dirs (%s), which hermes only reads.", e.Name, e.Path)
	case e.Linked:
		return refuse(RefusedReadOnly, "%s is reached through a symbolic link (%s); hermes does not write through links.", e.Name, e.Path)
	case e.Rel == ".":
		return refuse(RefusedReadOnly, "%s is a SKILL.md in the root of the library. Move it into a folder of its own first.", e.Name)
	}
	return l.planOwnership(p, refuse)
}

// planOwnership applies what a pin and the skill's origin mean for the actor.
func (l *Library) planOwnership(p *Plan, refuse func(RefusedCode, string, ...any) *RefusedError) *RefusedError {
	o, err := l.Origin(p.Entry)
	if err != nil {
		if p.by.Actor != ledger.You {
			return refuse(RefusedReadOnly, "Where %s comes from and whether it is pinned cannot be read (%v), so it is left alone.", p.Entry.Name, err)
		}
		o = Origin{}
	}
	if p.Action == Delete && o.Pinned {
		return refuse(RefusedPinned, "%s is pinned, which keeps it from being deleted. The user can unpin it with hermes skills unpin %s.", p.Entry.Name, p.Entry.Dir)
	}
	if p.by.Actor != ledger.Review && p.by.Actor != ledger.Curator {
		return nil
	}
	switch {
	case o.By == OriginBundled:
		return refuse(RefusedReadOnly, "%s came with hermes; reviews leave such skills alone, because the next version would bring its own text. Put what was learned into a skill of its own.", p.Entry.Name)
	case o.By == OriginInstalled:
		return refuse(RefusedReadOnly, "%s was installed from elsewhere; reviews leave such skills alone, because an update would undo the change. Put what was learned into a skill of its own.", p.Entry.Name)
	case o.Pinned:
		p.Held = core.HeldPinned
	case o.By == OriginHand:
		p.Held = core.HeldHandWritten
	}
	return nil
}

func (l *Library) planChange(p *Plan, list []Entry) *RefusedError {
	switch p.Action {
	case Edit:
		if p.Content == nil {
			return missing(p.Name, "content is missing: the whole new text of SKILL.md.")
		}
		return p.replaceSkill(*p.Content)
	case Patch:
		return p.planPatch()
	case WriteFile:
		return p.planWrite()
	case RemoveFile:
		return p.planRemove()
	default:
		return l.planDelete(p, list)
	}
}

// target sets up the change of one file of the skill. must says that it has to exist.
func (p *Plan) target(file string, must bool) (*fileChange, *RefusedError) {
	full, r := inside(p.Entry.Folder, file, true)
	if r != nil {
		return nil, r
	}
	c := fileChange{path: full, rel: file}
	info, err := os.Stat(full)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &RefusedError{Code: RefusedPath, Name: p.Name, Message: file + " is a folder, not a file."}
	}
	c.before, err = os.ReadFile(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.before = nil
		if must {
			r := missing(p.Name, fmt.Sprintf("%s has no file %s.", p.Entry.Name, file))
			r.Available = Files(p.Entry.Folder)
			return nil, r
		}
	case err != nil:
		return nil, &RefusedError{Code: RefusedPath, Name: p.Name, Message: fmt.Sprintf("%s cannot be read: %v.", file, err)}
	case c.before == nil:
		c.before = []byte{}
	}
	if p.Op.Base != "" && c.before != nil && hash(c.before) != p.Op.Base && p.Action != Patch {
		return nil, &RefusedError{Code: RefusedStale, Name: p.Name, Message: fmt.Sprintf("%s of %s was changed since it was last read here. View it again, then make the change on what it says now. Nothing was changed.", file, p.Entry.Name)}
	}
	p.files = []fileChange{c}
	return &p.files[0], nil
}

func (p *Plan) replaceSkill(content string) *RefusedError {
	c, r := p.target(FileName, true)
	if r != nil {
		return r
	}
	if r := checkSkill(p.Entry.Dir, content, c.before); r != nil {
		return r
	}
	if r := checkText(p.Name, content); r != nil {
		return r
	}
	c.after = []byte(content)
	return p.same(c)
}

func (p *Plan) same(c *fileChange) *RefusedError {
	if c.before != nil && string(c.before) == string(c.after) {
		return &RefusedError{Code: RefusedSame, Name: p.Name, Message: "Nothing to change: " + c.rel + " says exactly that already."}
	}
	return nil
}

func (p *Plan) planPatch() *RefusedError {
	if p.Old == nil || *p.Old == "" {
		return missing(p.Name, "old_string is missing: the passage to replace, copied exactly.")
	}
	if p.New == nil {
		return missing(p.Name, "new_string is missing. To delete the passage give an empty new_string.")
	}
	file := FileName
	if strings.TrimSpace(p.File) != "" {
		var r *RefusedError
		if file, r = cleanFile(p.Entry.Dir, p.File); r != nil {
			return r
		}
	}
	c, r := p.target(file, true)
	if r != nil {
		return r
	}
	m, err := fuzzy.Replace(string(c.before), *p.Old, *p.New, p.ReplaceAll)
	if err != nil {
		return unfit(p.Name, file, string(c.before), err)
	}
	if p.Match = m; file == FileName {
		if r := checkSkill(p.Entry.Dir, m.Content, c.before); r != nil {
			return r
		}
	}
	if r := checkText(p.Name, m.Content); r != nil {
		return r
	}
	c.after = []byte(m.Content)
	return p.same(c)
}

// unfit says why a patch found no place, with the start of the file.
func unfit(name, file, content string, err error) *RefusedError {
	r := &RefusedError{Code: RefusedNoMatch, Name: name, Message: file + ": " + err.Error()}
	var f *fuzzy.Error
	if errors.As(err, &f) {
		switch f.Kind {
		case fuzzy.Ambiguous:
			first, rest, _ := strings.Cut(f.Msg, "\n")
			r.Code, r.Message = RefusedAmbiguous, file+": "+strings.TrimSuffix(first, ":")+"."
			r.Matches = strings.Split(rest, "\n")
			return r
		case fuzzy.Identical:
			r.Code = RefusedSame
			return r
		case fuzzy.EmptyOld, fuzzy.NotFound, fuzzy.Refused:
		}
	}
	r.Preview = text.Cut(strings.TrimPrefix(content, "\uFEFF"), 500)
	return r
}

func (p *Plan) planWrite() *RefusedError {
	file, r := cleanFile(p.Entry.Dir, p.File)
	switch {
	case r != nil:
		return r
	case p.Body == nil:
		return missing(p.Name, "file_content is missing. An empty file is written by an empty string.")
	case file == FileName:
		return p.replaceSkill(*p.Body)
	case len(*p.Body) > MaxFileBytes:
		return &RefusedError{Code: RefusedSize, Name: p.Name, Message: fmt.Sprintf("The file has %s bytes; at most %s are allowed. Split it.", text.Thousands(len(*p.Body)), text.Thousands(MaxFileBytes))}
	}
	if r := checkText(p.Name, *p.Body); r != nil {
		return r
	}
	c, r := p.target(file, false)
	if r != nil {
		return r
	}
	c.after = []byte(*p.Body)
	return p.same(c)
}

func (p *Plan) planRemove() *RefusedError {
	file, r := cleanFile(p.Entry.Dir, p.File)
	if r != nil {
		return r
	}
	if file == FileName {
		return &RefusedError{Code: RefusedPath, Name: p.Name, Message: "SKILL.md cannot be removed alone: without it there is no skill. Use action delete to archive the whole skill."}
	}
	_, r = p.target(file, true)
	return r
}

// planDelete: a delete is an archive.
func (l *Library) planDelete(p *Plan, list []Entry) *RefusedError {
	if into := p.AbsorbedInto; into != nil && strings.TrimSpace(*into) != "" {
		m, err := l.find(list, *into)
		if err != nil {
			return &RefusedError{Code: RefusedUnknown, Name: p.Name, Message: fmt.Sprintf("absorbed_into names %q, which is no skill. Nothing was deleted.", text.Cut(oneLine(*into), 80))}
		}
		if m.Path == p.Entry.Path {
			return &RefusedError{Code: RefusedUnknown, Name: p.Name, Message: "absorbed_into names the skill itself. Nothing was deleted."}
		}
	} else if p.by.Actor == ledger.Review {
		return missing(p.Name, "A review deletes a skill only when another one took over what it says: absorbed_into must name it.")
	}
	p.move = l.archivePlace(p.Entry.Dir)
	for _, file := range append(Files(p.Entry.Folder), FileName) {
		data, err := os.ReadFile(filepath.Join(p.Entry.Folder, filepath.FromSlash(file)))
		if err == nil {
			p.Base[l.journalName(filepath.Join(p.Entry.Folder, filepath.FromSlash(file)))] = hash(data)
		}
	}
	return nil
}

// diff is what the plan changes, as a person reads it.
func (p *Plan) diff(l *Library) string {
	var b strings.Builder
	for _, c := range p.files {
		name := l.journalName(c.path)
		from, to := "a/"+name, "b/"+name
		if c.before == nil {
			from = "/dev/null"
		}
		if c.after == nil {
			to = "/dev/null"
		}
		b.WriteString(udiff.Unified(from, to, string(c.before), string(c.after)))
	}
	if p.move != "" {
		fmt.Fprintf(&b, "rename from %s\nrename to %s\n", l.journalName(p.Entry.Folder), l.journalName(p.move))
	}
	return b.String()
}

// Files lists the files of the skill in folder except SKILL.md, sorted, with slashes; hidden folders and
// what links lead to are left out.
func Files(folder string) []string {
	var out []string
	_ = filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error { // what cannot be listed is not there
		switch {
		case err != nil:
			return fs.SkipDir
		case d.IsDir() && p != folder && (strings.HasPrefix(d.Name(), ".") || excluded(d.Name())):
			return fs.SkipDir
		case d.IsDir() || p == filepath.Join(folder, FileName) || len(out) >= 500:
			return nil
		}
		if rel, err := filepath.Rel(folder, p); err == nil {
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	slices.Sort(out)
	return out
}
