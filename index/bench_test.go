package index

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

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

// mix is the fixed set of queries, by kind.
func mix() []struct{ kind, query string } {
	return []struct{ kind, query string }{
		{"rare", "rareneedle500"},
		{"rare", "rareneedle1500"},
		{"path", "src/pkg/file2500.go"},
		{"common", "neter0"},
		{"common", "buildLoop3"},
		{"two-common", "auth_cache1 disk-job2"},
		{"two-common", "neter0 parse4"},
		{"cjk", "西湖"},
		{"cjk", "火锅"},
		{"cjk", "数据库 连接"},
		{"cjk-one", "车"},
		{"prefix", "neter1*"},
		{"prefix", "auth*"},
		{"phrase", `"neter0 neter0"`},
		{"or", "neter7 OR 辣"},
		{"not", "parse9 -neter0"},
		{"role", "role:user neter2"},
	}
}

// rounds is how often the mix is asked.
const rounds = 30

// BenchmarkIndex feeds and searches HERMES_INDEX_MESSAGES messages (default 5,000; the figures of the issue
// are for 100,000). The engine's time is that of the sets and the ranking with the lease held; the whole is
// what a caller of Search waits for: looking for new messages, the engine, the check in the transcripts,
// groups and excerpts.
//
//	HERMES_INDEX_MESSAGES=100000 go test ./index -run '^$' -bench Index -benchtime 1x -timeout 30m -v
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
		b.ReportMetric(peakMB(b), "peak-MB")
		askMix(b, x)
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(sizeOf(b, x.engine.dir))/float64(sizeOf(b, s.home.Sessions())), "disk-ratio")
		start = time.Now()
		if err := x.engine.with(b.Context(), func(bleve.Index) error { return nil }); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(ms(time.Since(start)), "open-ms")
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
		y := New(s.home)
		start = time.Now()
		if _, err := y.Search(b.Context(), Parse("rareneedle500", time.Now()), Options{}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(ms(time.Since(start)), "open+search-ms")
		if err := y.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// askMix asks all queries and reports both times, together and by kind.
func askMix(b *testing.B, x *Index) {
	b.Helper()
	var engine, whole []float64
	kinds := map[string][2][]float64{}
	for range rounds {
		for _, m := range mix() {
			q, o := Parse(m.query, time.Now()), Options{Now: time.Now()}
			start := time.Now()
			if _, err := x.Search(b.Context(), q, o); err != nil {
				b.Fatal(err)
			}
			w := ms(time.Since(start))
			start = time.Now()
			if _, _, _, err := x.propose(b.Context(), q, o, pages(q)[0]); err != nil {
				b.Fatal(err)
			}
			e := ms(time.Since(start))
			engine, whole = append(engine, e), append(whole, w)
			k := kinds[m.kind]
			kinds[m.kind] = [2][]float64{append(k[0], e), append(k[1], w)}
		}
	}
	for _, m := range []struct {
		name string
		list []float64
	}{{"engine", engine}, {"search", whole}} {
		b.ReportMetric(share(m.list, 50), m.name+"-p50-ms")
		b.ReportMetric(share(m.list, 99), m.name+"-p99-ms")
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		k := kinds[kind]
		b.Logf("%-12s engine %6.2f / %6.2f   search %6.2f / %6.2f   ms p50 / p99", kind, share(k[0], 50), share(k[0], 99), share(k[1], 50), share(k[1], 99))
	}
}

// share is the value below which a share of the list lies, in percent.
func share(list []float64, percent int) float64 {
	slices.Sort(list)
	return list[min(len(list)*percent/100, len(list)-1)]
}

// peakMB is the most memory the process had, mapped files included where the system tells; else what Go took.
func peakMB(tb testing.TB) float64 {
	tb.Helper()
	if b, err := os.ReadFile("/proc/self/status"); err == nil {
		if _, rest, ok := strings.Cut(string(b), "VmHWM:"); ok {
			kb := 0
			if _, err := fmt.Sscanf(rest, "%d", &kb); err == nil {
				return float64(kb) / 1024
			}
		}
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	return float64(mem.Sys) / (1 << 20)
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
