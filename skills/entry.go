package skills

import (
	"path"
	"strings"
	"time"

	"hermes/core/text"
	"hermes/core/threat"
)

// The names and limits of the library. Lengths are code points.
const (
	FileName         = "SKILL.md"
	categoryFile     = "DESCRIPTION.md"
	MaxName          = 64
	MaxDescription   = 1024
	IndexDescription = 60      // what the prompt shows of a description, "..." included
	MaxContent       = 100_000 // of a SKILL.md and of any other file
	MaxFileBytes     = 1 << 20
	archiveFolder    = ".archive"
	kind             = "skill" // what the ledger's subjects of this package begin with
)

// RootKind says where a root of skills comes from.
type RootKind string

// The kinds, in the order of precedence.
const (
	RootProject  RootKind = "project"  // .hermes/skills and .agents/skills of a trusted project
	RootHome     RootKind = "home"     // the person's library; the only one that is written
	RootExternal RootKind = "external" // skills.external_dirs
)

// Root is a folder with skills.
type Root struct {
	Kind RootKind
	Path string // absolute
}

// Entry is one skill as it stands on disk. Entries are values; nothing in them may be changed.
type Entry struct {
	Name        string // from the frontmatter, else Dir
	Dir         string // name of its folder
	Category    string // folders between root and skill, joined by "/"; "" for none
	Description string // whole, on one line
	Path        string // of SKILL.md, absolute
	Folder      string // absolute
	Rel         string // the folder below its root, with slashes
	Root        Root
	Meta        Meta
	Linked      bool // reached through a symbolic link; never written
	Size        int64
	Modified    time.Time
	// Fault is what is wrong with the file, with its code; the zero value is nothing.
	Fault Warning
	// Threat names what keeps the description out of prompts; "" for nothing.
	Threat string
}

// Subject is the skill's name in the ledger.
func (e Entry) Subject() string { return kind + ":" + e.Rel }

// Qualified is the name that is never ambiguous within a root: "category/folder".
func (e Entry) Qualified() string { return e.Rel }

// Named reports whether name means the skill, by its folder or its frontmatter.
func (e Entry) Named(name string) bool { return e.Dir == name || e.Name == name }

// Short is the description as the prompt shows it, before escaping.
func (e Entry) Short() string { return text.Cut(e.Description, IndexDescription) }

// Cut reports whether the prompt shows less than the whole description.
func (e Entry) Cut() bool { return text.Len(e.Description) > IndexDescription }

// fileRecord is what is known of a SKILL.md or DESCRIPTION.md, as the snapshot keeps it.
type fileRecord struct {
	Mtime  int64  `json:"mtime"` // nanoseconds
	Size   int64  `json:"size"`
	Read   int64  `json:"read"` // when it was read, nanoseconds
	Hash   string `json:"hash"` // of what was read, to see whether anything changed
	Meta   Meta   `json:"meta"`
	Code   Code   `json:"code,omitempty"`
	Line   int    `json:"line,omitempty"`
	Fault  string `json:"fault,omitempty"`
	Threat string `json:"threat,omitempty"`
}

// entry makes the entry of a skill found at folder.
func (r *fileRecord) entry(f found) Entry {
	e := Entry{
		Name: r.Meta.Name, Dir: path.Base(f.rel), Description: oneLine(r.Meta.Description), Path: f.file, Folder: f.folder,
		Rel: f.rel, Root: f.root, Meta: r.Meta, Linked: f.linked, Size: r.Size, Modified: time.Unix(0, r.Mtime), Threat: r.Threat,
	}
	if f.rel == "." {
		e.Dir = path.Base(strings.ReplaceAll(f.folder, `\`, "/"))
	} else if c := path.Dir(f.rel); c != "." {
		e.Category = c
	}
	if e.Name == "" {
		e.Name = e.Dir
	}
	e.Name = text.Cut(oneLine(e.Name), MaxName)
	if r.Code != "" {
		e.Fault = Warning{Code: r.Code, Message: r.Fault, File: FileName, Line: r.Line}
	}
	return e
}

// oneLine folds s to one visible line; invisible marks are taken out.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text.OneLine(text.CleanUTF8(s)), "\uFEFF", "")), " ")
}

// poison names the pattern that keeps the text of a skill's line out of prompts, "" for none.
func poison(name, description string) string {
	if f := threat.Blocking(threat.Scan(name+"\n"+description, threat.Strict)); f != nil {
		return f.ID
	}
	return ""
}
