package skills

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core/ledger"
	"hermes/core/text"
)

// OPEN-SK-01
func TestCase_colonInDescription(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	const src = "---\nname: tide-table\ndescription: Read tide data: heights, times and moon phase\n---\n# Tide table\nStep 1. Fetch.\n"
	file := write(t, r.home.Skills(), "tide-table/SKILL.md", src)
	e := r.entry(t, "tide-table")
	if e.Description != "Read tide data: heights, times and moon phase" {
		t.Errorf("%q", e.Description)
	}
	if e.Fault.Code != CodeLenient || e.Fault.Line != 3 {
		t.Errorf("%+v", e.Fault)
	}
	checked, err := r.Check(t.Context(), Scope{})
	if err != nil {
		t.Fatal(err)
	}
	if w := checked[0].Warnings[0]; w.Code != CodeLenient || !strings.Contains(w.Message, file) || w.Line != 3 {
		t.Errorf("%+v", w)
	}
	out := r.must(t, Op{Action: Patch, Name: "tide-table", Old: ptr("Step 1. Fetch."), New: ptr("Step 1. Fetch twice.")})
	if got := read(t, file); got != strings.Replace(src, "Fetch.", "Fetch twice.", 1) {
		t.Errorf("%q", got)
	}
	if !strings.Contains(codes(out.Plan.Warnings), "lenient-frontmatter") {
		t.Errorf("%v", out.Plan.Warnings)
	}
	before := tree(t, r.home.Skills())
	_, err = r.Do(t.Context(), ledger.Change{Actor: ledger.Agent}, Op{Action: Patch, Name: "tide-table", Old: ptr("name: tide-table"), New: ptr("name: tide-tables")}, nil)
	if err == nil || !strings.Contains(err.Error(), "invalid before this edit") || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("%v", err)
	}
	_, err = r.Do(t.Context(), ledger.Change{Actor: ledger.Agent}, Op{Action: Create, Name: "tide-two", Content: ptr(strings.Replace(src, "tide-table", "tide-two", 1))}, nil)
	if err == nil || !strings.Contains(err.Error(), "colon") {
		t.Errorf("%v", err)
	}
	if tree(t, r.home.Skills()) != before {
		t.Error("something was left behind")
	}
}

// OPEN-SK-02
func TestCase_markAndLineEnds(t *testing.T) {
	t.Parallel()
	const src = "---\nname: kiln-log\ndescription: Keep a firing log\nplatforms: [linux, macos, windows]\n---\n# Kiln log\nWrite cone\uFEFF and time.\n"
	for name, data := range map[string]string{
		"lf": src, "crlf": strings.ReplaceAll(src, "\n", "\r\n"), "bom": "\uFEFF" + src, "both": "\uFEFF" + strings.ReplaceAll(src, "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			write(t, r.home.Skills(), "kiln-log/SKILL.md", data)
			e := r.entry(t, "kiln-log")
			if e.Name != "kiln-log" || e.Description != "Keep a firing log" || len(e.Meta.Platforms) != 3 || e.Fault.Code != "" {
				t.Errorf("%+v", e)
			}
			d := Parse([]byte(data))
			if body := strings.ReplaceAll(d.Body, "\r", ""); body != "# Kiln log\nWrite cone\uFEFF and time.\n" {
				t.Errorf("%q", body)
			}
			x, err := r.Index(t.Context(), Scope{})
			if err != nil || strings.ContainsAny(x.Text, "\r\uFEFF") || !strings.Contains(x.Text, "    - kiln-log: Keep a firing log\n") {
				t.Errorf("%v %q", err, x.Text)
			}
		})
	}
}

// OPEN-SK-03
func TestCase_blockScalars(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{">-", "|", "|-", ">+", ">2"} {
		t.Run(mark, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			write(t, r.home.Skills(), "bread-plan/SKILL.md", "---\nname: bread-plan\ndescription: "+mark+"\n  Plan a two day bake.\n\n  Use for sourdough: timing, folds\n  and oven steps.\nmetadata:\n  description: not this one\n---\n# Bread\nMix.\n")
			e := r.entry(t, "bread-plan")
			if !strings.HasPrefix(e.Description, "Plan a two day bake.") || !strings.HasSuffix(e.Description, "sourdough: timing, folds and oven steps.") {
				t.Errorf("%q", e.Description)
			}
			x, err := r.Index(t.Context(), Scope{})
			if err != nil || !strings.Contains(x.Text, "    - bread-plan: Plan a two day bake. Use for sourdough: timing, folds and...\n") {
				t.Errorf("%v %s", err, x.Text)
			}
		})
	}
}

// OPEN-SK-04
func TestCase_longFrontmatter(t *testing.T) {
	t.Parallel()
	for _, n := range []int{200, 2000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "  made_up_key_number_%04d: \"some value or other\"\n", i)
			}
			write(t, r.home.Skills(), "x/long/SKILL.md", "---\nmetadata:\n"+b.String()+"name: long-one\ndescription: Read to the end\nplatforms: linux\n---\n# Long\nGo.\n")
			e := r.entry(t, "long-one")
			if e.Description != "Read to the end" || e.Name != "long-one" || e.Fault.Code != "" || len(e.Meta.Platforms) != 1 {
				t.Errorf("%+v", e.Fault)
			}
			x, err := r.Index(t.Context(), Scope{})
			if err != nil || !strings.Contains(x.Text, "- long-one: Read to the end") {
				t.Errorf("%v %s", err, x.Text)
			}
		})
	}
}

// OPEN-SK-05
func TestCase_closingFence(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	files := map[string]string{
		"knot-1": "---\nname: knot-1\ndescription: \"keep a---b together\"\n---\nBody.\n",
		"knot-2": "---\nname: knot-2\ndescription: two\n---\nBody.\n---\nMore.\n",
		"knot-3": "---\nname: knot-3\ndescription: three\n---  \nBody.\n",
		"knot-4": "---\nname: knot-4\ndescription: |\n  four\n  ---\n  more\n---\nBody.\n",
		"knot-5": "---\nname: knot-5\ndescription: five\n---",
		"knot-6": "---\nname: knot-6\ndescription: six\n----\nBody.\n",
	}
	for name, s := range files {
		write(t, r.home.Skills(), name+"/SKILL.md", s)
		d := Parse([]byte(s))
		if f := text.Frontmatter(s); f.Body != d.End && f.Found {
			t.Errorf("%s: the readers disagree", name)
		}
	}
	list, err := r.Entries(t.Context())
	if err != nil || len(list) != 6 {
		t.Fatal(list, err)
	}
	want := []string{"keep a---b together", "two", "three", "four --- more", "five", ""}
	for i, e := range list {
		if e.Name != fmt.Sprintf("knot-%d", i+1) || e.Description != want[i] {
			t.Errorf("%s %q", e.Name, e.Description)
		}
	}
	if list[5].Fault.Code != CodeUnreadable {
		t.Errorf("%+v", list[5].Fault)
	}
	if d := Parse([]byte(files["knot-2"])); d.Body != "Body.\n---\nMore.\n" {
		t.Errorf("%q", d.Body)
	}
	if d := Parse([]byte(files["knot-6"])); strings.Contains(d.Body, "name:") || !strings.Contains(d.Body, "Body.") {
		t.Errorf("%q", d.Body)
	}
	x, err := r.Index(t.Context(), Scope{})
	if err != nil || strings.Contains(x.Text, "description:") || !strings.Contains(x.Text, "    - knot-6\n") {
		t.Errorf("%v %s", err, x.Text)
	}
}

func TestParse_oddValues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		src  string
		want Meta
	}{
		"null lists": {"name: a\ndescription: ~\nplatforms: null\nmetadata:\n  hermes:\n    requires_tools: null\n", Meta{Name: "a"}},
		"scalars as lists": {
			"name: 42\ndescription: d\nplatforms: linux\nmetadata:\n  hermes:\n    requires_tools: terminal\n    tags: x\n",
			Meta{Name: "42", Description: "d", Platforms: []string{"linux"}, Tags: []string{"x"}, Conditions: Conditions{RequiresTools: []string{"terminal"}}},
		},
		"wrong parents": {"name: a\ndescription: d\nmetadata: [1, 2]\nprerequisites: x\nsetup: 3\n", Meta{Name: "a", Description: "d"}},
		"a quote that goes on": {`name: a
description: "Fast" deploys
platforms: [linux]
`, Meta{Name: "a", Description: `Fast" deploys`, Platforms: []string{"linux"}}},
		"broken beyond repair": {"name: a\ndescription: d\n\tx: [1\nplatforms: [linux, macos]\ntags:\n- one\n- two\n", Meta{Name: "a", Description: "d", Platforms: []string{"linux", "macos"}, Tags: []string{"one", "two"}}},
		"variables": {
			"name: a\ndescription: d\nrequired_environment_variables:\n- A_KEY\n- name: B_KEY\n  prompt: b?\n  optional: true\n- bad name\nprerequisites:\n  env_vars: [A_KEY, C_KEY]\n",
			Meta{Name: "a", Description: "d", Variables: []Variable{{Name: "A_KEY", Prompt: "Enter value for A_KEY"}, {Name: "B_KEY", Prompt: "b?", Optional: true}, {Name: "C_KEY", Prompt: "Enter value for C_KEY"}}},
		},
		"settings": {
			"name: a\ndescription: d\nmetadata:\n  hermes:\n    config:\n    - key: wiki.path\n      description: Where\n      default: ~/wiki\n    - key: wiki.path\n      description: twice\n",
			Meta{Name: "a", Description: "d", Settings: []Setting{{Key: "wiki.path", Description: "Where", Default: "~/wiki", Prompt: "Where"}}},
		},
		"an alias": {"name: &n abc\ndescription: *n\n", Meta{Name: "abc", Description: "abc"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := Parse([]byte("---\n" + c.src + "---\nbody\n"))
			d.Meta.Keys = nil
			if diff := cmp.Diff(c.want, d.Meta); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A thousand broken files are all listed, with their reasons.
func TestEntries_whenManyAreBroken(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for i := range 1000 {
		write(t, r.home.Skills(), fmt.Sprintf("broken/b%03d/SKILL.md", i), []string{"", "---\n", "---\n: [\n---\n", "\xff\xfe\x00", "---\nname: [\n"}[i%5])
	}
	if err := os.MkdirAll(r.home.Skills()+"/broken/dir/SKILL.md", 0o700); err != nil {
		t.Fatal(err)
	}
	list, err := r.Entries(t.Context())
	if err != nil || len(list) != 1000 {
		t.Fatal(len(list), err)
	}
	for _, e := range list {
		if e.Fault.Code == "" || e.Name == "" {
			t.Errorf("%+v", e)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"---\nname: a\ndescription: b: c\n---\nbody", "---\nx: [\n---", "---\na: &a [*a]\n---\n", "---\n\"\": |\n - x\n---\n", "\uFEFF---\r\nname: >-\r\n  x\r\n---\r\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := Parse(data)
		if d.End > len(data) || d.Has && d.Strict && d.Problem != nil || !d.Has && d.Problem == nil {
			t.Errorf("%+v", d)
		}
		rec := fileRecord{}
		rec.note(data)
		e := rec.entry(found{rel: "x/y"})
		if strings.ContainsAny(e.Name+e.Description, "\n\r") || text.Len(e.Short()) > IndexDescription {
			t.Errorf("%q %q", e.Name, e.Description)
		}
	})
}
