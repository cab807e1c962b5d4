package config

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseEnv(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want map[string]string
		bad  []int
	}{
		"plain":            {"A=1\nB = two words \n", map[string]string{"A": "1", "B": "two words"}, nil},
		"crlf":             {"A=1\r\nB=\"2\"\r\n", map[string]string{"A": "1", "B": "2"}, nil},
		"bom":              {"\ufeffA=1\n", map[string]string{"A": "1"}, nil},
		"export":           {"export A=1\nexport\tB=2\nexported=3\n", map[string]string{"A": "1", "B": "2", "exported": "3"}, nil},
		"comments":         {"# c\n  # d\nA=1 # why\nB=a#b\nC=\"x # y\" # z\nD=# none\n", map[string]string{"A": "1", "B": "a#b", "C": "x # y", "D": ""}, nil},
		"quotes":           {`A='a\n"b"'` + "\n" + `B="a\n\"b\" \$ \\"`, map[string]string{"A": `a\n"b"`, "B": "a\n\"b\" $ \\"}, nil},
		"over lines":       {"A=\"x\ny\"\nB=2\n", map[string]string{"A": "x\ny", "B": "2"}, nil},
		"never closed":     {"A=\"x\nB=2\n", map[string]string{"B": "2"}, []int{1}},
		"junk behind":      {"A=\"x\" y\nB=2\n", map[string]string{"B": "2"}, []int{1}},
		"last wins":        {"A=1\nA=2\n", map[string]string{"A": "2"}, nil},
		"equals in value":  {"A=b=c==\n", map[string]string{"A": "b=c=="}, nil},
		"not assignments":  {"hello\n1A=x\n=y\nA B=z\nOK=1", map[string]string{"OK": "1"}, []int{1, 2, 3, 4}},
		"line after lines": {"A='x\ny'\nbad\n", map[string]string{"A": "x\ny"}, []int{3}},
		"empty":            {"", map[string]string{}, nil},
	} {
		lines, bad := parseEnv(c.in)
		got := map[string]string{}
		for _, l := range lines {
			got[l.name] = l.value
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(c.bad, bad); diff != "" {
			t.Errorf("%s: bad lines: %s", name, diff)
		}
	}
}

func TestSetEnv(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, key, value, want string }{
		"missing file": {"", "A", "sk-1", "A=sk-1\n"},
		"in place":     {"# c\nexport A='old' # why\nB=2\n", "A", "new", "# c\nexport A=new # why\nB=2\n"},
		"crlf":         {"A=1\r\n", "B", "2", "A=1\r\nB=2\r\n"},
		"no break":     {"A=1", "B", "2", "A=1\nB=2\n"},
		"quoting":      {"A=1\n", "A", "a b$c", "A='a b$c'\n"},
		"both quotes":  {"A=1\n", "A", "it's \"$x\"\n", "A=\"it's \\\"\\$x\\\"\\n\"\n"},
		"last of two":  {"A=1\nA=2\n", "A", "3", "A=1\nA=3\n"},
		"same":         {"A=\"1\"\n", "A", "1", "A=\"1\"\n"},
		"empty value":  {"A=\nB=1\n", "A", "x", "A=x\nB=1\n"},
		"over lines":   {"A=\"x\ny\"\nB=1\n", "A", "z", "A=z\nB=1\n"},
	} {
		h := place(t, "", c.in)
		s := Open(h)
		if err := s.SetEnv(t.Context(), c.key, c.value); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, content(t, h.Env())); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestUnsetEnv(t *testing.T) {
	t.Parallel()
	h := place(t, "", "A=1\nB=2\nexport A=\"x\ny\" # c\nC=3")
	if err := Open(h).UnsetEnv(t.Context(), "A"); err != nil {
		t.Fatal(err)
	}
	if got := content(t, h.Env()); got != "B=2\nC=3" {
		t.Errorf("got %q", got)
	}
}

func TestSetEnv_whenRefused(t *testing.T) {
	t.Parallel()
	h := place(t, "", "")
	for _, name := range []string{"", "A B", "1A", "A=B", "A\nB"} {
		if err := Open(h).SetEnv(t.Context(), name, "x"); err == nil {
			t.Errorf("%q accepted", name)
		}
	}
	open := place(t, "", "A='x\n")
	if err := Open(open).SetEnv(t.Context(), "B", "#"); err == nil || content(t, open.Env()) != "A='x\n" {
		t.Errorf("open quote: %v, %q", err, content(t, open.Env()))
	}
	if _, err := os.Stat(h.Env()); err == nil {
		t.Error("file was made")
	}
}

func FuzzEnv(f *testing.F) {
	for _, s := range []string{"A=1\n", "export A='x' # c\r\n", "\ufeffA=\"\\n\"", "A=\"x\ny", "=", "A=#", "A= ' '"} {
		f.Add(s, "v w")
	}
	f.Fuzz(func(t *testing.T, data, value string) {
		lines, _ := parseEnv(data)
		for _, l := range lines {
			if l.start > l.end || l.end > len(data) || !validEnvName(l.name) {
				t.Fatalf("bad range %+v in %q", l, data)
			}
		}
		out := spliceEnv(data, "FUZZ_NAME", value)
		if verifyEnv(data, out, "FUZZ_NAME", value) != nil {
			return // refused: a quote above is open
		}
		after, _ := parseEnv(out)
		found := ""
		for _, l := range after {
			if l.name == "FUZZ_NAME" {
				found = l.value
			}
		}
		if found != value {
			t.Fatalf("wrote %q, reads back %q from %q", value, found, out)
		}
	})
}
