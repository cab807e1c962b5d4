package skills

import (
	"strings"
	"testing"

	"hermes/core/text"
)

func TestShorten(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Deploy Next.js apps.": "Deploy Next.js apps.",
		"Deploys Flask apps to Kubernetes with health checks and rollbacks. Use when the user asks to deploy a Flask app.":                              "Deploy a Flask app",
		"Comprehensive guide for building Flask services, with blueprints, testing, packaging and deployment to several clouds":                         "Building Flask services",
		"Use this skill when working with spreadsheets (.xlsx, .csv) that need formulas, formatting, data analysis or visualisation of their contents.": "Spreadsheets (.xlsx, .csv) that need formulas",
		"渡し舟の時刻表を調べて、乗り場と料金と所要時間を比べ、一番早い便を選んで予約する。雨の日や台風のときは欠航の知らせも確かめる。渡し舟に乗るときに使う。":                                                                   "渡し舟に乗るときに使う。渡し舟の時刻表を調べて、乗り場と料金と所要時間を比べ、一番早い便を選んで予約する",
		"整理每周的工作记录，把零散的条目合并成五条要点，按项目分组，附上下周计划和风险，然后生成一份可以直接发送的周报邮件。当用户要写周报时使用。":                                                                         "当用户要写周报时使用。整理每周的工作记录、把零散的条目合并成五条要点、按项目分组",
	} {
		got := Shorten(in)
		if text.Len(got) > IndexDescription || strings.Contains(got, "...") {
			t.Errorf("%q is too long", got)
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("Shorten(%q) = %q, want %q…", in, got, want)
		}
	}
}

func FuzzShorten(f *testing.F) {
	f.Add("Use when the user asks to deploy; " + strings.Repeat("long ", 40))
	f.Add(strings.Repeat("渡し舟に乗るときに使う。", 10))
	f.Fuzz(func(t *testing.T, s string) {
		if got := Shorten(s); text.Len(got) > IndexDescription {
			t.Errorf("%q", got)
		}
	})
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	const body = "---\n# Title\n\ndescription: not this\n"
	for in, want := range map[string]string{
		"---\nname: a\ndescription: old\nversion: 1\n":                              "---\nname: a\ndescription: \"new: 新しい <x>\"\nversion: 1\n",
		"---\r\nname: a\r\ndescription: >-\r\n  old\r\n\r\n  more\r\ntags: [x]\r\n": "---\r\nname: a\r\ndescription: \"new: 新しい <x>\"\r\ntags: [x]\r\n",
		"---\ndescription: 'old\n  goes on'\nname: a\n":                             "---\ndescription: \"new: 新しい <x>\"\nname: a\n",
	} {
		got, err := Describe([]byte(in+body), "new: 新しい <x>")
		if err != nil || string(got) != want+body {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"no frontmatter", "---\nname: a\n---\n", "---\nname: [\ndescription: x\n---\n", "---\n{name: a, description: b}\n---\n"} {
		if got, err := Describe([]byte(in), "new"); err == nil {
			t.Errorf("%q: %q", in, got)
		}
	}
}
