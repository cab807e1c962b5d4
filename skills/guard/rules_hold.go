package guard

import (
	"strings"

	"hermes/core/text"
)

// agentFiles are the files that tell agents how to behave.
const agentFiles = `(?:AGENTS\.md|CLAUDE\.md|GEMINI\.md|SOUL\.md|\.hermes\.md|\.cursorrules|\.clinerules|\.windsurfrules|copilot-instructions\.md|\.cursor/rules)`

const agentHints = "agents.md|claude.md|gemini.md|soul.md|.hermes.md|.cursorrules|.clinerules|.windsurfrules|copilot-instructions|.cursor/rules"

// writes are the ways to change a file from a command or program.
const writes = `(?:>>?\s*["']?[^\s"';|&]*|\btee\s+(?:-a\s+)?["']?[^\s"';|&]*|\bsed\s+-i\S*\s[^;|&]{0,120}|\b(?:cp|mv|install|ln\s+-s\w*)\s+(?:-\w+\s+)*\S+\s+["']?[^\s"';|&]*|\bopen\([^)]{0,120}?|\bPath\([^)]{0,80}?|(?:write|append)File(?:Sync)?\([^)]{0,120}?)`

func persistenceRules() []rule {
	t := table{category: "persistence"}
	t.code("persistence_cron", Medium, "crontab|/etc/cron", `\bcrontab\s+(?:-\s|-$|-["'`+"`"+`)]|[\w./~$]|-u)|\|\s*crontab\b|(?:>>?|\btee)\s*(?:-a\s+)?["']?/etc/cron`, "runs again by the clock").check = cronLine
	t.code("shell_rc_mod", Medium, "bashrc|zshrc|profile|zshenv|config.fish|bash_login", `(?:>>?|\btee\s+(?:-a\s+)?|\bsed\s+-i\S*\s[^;|]{0,80}\s)\s*["']?[^\s"';|]*(?:\.bashrc|\.zshrc|\.zprofile|\.zshenv|\.bash_profile|\.bash_login|\.profile|config\.fish|Microsoft\.PowerShell_profile\.ps1)\b`, "runs in every new shell").check = rcLine
	t.code("alias_over", High, "alias ", `\balias\s+(?:sudo|su|ssh|git|gpg|passwd)=["'][^"']*(?:curl|wget|\bnc\b|tee\s|>>|base64)`, "replaces a command by one that does more")
	t.code("rc_write_program", High, "bashrc|zshrc|profile|zshenv", `(?:\bopen\([^)]{0,80}|Path[^;]{0,80}|(?:write|append)File(?:Sync)?\([^)]{0,80})(?:\.bashrc|\.zshrc|\.zprofile|\.zshenv|\.bash_profile|\.profile)\b[^;]{0,60}(?:["'][aw]\+?["']|write|append|File)`, "a program that changes what every new shell runs")
	t.add("ssh_backdoor", Critical, "authorized_keys", `(?:>>?\s*|\btee\s+(?:-a\s+)?|\bcp\s+\S+\s+|\bopen\([^)]{0,60}|\b(?:add|append|write|put|insert)\b[^.]{0,120}\b(?:to|into|in)\s)[^\s;|]{0,60}\bauthorized_keys\b`, "lets somebody log in later").check = ownKeyFile
	t.code("ssh_keygen", Low, "ssh-keygen", `\bssh-keygen\b`, "makes a key")
	t.code("systemd_service", Medium, "systemctl|systemd/", `\bsystemctl\s+(?:--user\s+)?enable\b|(?:>>?|\btee|\bcp\s+\S+)\s*(?:-a\s+)?["']?[^\s"';|]*systemd/(?:system|user)/`, "runs as a service from now on")
	t.code("init_script", Medium, "/etc/init.d|rc.local|update-rc.d", `(?:>>?|\btee|\bcp\s+\S+)\s*(?:-a\s+)?["']?/etc/(?:init\.d|rc\.local)|\bupdate-rc\.d\b`, "runs at every start of the machine")
	t.code("macos_launchd", Medium, "launchctl|launchagents|launchdaemons", `\blaunchctl\s+(?:load|bootstrap|enable)\b|(?:>>?|\btee|\bcp\s+\S+|\bopen\()\s*["']?[^\s"';|]*Library/Launch(?:Agents|Daemons)/`, "runs at every log-in")
	t.code("windows_autostart", High, "currentversion\\run|schtasks|start menu\\programs\\startup|register-scheduledtask|new-service", `\breg(?:\.exe)?\s+add\b[^;|]{0,120}CurrentVersion\\Run|(?:Set|New)-ItemProperty\b[^;|]{0,160}CurrentVersion\\Run|\bschtasks(?:\.exe)?\s+/create\b|\bRegister-ScheduledTask\b|Start Menu\\Programs\\Startup\\`, "runs at every log-in")
	t.code("sudoers_mod", Critical, "sudoers", `(?:>>?|\btee\s+(?:-a\s+)?|\bcp\s+\S+|\bsed\s+-i\S*\s[^;|]{0,80}|\bopen\()\s*["']?/etc/sudoers`, "changes who may act as administrator")
	t.code("git_config_global", Low, "git config", `\bgit\s+config\s+--(?:global|system)\b`, "changes git everywhere").check = gitConfig
	t.code("git_hook", Medium, ".git/hooks", `(?:>>?|\btee|\bcp\s+\S+|\bln\s+-s\w*\s+\S+|\bopen\(|chmod\s+\+x)\s*["']?[^\s"';|]*\.git/hooks/`, "runs with every git command here").check = netHook
	t.code("preload", High, "ld_preload|dyld_insert_libraries|pythonstartup|sitecustomize|prompt_command|bash_env", `\b(?:LD_PRELOAD|DYLD_INSERT_LIBRARIES|PYTHONSTARTUP|PROMPT_COMMAND|BASH_ENV)=["']?[^\s"';]*(?:[/$]|curl|wget|base64|eval)|(?:>>?|\btee|\bopen\()\s*[^;|]{0,80}(?:sitecustomize|usercustomize)\.py`, "slips code into every program that starts").check = preloadUse
	t.code("agent_config_mod", Critical, agentHints, writes+agentFiles+`\b`, "changes how agents behave from now on").check = agentWrite
	t.add("agent_config_order", Critical, agentHints, `\b(?:edit|modify|change|overwrite|replace|rewrite|append|add|write|insert|inject|prepend|update|put)\b[^.;]{0,90}?`+agentFiles+`\b`, "asks for a change of how agents behave").check = agentOrder
	t.code("hermes_config_mod", High, ".hermes/|hermes_home", writes+`(?:\.hermes|HERMES_HOME\}?["']?)/(?:config\.yaml|SOUL\.md|memories/|skills/|ledger/)`, "changes the settings or memory of this program")
	t.add("approvals_off", Critical, "approvals.mode|yolo|guard_agent_created|skills_guard|approval_mode|approvals", `\b(?:set|change|switch|config\s+set|edit|put)\b[^.;]{0,60}(?:approvals\.mode|approval_mode)["'\s:=]{1,6}(?:to\s+)?["'`+"`"+`]?off\b|\bapprovals:?\s*\n?\s*mode:\s*off\b|\b(?:set|disable|turn\s+off|switch\s+off|config\s+set)\b[^.;]{0,60}\bguard_agent_created\b(?:["'\s:=]{1,6}(?:to\s+)?(?:false|off|no)|[^.;]{0,20}$)|\bguard_agent_created["'\s:=]{1,4}false\b`, "switches off a protection of this program")
	t.add("yolo", Medium, "--yolo|dangerously-skip-permissions|dangerously-bypass|hermes_yolo", `--yolo\b|--dangerously-(?:skip-permissions|bypass-approvals-and-sandbox)\b|\bHERMES_YOLO_MODE\b`, "runs an agent without asking the person")
	t.code("other_agent_config", High, ".claude/|.codex/|.cursor/|.gemini/|claude_desktop_config|.continue/", writes+`(?:\.claude/(?:settings(?:\.local)?\.json|commands/|hooks/)|\.claude\.json|\.codex/(?:config\.toml|AGENTS)|\.cursor/mcp\.json|\.gemini/settings\.json|claude_desktop_config\.json)`, "changes the settings of another agent").check = agentWrite
	return t.rules
}

var network = text.NewPattern(`(?i)\b(?:curl|wget|nc|ncat|base64|eval|/dev/tcp|python\d?\s+-c|bash\s+-c|iex)\b`)

func cronLine(h *hit) (Severity, bool) {
	if network.Regexp().MatchString(h.seg.text) {
		return High, true
	}
	return h.severity, true
}

var aliasOver = text.NewPattern(`(?i)\balias\s+(?:sudo|ssh|git|ls|cd|curl|su|npm|pip)=|\b(?:sudo|ssh|su)\s*\(\)|trap\s|PROMPT_COMMAND`)

func rcLine(h *hit) (Severity, bool) {
	if before := h.seg.text[:h.at]; network.Regexp().MatchString(before) || aliasOver.Regexp().MatchString(before) {
		return High, true
	}
	return h.severity, true
}

// ownKeyFile: putting one's own public key on a server is what ssh-copy-id does.
func ownKeyFile(h *hit) (Severity, bool) {
	if h.seg.kind == prose && !h.inline() && !imperative(h.seg.text[:h.at]) {
		return Medium, true
	}
	return h.severity, true
}

var gitRun = text.NewPattern(`(?i)core\.(?:hooksPath|fsmonitor|sshCommand|pager|editor)\s+["']?[^\s"']*(?:[/!$]|sh\b)|alias\.\w+\s+["']?!|credential\.helper\s+["']?!|url\.\S+\.insteadOf|http\.(?:proxy|sslVerify\s+["']?false)`)

func gitConfig(h *hit) (Severity, bool) {
	rest := h.seg.text[h.end:min(len(h.seg.text), h.end+160)]
	if m := gitRun.Regexp().FindString(rest); m != "" {
		if strings.Contains(lower(m), "insteadof") && strings.Contains(rest, "github.com") || strings.Contains(lower(m), "credential") && strings.Contains(rest, "gh auth") {
			return Medium, true
		}
		return High, true
	}
	return h.severity, true
}

func netHook(h *hit) (Severity, bool) {
	if network.Regexp().MatchString(h.seg.text) {
		return High, true
	}
	return h.severity, true
}

func preloadUse(h *hit) (Severity, bool) {
	if strings.Contains(h.match(), "jemalloc") || strings.Contains(h.match(), "tcmalloc") || strings.Contains(h.match(), "libasan") {
		return Low, true
	}
	return h.severity, true
}

// agentWrite leaves reading and copies that only take from the file.
func agentWrite(h *hit) (Severity, bool) {
	m := lower(h.match())
	rest := lower(h.seg.text[h.end:min(len(h.seg.text), h.end+60)])
	if strings.HasPrefix(m, "open(") || strings.HasPrefix(m, "path(") {
		writing := strings.Contains(rest, `"w`) || strings.Contains(rest, `'w`) || strings.Contains(rest, `"a`) || strings.Contains(rest, `'a`) || strings.Contains(rest, "write")
		return h.severity, writing
	}
	if h.seg.kind == comment || h.seg.kind == prose && !h.inline() {
		return Medium, true
	}
	return h.severity, true
}

var (
	ordered = text.NewPattern(`(?i)\b(?:you\s+(?:must|should|need\s+to|have\s+to|will|are\s+required)|must|always|silently|immediately|be\s+sure\s+to|make\s+sure\s+to|before\s+(?:anything|doing)|first|then)\b[^.]{0,40}$`)
	plants  = text.NewPattern(`(?i)\b(?:this|these|the\s+following|following|below)\s+(?:lines?|text|instructions?|rules?|block|snippet|paragraph|content|section)\b`)
)

// imperative reports whether what stands before a match makes it an order to the agent.
func imperative(before string) bool {
	before = strings.TrimSpace(before[max(0, len(before)-80):])
	return before == "" || ordered.Regexp().MatchString(before) || strings.HasSuffix(before, ".") || strings.HasSuffix(before, ":") || strings.HasSuffix(before, "-") || strings.HasSuffix(before, "*")
}

// agentOrder tells an order to plant text in an agent's file from a guide that speaks of such files.
func agentOrder(h *hit) (Severity, bool) {
	if h.seg.kind != prose {
		return Low, h.seg.kind == comment
	}
	t := h.seg.text
	must := ordered.Regexp().MatchString(t[max(0, h.at-60):h.at])
	plant := plants.Regexp().MatchString(t[h.at:min(len(t), h.end+90)])
	switch {
	case must && plant, must && strings.Contains(lower(t[max(0, h.at-60):h.at]), "you must"):
		return h.severity, true
	case plant:
		return Medium, true
	}
	return Low, true
}
