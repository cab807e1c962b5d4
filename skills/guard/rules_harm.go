package guard

import (
	"strings"

	"hermes/core/text"
)

func destructiveRules() []rule {
	t := table{category: "destructive"}
	t.add("destructive_root_rm", Critical, "rm ", `\brm\s+(?:--?[\w-]+\s+)*(?:-\w*r\w*f\w*|-\w*f\w*r\w*|-r\w*\s+(?:--?[\w-]+\s+)*-f\w*|-f\w*\s+(?:--?[\w-]+\s+)*-r\w*|--recursive\s+--force|--force\s+--recursive|-r\w*|--recursive)\s+(?:--?[\w-]*\s+)*[^;&|]{1,200}`, "deletes whole folders").check = removes
	t.code("find_delete", Critical, "find ", `\bfind\s+(?:/|~/?|\$\{?HOME\}?|"\$HOME"|/(?:etc|usr|var|home|bin|lib|opt|root|boot)/?\S*)\s[^;&|]{0,120}(?:-delete\b|-exec\s+(?:rm|shred)\b)`, "deletes files all over the system or home")
	t.code("insecure_perms", Medium, "chmod", `\bchmod\s+(?:-\w+\s+)*(?:0?777|a\+rwx|o\+w|ugo\+rwx)\b`, "lets everybody write").check = widePerms
	t.code("system_overwrite", Critical, "/etc/", `(?:>>?|\btee\s+(?:-a\s+)?|\bcp\s+\S+\s+|\bmv\s+\S+\s+|\bsed\s+-i\S*\s[^;|]{0,80}\s|\bopen\(\s*["'])\s*["']?/etc/[\w./-]+`, "changes a file of the system").check = systemFile
	t.code("format_filesystem", Critical, "mkfs|format ", `\bmkfs(?:\.\w+)?\s+[^;|&]{0,60}/dev/\w+|\bformat\s+[a-z]:\s*(?:/\w|$)`, "formats a disk")
	t.code("disk_overwrite", Critical, "/dev/", `(?:\bdd\s[^;|]{0,160}\bof=|>\s*|\bshred\s[^;|]{0,60}|\bwipefs\s[^;|]{0,60}|\bblkdiscard\s+)["']?/dev/(?:sd[a-z]|hd[a-z]|nvme\d|r?disk\d|mmcblk\d|vd[a-z]|xvd[a-z])`, "overwrites a disk")
	t.code("fork_bomb", Critical, ":|:|(){", `:\s*\(\)\s*\{\s*:\s*\|\s*:\s*&\s*\}|\b(\w+)\(\)\s*\{\s*\w+\s*\|\s*\w+\s*&\s*\}\s*;`, "starts processes without end")
	t.code("python_rmtree", Critical, "rmtree|removedirs|rmsync|fs.rm|rimraf|rm_rf", `(?:\brmtree|\bremovedirs|\brmSync|\bfs\.rm|\brimraf|\brm_rf)\W[^;]{0,12}(?:["'](?:/|~|~/|[A-Z]:\\\\?)["']|expanduser\(\s*["']~/?["']|Path\.home\(\)\s*[,)]|os\.homedir\(\)\s*[,)]|os\.environ\[["']HOME["']\]\s*[,)]|["']/(?:etc|usr|var|home|bin|lib|opt|root|boot|Users)/?["'])`, "deletes the system or the home folder")
	t.code("truncate_system", High, "truncate", `\btruncate\s+(?:-s\s*0|--size[= ]0)\s+["']?(?:/(?:etc|var|usr|home|root|boot)|~|\$\{?HOME)`, "empties files of the system or home")
	t.code("windows_delete", Critical, "remove-item|del /|rd /|rmdir /", `\bRemove-Item\b[^;|]{0,80}(?:-Recurse[^;|]{0,60}|-r\s)[^;|]{0,60}(?:[A-Z]:\\(?:\s|\*|"|'|$|Windows|Users)|\$env:(?:USERPROFILE|SystemRoot|HOMEPATH)["']?(?:\s|$|\\\*))|\b(?:del|rd|rmdir)\s+(?:/[sqf]\s*)+["']?(?:[A-Z]:\\(?:\s|\*|"|$|Windows|Users)|%(?:USERPROFILE|SystemRoot)%["']?(?:\s|$|\\\*))`, "deletes the system or the home folder")
	t.code("wipe_traces", High, "history|/var/log|wevtutil|journalctl", `\bhistory\s+-c\b|\bunset\s+HISTFILE\b|HISTFILE=/dev/null|\brm\s[^;|]{0,40}(?:_history\b|/var/log/)|\bwevtutil\s+cl\b|\bjournalctl\s+--vacuum-time=1s`, "removes traces of what was done")
	t.code("backups_gone", High, "vssadmin|tmutil|wbadmin", `\bvssadmin\s+delete\s+shadows|\btmutil\s+(?:disable|delete)\b|\bwbadmin\s+delete\b`, "removes backups")
	return t.rules
}

var (
	rmFlags   = text.NewPattern(`^(?i)rm\s+(?:-{1,2}[\w=-]*\s+)*`)
	rmTarget  = text.NewPattern(`(?:"[^"]*"|'[^']*'|[^\s"']|["'])+`)
	wholeTree = text.NewPattern(`^(?:/|/\*|~|~/|~/\*|\$\{?HOME\}?/?\*?|\$\{?HERMES_HOME\}?/?\*?|~/\.hermes/?\*?|/(?:etc|usr|var|home|bin|sbin|lib|lib64|opt|root|boot|dev|sys|proc|System|Users|Applications|Library|private|mnt|media|srv)(?:/\*?)?|/(?:home|Users)/[^/]+/?\*?|/(?:etc|usr/(?:bin|lib|local)|bin|sbin|lib|boot|System)/.*|[A-Z]:\\?)$`)
	homeTree  = text.NewPattern(`^(?:~|\$\{?HOME\}?)/(?:\.ssh|\.gnupg|\.aws|\.hermes|\.config|\.kube|Documents|Desktop|Pictures|Library|Downloads|\.local)/?\*?$`)
	bare      = text.NewPattern(`^(?:\./?)?\*?$`)
	wentUp    = text.NewPattern(`\bcd\s+["']?(?:/|~/?|\$\{?HOME\}?/?|/(?:etc|usr|var|home|root))["']?\s*(?:&&|;)[^;&|]*$`)
	scratch   = text.NewPattern(`^(?:/tmp/|/var/tmp/|/private/tmp/|/dev/shm/|\$\{?TMP|\$\{?TEMP|/var/folders/|/var/cache/|/var/lib/apt/lists)`)
)

// removes judges the targets of rm -r: build folders are cleaned every day.
func removes(h *hit) (Severity, bool) {
	m := h.match()
	args := m[len(rmFlags.Regexp().FindString(m)):]
	worst, found := Low, false
	for _, target := range rmTarget.Regexp().FindAllString(args, 12) {
		target = strings.Trim(strings.NewReplacer(`"`, "", `'`, "").Replace(target), "`),;:")
		if h.seg.kind == prose {
			target = strings.TrimRight(target, ".")
		}
		if strings.HasPrefix(target, "#") || target == "" {
			break
		}
		for strings.Contains(target, "//") {
			target = strings.ReplaceAll(target, "//", "/")
		}
		switch {
		case target == "--no-preserve-root":
			return Critical, true
		case strings.HasPrefix(target, "-") || scratch.Regexp().MatchString(target) && !strings.Contains(target, ".."):
		case wholeTree.Regexp().MatchString(target), bare.Regexp().MatchString(target) && wentUp.Regexp().MatchString(h.seg.text[:h.at]):
			return Critical, true
		case homeTree.Regexp().MatchString(target):
			worst, found = High, true
		case strings.HasPrefix(target, "/") || strings.HasPrefix(target, "~") || strings.HasPrefix(target, "$HOME") || strings.HasPrefix(target, "../.."):
			worst, found = most(worst, Medium), true
		}
		if h.seg.kind == prose && !h.inline() {
			break // the words behind it are a sentence
		}
	}
	return worst, found
}

func widePerms(h *hit) (Severity, bool) {
	rest := strings.TrimSpace(h.seg.text[h.end:])
	if strings.Contains(h.match(), "-R") && (strings.HasPrefix(rest, "/ ") || rest == "/" || strings.HasPrefix(rest, "~") || strings.HasPrefix(rest, "/etc") || strings.HasPrefix(rest, "$HOME")) {
		return High, true
	}
	return Medium, true
}

var (
	accounts  = text.NewPattern(`/etc/(?:passwd|shadow|sudoers|group|gshadow|pam|ld\.so\.preload|crontab|cron\.|rc\.local|ssh/|profile|bash\.bashrc|environment)`)
	addedFile = text.NewPattern(`/etc/(?:apt/|yum\.|systemd/|nginx/|docker/|caddy|default/|[\w-]+\.d/|[\w-]+/conf\.d/)`)
)

func systemFile(h *hit) (Severity, bool) {
	switch m := h.match(); {
	case strings.HasPrefix(m, "open") && !regexpWrite.Regexp().MatchString(h.seg.text[h.end:min(len(h.seg.text), h.end+20)]):
		return "", false
	case accounts.Regexp().MatchString(m):
		return Critical, true
	case addedFile.Regexp().MatchString(m):
		return Medium, true
	}
	return Medium, true
}

// regexpWrite is the mode of an open for writing.
var regexpWrite = text.NewPattern(`^["']\s*,\s*(?:mode\s*=\s*)?["'][wa]`)

func privilegeRules() []rule {
	t := table{category: "privilege_escalation"}
	t.add("allowed_tools_field", Low, "allowed-tools", `^\s*allowed-tools\s*:`, "claims tools; the person decides about them")
	t.code("sudo_usage", Low, "sudo ", `\bsudo\s+(?:-\w+\s+)*\w`, "acts as administrator")
	t.code("sudo_password", High, "sudo -s|sudo --stdin", `(?:\becho\b|\bprintf\b|<<<)[^|;]{0,80}\|?\s*sudo\s+(?:-S|--stdin)\b`, "gives sudo a password unasked")
	t.add("nopasswd_sudo", Critical, "nopasswd", `\bALL\s*=\s*\([^)]*\)\s*NOPASSWD|\bNOPASSWD\s*:\s*(?:ALL|/)`, "lets somebody become administrator without a password")
	t.code("setuid_setgid", High, "setuid|setgid|cap_", `\bos\.set(?:e?uid|e?gid)\(\s*0|\bset(?:e?uid|e?gid)\(\s*0\s*\)|\bsetcap\s+\S*cap_(?:setuid|sys_admin|dac_override|sys_ptrace)`, "becomes another user or gains rights")
	t.code("suid_bit", Critical, "chmod", `\bchmod\s+(?:-\w+\s+)*(?:[ugo]*\+\w*s\b|0?[4-7][0-7]{3}\b)`, "makes a program run with its owner's rights").check = suid
	t.code("admin_group", High, "usermod|adduser|net localgroup|dseditgroup|useradd", `\b(?:usermod|gpasswd)\s+[^;|]{0,40}\b(?:sudo|wheel|root|admin)\b|\badduser\s+\S+\s+(?:sudo|wheel|root|admin)\b|\bnet\s+localgroup\s+administrators\b[^;|]{0,40}/add|\buseradd\s[^;|]{0,40}-o\b[^;|]{0,20}-u\s*0`, "makes an account an administrator")
	t.code("password_change", High, "chpasswd|passwd root|passwd --stdin", `\bchpasswd\b|\bpasswd\s+(?:--stdin\s+)?root\b`, "changes a password")
	t.code("protection_off", High, "csrutil|spctl|set-mppreference|ufw|iptables|setenforce|defender|auditctl|apparmor", `\bcsrutil\s+disable|\bspctl\s+--(?:master|global)-disable|\bSet-MpPreference\b[^;|]{0,80}-Disable\w+\s+(?:\$true|1)|\bufw\s+disable|\biptables\s+(?:-F|--flush)\b|\bsetenforce\s+0|\bauditctl\s+-e\s*0|\bnetsh\s+advfirewall\s+set\s+\w+\s+state\s+off`, "switches off a protection of the system")
	t.code("container_escape", High, "--privileged|docker.sock|nsenter|-v /:", `\bdocker\s+run\b[^;|]{0,200}(?:\s-v\s+/:/|--volume[= ]/:/|--privileged[^;|]{0,120}(?:--pid[= ]host|/:/)|--pid[= ]host[^;|]{0,120}--privileged)|\bnsenter\s[^;|]{0,40}(?:-t|--target)[ =]1\b|docker\.sock\b[^;|]{0,120}(?:curl|POST|containers/create)|curl[^;|]{0,80}--unix-socket\s+/var/run/docker\.sock[^;|]{0,120}containers/create`, "leaves the container, to the whole machine")
	t.code("admin_dialog", Medium, "with administrator privileges|-verb runas", `\bwith\s+administrator\s+privileges\b|\bStart-Process\b[^;|]{0,120}-Verb\s+RunAs`, "asks for the administrator's password from a script")
	return t.rules
}

// suid: four octal digits only count when the first sets a bit for the owner or group.
func suid(h *hit) (Severity, bool) {
	m := strings.Fields(h.match())
	mode := m[len(m)-1]
	if strings.HasPrefix(strings.TrimPrefix(mode, "0"), "1") {
		return "", false
	}
	return h.severity, true
}

func traversalRules() []rule {
	t := table{category: "traversal"}
	t.add("path_traversal_system", High, "../..", `(?:\.\./){2,}(?:etc|root|home|proc|var|usr|Users|\.ssh|\.aws|\.hermes|\.env)\b`, "climbs out of its folder to the system or home").check = notLink
	t.code("path_traversal_deep", Medium, "../../..", `(?:\.\.[/\\]){3,}`, "climbs far out of its folder").check = notLink
	t.code("encoded_traversal", High, "%2e%2e|..%2f|%252e|..%5c", `(?:%2e%2e|\.\.)(?:%2f|%5c){1}(?:(?:%2e%2e|\.\.)(?:%2f|%5c|/))+|(?:%252e){2}`, "climbs out of its folder behind an encoding")
	t.code("system_passwd_access", High, "/etc/passwd|/etc/shadow|/etc/master.passwd|sam\\|ntds.dit|\\config\\sam", `(?:\b(?:cat|less|more|head|tail|cp|base64|xxd|strings|awk|cut|grep|scp|curl)\b[^|;]{0,80}|\bopen\(\s*["']|read_text|readFile(?:Sync)?\(\s*["'])/etc/(?:passwd|shadow|master\.passwd)\b|\bntds\.dit\b|\\config\\SAM\b`, "reads the accounts of the system").check = accountsRead
	t.code("proc_access", High, "/proc/", `/proc/(?:self|\d+|\$\$|\$\{?\w+\}?|\*)/(?:environ|mem|maps|cmdline|fd|root)\b`, "looks into the memory or environment of processes").check = procRead
	t.code("dev_shm", Low, "/dev/shm", `/dev/shm\b`, "works in memory, where nothing remains to be seen")
	t.code("metadata_service", Critical, "169.254.169.254|metadata.google.internal|100.100.100.200|fd00:ec2", `(?:169\.254\.169\.254|metadata\.google\.internal|100\.100\.100\.200|fd00:ec2::254)\b[^\s"']{0,80}(?:credentials|token|iam|identity|user-?data)`, "asks the cloud's metadata service for the machine's keys")
	return t.rules
}

func notLink(h *hit) (Severity, bool) {
	before := h.seg.text[max(0, h.at-3):h.at]
	if h.seg.kind == prose && (strings.HasSuffix(before, "](") || strings.HasSuffix(before, "](<")) {
		return "", false
	}
	return h.severity, true
}

func accountsRead(h *hit) (Severity, bool) {
	if m := h.match(); strings.Contains(m, "shadow") || strings.Contains(m, "master.passwd") {
		return Critical, true
	}
	return h.severity, true
}

func procRead(h *hit) (Severity, bool) {
	if m := h.match(); strings.HasSuffix(m, "cmdline") || strings.HasSuffix(m, "fd") || strings.HasSuffix(m, "maps") {
		return Medium, true
	}
	return h.severity, true
}

func miningRules() []rule {
	t := table{category: "mining"}
	t.add("crypto_mining", Critical, "xmrig|minerd|cgminer|ethminer|nicehash|stratum|coinhive|cryptonight|nbminer|t-rex -a|phoenixminer|lolminer|xmr-stak", `\b(?:xmrig|minerd|cgminer|ethminer|coinhive(?:\.min)?|nbminer|phoenixminer|lolminer|xmr-stak)\b|stratum\+(?:tcp|ssl)://|--(?:algo|coin)[= ](?:cryptonight|randomx|monero|ethash|rx/0)|\bnicehash\b`, "mines coins on the person's machine").check = mines
	t.add("mining_wallet", High, "wallet|pool", `\b(?:wallet|pool)\b[^.;]{0,60}\b(?:4[0-9AB][1-9A-HJ-NP-Za-km-z]{93}|0x[0-9a-fA-F]{40})\b[^.;]{0,60}\b(?:hash|mine|worker|rig)`, "an account that mined coins go to")
	t.add("mining_indicators", Medium, "hashrate|nonce", `\bhashrate\b|\bnonce\b[^.]{0,40}\bdifficulty\b`, "words of coin mining")
	return t.rules
}

func mines(h *hit) (Severity, bool) {
	if h.seg.kind == code || h.inline() || strings.Contains(h.match(), "://") {
		return h.severity, true
	}
	return Medium, true
}
