package terminal

import (
	"path/filepath"
	"strings"
	"testing"

	"hermes/tools"
)

// TestJudge_holes is the table of what a tester got past the judge, with harmless look-alikes.
func TestJudge_holes(t *testing.T) {
	t.Parallel()
	j, root := scene(t)
	fill := strings.NewReplacer("{root}", root, "{top}", filepath.Dir(root), "{home}", filepath.Join(filepath.Dir(root), "home"))
	for category, c := range map[string]struct{ deny, ask, allow []string }{
		"mark": {
			deny: []string{
				`HERMES_AGENT= hermes config set approvals.mode off`, `env -u HERMES_AGENT hermes x`, `env -uHERMES_AGENT x`, `env --unset=HERMES_AGENT x`, `unset HERMES_AGENT; hermes x`, `export HERMES_AGENT=`,
				`env -i hermes x`, `env - hermes x`, `env --ignore-environment x`, `HERMES_AGENT=x`, `declare HERMES_AGENT=1`, `read HERMES_AGENT < x`, `exec -c hermes x`, `exec -ca x hermes y`, `export -n HERMES_AGENT`, `unset HERMES_"AGENT"`,
				`N=HERMES_AGENT; unset $N`, `N=HERMES_AGENT; export $N=`, `bash -c 'unset HERMES_AGENT; ls'`, `eval "HERMES_AGENT="`, `sudo HERMES_AGENT= hermes x`, `env HERMES_AGENT= hermes x`, `printf -v HERMES_AGENT x`,
				`for HERMES_AGENT in a; do ls; done`, `: ${HERMES_AGENT:=x}`, `((HERMES_AGENT=1))`, `env -S "-u HERMES_AGENT hermes x"`, `env -S '-i hermes'`, `declare -n r=HERMES_AGENT; r=`, `HERMES_AGENT+=x ls`, `(unset HERMES_AGENT)`,
				`python3 -c 'import os; os.environ.pop("HERMES_AGENT")'`, `unset -v HERMES_AGENT`, `xargs env -u HERMES_AGENT hermes < x`, `make HERMES_AGENT= x`, `bwrap --unsetenv HERMES_AGENT hermes x`,
			},
			ask:   []string{`hermes config set a b`, `hermes --yolo`, `hermes undo`, `unset "$x"`, `export "$x"=1`, `env -u "$X" ls`},
			allow: []string{`echo $HERMES_AGENT`, `grep -rn HERMES_AGENT .`, `test -n "$HERMES_AGENT"`, `unset FOO`, `env -u FOO go test`, `hermes sessions`, `export FOO`, `env | grep HERMES_AGENT=`, `printf '%s' HERMES_AGENT=`},
		},
		"hidden programs": {
			deny: []string{
				`$(echo rm -rf /)`, "`echo rm -rf /`", `$(printf 'rm -rf /')`, `x=$(echo rm -rf /); $x`, `IFS=,; x=rm,-rf,/; $x`, `X=; $X rm -rf /`, `r$(echo m) -rf /`, `$(printf 'rm\n-rf\n/')`, `x="rm -rf"; $x /`, `sudo $(echo rm -rf /)`,
				`IFS=/; x=a; rm$IFS-rf /; cd /; rm -rf *`,
			},
			ask: []string{
				`$(cat x)`, "`cat x` y", `x=$(cat y); $x`, `$(echo $X)`, `cat x | xargs -I{} {}`, `xargs -I% % < x`, `cat x | xargs env`, `cat x | xargs timeout 5`, `cat x | xargs sudo`, `/bin/r? -rf x`, `/bin/[r]m x`, `find . -exec env {} \;`, `cat x | xargs sh`,
				`$(echo ls | rev)`,
			},
			allow: []string{`$(echo ls) -la`, `echo $(cat x)`, `x=$(cat y); echo $x`, `[ -f x ]`, `[[ -f x ]]`, `cat x | xargs -I{} echo {}`, `F=*.go; ls $F`, `ls *.go`, `IFS=, read -r a b < x`},
		},
	} {
		for want, list := range map[tools.Action][]string{tools.ActionDeny: c.deny, tools.ActionAsk: c.ask, tools.ActionAllow: c.allow} {
			for _, command := range list {
				command = fill.Replace(command)
				if v := j.Command(command, root); v.Action != want {
					t.Errorf("%s: %q: verdict %d %v, want %d", category, command, v.Action, v.Reasons, want)
				}
			}
		}
	}
}
