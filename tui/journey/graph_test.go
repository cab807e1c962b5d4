package journey_test

import (
	"fmt"
	"strings"
	"testing"

	graph "hermes/core/journey"
)

// A crowded map draws the links of the selection only, and each node in one cell; enlarged it draws all again.
func TestGraph_crowded(t *testing.T) {
	t.Parallel()
	var skills []graph.Skill
	for i := range 200 {
		skills = append(skills, graph.Skill{
			Name: fmt.Sprintf("测试-%d", i), Category: "写作", CreatedBy: "agent", Uses: i % 9, Created: day(i), Related: []string{fmt.Sprintf("测试-%d", (i+1)%200)},
		})
	}
	dots := func(frame string) int {
		return len(strings.FieldsFunc(frame, func(r rune) bool { return r < 0x2801 || r > 0x28FF }))
	}
	v := selected(graph.Build(skills, nil), "测试-3", "2")
	frame := draw(v, 80, 24)
	if !strings.Contains(frame, "links of the selection") || strings.Contains(frame, "(A)") || strings.Count(frame, "A") < 60 || dots(frame) > 30 {
		t.Errorf("%d pieces of lines:\n%s", dots(frame), frame)
	}
	press(v, "+", "+", "+", "+")
	if frame := draw(v, 200, 50); strings.Contains(frame, "links of the selection") || dots(frame) < 10 {
		t.Errorf("%s", frame)
	}
}

// Walking reaches the neighbours and comes back; every direction leads there and never out of the map.
func TestGraph_walk(t *testing.T) {
	t.Parallel()
	v := selected(world(), "flask-k8s-deploy", "2")
	draw(v, 120, 40)
	press(v, "o")
	if id := sel(v); id != "docker-build" {
		t.Errorf("walked to %q", id)
	}
	press(v, "backspace")
	if id := sel(v); id != "flask-k8s-deploy" {
		t.Errorf("came back to %q", id)
	}
	press(v, "n", "o")
	if id := sel(v); id == "docker-build" || id == "flask-k8s-deploy" {
		t.Errorf("n did not mark another neighbour: %q", id)
	}
	seen := map[string]bool{}
	for _, k := range []string{"h", "h", "h", "h", "h", "h", "j", "l", "l", "k", "l", "l", "j", "j", "l", "k", "k", "k", "h", "k", "h", "j", "j", "j"} {
		press(v, k)
		seen[sel(v)] = true
	}
	if len(seen) < 7 || seen[""] {
		t.Errorf("the arrows reached only %v", seen)
	}
}
