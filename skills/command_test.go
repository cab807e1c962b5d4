package skills

import "testing"

func TestInvocation(t *testing.T) {
	t.Parallel()
	list := []Entry{{Name: "Deploy Next.js"}, {Name: "渡し舟の時刻"}, {Name: "한강 ferry"}, {Name: "twin", Dir: "a"}, {Name: "Twin", Dir: "b"}, {Name: "a/ü"}}
	for in, want := range map[string]struct {
		hits  int
		words string
	}{
		"/deploy-nextjs to  the cluster": {1, "to  the cluster"}, "/渡し舟の時刻": {1, ""}, "/한강-ferry\ntwo lines": {1, "two lines"}, " /TWIN x": {2, "x"},
		"/": {}, "/nothing": {}, "deploy-nextjs": {}, "/tmp/x": {}, "": {},
	} {
		hits, words, ok := Invocation(list, in)
		if len(hits) != want.hits || words != want.words && ok || ok != (want.hits > 0) {
			t.Errorf("%q: %v %q %v", in, hits, words, ok)
		}
	}
	if got := Command(list[5]); got != "a" {
		t.Errorf("a name with a slash: %q", got)
	}
}
