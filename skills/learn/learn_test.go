package learn_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/skills"
	"hermes/skills/learn"
)

const good = `---
name: tide-tables
description: Fetch tide tables and read them.
version: 0.1.0
author: Hermes
license: MIT
---

# Tide tables

Fetches and reads tide tables. It draws nothing. It needs a network.

## When to Use

The user asks for tides.

## Prerequisites

None.

## How to Run

Use ` + "`read_file`" + ` on the table.

## Quick Reference

` + "```sh\ncat table.txt | grep high\n```" + `

## Procedure

1. Fetch.

## Pitfalls

- Times are local, because the source says so.

## Verification

The heights differ.
`

func landed(text string) learn.Landed {
	d := skills.Parse([]byte(text))
	return learn.Landed{Text: text, Entry: skills.Entry{Name: d.Meta.Name, Description: d.Meta.Description}}
}

func codes(fs []learn.Finding) []string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Code)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	turn := learn.Turn{Dir: "/p", Tools: []string{"read_file", "search_files", "web_extract", "skill_manage"}}
	long := strings.Repeat("the quick brown fox jumps over the lazy dog and then ", 8)
	for _, c := range []struct {
		name   string
		change func(string) string
		want   []string
	}{
		{"good", func(s string) string { return s }, nil},
		{"description too long", func(s string) string {
			return strings.Replace(s, "Fetch tide tables and read them.", "Fetch tide tables from the coastal service and read them carefully now.", 1)
		}, []string{learn.CodeLong}},
		{"description without an end", func(s string) string { return strings.Replace(s, "read them.", "read them", 1) }, []string{learn.CodeSentence}},
		{"two sentences", func(s string) string {
			return strings.Replace(s, "Fetch tide tables and read them.", "Fetch tides. Read them.", 1)
		}, []string{learn.CodeSentence}},
		{"a person as author", func(s string) string { return strings.Replace(s, "author: Hermes", "author: jdoe", 1) }, []string{learn.CodeAuthor}},
		{"no author", func(s string) string { return strings.Replace(s, "author: Hermes\n", "", 1) }, []string{learn.CodeAuthor}},
		{"a section is missing", func(s string) string { return strings.Replace(s, "## Pitfalls", "## Traps", 1) }, []string{learn.CodeSection}},
		{"sections out of order", func(s string) string {
			s = strings.Replace(s, "## Procedure", "## X", 1)
			s = strings.Replace(s, "## Verification", "## Procedure", 1)
			return strings.Replace(s, "## X", "## Verification", 1)
		}, []string{learn.CodeSection}},
		{"a shell utility as instruction", func(s string) string { return strings.Replace(s, "1. Fetch.", "1. Run `grep high table.txt`.", 1) }, []string{learn.CodeShell}},
		{"a tool that does not exist", func(s string) string { return strings.Replace(s, "1. Fetch.", "1. Use the `fetch_tides` tool.", 1) }, []string{learn.CodeUnknownTool}},
		{"invisible characters", func(s string) string { return strings.Replace(s, "1. Fetch.", "1. Fe\u200btch.\U000E0041", 1) }, []string{learn.CodeInvisible}},
		{"joiners that a script needs", func(s string) string {
			return strings.Replace(s, "1. Fetch.", "1. می\u200cخواهم 👩\u200d💻.", 1)
		}, nil},
		{"invisible letters", func(s string) string { return strings.Replace(s, "1. Fetch.", "1. Fe\u2063tch\u3164.", 1) }, []string{learn.CodeInvisible}},
		{"two tools on a line", func(s string) string {
			return strings.Replace(s, "1. Fetch.", "1. Use `read_file`, then call `fetch_tides`.", 1)
		}, []string{learn.CodeUnknownTool}},
		{"an author in the text only", func(s string) string {
			return strings.Replace(strings.Replace(s, "author: Hermes\n", "", 1), "1. Fetch.", "author: Hermes", 1)
		}, []string{learn.CodeAuthor}},
		{"copied", func(s string) string { return strings.Replace(s, "1. Fetch.", long, 1) }, []string{learn.CodeCopied}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			turn := turn
			turn.Results = []string{"     1|" + strings.ReplaceAll(long, "fox ", "fox\n     2|")}
			if d := cmp.Diff(c.want, codes(learn.Check(turn, []learn.Landed{landed(c.change(good))}))); d != "" {
				t.Error(d)
			}
		})
	}
	again := turn // the skill was looked at once more
	again.Calls, again.Results = []core.ToolCall{{Name: "skill_view", Arguments: "{}"}}, []string{long}
	if got := codes(learn.Check(again, []learn.Landed{landed(strings.Replace(good, "1. Fetch.", long, 1))})); got != nil {
		t.Errorf("the skill is its own copy: %v", got)
	}
	if got := codes(learn.Check(turn, nil)); !slices.Equal(got, []string{learn.CodeNothing}) {
		t.Errorf("nothing written: %v", got)
	}
	l := landed(good)
	l.Warnings = []skills.Warning{{Code: skills.CodeNearDuplicate, Message: "says the same as x"}, {Code: skills.CodeNeverUsed}, {Code: skills.CodeHiddenTools}}
	if got := codes(learn.Check(turn, []learn.Landed{l})); !slices.Equal(got, []string{"near-duplicate"}) {
		t.Errorf("warnings of the library: %v", got)
	}
}

// What is copied over into the other files of a skill is looked at, too.
func TestCheck_otherFiles(t *testing.T) {
	t.Parallel()
	l := landed(good)
	l.Files = map[string]string{"references/a.md": "fine\nx\u202ey\n"}
	got := learn.Check(learn.Turn{}, []learn.Landed{l})
	if len(got) != 1 || got[0].Code != learn.CodeInvisible || got[0].File != "references/a.md" || got[0].Line != 2 {
		t.Errorf("%+v", got)
	}
}

func TestCheck_guard(t *testing.T) {
	t.Parallel()
	l := landed(good)
	l.Guard = []string{"high SKILL.md:9 foreign_index: packages from another place than the usual one"}
	got := learn.Check(learn.Turn{}, []learn.Landed{l})
	if len(got) != 1 || got[0].Code != learn.CodeGuard || !strings.Contains(got[0].Message, "foreign_index") {
		t.Errorf("%+v", got)
	}
}

func TestCheck_sourcesWereRead(t *testing.T) {
	t.Parallel()
	sources := []learn.Source{
		{Kind: learn.File, Name: "a.md", Path: "/p/a.md"}, {Kind: learn.Folder, Name: "docs", Path: "/p/docs"}, {Kind: learn.URL, Name: "https://example.org/x"},
	}
	for _, c := range []struct {
		name string
		call core.ToolCall
		read int // of the sources
	}{
		{"the file", core.ToolCall{Name: "read_file", Arguments: `{"path":"a.md"}`}, 1},
		{"the file, absolute", core.ToolCall{Name: "read_file", Arguments: `{"path":"/p/./a.md"}`}, 1},
		{"by the shell", core.ToolCall{Name: "terminal", Arguments: `{"command":"wc a.md"}`}, 1},
		{"a search around it", core.ToolCall{Name: "search_files", Arguments: `{"path":"/p","query":"x"}`}, 1},
		{"a file of the folder", core.ToolCall{Name: "read_file", Arguments: `{"path":"docs/deep/x.md"}`}, 1},
		{"the address", core.ToolCall{Name: "web_extract", Arguments: `{"urls":["https://example.org/x"]}`}, 1},
		{"by a sub-agent", core.ToolCall{Name: "delegate_task", Arguments: `{"task":"sum up https://example.org/x"}`}, 1},
		{"another file", core.ToolCall{Name: "read_file", Arguments: `{"path":"docs2/x.md"}`}, 0},
		{"a skill that names the address", core.ToolCall{Name: "skill_manage", Arguments: `{"action":"create","content":"see https://example.org/x"}`}, 0},
		{"writing over the file", core.ToolCall{Name: "write_file", Arguments: `{"path":"a.md","content":""}`}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := learn.Check(learn.Turn{Dir: "/p", Sources: sources, Calls: []core.ToolCall{c.call}}, []learn.Landed{landed(good)})
			if n := len(sources) - len(got); n != c.read {
				t.Errorf("%d read: %v", n, got)
			}
		})
	}
}

func TestSources(t *testing.T) {
	t.Parallel()
	there := map[string]bool{"/p/docs": true, "/p/a.md": false, "/p/with blank.md": false, "/abs/文件.md": false, "/home/me/notes": true}
	place := learn.Place{Dir: "/p", Home: "/home/me", Stat: func(p string) (bool, bool) {
		isDir, ok := there[p]
		return isDir, ok
	}}
	got := place.Sources("@docs, and `with blank.md` (a.md) from https://example.org/x. But keep it short; /abs/文件.md nothing.md a.md ~/notes")
	want := []learn.Source{
		{Kind: learn.Folder, Name: "docs", Path: "/p/docs"},
		{Kind: learn.File, Name: "with blank.md", Path: "/p/with blank.md"},
		{Kind: learn.File, Name: "a.md", Path: "/p/a.md"},
		{Kind: learn.URL, Name: "https://example.org/x"},
		{Kind: learn.File, Name: "/abs/文件.md", Path: "/abs/文件.md"},
		{Kind: learn.Folder, Name: "~/notes", Path: "/home/me/notes"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for request, want := range map[string]string{
		"": "", "docs a.md": "", "https://example.org/x": "", "what we did": "", "nothing about /deploy": "",
		"/nosuch/path": "/nosuch/path", "docs ./gone": "./gone", "gone.md": "gone.md", "~/gone https://example.org/x": "~/gone",
	} {
		if got := place.Missing(request); got != want {
			t.Errorf("Missing(%q) = %q, want %q", request, got, want)
		}
	}
}

func TestAsked(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{"/learn": "", "/learn docs/ please": "docs/ please", " /learn\nx": "x"} {
		if got, ok := learn.Asked(s); !ok || got != want {
			t.Errorf("Asked(%q) = %q, %v", s, got, ok)
		}
	}
	for _, s := range []string{"/learning", "learn x", "", "what is /learn"} {
		if _, ok := learn.Asked(s); ok {
			t.Errorf("Asked(%q)", s)
		}
	}
}

// Each clause of the standard.
func TestRequest(t *testing.T) {
	t.Parallel()
	r := learn.Request("  ")
	for _, want := range []string{
		learn.WhatWeDid, "at most 60 characters", "author: Hermes, always", "read_file and search_files", "web_extract", "requirements", "no orders",
		"invisible characters", "extend it with skill_manage", "## When to Use", "## Verification", "references/", "you have not seen in a source",
		"platforms: only", "instead of cat, grep or sed", "your own words",
	} {
		if !strings.Contains(r, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	if r := learn.Request("docs/ short please"); !strings.HasSuffix(r, "The sources:\ndocs/ short please") {
		t.Errorf("%s", r[len(r)-80:])
	}
}

func FuzzSources(f *testing.F) {
	for _, s := range []string{"a b", "'a b' c", "`", "https://[", "@", "…"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		place := learn.Place{Dir: "/p", Stat: func(string) (bool, bool) { return false, true }}
		place.Sources(s)
		if gone := place.Missing(s); gone != "" {
			t.Errorf("%q is missing where everything is", gone)
		}
		learn.Repairs(s)
		learn.Check(learn.Turn{Results: []string{s}}, []learn.Landed{landed(s)})
	})
}
