package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes/cmd/hermes/internal/app"
	"hermes/core"
	"hermes/core/home"
	"hermes/core/text"
	"hermes/skills"
	"hermes/skills/guard"
	"hermes/tui/cell"
)

func (x *cli) skills() *cobra.Command {
	c := group("skills", "See and tend what the agent knows how to do", x.skillsList(), x.skillsShow(), x.skillsCheck(), x.skillsScan(), x.skillsConfig(),
		x.skillsHistory(), x.skillsBlame(), x.skillsDiff(), x.skillsRollback(), x.skillsPin(), x.skillsUnpin(), x.skillsArchive(), x.skillsRestore(),
		x.skillsTrust(), x.skillsIndex(), x.skillsShorten(), x.skillsEdit(), x.skillsDelete())
	c.Long = "See and tend what the agent knows how to do. NAME is a skill's name, or category/name.\nWhat you change reaches the prompt in the next session."
	return c
}

// library opens the skills as a session here would see them.
func (x *cli) library() (*app.App, *skills.Library, error) {
	a, err := x.openLoud()
	if err != nil {
		return nil, nil, err
	}
	l, _ := a.SkillsAt(x.Dir, nil)
	return a, l, nil
}

// skill is the library with the one skill a person named.
func (x *cli) skill(ctx context.Context, name string) (*app.App, *skills.Library, skills.Match, error) {
	a, l, err := x.library()
	if err != nil {
		return nil, nil, skills.Match{}, err
	}
	m, err := l.Find(ctx, name)
	return a, l, m, err
}

// libraryToChange is the library of a home that is there to be written, for people only.
func (x *cli) libraryToChange(what string) (*app.App, *skills.Library, error) {
	if err := x.forPeople(what); err != nil {
		return nil, nil, err
	}
	a, l, err := x.library()
	if err != nil {
		return nil, nil, err
	}
	return a, l, a.Home.Open()
}

// skillRow is a skill as list prints it.
type skillRow struct {
	Name             string           `json:"name"`
	Category         string           `json:"category"`
	Description      string           `json:"description"`
	IndexName        string           `json:"index_name"`
	IndexDescription string           `json:"index_description"`
	Path             string           `json:"path"`
	Root             skills.RootKind  `json:"root"`
	CreatedBy        string           `json:"created_by"`
	State            string           `json:"state"`
	Pinned           bool             `json:"pinned"`
	Visible          bool             `json:"visible"`
	HiddenBy         []skills.Code    `json:"hidden_by"`
	Warnings         []skills.Warning `json:"warnings"`
	Uses             int              `json:"uses"`
	LastUsed         *time.Time       `json:"last_used"`
}

func skillRowOf(c skills.Checked) skillRow {
	r := skillRow{
		Name: c.Name, Category: c.Category, Description: c.Description, IndexName: c.IndexName, IndexDescription: c.IndexDescription, Path: c.Path, Root: c.Root.Kind,
		CreatedBy: string(c.Origin.By), State: skills.StateActive, Pinned: c.Origin.Pinned, Visible: c.Visible,
		HiddenBy: append([]skills.Code{}, c.HiddenBy...), Warnings: append([]skills.Warning{}, c.Warnings...), Uses: c.Origin.Record.UseCount,
	}
	if s := c.Origin.Record.State; s != "" {
		r.State = s
	}
	if at := c.Origin.Record.LastUsed; !at.IsZero() {
		r.LastUsed = &at
	}
	return r
}

func (x *cli) skillsList() *cobra.Command {
	var archived bool
	c := command("list", "List the skills as the prompt shows them, and those it does not show", func(cmd *cobra.Command, _ []string) error {
		a, l, err := x.library()
		if err != nil {
			return err
		}
		if archived {
			return x.archived(l)
		}
		checked, err := l.Check(cmd.Context(), a.SkillScope())
		if err != nil {
			return err
		}
		rows := []skillRow{}
		counts := map[string]int{"visible": 0, "hidden": 0, "warned": 0}
		for _, c := range checked {
			rows = append(rows, skillRowOf(c))
			if c.Visible {
				counts["visible"]++
			} else {
				counts["hidden"]++
			}
			if warned(c.Warnings) {
				counts["warned"]++
			}
		}
		if x.json {
			return x.print(map[string]any{"skills": rows, "counts": counts})
		}
		slices.SortStableFunc(rows, func(p, q skillRow) int { return strings.Compare(p.Category, q.Category) })
		category := "\x00"
		for _, r := range rows {
			if r.Category != category {
				category = r.Category
				x.printf("%s\n", text.OneLine(cmp.Or(category, "general")))
			}
			mark := "  "
			switch {
			case !r.Visible:
				mark = "– "
			case warned(r.Warnings):
				mark = "! "
			}
			name := text.OneLine(r.IndexName)
			x.printf("  %s%s%s %s\n", mark, name, strings.Repeat(" ", max(28-cell.Width(name), 0)), text.OneLine(r.IndexDescription))
		}
		x.printf("%d shown, %d hidden, %d with warnings (hermes skills check)\n", counts["visible"], counts["hidden"], counts["warned"])
		if len(rows) == 0 {
			x.printf("The skills that come with hermes are put there when the first session begins.\n")
		}
		return nil
	}, cobra.NoArgs)
	c.Flags().BoolVar(&archived, "archived", false, "list what is in the archive instead")
	return c
}

// archived lists the archive.
func (x *cli) archived(l *skills.Library) error {
	list, err := l.ArchiveList()
	if err != nil {
		return err
	}
	type row struct {
		Name        string `json:"name"`
		From        string `json:"from"`
		Description string `json:"description"`
		Path        string `json:"path"`
	}
	rows := []row{}
	for _, a := range list {
		rows = append(rows, row{a.Name, a.From, a.Entry.Description, a.Folder})
	}
	if x.json {
		return x.print(map[string]any{"archived": rows})
	}
	for _, r := range rows {
		x.printf("%-36s %s\n", text.OneLine(r.Name), text.OneLine(cmp.Or(r.From, r.Description)))
	}
	x.printf("%s in the archive; bring one back with hermes skills restore NAME\n", text.Count(len(rows), "skill", "skills"))
	return nil
}

// warned reports whether there is something to put right.
func warned(list []skills.Warning) bool {
	return slices.ContainsFunc(list, func(w skills.Warning) bool { return !w.Code.Information() && !w.Code.Hides() })
}

func (x *cli) skillsShow() *cobra.Command {
	return command("show NAME", "Show one skill: text, files, warnings, use", func(cmd *cobra.Command, args []string) error {
		a, l, m, err := x.skill(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		checked, err := l.Check(cmd.Context(), a.SkillScope())
		if err != nil {
			return err
		}
		i := slices.IndexFunc(checked, func(c skills.Checked) bool { return c.Path == m.Path })
		if i < 0 {
			return &core.Error{Code: core.CodeNotFound, Op: "show skill", Subject: args[0]}
		}
		data, err := skills.ReadSome(m.Path)
		if err != nil {
			return &core.Error{Op: "read skill", Subject: m.Path, Err: err}
		}
		row, files := skillRowOf(checked[i]), skills.Files(m.Folder)
		if x.json {
			return x.print(map[string]any{"skill": row, "content": text.CleanUTF8(string(data)), "files": append([]string{}, files...)})
		}
		x.printf("%s  (%s, %s, used %d times)\n%s\nin the prompt: %s\n", m.Qualified(), row.CreatedBy, row.State, row.Uses, m.Path, cmp.Or(row.IndexDescription, "(no description)"))
		for _, w := range row.Warnings {
			x.printf("  ! %s: %s\n", w.Code, text.OneLine(w.Message))
		}
		for _, f := range files {
			x.printf("  %s\n", text.OneLine(f))
		}
		x.printf("\n%s\n", text.Neutralise(string(data)))
		if int64(len(data)) < m.Size {
			x.printf("[only the first %s of %s bytes]\n", text.Thousands(len(data)), text.Thousands(int(m.Size)))
		}
		return nil
	}, cobra.ExactArgs(1))
}

func (x *cli) skillsCheck() *cobra.Command {
	return command("check [PATH|NAME…]", "Say what deserves a look; exit 5 when something does, 1 when a skill cannot be read", func(cmd *cobra.Command, args []string) error {
		a, l, err := x.library()
		if err != nil {
			return err
		}
		var paths []string
		for _, arg := range args {
			p, err := home.ResolvePath(a.Abs(arg))
			if err != nil {
				return err
			}
			if _, err := os.Stat(p); err != nil {
				m, ferr := l.Find(cmd.Context(), arg)
				if ferr != nil {
					return &core.Error{Code: core.CodeNotFound, Op: "check skills", Subject: arg, Err: errNoSkill, Hint: "name a folder with a SKILL.md, or a skill"}
				}
				if p, err = home.ResolvePath(m.Folder); err != nil {
					return err
				}
			}
			paths = append(paths, p)
		}
		foreign := slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
			return slices.ContainsFunc(l.Roots(), func(r skills.Root) bool { return home.Within(r.Path, p) })
		})
		if len(foreign) > 0 {
			l = l.With(func(o *skills.Options) { o.External = append(slices.Clone(o.External), foreign...) })
		}
		checked, err := l.Check(cmd.Context(), a.SkillScope())
		if err != nil {
			return err
		}
		checked = slices.DeleteFunc(checked, func(c skills.Checked) bool {
			return len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool { return home.Within(p, c.Path) })
		})
		scanner := guard.New(guard.Options{})
		for i := range checked {
			if err := skills.Suspect(cmd.Context(), scanner, &checked[i]); err != nil {
				return err
			}
		}
		return x.sayChecked(checked, outOfReach(l, paths))
	}, cobra.ArbitraryArgs)
}

var errNoSkill = errors.New("there is no such folder and no such skill")

// outOfReach are the files and folders below paths (all, without one) that could not be looked into.
func outOfReach(l *skills.Library, paths []string) []string {
	out := []string{}
	for _, err := range l.Problems() {
		var at *fs.PathError
		if len(paths) > 0 && errors.As(err, &at) && !slices.ContainsFunc(paths, func(p string) bool { return home.Within(p, at.Path) }) {
			continue
		}
		out = append(out, err.Error())
	}
	return out
}

func (x *cli) sayChecked(checked []skills.Checked, problems []string) error {
	type row struct {
		Name     string           `json:"name"`
		Path     string           `json:"path"`
		Warnings []skills.Warning `json:"warnings"`
	}
	rows, found, unreadable := []row{}, 0, len(problems) > 0
	for _, c := range checked {
		rows = append(rows, row{c.Name, c.Path, append([]skills.Warning{}, c.Warnings...)})
		if slices.ContainsFunc(c.Warnings, func(w skills.Warning) bool { return !w.Code.Information() }) {
			found++
		}
		for _, w := range c.Warnings {
			unreadable = unreadable || w.Code == skills.CodeUnreadable
		}
	}
	if x.json {
		if err := x.print(map[string]any{"skills": rows, "problems": problems}); err != nil {
			return err
		}
	}
	for _, p := range problems {
		if !x.json {
			x.printf("%s\n", text.OneLine(p))
		}
	}
	for _, r := range rows {
		if x.json || len(r.Warnings) == 0 {
			continue
		}
		x.printf("%s  %s\n", text.OneLine(r.Name), r.Path)
		for _, w := range r.Warnings {
			where := ""
			if w.Line > 0 {
				where = fmt.Sprintf(" (%s:%d)", w.File, w.Line)
			}
			x.printf("  %s: %s%s\n", w.Code, text.OneLine(w.Message), where)
		}
	}
	if !x.json {
		rest := "nothing to put right"
		if found > 0 {
			rest = fmt.Sprintf("%d with something to look at", found)
		}
		x.printf("%s, %s\n", text.Count(len(rows), "skill", "skills"), rest)
	}
	switch {
	case unreadable:
		return exitError(ExitFailed)
	case found > 0:
		return exitError(ExitFindings)
	}
	return nil
}

// scanRow is a scanned skill as it is printed.
type scanRow struct {
	Name     string          `json:"name"`
	Path     string          `json:"path"`
	Verdict  guard.Verdict   `json:"verdict"`
	Decision guard.Decision  `json:"decision"`
	Findings []guard.Finding `json:"findings"`
	Scanned  int             `json:"files_scanned"`
	Skipped  []guard.Skipped `json:"files_skipped"`
}

func (x *cli) skillsScan() *cobra.Command {
	var source string
	c := command("scan PATH|NAME", "Look for attacks in a skill, or in all below a folder; exit 5 when one is not simply let in", func(cmd *cobra.Command, args []string) error {
		if !slices.Contains([]string{string(guard.Builtin), string(guard.Trusted), string(guard.Community), string(guard.AgentCreated)}, source) {
			return usageError("unknown source %q: use builtin, trusted, community or agent-created", source)
		}
		folders, err := x.scanned(cmd, args[0])
		if err != nil {
			return err
		}
		scanner, rows, stop := guard.New(guard.Options{}), []scanRow{}, false
		for _, dir := range folders {
			r, err := scanner.Dir(cmd.Context(), dir, nil)
			if err != nil {
				return err
			}
			d := guard.Decide(guard.Source(source), r.Verdict)
			stop = stop || d != guard.Allow
			rows = append(rows, scanRow{r.Name, dir, r.Verdict, d, r.Findings, r.FilesScanned, r.FilesSkipped})
			if !x.json {
				x.printf("%s  → %s\n", text.Neutralise(strings.TrimRight(r.Text(), "\n")), d)
			}
		}
		if x.json {
			if err := x.print(map[string]any{"skills": rows}); err != nil {
				return err
			}
		}
		if stop {
			return exitError(ExitFindings)
		}
		return nil
	}, cobra.ExactArgs(1))
	c.Flags().StringVar(&source, "source", string(guard.Community), "where it comes from: builtin, trusted, community, agent-created")
	return c
}

// scanned are the folders of the skills at a path, or of the skill of that name.
func (x *cli) scanned(cmd *cobra.Command, arg string) ([]string, error) {
	a, l, err := x.library()
	if err != nil {
		return nil, err
	}
	path := a.Abs(arg)
	info, err := os.Stat(path)
	if err != nil {
		m, ferr := l.Find(cmd.Context(), arg)
		if ferr != nil {
			return nil, &core.Error{Code: core.CodeNotFound, Op: "scan", Subject: arg, Err: errNoSkill, Hint: "name a folder with a SKILL.md, or a skill"}
		}
		return []string{m.Folder}, nil
	}
	if !info.IsDir() {
		if filepath.Base(path) != skills.FileName {
			return nil, usageError("scan %s: it is a file; name the folder of a skill, or its SKILL.md", arg)
		}
		return []string{filepath.Dir(path)}, nil
	}
	found, err := skills.New(skills.Options{Home: home.At(filepath.Join(path, ".nowhere")), External: []string{path}}).Entries(cmd.Context())
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range found {
		out = append(out, e.Folder)
	}
	if len(out) == 0 {
		out = []string{path} // an incomplete skill is looked at as well
	}
	return out, nil
}
