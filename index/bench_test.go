package index

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hermes/core"
)

// corpus writes n messages, a tenth of them Chinese, about 410 bytes each; the same every time.
func corpus(s *shelf, n int) {
	s.t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	var vocabulary []string
	for i := range 20_000 {
		vocabulary = append(vocabulary, fmt.Sprintf("%s%s%d", []string{"net", "build", "auth", "disk", "parse"}[i%5], []string{"er", "Loop", "_cache", "-job", ""}[i%5], i/25))
	}
	han := []rune("周末去杭州看西湖成都火锅很辣明天修自行车把缓存改小重启服务数据库连接失败测试通过部署完成")
	zipf := rand.NewZipf(r, 1.1, 4, uint64(len(vocabulary)-1))
	for i := range n {
		var b strings.Builder
		if i%10 == 0 {
			for range 130 {
				b.WriteRune(han[r.IntN(len(han))])
			}
		} else {
			for b.Len() < 390 {
				b.WriteString(vocabulary[zipf.Uint64()] + " ")
			}
		}
		if i%1000 == 500 {
			b.WriteString(" rareneedle" + strconv.Itoa(i) + " in src/pkg/file" + strconv.Itoa(i) + ".go")
		}
		s.say(fmt.Sprintf("s%04d", i/200), []core.Role{core.RoleUser, core.RoleAssistant, core.RoleTool}[i%3], b.String())
	}
}

// mix is the fixed set of queries.
func mix() []string {
	return []string{
		"rareneedle500", "rareneedle1500", "src/pkg/file2500.go", "neter0", "buildLoop3", "auth_cache1 disk-job2", "neter0 parse4",
		"西湖", "火锅", "数据库 连接", "车", "neter1*", "auth*", `"neter0 neter0"`, "neter7 OR 辣", "parse9 -neter0", "role:user neter2",
	}
}

// BenchmarkIndex feeds and searches HERMES_INDEX_MESSAGES messages (default 5,000; the figures of the issue
// are for 100,000).
//
//	HERMES_INDEX_MESSAGES=100000 go test ./index -run '^$' -bench Index -benchtime 1x -timeout 30m
func BenchmarkIndex(b *testing.B) {
	n := 5_000
	if v := os.Getenv("HERMES_INDEX_MESSAGES"); v != "" {
		var err error
		if n, err = strconv.Atoi(v); err != nil {
			b.Fatal(err)
		}
	}
	s := newShelf(b)
	corpus(s, n)
	for b.Loop() {
		x := New(s.home)
		start := time.Now()
		p, err := x.Rebuild(b.Context(), nil)
		if err != nil || p.Messages != n {
			b.Fatal(p, err)
		}
		b.ReportMetric(float64(n)/time.Since(start).Seconds(), "messages/s")
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		b.ReportMetric(float64(mem.Sys)/(1<<20), "peak-MB")
		var took []float64
		for range 12 {
			for _, q := range mix() {
				start := time.Now()
				if _, err := x.Search(b.Context(), Parse(q, time.Now()), Options{}); err != nil {
					b.Fatal(err)
				}
				took = append(took, float64(time.Since(start).Microseconds())/1000)
			}
		}
		slices.Sort(took)
		b.ReportMetric(took[len(took)/2], "search-p50-ms")
		b.ReportMetric(took[len(took)*99/100], "search-p99-ms")
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(sizeOf(b, x.engine.dir))/float64(sizeOf(b, s.home.Sessions())), "disk-ratio")
		start = time.Now()
		if _, err := x.Search(b.Context(), Parse("rareneedle500", time.Now()), Options{}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(time.Since(start).Microseconds())/1000, "open+search-ms")
	}
}

func sizeOf(tb testing.TB, dir string) int64 {
	tb.Helper()
	var n int64
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			n += sizeOf(tb, dir+"/"+e.Name())
			continue
		}
		fi, err := e.Info()
		if err != nil {
			tb.Fatal(err)
		}
		n += fi.Size()
	}
	return n
}
