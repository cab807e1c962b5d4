package index

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTerms(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"把redis缓存改成64MB":        "把 redis 缓 缓存 存 存改 改 改成 成 64mb 64 mb",
		"fooBar HTTPServer2":    "foobar httpserver2 foo bar http server 2",
		"Ünïcode Café":          "unicode cafe",
		"snake_case kebab-case": "snake case kebab case",
		"ひらがな":                  "ひ ひら ら らが が がな な",
		"한강":                    "한 한강 강",
		"":                      "",
		"***":                   "",
	}
	for in, want := range tests {
		var got []string
		terms(in, func(s string) { got = append(got, s) })
		expect := strings.Fields(want)
		slices.Sort(got)
		slices.Sort(expect)
		if !slices.Equal(got, expect) {
			t.Errorf("terms(%q) = %q, want %q", in, got, expect)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	tests := map[string]string{
		"one two":                  "one two",
		`"one two" three`:          `"one two" three`,
		"西湖 OR 火锅 辣":               "(西湖 OR 火锅) 辣",
		"a -b":                     "a -b",
		"-b":                       "",
		"pre* *mid":                "pre* mid",
		`"unbalanced quote`:        "unbalanced quote",
		"NOT":                      "",
		"AND AND":                  "",
		"OR":                       "",
		"***":                      "",
		"+":                        "",
		"(":                        "",
		"a:b role:user since:2d x": "a:b x",
		"role:king":                "",
		"C++ #123 50% v2.2":        "c++ #123 50% v2.2",
		"wrong-book OR chat-send":  "(wrong-book OR chat-send)",
		"a OR -b c":                "a -b c",
	}
	for in, want := range tests {
		if q := Parse(in, now); q.String() != want {
			t.Errorf("Parse(%q) = %q, want %q", in, q.String(), want)
		}
	}
	q := Parse("role:tool tool:terminal session:abc since:2d before:2026-10-01", now)
	if q.Role != "tool" || q.Tool != "terminal" || q.Session != "abc" || !q.Since.Equal(now.AddDate(0, 0, -2)) || q.Before.Month() != time.October || q.Empty() {
		t.Errorf("%+v", q)
	}
	if q = Parse("since:tomorrow", now); len(q.Notes) != 1 || !q.Empty() {
		t.Errorf("%+v", q)
	}
}

// What the engine need not be asked: whether a text holds a query (OPEN-SE-01, 02, 03).
func TestFits(t *testing.T) {
	t.Parallel()
	const se03 = "fixed chat-send in scripts/deploy.sh for bot@example.org, issue #123, 50% done, it's C++ v2.2 (a:b)"
	const se02 = "把redis缓存改成64MB，重启nginx服务"
	tests := []struct {
		text  string
		yes   []string
		never []string
	}{
		{se03, []string{
			"chat-send", "scripts/deploy.sh", "bot@example.org", "#123", "50%", "it's", "C++", "v2.2", "a:b", `"chat-send in"`, `"chat-send`,
			"wrong-book OR chat-send", "deploy.sh", "deploy", "example", "dep*", "FIXED", "fixed -missing",
		}, []string{"fix", "eploy", "chat-sent", `"in chat-send"`, "fixed -done", "#12", "2.20"}},
		{se02, []string{"redis", "nginx", "64MB", "redis 缓存", "REDIS", "缓存 nginx", "redi*", "重启", "存", "64"}, []string{"red", "缓改", "重启服"}},
		{"周末去杭州看西湖", []string{"西湖", "西湖 OR 火锅", "西湖*", `"西湖"`, "湖"}, []string{"火锅", "辣", "湖西"}},
		{"Crème brûlée ＡＢＣ straße", []string{"creme brulee", "abc", "CRÈME"}, nil},
		{"one\ntwo   three", []string{`"one two three"`, `"two three"`}, []string{`"one three"`}},
		{"getUserName and XMLHttpRequest", []string{"getusername", "user", "http", "xml"}, []string{"username"}},
		{"渡し舟 한강 ferry", []string{"渡し舟", "한강", "ferry"}, []string{"渡舟"}},
	}
	for _, tt := range tests {
		folded := Searchable(tt.text)
		for _, q := range tt.yes {
			if n := Parse(q, time.Time{}).root; n == nil || !n.fits(folded) {
				t.Errorf("%q is not found in %q", q, tt.text)
			}
		}
		for _, q := range tt.never {
			if n := Parse(q, time.Time{}).root; n != nil && n.fits(folded) {
				t.Errorf("%q is found in %q", q, tt.text)
			}
		}
	}
}

// Whatever fits a text asks the engine only for terms the text has: the engine never hides a match.
func FuzzQuery(f *testing.F) {
	f.Add("把redis缓存改成64MB fooBar it's", `redis OR "缓存 x" -zz pre* C++`)
	f.Fuzz(func(t *testing.T, text, query string) {
		q := Parse(query, time.Unix(1e9, 0))
		if q.root == nil || !q.root.fits(Searchable(text)) {
			return
		}
		var have []string
		terms(text, func(s string) { have = append(have, s) })
		if !covered(q.root, have) {
			t.Fatalf("%q fits %q, but the engine would not propose it: %q", q.String(), text, have)
		}
	})
}

// covered plays the engine's part over the terms of a text.
func covered(n node, have []string) bool {
	switch n := n.(type) {
	case wordNode:
		for _, m := range n.must {
			if !slices.Contains(have, m) {
				return false
			}
		}
		if n.begin != "" && !slices.ContainsFunc(have, func(h string) bool { return strings.HasPrefix(h, n.begin) }) {
			return false
		}
		return true
	case andNode:
		return !slices.ContainsFunc(n, func(c node) bool { return !covered(c, have) })
	case orNode:
		return slices.ContainsFunc(n, func(c node) bool { return covered(c, have) })
	}
	return true
}
