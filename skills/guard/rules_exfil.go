package guard

import (
	"strings"

	"hermes/core/text"
)

// Pieces of patterns that several rules share.
const (
	// wholeLine is how far behind a match the rest of its command is looked at, in bytes.
	wholeLine = 900
	// secretVar is a shell variable whose name says that it is secret.
	secretVar = `\$(?:env:)?\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|API_?PASS)S?(?:_B64)?\b`
	// secretLookup is how programs read such a variable.
	secretLookup = `(?:os\.environ(?:\.get\(|\[)|os\.getenv\(|\bgetenv\(|Deno\.env\.get\(|ENV(?:\.fetch\(|\[))\s*["']\w*(?:KEY|TOKEN|SECRET|PASSW|CREDENTIAL)\w*|process\.env(?:\.|\[["'])\w*(?:KEY|TOKEN|SECRET|PASSW|CREDENTIAL)\w*`
	// vault is a file that holds keys, passwords or cookies.
	vault = `(?:\.ssh/(?:id_[a-z0-9]+\b|\*|[\w-]+_rsa\b|[\w-]+\.pem\b)|\.ssh/?["'\s)]|\.aws/credentials|\.aws/?["'\s)]|\.netrc\b|\.pgpass\b|\.gnupg\b|\.kube/config\b|\.docker/config\.json|\.git-credentials\b|\.config/gh/hosts\.yml|\.config/gcloud|application_default_credentials|\.npmrc\b|\.pypirc\b|\.(?:bash|zsh|python)_history\b|/etc/shadow\b|Login Data\b|Cookies\.binarycookies|cookies\.sqlite|logins\.json|key4\.db|Keychains/|wallet\.dat\b|\.hermes/(?:\.env|auth\.json)\b|HERMES_HOME\}?["']?/\.env\b)`
	// sender is a command or call that carries data away.
	sender = `(?:\b(?:curl|wget|nc|ncat|netcat|telnet|socat|scp|sftp|rsync|ftp|sendmail|mailx?|rclone|dig|nslookup|xh)\b|\bhttps?\s+POST|aws\s+s3\s+cp|gsutil\s+cp|requests\.(?:post|put|get|patch|request)|httpx\.\w+|urlopen|urllib\.request|fetch\(|axios|http\.client|aiohttp|smtplib|sendall|\.send\(|Invoke-(?:WebRequest|RestMethod)|\biwr\b|\birm\b|openssl\s+s_client|\bssh\s[^|;<]{0,80}<|\bhttps?\.(?:get|request)\(|/dev/tcp/)`
)

func exfiltrationRules() []rule {
	t := table{category: "exfiltration"}
	for _, x := range [][3]string{
		{"env_exfil_curl", "curl", `\bcurl\b`},
		{"env_exfil_wget", "wget", `\bwget\b`},
		{"env_exfil_powershell", "invoke-webrequest|invoke-restmethod|iwr |irm ", `\b(?:Invoke-WebRequest|Invoke-RestMethod|iwr|irm)\b`},
		{"env_exfil_netcat", " nc |nc -|ncat |netcat ", `\b(?:nc|ncat|netcat)\s[^|;]{0,80}`},
	} {
		t.add(x[0], Critical, x[1], x[2]+`.{0,400}?(?:`+secretVar+`)`, "sends a key from the environment to a host").check = sendsKey
	}
	t.add("env_pipe_send", Critical, "curl|wget|nc |ncat |/dev/tcp", `(?:`+secretVar+`).{0,120}?\|\s*(?:\w+[^|]*\|\s*)?(?:curl|wget|nc|ncat)\b`, "pipes a key from the environment to a host").check = sendsKey
	lookups := `.{0,500}?(?:` + secretLookup + `)`
	t.code("env_exfil_requests", Critical, "requests.", `\brequests\.(?:get|post|put|patch|delete|request|head)\(`+lookups, "sends a key from the environment to a host").check = sendsKey
	t.code("env_exfil_httpx", Critical, "httpx.|aiohttp|session.post|session.get|client.post|client.get", `(?:\bhttpx|\bsession|\bclient)\.(?:get|post|put|patch|request)\(`+lookups, "sends a key from the environment to a host").check = sendsKey
	t.code("env_exfil_urllib", Critical, "urlopen|request(", `(?:urlopen|\bRequest)\(`+lookups, "sends a key from the environment to a host").check = sendsKey
	t.code("env_exfil_fetch", Critical, "fetch(|axios", `(?:\bfetch\(|\baxios(?:\.\w+)?\()`+`.{0,500}?(?:`+secretLookup+`|`+secretVar+`)`, "sends a key from the environment to a host").check = sendsKey
	t.code("env_in_url", Critical, "process.env|os.environ|getenv", `https?://[^"'`+"`"+`\s]{1,200}["'`+"`"+`]\s*\+\s*(?:\w+\()?(?:`+secretLookup+`)`, "puts a key from the environment into an address").check = sendsKey
	t.code("env_exfil_ruby", Critical, "net::http|faraday|httparty", `\b(?:Net::HTTP|Faraday|HTTParty)\b`+lookups, "sends a key from the environment to a host").check = sendsKey
	const whole = `(?:dict\(os\.environ\)|os\.environ(?:\.copy\(\)|\.items\(\))?\s*[),}\]|]|os\.environ\s*$|JSON\.stringify\(process\.env\)|process\.env\s*[),}]|ENV\.to_h)`
	t.code("env_dump_send", Critical, "os.environ|process.env|env.to_h", `(?:`+sender+`.{0,300}?`+whole+`|`+whole+`.{0,200}?`+sender+`)`, "sends the whole environment away").check = awayOnly
	t.code("dump_all_env", Critical, "printenv|env |set |export -p", `(?:^|[;&|(\s`+"`"+`])(?:printenv|env|export\s+-p|set)\s*\|(?:[^|]*\|)?\s*(?:curl|wget|nc|ncat|base64|openssl|gzip|xxd)\b`, "takes the whole environment and sends or packs it").check = awayOnly
	t.add("env_in_request", Critical, "$(env|$(printenv|`env|`printenv", `\b(?:curl|wget|nc|ncat|dig|nslookup)\b.{0,300}?(?:\$\(|`+"`"+`)(?:env|printenv)\b`, "puts the environment into a request")
	t.add("python_environ_get_secret", Low, "environ|getenv|process.env", secretLookup, "reads a key from the environment").where = inCode
	vaults := []string{".ssh", ".aws", ".netrc", ".pgpass", ".gnupg", ".kube", ".docker/", "credentials", "hosts.yml", "gcloud", ".npmrc", ".pypirc", "_history", "/etc/shadow", "login data", "cookies", "logins.json", "key4.db", "keychains", "wallet.dat", ".hermes", "hermes_home"}
	all := strings.Join(vaults, "|")
	t.code("vault_send", Critical, all, `(?:`+sender+`.{0,300}?`+vault+`|`+vault+`.{0,300}?`+sender+`)`, "sends a file that holds keys or passwords").check = vaultSend
	t.add("envfile_send", Critical, ".env", `(?:\bcurl\b.{0,200}?(?:@|<\s*)[^\s"']*\.env\b|\b(?:cat|base64|gzip|tar)\b[^;]{0,80}\.env\b[^;]{0,80}\|\s*(?:[^|]*\|\s*)?(?:curl|wget|nc|ncat)\b|\b(?:scp|rsync|nc)\b[^;|]{0,60}[\s/"]\.env\b[^;|]{0,60}(?:@|:\d))`, "sends a file of settings that may hold keys").check = awayOnly
	t.code("read_secrets_file", High, all, `(?:\b(?:cat|less|more|head|tail|base64|xxd|strings|cp|tar|zip|gzip)\b[^|;&]{0,120}?|\bopen\([^)]{0,100}?|read_text\([^)]{0,60}?|readFile(?:Sync)?\([^)]{0,100}?|File\.read\([^)]{0,80}?|Path[^;]{0,60}?)`+vault, "reads a file that holds keys or passwords").check = vaultRead
	t.add("vault_order", High, all, `\b(?:read|open|take|copy|get|print|show)\b[^.]{0,60}?[\w~$/{}.-]*`+vault+`[^.]{0,60}?\b(?:paste|send|post|include|upload|attach|append|publish|commit|share)\b`, "asks for a file that holds keys or passwords to be given away").where = inProse
	t.add("secret_path", Low, all, vault, "names a file that holds keys or passwords")
	t.code("encoded_exfil", High, "base64", `(?:\b(?:printenv|env)\b\s*\|\s*base64|base64\.b64encode\([^)]{0,80}(?:os\.environ|getenv)|btoa\([^)]{0,60}process\.env)`, "encodes the environment, as before sending it unseen")
	t.add("dns_exfil", Critical, "dig |nslookup |host |ping ", `\b(?:dig|nslookup|host|ping)\b[^|;&`+"`"+`]{0,60}(?:\$\([^)]{1,120}\)|`+"`[^`]{1,80}`"+`|\$\{?\w+\}?)\.[\w-]+\.\w{2,}`, "asks a name server for a name that carries data").check = dnsName
	t.code("dns_exfil_code", Critical, "gethostbyname|resolve(|getaddrinfo", `(?:gethostbyname|getaddrinfo|resolver?\.resolve|dns\.(?:lookup|resolve)\w*)\(\s*(?:f["'][^"']*\{|[^,)]{1,80}\+\s*["']\.|`+"`"+`[^`+"`"+`]*\$\{)`, "asks a name server for a name that carries data")
	t.code("tmp_staging", High, "/tmp/", `>\s*["']?/tmp/\S+.{0,160}?\b(?:curl\b.{0,120}?(?:-T|-F|-d|--data\S*|--upload-file)\b|nc\s|ncat\s|scp\s)`, "gathers data in a temporary file and sends it").check = awayOnly
	t.add("md_image_exfil", High, "![", `!\[[^\]]{0,100}\]\(\s*<?https?://[^)\s]{1,200}[?&=/](?:\$\{?\w|\{\{|\{[a-z_ ]+\}|<[a-z_ ]+>)[^)]{0,200}\)`, "an image whose address carries data: showing it sends them").where = inProse
	t.add("md_link_exfil", Medium, "](http", `[^!]\[[^\]]{0,100}\]\(\s*<?https?://[^)\s]{1,200}[?&=](?:\$\{?\w|\{\{)[^)]{0,200}\)`, "a link whose address carries data").where = inProse
	t.add("context_exfil", High, "conversation|context|chat|history|messages|prompt|memory", `\b(?:send|post|include|upload|dump|forward|transmit|append|encode|copy|attach)(?:\s+[\p{L}'’-]+){0,3}?\s+(?:(?:the|this|your|our|its)\s+)?(?:(?:entire|full|whole|complete)\s+(?:conversation|context|chat|history|prompt|memory)|(?:conversation|chat)\s+(?:history|so\s+far|transcript|log)|previous\s+messages|MEMORY\.md|USER\.md)\b.{0,120}?(?:\bto\s+(?:https?:|the\s+(?:server|endpoint|url|address)|an?\s+(?:external|remote))|https?://|\bin\s+(?:every|each|all)\b|\bas\s+(?:a\s+)?(?:query|parameter))`, "asks for the conversation to be sent somewhere").where = inProse
	t.add("send_to_url", High, "http", `\b(?:send|post|upload|forward|submit|transmit|exfiltrate|report)\b[^.]{0,80}?\b(?:conversations?|chat\s+history|secrets?|credentials?|(?:api|private|ssh)\s+keys?|tokens?|passwords?|cookies|memory|environment(?:\s+variables)?|\.env|everything\s+you\s+know|user['’]?s?\s+(?:data|files))\b[^.]{0,80}?\bto\s+["'`+"`"+`<(]*https?://`, "asks for private data to be sent to an address").where = inProse
	t.add("exfil_service", High, "webhook.site|requestbin|pipedream.net|burpcollaborator|oast|interact.sh|interactsh|dnslog|hookbin|requestcatcher|canarytokens|postb.in|beeceptor|ceye.io|eyes.sh|rbnd.", `\b(?:webhook\.site|requestbin\.(?:com|net)|[\w-]+\.m\.pipedream\.net|burpcollaborator\.net|oast(?:ify)?\.(?:com|fun|pro|live|site|me|online)|interact\.sh|interactsh\.com|dnslog\.(?:cn|org)|hookbin\.com|requestcatcher\.com|canarytokens\.(?:com|org)|postb\.in|beeceptor\.com|ceye\.io|eyes\.sh)\b`, "a service that collects what strangers send to it").check = serviceUse
	t.add("paste_service", Medium, "pastebin|hastebin|transfer.sh|file.io|0x0.st|termbin|ix.io|dpaste|catbox|paste.ee|rentry", `\b(?:pastebin\.com|hastebin\.com|transfer\.sh|file\.io|0x0\.st|termbin\.com|ix\.io|dpaste\.(?:com|org)|catbox\.moe|paste\.(?:ee|rs)|rentry\.co)\b`, "a public paste service").check = pasteUse
	t.add("chat_webhook_send", High, "discord|api.telegram.org|hooks.slack.com", `(?:discord(?:app)?\.com/api/webhooks/\d{6,}/[\w-]{10,}|api\.telegram\.org/bot\d{6,}:[\w-]{20,}|hooks\.slack\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/\w{16,})`, "a fixed address of somebody's chat channel: what is sent there leaves")
	return t.rules
}

var (
	keyName   = text.NewPattern(`(?i)\$(?:env:)?\{?(\w+)|(?:environ(?:\.get\(|\[)|getenv\(|env\.get\(|ENV(?:\.fetch\(|\[))\s*["'](\w+)|process\.env(?:\.|\[["'])(\w+)`)
	secretish = text.NewPattern(`(?i)(?:KEY|TOKEN|SECRET|PASSW|CREDENTIAL|PASS$)`)
	inHeader  = text.NewPattern(`(?i)(?:\bauthorization\b|\bbearer\b|x-[\w-]*(?:key|token)|api-key|headers?\b|-u\s|--user\b|auth\s*=|-H\s)`)
	uploads   = text.NewPattern(`(?i)(?:\s-(?:T|F|d)\b|--data\S*|--upload-file|--form|\bPOST\b|\|\s*(?:curl|nc)\b|-X\s*P)`)
)

// sendsKey judges a key on its way to a host: home, away or unknown.
func sendsKey(h *hit) (Severity, bool) {
	line := h.seg.text[h.at:min(len(h.seg.text), h.at+wholeLine)]
	hs := hosts(line)
	if allLoopback(hs) {
		return "", false
	}
	worst := own
	for _, m := range keyName.Regexp().FindAllStringSubmatch(line, 30) {
		name := m[1] + m[2] + m[3]
		if !secretish.Regexp().MatchString(name) {
			continue
		}
		for _, host := range hs {
			if f := h.about.fitHost(strings.ToUpper(name), host); f < worst {
				worst = f
			}
		}
		if worst == stranger && owner(name) == "" && inHeader.Regexp().MatchString(line) {
			worst = unsure
		}
	}
	switch {
	case len(hs) == 0:
		return Low, true // the host is not said here
	case worst == own:
		return Low, true
	case worst == unsure && inHeader.Regexp().MatchString(line):
		return Medium, true
	case worst == unsure:
		return High, true
	}
	return h.severity, true
}

// fitHost is fit for hosts that may hold variables: what is not known is unsure.
func (a *about) fitHost(name, host string) fit {
	if loopback(host) {
		return own
	}
	if strings.ContainsAny(label(host), "${}<>%[") {
		return unsure
	}
	return a.fit(name, host)
}

// awayOnly drops what goes to this machine only.
func awayOnly(h *hit) (Severity, bool) {
	return h.severity, !allLoopback(hosts(h.seg.text[h.at:min(len(h.seg.text), h.at+wholeLine)]))
}

var (
	sshUse    = text.NewPattern(`(?i)(?:\s-i\s+|IdentityFile\s+|--key(?:-file)?[ =]|key_filename\s*=\s*|GIT_SSH_COMMAND)\S{0,40}$`)
	netrcUse  = text.NewPattern(`(?i)--netrc(?:-file)?\b`)
	configArg = text.NewPattern(`(?i)(?:-v|--volume|--mount|--config|--kubeconfig|KUBECONFIG)[ =]\S{0,60}$`)
)

// vaultSend leaves the ordinary use of a key alone: ssh -i, curl --netrc, a mounted folder.
func vaultSend(h *hit) (Severity, bool) {
	m := h.match()
	if netrcUse.Regexp().MatchString(m) || strings.HasPrefix(h.seg.text[h.end:], ".pub") {
		return "", false
	}
	i := vaultAt(m)
	if i >= 0 && (sshUse.Regexp().MatchString(m[:i]) || configArg.Regexp().MatchString(m[:i])) {
		return "", false
	}
	return awayOnly(h)
}

var vaultRe = text.NewPattern(`(?i)[\w~$/{}.-]*` + vault)

func vaultAt(s string) int {
	if at := vaultRe.Regexp().FindStringIndex(s); at != nil {
		return at[0]
	}
	return -1
}

var ownVault = text.NewPattern(`(?i)(?:\.hermes/|HERMES_HOME|\.npmrc|\.pypirc|\.docker/config|\.kube/config|gcloud|hosts\.yml)`)

// vaultRead weighs what is read: settings files are read every day, private keys are not.
func vaultRead(h *hit) (Severity, bool) {
	m := h.match()
	switch {
	case strings.HasPrefix(h.seg.text[h.end:], ".pub") || netrcUse.Regexp().MatchString(m):
		return "", false
	case ownVault.Regexp().MatchString(m):
		return Medium, true
	}
	return h.severity, true
}

// dnsName leaves look-ups of a name the person gives.
func dnsName(h *hit) (Severity, bool) {
	m := lower(h.match())
	if strings.Contains(m, "$(") || strings.Contains(m, "`") {
		return h.severity, true
	}
	return Medium, h.seg.kind == code || h.inline()
}

// serviceUse weighs a mention less than a use.
func serviceUse(h *hit) (Severity, bool) {
	if h.seg.kind == code || strings.Contains(h.seg.text, "http") {
		return h.severity, true
	}
	return Medium, true
}

// pasteUse is high where something is sent.
func pasteUse(h *hit) (Severity, bool) {
	if (h.seg.kind == code || h.inline()) && uploads.Regexp().MatchString(h.seg.text) {
		return High, true
	}
	return h.severity, true
}
