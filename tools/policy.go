package tools

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"hermes/core/home"
)

// Policy says which paths the agent may not touch, or not without a person. Paths must be resolved.
type Policy struct {
	Home home.Home
	Root string // the working folder, resolved
	User string // the person's home folder, resolved; "" when unknown
}

// NewPolicy returns the policy for sessions of h in the working folder root.
func NewPolicy(h home.Home, root string) Policy {
	p := Policy{Home: h, Root: root}
	if dir, err := home.ResolvePath(h.Dir()); err == nil {
		p.Home = home.At(dir)
	}
	if user, err := os.UserHomeDir(); err == nil {
		if p.User, err = home.ResolvePath(user); err != nil {
			p.User = user
		}
	}
	return p
}

// Read judges reading the file at path; the reason is empty when it is free.
func (p Policy) Read(path, sessionID string) (Action, string) {
	if p.own(path) {
		if sessionID != "" && home.Within(p.Home.SessionFiles(sessionID), path) {
			return ActionAllow, "" // the spilled results of this very session
		}
		return ActionDeny, "is part of hermes' own home (memory, skills, settings, transcripts); use the tools made for it"
	}
	return p.secret(path)
}

// FreeNames is Read for many files of one folder: it returns a function that knows names which are free
// to read there for certain, nil when every file must be judged. Folders are always to be judged.
func (p Policy) FreeNames(dir string) func(name string) bool {
	slash := filepath.ToSlash(dir)
	if p.own(dir) || home.Within(dir, p.Home.Dir()) || strings.Contains(slash, "/.") || strings.HasPrefix(slash, "/proc") || strings.HasPrefix(slash, "/etc") || strings.Contains(slash, "/Library") ||
		slices.Contains([]string{"gh", "gcloud"}, strings.ToLower(filepath.Base(dir))) {
		return nil
	}
	return func(name string) bool {
		low := strings.ToLower(name)
		return !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_") && !strings.HasPrefix(low, "id_") && !keyFile(low)
	}
}

// Write judges changing the file at path.
func (p Policy) Write(path string) (Action, string) {
	if p.own(path) {
		return ActionDeny, "is part of hermes' own home (memory, skills, settings, transcripts); use the tools made for it"
	}
	if a, why := p.secret(path); a != ActionAllow {
		return a, why
	}
	if why := kernelPath(path); why != "" {
		return ActionDeny, why
	}
	if !home.Within(p.Root, path) {
		if why := systemPath(path); why != "" {
			return ActionDeny, why
		}
		if why := p.Sensitive(path); why != "" {
			return ActionAsk, "is outside the working folder and " + why
		}
		return ActionAsk, "is outside the working folder"
	}
	if why := p.Sensitive(path); why != "" {
		return ActionAsk, why
	}
	return ActionAllow, ""
}

// own reports whether path belongs to hermes. A working folder that was placed inside the home, apart
// from what hermes keeps there, stays usable.
func (p Policy) own(path string) bool {
	dir := p.Home.Dir()
	if !home.Within(dir, path) {
		return false
	}
	placed := p.Root != dir && home.Within(dir, p.Root) && !p.kept(p.Root)
	return !placed || !home.Within(p.Root, path)
}

// kept reports whether path lies in one of the places hermes keeps things in.
func (p Policy) kept(path string) bool {
	for _, place := range []string{
		p.Home.Memories(), p.Home.Skills(), p.Home.Sessions(), p.Home.Index(), p.Home.Ledger(), p.Home.UI(),
		p.Home.Undo(), p.Home.Pending(), p.Home.Logs(),
	} {
		if home.Within(place, path) {
			return true
		}
	}
	return false
}

// kernelPath refuses places where a file write is no file write.
func kernelPath(path string) string {
	slash := filepath.ToSlash(path)
	for _, dir := range []string{"/dev/", "/proc/", "/sys/", "/boot/"} {
		if strings.HasPrefix(slash, dir) && runtime.GOOS != "windows" {
			return "is a device or part of the running system"
		}
	}
	if strings.HasPrefix(path, `\\.\`) || strings.HasPrefix(path, `\\?\GLOBALROOT`) {
		return "is a device or part of the running system"
	}
	return ""
}

// systemPath refuses the configuration of the machine, which no file tool has a reason to write.
func systemPath(path string) string {
	slash := filepath.ToSlash(path)
	for _, dir := range []string{"/etc/", "/private/etc/", "/usr/lib/systemd/", "/lib/systemd/", "/private/var/db/"} {
		if strings.HasPrefix(slash, dir) {
			return "is system configuration; the person changes it, or the terminal with their approval"
		}
	}
	if strings.HasSuffix(slash, "/docker.sock") || strings.HasSuffix(slash, "/podman.sock") {
		return "is the door to the container daemon"
	}
	return ""
}
