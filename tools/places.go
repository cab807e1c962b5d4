package tools

import (
	"bytes"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Files that hold keys, decide what runs, or tell agents what to do: the tables behind Policy.

// secret judges files that hold keys, for reading and writing alike.
func (p Policy) secret(file string) (Action, string) {
	base := strings.ToLower(filepath.Base(file))
	dir := strings.ToLower(filepath.Base(filepath.Dir(file)))
	slash := strings.ToLower(filepath.ToSlash(file))
	switch {
	case dir == ".ssh" && !slices.Contains([]string{"config", "known_hosts", "known_hosts.old", "authorized_keys"}, base) && !strings.HasSuffix(base, ".pub"):
		return ActionDeny, "is a private key"
	case strings.Contains(slash, "/.gnupg/private-keys"), slash == "/etc/shadow", slash == "/etc/gshadow", slash == "/etc/master.passwd", strings.HasPrefix(slash, "/etc/ssl/private/"):
		return ActionDeny, "holds keys of the system"
	case strings.HasPrefix(slash, "/proc/") && (base == "environ" || base == "mem"):
		return ActionDeny, "shows the secrets of a running program"
	case slices.Contains(CredentialNames(), base), p.credential(slash), browserStore(slash, base):
		return ActionAsk, "holds credentials"
	case keyFile(base) && holdsPrivateKey(file):
		return ActionAsk, "holds a private key"
	}
	return ActionAllow, ""
}

// credential reports whether a path, in lower case, is one of CredentialPlaces, wherever a home lies.
func (p Policy) credential(slash string) bool {
	if !strings.Contains(slash, "/.") && !strings.Contains(slash, "gcloud/") && !strings.Contains(slash, "/library/") {
		return false // as nearly every file
	}
	return slices.ContainsFunc(CredentialPlaces(), func(place string) bool {
		if strings.HasSuffix(place, "/") {
			return strings.Contains(slash, "/"+place)
		}
		if place == ".npmrc" || place == ".yarnrc.yml" { // projects have files of that name too
			return slash == strings.ToLower(filepath.ToSlash(p.User))+"/"+place
		}
		return strings.HasSuffix(slash, "/"+place)
	})
}

// CredentialNames are the names of files that hold keys wherever they lie, in lower case.
func CredentialNames() []string {
	return []string{
		".netrc", "_netrc", ".git-credentials", ".pgpass", ".pypirc", ".vault-token", ".my.cnf", ".mylogin.cnf", ".s3cfg", ".boto", ".dockercfg", ".htpasswd",
		"id_rsa", "id_ed25519", "id_ecdsa", "id_dsa",
	}
}

// CredentialPlaces are the files, and folders ("x/"), below a person's home in which programs keep what
// they sign in with, in lower case.
func CredentialPlaces() []string {
	return []string{
		".aws/credentials", ".aws/sso/cache/", ".aws/cli/cache/", ".docker/config.json", ".kube/config", ".config/gh/hosts.yml", "gcloud/application_default_credentials.json", "gcloud/credentials.db", "gcloud/access_tokens.db",
		".azure/", ".npmrc", ".yarnrc.yml", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".terraform.d/credentials.tfrc.json", ".config/rclone/rclone.conf", ".password-store/",
		".claude/.credentials.json", ".codex/auth.json", ".config/github-copilot/", ".local/share/keyrings/", ".config/op/", ".config/hub", ".config/glab-cli/config.yml", ".config/doctl/config.yaml", ".config/heroku/", ".config/sops/age/",
		".m2/settings.xml", ".gradle/gradle.properties", ".composer/auth.json", ".config/composer/auth.json", ".config/containers/auth.json", ".nuget/nuget/nuget.config", ".config/nuget/nuget.config", ".config/gcloud/legacy_credentials/",
		"library/keychains/",
	}
}

// browserStore reports whether a path lies where a browser keeps passwords and sessions.
func browserStore(slash, base string) bool {
	if !slices.Contains([]string{"logins.json", "key4.db", "cookies", "cookies.sqlite", "login data", "web data", "local state", "signons.sqlite"}, base) {
		return false
	}
	return slices.ContainsFunc([]string{"mozilla", "firefox", "chrome", "chromium", "brave", "edge", "vivaldi", "opera", "safari"}, func(b string) bool { return strings.Contains(slash, b) })
}

// keyFile reports whether a name, in lower case, is one that keys are kept under.
func keyFile(base string) bool {
	return slices.Contains([]string{".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx"}, path.Ext(base))
}

// holdsPrivateKey looks whether a file of such a name holds a key that is private: certificates have the same
// names. Stores that are no text are taken for one.
func holdsPrivateKey(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	head, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return false
	}
	ext := path.Ext(strings.ToLower(filepath.Base(file)))
	return bytes.Contains(head, []byte("PRIVATE KEY")) || ext != ".pem" && ext != ".key" && len(head) > 0
}

// Sensitive returns why a write to path deserves a question wherever the file lies, or "".
func (p Policy) Sensitive(path string) string {
	base := strings.ToLower(filepath.Base(path))
	slash := filepath.ToSlash(path)
	folder := slash + "/" // what is put into such a folder counts as well
	switch {
	case strings.HasPrefix(base, ".env") && base != ".env.example" && base != ".envrc.example":
		return "holds settings that are often secret"
	case slices.Contains([]string{".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".zprofile", ".bash_login", ".bash_logout", "config.fish"}, base):
		return "runs at every start of a shell"
	case strings.Contains(folder, "/.ssh/"):
		return "belongs to ssh"
	case strings.Contains(folder, "/.git/"), base == ".gitattributes", base == ".gitmodules":
		return "decides what git runs"
	case strings.Contains(folder, "/.husky/"), slices.Contains([]string{".pre-commit-config.yaml", ".pre-commit-config.yml", "lefthook.yml", ".lefthook.yml", ".overcommit.yml"}, base):
		return "decides what runs at every commit"
	case strings.Contains(slash, "/.vscode/") && slices.Contains([]string{"tasks.json", "settings.json", "launch.json"}, base), strings.Contains(folder, "/.devcontainer/"), strings.Contains(slash, "/.idea/runconfigurations/"):
		return "decides what an editor runs"
	case slices.Contains([]string{".npmrc", ".yarnrc", ".yarnrc.yml", ".gitconfig", ".mise.toml", ".tool-versions", ".gdbinit", ".lldbinit", ".inputrc", ".curlrc", ".wgetrc", ".tmux.conf", ".vimrc", ".exrc", "sitecustomize.py", "usercustomize.py"}, base),
		strings.HasSuffix(slash, "/.cargo/config.toml"), strings.HasSuffix(slash, "/.cargo/config"):
		return "is a person's tool configuration"
	case strings.HasPrefix(slash, "/etc/"), strings.HasPrefix(slash, "/private/etc/"), strings.HasPrefix(slash, "/usr/lib/systemd/"):
		return "is system configuration"
	case strings.Contains(slash, "/.config/systemd/"), strings.Contains(slash, "/.config/autostart/"), strings.Contains(slash, "/Library/LaunchAgents/"):
		return "starts programs by itself"
	}
	return ""
}

// InstructionNames are the names of files that tell agents what to do.
func InstructionNames() []string {
	return []string{
		"AGENTS.md", "AGENTS.override.md", "AGENTS.local.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "SOUL.md", ".hermes.md", ".cursorrules", ".windsurfrules", ".clinerules", ".roorules", "copilot-instructions.md",
	}
}

// instructionFolders are the folders agents are configured in, one below the other where there are two.
func instructionFolders() []string {
	return []string{".hermes", ".agents", ".claude", ".codex", ".gemini", ".clinerules", ".roo", ".cursor/rules", ".windsurf/rules", ".github/instructions", ".github/prompts"}
}

// Instructions reports whether path is a file that tells agents what to do, or what they may do: changing it
// changes what later sessions are told, so a person is always asked.
func Instructions(path string) bool {
	base := filepath.Base(path)
	if slices.ContainsFunc(InstructionNames(), func(n string) bool { return strings.EqualFold(n, base) }) {
		return true
	}
	dir := "/" + strings.Trim(strings.ToLower(filepath.ToSlash(filepath.Dir(path))), "/") + "/"
	return slices.ContainsFunc(instructionFolders(), func(f string) bool {
		i := strings.LastIndex(dir, "/"+f+"/")
		return i >= 0 && !strings.HasPrefix(dir[i+len(f)+2:], "worktrees/") // whole copies of a project lie there
	})
}
