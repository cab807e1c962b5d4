package picker_test

import (
	"strings"
	"testing"

	"hermes/tui/picker"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

func items() []picker.Item {
	out := []picker.Item{{ID: "a", Label: "gpt-5"}, {ID: "b", Label: "深度求索 chat", Note: "in use"}, {ID: "c", Label: "gpt-5-mini"}}
	for range 30 {
		out = append(out, picker.Item{ID: "x", Label: strings.Repeat("long 長い ", 20)})
	}
	return out
}

func TestPicker(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		keys string
		want string
		out  picker.Outcome
	}{
		{"enter", "b", picker.Picked}, // the current one is selected
		{"m i n i enter", "c", picker.Picked},
		{"down enter", "c", picker.Picked},
		{"up up up enter", "a", picker.Picked},
		{"z z z enter", "", picker.None},
		{"esc", "", picker.Closed},
	} {
		p := picker.New("Model", "note")
		p.SetItems(items(), "b")
		var out picker.Outcome
		var it picker.Item
		for k := range strings.FieldsSeq(tc.keys) {
			out, it = p.Update(tuitest.Key(k))
		}
		if out != tc.out || it.ID != tc.want {
			t.Errorf("%s: %v %q", tc.keys, out, it.ID)
		}
	}
}

func TestPicker_fits(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Light)
	for _, size := range [][2]int{{40, 11}, {80, 23}, {200, 59}} {
		p := picker.New("Model", strings.Repeat("note ", 40))
		for i := range 4 {
			switch i {
			case 1:
				p.SetItems(items(), "")
			case 2:
				p.Update(tuitest.Key("pgdown"))
			case 3:
				p.SetError(strings.Repeat("error 錯誤 ", 30))
			}
			box, cx, cy := p.View(st, size[0], size[1])
			tuitest.Fits(t, strings.Join(box, "\n"), size[0], size[1])
			if cx >= size[0] || cy >= len(box) {
				t.Errorf("%v: cursor %d,%d", size, cx, cy)
			}
		}
	}
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	p := picker.NewPrompt("Name", "old", "note")
	for _, k := range []string{"ctrl+u", "東", "京"} {
		p.Update(tuitest.Key(k))
	}
	box, cx, _ := p.View(theme.New(theme.Dark), 40)
	tuitest.Fits(t, strings.Join(box, "\n"), 40, 5)
	if cx != 8 {
		t.Errorf("cursor %d, want 8", cx)
	}
	if out, text := p.Update(tuitest.Key("enter")); out != picker.Picked || text != "東京" {
		t.Errorf("%v %q", out, text)
	}
	if out, _ := p.Update(tuitest.Key("esc")); out != picker.Closed {
		t.Errorf("%v", out)
	}
}

// The box keeps its place and size while what is typed narrows the list, and says where one is in it.
func TestPicker_stays(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Dark)
	p := picker.New("Model", "note")
	p.SetItems(items(), "b")
	box, _, _ := p.View(st, 80, 30)
	whole := len(box)
	if !strings.Contains(box[0], "2 of 33") {
		t.Errorf("badge: %s", box[0])
	}
	for _, k := range []string{"m", "i", "n", "i"} {
		p.Update(tuitest.Key(k))
		if box, _, _ = p.View(st, 80, 30); len(box) != whole {
			t.Errorf("after %q: %d lines, were %d", k, len(box), whole)
		}
	}
	if !strings.Contains(box[0], "1 of 1") {
		t.Errorf("badge: %s", box[0])
	}
	p.Update(tuitest.Key("z"))
	if box, _, _ = p.View(st, 80, 30); !strings.Contains(box[0], "0 of 33") {
		t.Errorf("badge: %s", box[0])
	}
}
