package guard

import (
	"net/netip"
	"strings"

	"hermes/core/text"
)

func networkRules() []rule {
	t := table{category: "network"}
	t.code("reverse_shell", Critical, " -e|-c |exec:|--exec|--sh-exec", `\b(?:nc|ncat|netcat|nc\.traditional)\s(?:[^|;]{0,100}\s)?(?:-\w*[ec]\s*|--(?:sh-)?exec\s+)\S*(?:/(?:ba|z|da|k)?sh|bash|cmd(?:\.exe)?|powershell)\b|\bsocat\b[^|;]{0,160}\b(?:exec|system):`, "gives a shell to whoever answers")
	t.code("listener", Medium, "nc |ncat |netcat ", `\b(?:nc|ncat|netcat)\s+(?:-\w+\s+)*-\w*l\w*`, "waits for a connection")
	t.code("bash_reverse_shell", Critical, "/dev/tcp/|/dev/udp/", `/dev/(?:tcp|udp)/[^\s"';)]{1,120}`, "opens a connection from the shell itself").check = devTCP
	t.code("fifo_shell", Critical, "mkfifo|mknod", `\bmk(?:fifo|nod)\b.{0,200}?\b(?:nc|ncat|netcat|telnet|openssl)\b`, "gives a shell to whoever answers")
	t.code("python_socket_oneliner", Critical, "socket", `\b(?:python\d?(?:\.\d+)?|perl|ruby|php|node|lua)\s+-\w*[cer]\w*\s.{0,120}?\bsocket\b.{0,300}?(?:connect|dup2|pty|exec|spawn|/bin/)`, "a one-line program that opens a connection").check = awayOnly
	t.code("socket_shell", Critical, "dup2|pty.spawn|fsockopen|tcpsocket|tcpclient", `\bos\.dup2\(\s*\w+\.fileno\(\)|\bpty\.spawn\(\s*\[?["'](?:/bin/)?(?:ba|z)?sh|\bfsockopen\(.{0,160}?\b(?:exec|shell_exec|proc_open|passthru)|TCPSocket.{0,120}?\bexec\b|Net\.Sockets\.TCPClient.{0,300}?(?:GetStream|iex|Invoke-Expression)`, "ties a shell to a connection")
	t.code("python_socket_connect", Medium, ".connect(", `\.connect(?:_ex)?\(\s*\(\s*["'][^"']+["']\s*,\s*\d+`, "opens a connection to a fixed address").check = fixedPeer
	t.code("tunnel_service", Medium, "ngrok|localtunnel|serveo|cloudflared|bore.pub|localhost.run|lt --port|pagekite", `\bngrok\s+(?:http|tcp|tls|start)\b|\b(?:lt|localtunnel)\s+--port\b|\bserveo\.net\b|\bcloudflared\s+tunnel\b|\bbore\.pub\b|\blocalhost\.run\b|\bpagekite\b`, "opens this machine to the internet").check = tunnel
	t.code("ssh_reverse", High, "ssh ", `\bssh\s[^|;]{0,120}\s-\w*R\s*\S+:\S+`, "opens a way back into this machine")
	t.code("hardcoded_ip_port", Medium, "http|nc |connect|/dev/|ssh ", `\b(\d{1,3}(?:\.\d{1,3}){3})(?::\d{2,5})?\b`, "a fixed address instead of a name").check = fixedIP
	t.code("bind_all_interfaces", Low, "0.0.0.0|inaddr_any", `\b0\.0\.0\.0(?::\d+|["']\s*,\s*\d+)|\bINADDR_ANY\b`, "listens to the whole network")
	t.add("onion", High, ".onion", `\b[a-z2-7]{16,56}\.onion\b`, "a hidden service")
	t.code("insecure_tls", Low, "curl |verify=false|rejectunauthorized|no-check-certificate|-skipcertificatecheck", `\bcurl\s[^|;]{0,80}\s(?:-\w*k\b|--insecure)|\bverify\s*=\s*False|rejectUnauthorized["']?\s*:\s*false|--no-check-certificate|-SkipCertificateCheck`, "does not check whom it talks to")
	return t.rules
}

var tcpHost = text.NewPattern(`(?i)/dev/(?:tcp|udp)/["']?([^/\s"']+)`)

// devTCP: a look whether a local port answers is ordinary; a shell on a connection is not.
func devTCP(h *hit) (Severity, bool) {
	m := tcpHost.Regexp().FindStringSubmatch(h.match())
	if m != nil && loopback(strings.ToLower(m[1])) {
		return "", false
	}
	t := h.seg.text
	if shellOnWire.Regexp().MatchString(t) || strings.Contains(t, "0>&1") || strings.Contains(t, "<&5") || strings.Contains(t, "cat ") {
		return h.severity, true
	}
	return Medium, true
}

var shellOnWire = text.NewPattern(`(?i)\b(?:ba|z|k|da)?sh\s+-i\b|\bexec\s+\d+<>|>\s*&?\s*/dev/(?:tcp|udp)`)

var peer = text.NewPattern(`["']([^"']+)["']\s*,\s*(\d+)`)

func fixedPeer(h *hit) (Severity, bool) {
	m := peer.Regexp().FindStringSubmatch(h.match())
	if m == nil || loopback(strings.ToLower(m[1])) || m[1] == "8.8.8.8" || m[1] == "1.1.1.1" || m[2] == "443" || m[2] == "80" {
		return "", false // looking up one's own address, or the web
	}
	return h.severity, true
}

func tunnel(h *hit) (Severity, bool) {
	rest := h.seg.text[h.at:min(len(h.seg.text), h.end+60)]
	if strings.Contains(rest, "tcp 22") || strings.Contains(rest, "tcp://localhost:22") || strings.Contains(rest, "ssh://") {
		return High, true
	}
	return h.severity, true
}

// fixedIP looks at public addresses that something is sent to or fetched from.
func fixedIP(h *hit) (Severity, bool) {
	text, _, _ := strings.Cut(h.match(), ":")
	a, err := netip.ParseAddr(text)
	if err != nil || !a.IsGlobalUnicast() || a.IsPrivate() || a.Is4() && (a.As4()[0] == 0 || a.As4()[0] >= 224) {
		return "", false
	}
	for _, known := range []string{"1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9", "192.0.2.", "198.51.100.", "203.0.113."} {
		if strings.HasPrefix(text, known) {
			return Low, strings.Contains(h.seg.text, "://")
		}
	}
	before := h.seg.text[:h.at]
	if strings.HasSuffix(before, "://") && uploads.Regexp().MatchString(h.seg.text) {
		return High, true
	}
	return Medium, strings.HasSuffix(before, "://") || strings.HasSuffix(before, "@") || strings.Contains(before, "connect(")
}

// fetch is a download whose text goes somewhere.
const (
	download = `\b(?:curl|wget|fetch|aria2c|http|xh)\s[^|;]{0,400}?`
	shells   = `(?:sudo\s+(?:-\w+\s+)*)?(?:env\s+(?:\w+=\S+\s+)*)?(?:/(?:usr/)?bin/)?(?:ba|z|k|da|a|c|tc|fi)?sh\b`
	interps  = `(?:sudo\s+(?:-\w+\s+)*)?(?:/(?:usr/)?bin/(?:env\s+)?)?(?:python\d?(?:\.\d+)?|node|perl|ruby|php|deno|bun|lua|osascript|pwsh|powershell)\b`
)

func supplyRules() []rule {
	t := table{category: "supply_chain"}
	t.add("curl_pipe_shell", Critical, "curl", `\bcurl\b[^|;]{0,400}?\|\s*(?:tee\s+\S+\s*\|\s*|tac\s*\|\s*|cat\s*\|\s*)?`+shells, "runs what a server sends, unseen").check = installer
	t.add("wget_pipe_shell", Critical, "wget|aria2c|fetch -", `\b(?:wget|aria2c|fetch)\b[^|;]{0,400}?\|\s*(?:tee\s+\S+\s*\|\s*)?`+shells, "runs what a server sends, unseen").check = installer
	t.add("curl_pipe_python", Critical, "curl|wget", `\b(?:curl|wget)\b[^|;]{0,400}?\|\s*`+interps+`(?:\s+-(?:\s|$)|\s*(?:$|[;&"'`+"`"+`)]))`, "runs what a server sends, unseen").check = installer
	t.add("shell_of_download", Critical, "$(curl|$(wget|`curl|`wget|<(curl|<(wget", `(?:`+shells+`\s+(?:-\w+\s+)?|\beval\s+|\bsource\s+|(?:^|[;&|]\s*)\.\s+|`+interps+`\s+-\w+\s+|`+interps+`\s+)["']?(?:\$\(|`+"`"+`|<\()\s*(?:curl|wget)\b`, "runs what a server sends, unseen").check = installer
	t.add("download_run", High, "curl|wget", `\b(?:curl\b[^|;&]{0,300}?\s(?:-\w*[oO]\b|--output|--remote-name|>)|wget\b)[^|;&]{0,200}(?:;|&&|\|\||\s)\s*(?:\w+[^;&|]{0,60}(?:;|&&)\s*)?(?:chmod\s+(?:\+|a\+|u\+|[0-7]*7)\S*\s|`+shells+`\s+[\w./~$-]|\./\S|\.\s+[\w./]|source\s+[\w./]|`+interps+`\s+[\w./~$-]+\.\w+)`, "fetches a program and runs it").check = installer
	t.code("powershell_download", Critical, "iex|invoke-expression|downloadstring|downloadfile", `(?:\biex\b|\bInvoke-Expression\b).{0,200}?(?:DownloadString|\biwr\b|\birm\b|Invoke-WebRequest|Invoke-RestMethod|Net\.WebClient)|(?:\biwr\b|\birm\b|Invoke-WebRequest|Invoke-RestMethod|DownloadString)[^;]{0,300}\|\s*(?:iex|Invoke-Expression)\b`, "runs what a server sends, unseen").check = installer
	t.code("remote_exec_program", Critical, "exec(|eval(|function(|runinthiscontext|pickle.loads|marshal.loads", `(?:(?:^|[^\w.])(?:exec|eval|compile)\(|new\s+Function\(|runInThisContext\(|pickle\.loads\(|marshal\.loads\().{0,120}?(?:requests\.get|urlopen|httpx\.get|\.text\b.{0,20}https?:|await\s+\(?await\s+fetch|fetch\(|https?\.get)`, "runs what a server sends, unseen")
	t.code("npm_lifecycle", Medium, "install\"", `"(?:pre|post)?install"\s*:\s*"[^"]+"`, "runs when the package is installed")
	t.code("foreign_index", High, "index-url|--registry|trusted-host|find-links", `(?:--(?:extra-)?index-url[= ]|--registry[= ]|--find-links[= ]|\bregistry=)\s*["']?https?://[^\s"']+`, "packages from another place than the usual one").check = index
	t.code("install_from_url", Medium, "install", `\b(?:pip\d?|uv\s+pip|pipx|npm|yarn|pnpm|gem|cargo)\s+(?:install|add|i)\s[^;|&]{0,80}(?:https?://\S+\.(?:tar\.gz|tgz|zip|whl|gem)|git\+https?://)`, "installs from an address")
	t.code("typosquat", High, "reqeusts|requestss|python-dateutils|colourama|beautifulsoup |crossenv|lodahs|urlib3|djnago|tensorfow|pythorch|numpi|nmpy|pyyalm|axois", `\b(?:pip\d?|uv|npm|yarn|pnpm|pipx)\s[^;|&]{0,80}\b(?:reqeusts|requestss|python-dateutils|colourama|crossenv|lodahs|urlib3|djnago|tensorfow|pythorch|numpi|nmpy|pyyalm|axois)\b`, "a package whose name imitates another")
	t.code("unpinned_pip_install", Low, "pip install|pip3 install", `\bpip3?\s+install\s+(?:--?[\w-]+\s+)*[a-z][\w.-]*(?:\s|$)`, "installs whatever version is newest").check = unpinned
	t.code("unpinned_npm_install", Low, "npm i|npx ", `\b(?:npm\s+(?:install|i)\s+(?:-\w+\s+)*[a-z@][\w./-]*|npx\s+(?:-y\s+)?[a-z@][\w./-]*)(?:\s|$)`, "installs whatever version is newest").check = unpinned
	t.code("git_clone", Low, "git clone", `\bgit\s+clone\s+(?:-\S+\s+)*\S+`, "fetches a repository").check = cloneRun
	t.code("docker_pull", Low, "docker pull|docker run", `\bdocker\s+(?:pull|run)\s`, "fetches a container image")
	t.code("pep723_inline_deps", Low, "# /// script", `#\s*///\s*script\b`, "installs packages when it runs")
	return t.rules
}

// installers are servers whose installation scripts people run from the maker's own page.
const installers = ` astral.sh sh.rustup.rs get.docker.com bun.sh bun.com deno.land get.pnpm.io install.python-poetry.org ollama.com claude.ai fly.io tailscale.com get.volta.sh starship.rs cli.github.com deb.nodesource.com rpm.nodesource.com fnm.vercel.app get.helm.sh install.determinate.systems nixos.org sdk.cloud.google.com foundry.paradigm.xyz release.anza.xyz get.k3s.io brew.sh raw.githubusercontent.com mise.run mise.jdx.dev setup.atuin.sh zed.dev cursor.com opencode.ai hermes-agent.nousresearch.com developers.cloudflare.com download.pytorch.org get.modular.com pixi.sh install.meteor.com sh.brev.dev dl.google.com packages.microsoft.com `

var releases = text.NewPattern(`(?i)^(?:https?://)?(?:github\.com/[\w.-]+/[\w.-]+/(?:releases|raw|archive)/|raw\.githubusercontent\.com/)`)

var pipedJSON = text.NewPattern(`(?i)\|\s*python\d?\S*\s+-(?:m\s+json|c)\b`)

// installer makes the usual one-line installation of a known maker a finding that alone blocks nothing.
func installer(h *hit) (Severity, bool) {
	line := h.seg.text[h.at:min(len(h.seg.text), h.at+wholeLine)]
	hs := hosts(line)
	if allLoopback(hs) {
		return Medium, true
	}
	if h.id == "curl_pipe_python" && pipedJSON.Regexp().MatchString(line) {
		return "", false
	}
	secure := len(hs) > 0 && !strings.Contains(line, "http://")
	for _, host := range hs {
		known := strings.Contains(installers, " "+host+" ") || host == "github.com" && (h.id == "download_run" || releases.Regexp().MatchString(line[strings.Index(line, "github.com"):])) || len(label(host)) > 3 && strings.Contains(h.about.words, noWord.Regexp().ReplaceAllString(label(host), ""))
		secure = secure && known
	}
	switch {
	case secure:
		return Medium, true
	case len(hs) == 0 && h.id == "download_run":
		return Medium, true
	}
	return h.severity, true
}

func index(h *hit) (Severity, bool) {
	for _, host := range hosts(h.match()) {
		switch label(host) {
		case "pypi", "pythonhosted", "npmjs", "yarnpkg", "pytorch", "nvidia", "npmmirror", "tencent", "aliyun", "tsinghua", "pkg", "github", "gitlab", "jfrog", "azure", "google", "googleapis", "amazonaws", "flashinfer", "huggingface", "vllm":
			continue
		}
		if !loopback(host) {
			return h.severity, true
		}
	}
	return Low, true
}

func unpinned(h *hit) (Severity, bool) {
	m := strings.Fields(h.match())
	last := m[len(m)-1]
	return Low, !strings.Contains(last[1:], "@") && !strings.Contains(last, "==")
}

var runAfter = text.NewPattern(`(?i)^[^;|]{0,80}(?:&&|;)\s*(?:cd\s+\S+\s*(?:&&|;)\s*)?(?:sudo\s+)?(?:(?:ba|z)?sh\s+\S*\.sh|\./\S+\.sh|make\s+install)`)

func cloneRun(h *hit) (Severity, bool) {
	if runAfter.Regexp().MatchString(h.seg.text[h.end:]) {
		return Medium, true
	}
	return Low, true
}
