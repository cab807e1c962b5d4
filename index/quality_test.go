package index

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
)

var update = flag.Bool("update", false, "rewrite the golden text")

// qualityNow is the day the quality corpus is searched on.
func qualityNow() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

// talk is a session of the quality corpus: how many days ago it was, its title, and what was said: "u: " by
// the person, "a: " by the model, "t: " by a tool.
type talk struct {
	id    string
	days  int
	title string
	said  []string
}

// qualityCorpus is fixed: a change here is a change of the golden text.
func qualityCorpus() []talk {
	return []talk{
		{"deploy-old", 200, "Deploy to staging", []string{
			"u: deploy the app to staging, please", "a: I run scripts/deploy.sh with ENV=staging.", "t: deploy finished in 42 s\nall services healthy",
			"a: The deploy is done. Nothing failed.",
		}},
		{"deploy-new", 2, "", []string{
			"u: the deploy hangs since v2.2.1, see issue #482", "a: The health check never answers: port 8080 is closed by the firewall rule.",
			"t: curl: (28) Connection timed out after 30001 ms", "u: open it then", "a: Opened port 8080 in infra/firewall.tf; the deploy passes.",
		}},
		{"redis", 10, "Redis 缓存", []string{
			"u: 把redis缓存改成64MB，重启nginx服务", "a: 已经修改 config/redis.conf：maxmemory 64mb。nginx 已重启。", "t: OK maxmemory 67108864",
			"u: 命中率怎么样？", "a: 缓存命中率 93%，比以前高。",
		}},
		{"lake", 30, "", []string{
			"u: 周末去杭州看西湖", "a: 西湖很美，可以先去断桥，再坐船。", "u: 帮我订一张周六的高铁票", "a: 我不能订票，但可以查时刻表。",
		}},
		{"hotpot", 25, "", []string{"u: 成都火锅很辣", "a: 可以点鸳鸯锅：一半不辣。", "u: 西湖边有火锅吗？"}},
		{"bike", 5, "", []string{"u: 明天修自行车", "a: 先检查刹车和链条。自行车店九点开门。"}},
		{"naming", 15, "getUserName returns null", []string{
			"u: getUserName gives null in src/auth/session.ts line 88", "a: parseHTTPResponse drops the user_name field; the kebab-case header x-user-name is right.",
			"t: FAIL src/auth/session.test.ts\n  expected \"ada\" but got null", "a: Fixed: the field is read as user_name now. fooBar2 was a red herring.",
		}},
		{"mail", 60, "", []string{
			"u: write to bot@example.org that release v1.10.0 is out", "a: Draft: Dear all, version 1.10.0 is released. It's a small fix (50% faster start).",
			"u: also cc ada.lovelace+lists@example.co.uk",
		}},
		{"cpp", 90, "", []string{
			"u: why does C++ say undefined reference to `vtable for Shape`?", "a: A virtual function has no body. In C# that would be an abstract class.",
			"u: and std::map::at?", "a: It throws std::out_of_range.",
		}},
		{"kana", 40, "日本語のメモ", []string{
			"u: データベースの接続に失敗しました", "a: 接続文字列を確認してください。パスワードが違います。", "u: ありがとう、直りました",
		}},
		{"hangul", 45, "", []string{"u: 한강에서 자전거를 타고 싶어요", "a: 여의도 한강공원에서 빌릴 수 있습니다."}},
		{"accents", 70, "", []string{
			"u: Le café de Zoë est fermé; naïve question: à quelle heure ouvre-t-il?", "a: À 8 h. Straße und Größe sind deutsche Wörter. ΑΘΗΝΑ, Москва.",
		}},
		{"disk", 1, "", []string{
			"u: the disk is full again", "t: /dev/sda1  100%  /var/log\n17G /var/log/journal", "a: journald took 17 GB. I limit it with SystemMaxUse=500M in /etc/systemd/journald.conf.",
			"u: and the disk of the build machine?", "a: That disk is at 40 %; nothing to do. Disk, disk, disk: all disks are fine.",
		}},
		{"hash", 3, "", []string{
			"u: check sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 of build.tar.gz",
			"a: It matches. Commit 4f2a91c is the one. The deploy of it is planned for 2026-12-01.",
		}},
	}
}

// qualityQueries are of every kind the grammar has.
func qualityQueries() []string {
	return strings.Split(strings.TrimSpace(`
deploy
deploy staging
deploy -staging
deploy role:tool
deploy role:assistant
deploy tool:terminal
deploy since:7d
deploy before:2026-10-01
deploy session:deploy-old
"deploy the app"
"the deploy is done"
"deploy app"
deplo*
Deploy
DEPLOY hangs
disk
disk full
disks
dis*
firewall OR journald
firewall OR 西湖
redis OR 火锅 辣
scripts/deploy.sh
src/auth/session.ts
infra/*
session.t*
/var/log
journald.conf
SystemMaxUse=500M
v2.2.1
1.10.0
v1.10*
#482
482
8080
port 8080
2026-12-01
getUserName
user
name
username
user_name
x-user-name
parseHTTPResponse
http response
fooBar2
foobar
foo
C++
C#
std::map
std::map::at
vtable for Shape
it's
50%
64MB
64m*
67108864
bot@example.org
example.org
ada.lovelace+lists@example.co.uk
9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
9f86d081*
4f2a91c
西湖
西
西湖*
"西湖"
西湖 火锅
西湖 OR 火锅
湖西
辣
车
自行车
缓存
redis 缓存
REDIS
nginx服务
缓存命中率
命中率怎么样
データベース
接続
データ*
パスワード
한강
한강공원
자전거
cafe
café
ZOE
naive
strasse
straße
αθηνα
москва
nowhere
-deploy
role:tool
"unbalanced quote
NOT
OR
***
deploy AND staging
since:yesterday disk
`), "\n")
}

// The golden text says what every query finds, in order, with the words marked: recall, ranking and excerpts
// change only where a person sees it. Rewrite it with
//
//	go test ./index -run Quality -update
func TestQuality(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	messages := 0
	for _, k := range qualityCorpus() {
		at := qualityNow().Add(-time.Duration(k.days) * 24 * time.Hour)
		s.append(k.id, map[string]any{"type": "session", "v": 1, "id": k.id, "created": at})
		for i, line := range k.said {
			who, said, _ := strings.Cut(line, ": ")
			m := core.Message{ID: fmt.Sprint("m", i+1), Role: map[string]core.Role{"u": core.RoleUser, "a": core.RoleAssistant, "t": core.RoleTool}[who], Content: said}
			if m.Role == core.RoleTool {
				m.ToolName, m.ToolCallID = "terminal", "c"
			}
			s.append(k.id, core.Record{Type: core.RecordMessage, Time: at.Add(time.Duration(i) * time.Minute), Message: &m})
			messages++
		}
		if k.title != "" {
			s.append(k.id, core.Record{Type: core.RecordTitle, Time: at.Add(time.Hour), Title: k.title})
		}
	}
	queries := qualityQueries()
	if messages < 40 || len(qualityCorpus()) < 12 || len(queries) < 60 {
		t.Fatalf("%d messages, %d queries", messages, len(queries))
	}
	x := s.index()
	var got strings.Builder
	for _, text := range queries {
		r, err := x.Search(t.Context(), Parse(text, qualityNow()), Options{Now: qualityNow(), Limit: 20})
		if err != nil {
			t.Fatal(err)
		}
		writeQuality(&got, text, r)
	}
	path := filepath.Join("testdata", "quality.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); d != "" {
		t.Errorf("search finds something else (-golden +now); if that is meant: go test ./index -run Quality -update\n%s", d)
	}
}

// writeQuality prints results: a line a session, a line a hit with its marks as [ ].
func writeQuality(out *strings.Builder, query string, r Results) {
	fmt.Fprintf(out, "%s  (%d)\n", query, r.Total)
	for _, n := range r.Notes {
		fmt.Fprintf(out, "  note: %s\n", n)
	}
	if r.Limited != "" {
		fmt.Fprintf(out, "  limited: %s\n", r.Limited)
	}
	for _, g := range r.Sessions {
		fmt.Fprintf(out, "  %s\n", g.SessionID)
		for _, h := range g.Hits {
			shown := h.Excerpt
			for i := len(h.Marks) - 1; i >= 0; i-- {
				m := h.Marks[i]
				shown = shown[:m[0]] + "[" + shown[m[0]:m[1]] + "]" + shown[m[1]:]
			}
			b, _ := json.Marshal(shown) // a string always can be
			line := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(b))
			fmt.Fprintf(out, "    %-5s %-9s %s\n", h.MessageID, h.Role, line)
		}
	}
}
