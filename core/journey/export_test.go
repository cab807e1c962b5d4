package journey

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func sample() Graph {
	return Build([]Skill{
		{Name: "flask-k8s-deploy", Description: "Deploy <b>web</b> apps & more to the cluster", Category: "devops", CreatedBy: "agent", Uses: 3, Created: day(1), Related: []string{"debug", "gone"}},
		{Name: "debug", Description: "Find faults", CreatedBy: "agent", Created: day(2)},
		{Name: "週報", Description: "每周科技新闻摘要", Category: "写作", CreatedBy: "agent", Created: day(3)},
		{Name: "plan", Bundled: true},
	}, []Card{{ID: "a", Source: "memory", Text: "The cluster answers at k8s.lan \x1b[31m</svg><script>alert(1)</script>", Time: day(4)}})
}

func TestLayout_isTheSameAndInside(t *testing.T) {
	t.Parallel()
	s, c := many(300, 40)
	g := Build(s, c)
	a, b := Layout(g), Layout(g)
	seen := map[Point]bool{}
	for id, p := range a {
		if p != b[id] {
			t.Fatalf("%s moved: %v, %v", id, p, b[id])
		}
		if !(p.X >= 0 && p.X <= 1 && p.Y >= 0 && p.Y <= 1) {
			t.Errorf("%s is outside: %v", id, p)
		}
		seen[p] = true
	}
	if len(seen) != len(g.Nodes) {
		t.Errorf("%d places for %d nodes", len(seen), len(g.Nodes))
	}
	if got := Layout(Graph{}); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestSVG_isWellFormed(t *testing.T) {
	t.Parallel()
	for _, g := range []Graph{sample(), {}} {
		d := xml.NewDecoder(bytes.NewReader(SVG(g, day(5))))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestHTML_holdsEverythingAndNothingActive(t *testing.T) {
	t.Parallel()
	page := string(HTML(sample(), day(5)))
	for _, want := range []string{"flask-k8s-deploy", "每周科技新闻摘要", "declared", "shared: cluster", "bundled with the program", "gone", "&lt;b&gt;web"} {
		if !strings.Contains(page, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	for _, bad := range []string{"<script", "http://k8s", "src=", "\x1b"} {
		if strings.Contains(page, bad) {
			t.Errorf("it holds %q", bad)
		}
	}
}

// A browser shows the page without a network.
func TestHTML_inABrowser(t *testing.T) {
	t.Parallel()
	prog := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if p, err := exec.LookPath(name); err == nil {
			prog = p
			break
		}
	}
	if prog == "" {
		t.Skip("no Chromium on this machine")
	}
	file := filepath.Join(t.TempDir(), "journey.html")
	if err := os.WriteFile(file, HTML(sample(), day(5)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, prog, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+file).Output()
	if err != nil {
		t.Skipf("Chromium does not run here: %v", err)
	}
	if !bytes.Contains(out, []byte("flask-k8s-deploy</text>")) {
		t.Errorf("the page shows: %.500s", out)
	}
}

// BenchmarkLayout places 560 nodes.
func BenchmarkLayout(b *testing.B) {
	s, c := many(500, 60)
	g := Build(s, c)
	for b.Loop() {
		Layout(g)
	}
}

// Names in the picture stay inside it and never cover each other.
func TestSVG_captions(t *testing.T) {
	t.Parallel()
	s, c := many(300, 60)
	d := xml.NewDecoder(bytes.NewReader(SVG(Build(s, c), day(5))))
	var boxes []box
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := tok.(xml.StartElement)
		if !ok || e.Name.Local != "text" {
			continue
		}
		var x, y float64
		anchor := ""
		for _, a := range e.Attr {
			switch a.Name.Local {
			case "x":
				x, _ = strconv.ParseFloat(a.Value, 64)
			case "y":
				y, _ = strconv.ParseFloat(a.Value, 64)
			case "text-anchor":
				anchor = a.Value
			}
		}
		tok, err = d.Token()
		if err != nil {
			t.Fatal(err)
		}
		name := string(tok.(xml.CharData))
		if anchor == "" {
			continue // the legend
		}
		b := box{x, y - 13, x + wide(name), y + 3}
		if anchor == "end" {
			b.x0, b.x1 = x-wide(name), x
		}
		if b.x0 < 0 || b.x1 > pictureW {
			t.Errorf("%q is cut: %v", name, b)
		}
		if slices.ContainsFunc(boxes, b.over) {
			t.Errorf("%q covers another", name)
		}
		boxes = append(boxes, b)
	}
	if len(boxes) < 30 {
		t.Errorf("%d names", len(boxes))
	}
}
