package index

import (
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"hermes/core"
)

// The words of what calls wrote and answered are found at the beginnings of their lines too, behind quotation marks,
// and in whatever way the model's server wrote Chinese.
func TestSearch_insideJSON(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.header("s1")
	s.append("s1", core.Record{Type: core.RecordMessage, Time: time.Now().UTC(), Message: &core.Message{
		ID: "a", Role: core.RoleAssistant, ToolCalls: []core.ToolCall{{
			ID: "c", Name: "write_file",
			Arguments: `{"path":"C:\\new\\table.py","content":"import os\nbehind = \"named\"\n\treturn tabbed\n# \u897f\u6e56 \ud83d\ude80"}`,
		}},
	}})
	s.say("s2", core.RoleTool, `{"success":true,"content":"---\nname: x\n---\nregistry: reg.lan\nnever guess"}`)
	s.say("s3", core.RoleTool, `a literal C:\nowhere in a log`)
	x := s.index()
	for q, want := range map[string]string{
		"behind": "s1", `"import os behind"`: "s1", "named": "s1", "tabbed": "s1", `C:\new\table.py`: "s1", "table.py": "s1", "西湖": "s1", "nbehind": "",
		"registry": "s2", `"reg.lan never guess"`: "s2", "nowhere": "s3",
	} {
		wantFound(t, x, q, want)
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                     "",
		"no escapes":           "no escapes",
		`a\nb\tc\r\nd`:         "a\nb\tc \nd",
		`\"q\" \\n \/`:         `"q" \n /`,
		`\u4e2d\u6587`:         "中文",
		`\ud83d\ude80!`:        "🚀!",
		`\ud83dx`:              "\uFFFDx",
		`\ud83d\u0041`:         "\uFFFDA",
		`cut off \u4e`:         `cut off \u4e`,
		`\`:                    `\`,
		`\x41 \uZZZZ`:          `\x41 \uZZZZ`,
		`{"a":"line\nanother"`: "{\"a\":\"line\nanother\"",
	} {
		if got := plain(in); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]bool{
		`{"a":1}`: true, "[\n  {": true, " {\n\"a": true, `["x"]`: true, "{}": false, "[+] Building": false, "": false, "{": false, "1|from flask": false, "[exit code 1]": false,
	} {
		if got := looksLikeJSON(in); got != want {
			t.Errorf("looksLikeJSON(%q) = %v", in, got)
		}
	}
}

// FuzzPlain: a string that JSON reads is read the same, but for the few signs that become blanks or line breaks.
func FuzzPlain(f *testing.F) {
	for _, s := range []string{"", "a\nb", `\u4e2d`, "🚀 \\ \"", "\x00\x1f", `\ud83d`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if out := plain(s); utf8.ValidString(s) && !utf8.ValidString(out) {
			t.Fatalf("%q became invalid: %q", s, out)
		}
		for _, r := range s {
			if r == '\r' || r == '\b' || r == '\f' || r == utf8.RuneError {
				return
			}
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := plain(string(b[1 : len(b)-1])); got != s {
			t.Fatalf("%q came back as %q from %s", s, got, b)
		}
	})
}
