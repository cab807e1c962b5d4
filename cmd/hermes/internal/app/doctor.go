package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/text"
)

// Check is one line of the doctor.
type Check struct {
	Name    string `json:"name"`
	Status  string `json:"status"` // ok, warn, fail
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
}

// doctorPatience bounds the questions asked over the network.
const doctorPatience = 15 * time.Second

// Doctor looks at everything a start depends on. It changes nothing.
func (a *App) Doctor(ctx context.Context, outTTY bool) []Check {
	checks := []Check{a.checkHome(), a.checkPermissions()}
	checks = append(checks, a.checkConfig()...)
	return append(checks, a.checkTerminal(outTTY), a.checkModel(ctx), a.checkSkills(ctx), a.checkLearning(), a.checkSessions(), a.checkDisk())
}

func ok(name, format string, args ...any) Check {
	return Check{Name: name, Status: "ok", Message: fmt.Sprintf(format, args...)}
}

func bad(name, status string, err error) Check {
	return Check{Name: name, Status: status, Message: err.Error(), Remedy: core.HintOf(err)}
}

func (a *App) checkHome() Check {
	fi, err := os.Stat(a.Home.Dir())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ok("home", "%s does not exist yet; it is made with the first session", a.Home.Dir())
	case err != nil:
		return Check{"home", "fail", err.Error(), "check the permissions, or choose another with HERMES_HOME"}
	case !fi.IsDir():
		return Check{"home", "fail", a.Home.Dir() + " is a file", "move it away, or choose another home with HERMES_HOME"}
	}
	if err := a.Home.Open(); err != nil {
		return bad("home", "fail", err)
	}
	return ok("home", "%s", a.Home.Dir())
}

func (a *App) checkPermissions() Check {
	if runtime.GOOS == "windows" {
		return ok("permissions", "left to the folder's own rules on this system")
	}
	if fi, err := os.Stat(a.Home.Dir()); err == nil && !fi.IsDir() {
		return Check{"permissions", "fail", a.Home.Dir() + " is no folder", "choose another home with HERMES_HOME"}
	}
	var loose []string
	if _, isLoose := a.Home.Loose(); isLoose {
		loose = append(loose, "chmod 700 "+a.Home.Dir())
	}
	for _, p := range []string{a.Home.Env(), a.Home.Config()} {
		if fi, err := os.Stat(p); err == nil && fi.Mode().Perm()&0o077 != 0 {
			loose = append(loose, "chmod 600 "+p)
		}
	}
	if len(loose) > 0 {
		return Check{"permissions", "warn", "others can read parts of the home", strings.Join(loose, "; ")}
	}
	return ok("permissions", "only you can read the home")
}

func (a *App) checkConfig() []Check {
	var out []Check
	foreign := 0
	for _, p := range a.Problems() {
		switch p.Level {
		case core.LevelInfo:
			foreign++
		case core.LevelWarn:
			out = append(out, Check{"config", "warn", p.String(), p.Remedy})
		case core.LevelError:
			out = append(out, Check{"config", "fail", p.String(), p.Remedy})
		}
	}
	if len(out) > 0 {
		return out
	}
	c := ok("config", "%s", a.Home.Config())
	if _, err := os.Stat(a.Home.Config()); err != nil {
		c.Message = "no config.yaml; defaults are in use"
	}
	if foreign > 0 {
		c.Message += fmt.Sprintf(" (%d keys of other programs are left alone)", foreign)
	}
	return []Check{c}
}

func (a *App) checkTerminal(outTTY bool) Check {
	term := a.opts.Getenv("TERM")
	switch {
	case !outTTY:
		return ok("terminal", "standard output is no terminal; the workspace needs one, the commands do not")
	case term == "dumb" || term == "" && runtime.GOOS != "windows":
		return Check{"terminal", "warn", fmt.Sprintf("TERM is %q", term), "set TERM to what your terminal is, for example xterm-256color"}
	}
	return ok("terminal", "%s%s", term, map[bool]string{true: ", NO_COLOR is set"}[a.opts.Getenv("NO_COLOR") != ""])
}

func (a *App) checkModel(ctx context.Context) Check {
	ctx, cancel := context.WithTimeout(ctx, doctorPatience)
	defer cancel()
	picked, err := a.Pick(ctx)
	if err != nil {
		return bad("model", "fail", err)
	}
	served, err := picked.Served(ctx)
	if err != nil {
		return bad("model", "fail", err)
	}
	name := picked.Info().Model
	for _, m := range served {
		if m == name {
			return ok("model", "%s at %s answers (%s served; chosen by %s)", name, picked.Info().BaseURL, text.Count(len(served), "model", "models"), picked.Source)
		}
	}
	return Check{
		"model", "warn", fmt.Sprintf("%s answers but does not list %s", picked.Info().BaseURL, name),
		"see what is served with: hermes model list",
	}
}

func (a *App) checkSessions() Check {
	rows, problems, err := a.Sessions.List()
	if err != nil {
		return bad("sessions", "fail", err)
	}
	if len(problems) > 0 {
		return Check{"sessions", "warn", strings.Join(problems, "; "), "move the named files away"}
	}
	var damaged []string
	for _, r := range rows {
		if r.Damage != "" {
			damaged = append(damaged, r.ID+": "+r.Damage)
		}
	}
	if n := len(damaged); n > 0 {
		const named = 5
		return Check{
			"sessions", "warn", fmt.Sprintf("%d, %d of them damaged (%s)", len(rows), n, strings.Join(damaged[:min(n, named)], "; ")),
			"what can be read of them still opens, and the damaged file is kept beside it; hermes sessions delete ID removes one",
		}
	}
	return ok("sessions", "%d", len(rows))
}

func (a *App) checkDisk() Check {
	var size int64
	err := filepath.WalkDir(a.Home.Dir(), func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		if fi, err := d.Info(); err == nil && fi.Mode().IsRegular() {
			size += fi.Size()
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.SkipDir) {
		return bad("disk", "warn", err)
	}
	return ok("disk", "the home takes %s KiB", text.Thousands(int((size+1023)>>10)))
}
