package guard

import (
	"math"
	"strings"

	"hermes/core/text"
)

func obfuscationRules() []rule {
	t := table{category: "obfuscation"}
	const decode = `(?:base64\s+(?:-\w*[dD]\w*|--decode)|xxd\s+-r\S*(?:\s+-p)?|openssl\s+(?:base64|enc)\s+[^|;]{0,80}-d\b|gunzip|gzip\s+-d\S*|zcat|uudecode|base32\s+(?:-d|--decode)|\brev(?:[^\w-]|$)|tr\s+["']?[\w-]+["']?\s+["']?[\w-]+["']?)`
	const unpack = `(?:b(?:64|32|85|16)decode|decodebytes|a2b_\w+|bytes\.fromhex|fromhex|unhexlify|decompress|marshal\.loads|codecs\.decode|rot_?13|atob|Buffer\.from\([^)]*["'](?:base64|hex)["']|FromBase64String|unescape|decodeURIComponent|fromCharCode|pack\(|base64_decode|gzinflate|str_rot13|Base64\.decode|chr\()`
	t.add("decode_pipe_shell", Critical, "base64|xxd|openssl|gunzip|gzip|zcat|uudecode|base32| rev|tr ", `\b`+decode+`[^|;]{0,80}\|\s*(?:\w+[^|;]{0,40}\|\s*)?(?:`+shells+`|`+interps+`|xargs\s+(?:-\S+\s+)*(?:ba)?sh|eval\b|source\b)`, "runs what it has just decoded")
	t.add("eval_decoded", Critical, "base64|xxd|openssl|gunzip|zcat|rev", `(?:\beval\b|\b(?:ba|z|da)?sh\s+-c|\bsource\b|(?:^|[;&|]\s*)\.\s|\bpython\d?\s+-c|\b(?:ba|z|da)?sh\b|\bexec\b)\s*["']?\s*(?:\$\(|`+"`"+`|<\(|<<<\s*["']?\$\()[^;]{0,200}?\b`+decode, "runs what it has just decoded")
	t.code("base64_decode_run", High, "base64|xxd|openssl", `\b`+decode+`\s*>\s*["']?(\S+?)["']?\s*(?:;|&&|\s)\s*.{0,80}?(?:(?:^|[;&\s])\.\s+\S|\bsource\s|\b(?:ba|z|da)?sh\s+[\w./$"']|\bchmod\s+\S*[+7]\S*\s|\bpython\d?\s+[\w./])`, "decodes a file and runs it")
	t.code("exec_decoded", Critical, "exec|eval|compile|function(|iex|invoke-expression|runin|system(|popen|subprocess|spawn|assert(", `(?:(?:^|[^\w.])(?:exec|eval|compile|assert|system)\s*\(|new\s+Function\s*\(|(?:globalThis|window|self|global)\s*\[[^\]]{1,40}\]\s*\(|\biex\b|Invoke-Expression|runIn\w*Context\(|os\.(?:system|popen)\(|subprocess\.\w+\(|(?:exec|spawn)(?:Sync)?\()[^;]{0,160}?`+unpack, "runs what it has just decoded")
	t.code("powershell_encoded", Critical, "-enc|-e ", `\b(?:powershell|pwsh)(?:\.exe)?\b[^|;]{0,120}\s-(?:e|en|enc|encodedcommand|ec)\s+["']?[A-Za-z0-9+/=]{16,}`, "an encoded command")
	t.code("echo_pipe_exec", High, "echo|printf|<<<", `\b(?:echo|printf)\b[^|]{0,300}\|\s*`+shells+`(?:\s|$|["'`+"`"+`;&)])`, "text that is put together and run")
	t.code("eval_string", Medium, "eval", `(?:^|[^\w.])eval\s*\(\s*(?:["']|[a-z_]\w*\s*[)+\[])`, "runs text as a program").check = jsEval
	t.code("exec_string", Medium, "exec", `(?:^|[^\w.])exec\s*\(\s*(?:f?["']|[a-z_]\w*\s*[)+\[,])`, "runs text as a program")
	t.code("shell_eval", Medium, "eval ", `(?:^|[;&|]\s*|\bthen\s+|\bdo\s+)eval\s+["']?[$`+"`"+`]`, "runs text as a command").check = shellEval
	t.code("python_compile_exec", Medium, "compile(", `\bcompile\([^;]{0,200},\s*["']exec["']\s*\)`, "makes a program out of text")
	t.code("python_getattr_builtins", High, "__builtins__|builtins|__subclasses__|__globals__", `\bgetattr\(\s*(?:__builtins__|builtins|__import__\()|__builtins__\s*(?:\[|\.__dict__|\.__getattribute__)|\.__subclasses__\(\)|\.__globals__\s*\[|\bglobals\(\)\s*\[\s*["']__builtins__`, "reaches functions by a back way")
	t.code("python_import_os", High, "__import__|import_module", `(?:__import__|import_module)\(\s*["'](?:os|subprocess|socket|pty|ctypes|shutil|pickle|marshal)["']`, "loads a module so that no import shows it").check = importShown
	t.code("dynamic_import", Medium, "__import__|import_module", `(?:__import__|import_module)\(\s*[^"'\s)]`, "loads a module whose name is made at run time").check = builtName
	t.code("getattr_call", Medium, "getattr(", `\bgetattr\(\s*[\w.]+\s*,\s*["'](?:system|popen|exec|eval|environ|spawn\w*|run|call|check_output|Popen|__import__|getenv|execv\w*|fork|connect|loads)["']`, "reaches a function by its name as text").check = builtAttr
	t.code("js_indirect_eval", High, "globalthis|window[|global[|self[|constructor", `\b(?:globalThis|window|global|self|top)\s*\[\s*["'](?:eval|Function|require|process|setTimeout)["']\s*\]|\[\s*["']constructor["']\s*\]\s*\(|\.constructor\.constructor\(|\(\s*0\s*,\s*eval\s*\)`, "reaches functions by a back way")
	t.code("js_packed", High, "p,a,c,k,e", `\beval\(function\(p,a,c,k,e,[dr]\)`, "packed code")
	t.code("js_char_code", Medium, "fromcharcode", `fromCharCode\(\s*\d+\s*(?:,\s*\d+\s*){4,}`, "text built of numbers")
	t.code("chr_building", High, "chr(", `(?:\bchr\(\s*(?:0x)?\w{2,3}\s*\)\s*[+.&]\s*){3,}|join\(\s*(?:map\(\s*chr|chr\(\s*\w+\s*(?:\^\s*\w+\s*)?\)\s+for)`, "text built of numbers")
	t.code("xor_decode", High, "^", `(?:bytes|bytearray|chr|join)\([^;]{0,60}\w+(?:\[[^\]]+\])?\s*\^\s*(?:\w+\[|0x|\d|key)[^;]{0,60}\bfor\b`, "text hidden by exclusive or")
	t.code("string_reversal", Low, "[::-1]|reverse()", `["'][^"']{6,}["']\s*(?:\[::-1\]|\.split\(\s*["']{2}\s*\)\.reverse\(\))`, "text written backwards")
	t.code("python_codecs_decode", Medium, "codecs.decode|rot13|rot_13", `\bcodecs\.decode\(\s*b?["']|["']rot_?13["']`, "text hidden by a simple cipher")
	t.code("ifs_split", High, "ifs", `[\w/.)-]\$(?:\{IFS[^}]*\}|IFS\b)|\$\{IFS[^}]*\}[-\w/$.]`, "a variable instead of blanks, so that no command shows")
	t.code("shell_built_command", High, "$", `(?:^|[;&|(]\s*|\b(?:then|do|else|exec|sudo)\s+)["']?\$\{?[a-z_]\w*\}?["']?\$\{?[a-z_]\w*\}?["']?\s+["'$\w/-]`, "a command put together out of pieces").check = pieces
	t.code("substring_command", High, ":0:1|:1:1|:2:1|:3:1|:4:1|:5:1|:6:1|:10:1", `(?:\$\{\w+:\d+:1\}[^\s$]?){2,}`, "a command put together out of letters")
	t.code("glob_command", High, "/???|/b?n|/u?r|?in/", `(?:^|[\s;&|("'])/[a-z?*]*\?[a-z?*]*/[a-z?*]*[?*][a-z?*]*(?:\s|$)`, "a command named by a pattern, so that its name does not show")
	t.code("hex_printf", High, `\x`, `(?:\$'|\bprintf\s+["']|\becho\s+-\w*e\w*\s+["'])(?:[\w/]{0,3}\\x[0-9a-f]{2}){3,}[^|;]{0,200}(?:\||\)|$|["']\s)`, "a command written in numbers").check = escapeUse
	return t.rules
}

var importOS = text.NewPattern(`(?i)(?:__import__|import_module)\(\s*["']os["']\s*\)\.(?:path|sep|linesep|cpu_count|getcwd)`)

func importShown(h *hit) (Severity, bool) {
	if importOS.Regexp().MatchString(h.seg.text[h.at:]) || strings.Contains(h.seg.text, "default_factory") {
		return Low, true
	}
	return h.severity, true
}

var buildsName = text.NewPattern(`(?i)^[^)]{0,20}(?:join\(|\+|chr\(|decode|\[::-1\]|%|replace\()`)

func builtName(h *hit) (Severity, bool) {
	rest := h.seg.text[h.end-1 : min(len(h.seg.text), h.end+80)]
	if buildsName.Regexp().MatchString(rest) {
		return High, true
	}
	return h.severity, true
}

// builtAttr: the name was in pieces before, or it is there to see.
func builtAttr(h *hit) (Severity, bool) {
	if h.seg.how == "split" {
		return High, true
	}
	return h.severity, true
}

// jsEval: a model is put into evaluation mode by .eval(), a data frame has eval too.
func jsEval(h *hit) (Severity, bool) {
	return h.severity, h.seg.kind == code
}

var honestEval = text.NewPattern(`(?i)\beval\s+["']?(?:\$\(|` + "`" + `)\s*["']?(?:\S*/)?(?:ssh-agent|gpg-agent|brew|direnv|fnm|rbenv|pyenv|nodenv|starship|zoxide|mise|conda|mamba|micromamba|dircolors|register-python-argcomplete|minikube|docker-machine|opam|luarocks|thefuck|hermes|gh|op|atuin|rtx|asdf|jenv|aws|keychain|perl|pipx|poetry|uv|python3?\s+-m)\b`)

func shellEval(h *hit) (Severity, bool) {
	if honestEval.Regexp().MatchString(h.seg.text[h.at:]) {
		return Low, true
	}
	return h.severity, true
}

// pieces: two variables side by side are a command only where a command begins.
func pieces(h *hit) (Severity, bool) {
	if h.seg.lang != shell || h.seg.kind != code || strings.Contains(h.match(), "=") {
		return "", false
	}
	return h.severity, true
}

func escapeUse(h *hit) (Severity, bool) {
	m := h.match()
	if strings.Contains(lower(m), `\x1b`) || strings.Contains(lower(m), `\x00`) || strings.Contains(lower(m), `\xe2`) || strings.Contains(lower(m), `\xf0`) {
		return Low, true // colours, raw bytes, symbols
	}
	if strings.Contains(m, "|") || strings.HasPrefix(m, "$'") || strings.HasSuffix(m, ")") {
		return h.severity, true
	}
	return Medium, true
}

func executionRules() []rule {
	t := table{category: "execution"}
	t.code("python_subprocess", Low, "subprocess", `\bsubprocess\.(?:run|call|check_call|check_output|Popen)\(`, "runs commands")
	t.code("shell_true_input", Medium, "shell=true", `\b(?:run|call|check_call|check_output|Popen)\([^;]{0,200}?(?:f["']|\+\s*\w|\.format\(|%\s*\w|input\()[^;]{0,200}shell\s*=\s*True`, "puts text into a shell command")
	t.code("python_os_system", Medium, "os.system", `\bos\.system\(`, "runs commands")
	t.code("python_os_popen", Medium, "os.popen", `\bos\.popen\(`, "runs commands")
	t.code("node_child_process", Low, "child_process", `\bchild_process\b`, "runs commands")
	t.code("node_exec_template", Medium, "exec(`|execsync(`", "\\bexec(?:Sync)?\\(`[^`]*\\$\\{", "puts text into a shell command")
	t.code("java_runtime_exec", Medium, "getruntime", `\bRuntime\.getRuntime\(\)\.exec\(`, "runs commands")
	t.code("php_exec", Medium, "shell_exec|passthru|proc_open", `\b(?:shell_exec|passthru|proc_open)\(`, "runs commands")
	t.code("run_hidden_file", High, "/.|.png|.jpg|.jpeg|.gif|.webp|.pdf|.ico|.woff|.ttf|.mp3|.mp4|.dat|.bin|.log|.csv|.txt", `(?:(?:ba|z|da)?sh|python\d?|node|perl|exec|source|\bchmod\s+\+x)\s+["']?(?:\./|assets/|references/|\$\{?HERMES_SKILL_DIR\}?/)(?:[\w-]+/)*(?:\.[\w-]+|[\w-]+\.(?:png|jpe?g|gif|webp|pdf|ico|woff2?|ttf|mp[34]|dat|bin|txt|log|csv))(?:[`+"`"+`"'\s;&|]|$)`, "runs a file that does not look like a program").check = hiddenFile
	t.code("macro_autoopen", High, "autoopen|workbook_open|document_open", `\bSub\s+(?:AutoOpen|Auto_Open|Workbook_Open|Document_Open)\b`, "a macro that runs when the document is opened")
	t.code("agent_spawn", Low, "hermes ", `\bhermes\s+(?:run|-z|chat\s+-q)\s`, "starts another agent")
	t.code("unsafe_load", Low, "pickle.load|yaml.load(", `\bpickle\.loads?\(|\byaml\.load\([^)]*\)`, "data that can run code when it is read").check = yamlSafe
	return t.rules
}

func hiddenFile(h *hit) (Severity, bool) {
	m := lower(h.match())
	for _, ok := range []string{".env", ".venv", ".bashrc", ".zshrc", ".profile", ".nvm", "requirements", ".txt", ".cargo", ".local"} {
		if strings.Contains(m, ok) {
			return Low, true
		}
	}
	return h.severity, true
}

func yamlSafe(h *hit) (Severity, bool) {
	return h.severity, !strings.Contains(h.match(), "SafeLoader") && !strings.Contains(h.match(), "Loader=yaml.Safe")
}

func credentialRules() []rule {
	t := table{category: "credential_exposure"}
	t.add("embedded_private_key", Critical, "private key-----", `-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY-----`, "a private key: everybody who has the skill has it").check = realKey
	for _, x := range [][3]string{
		{"github_token_leaked", "ghp_|gho_|ghs_|ghu_|github_pat_", `\b(?:gh[posu]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})\b`},
		{"openai_key_leaked", "sk-", `\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_]{20,}\b`},
		{"anthropic_key_leaked", "sk-ant-", `\bsk-ant-[\w-]{80,}`},
		{"aws_access_key_leaked", "akia|asia", `\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`},
		{"gitlab_token_leaked", "glpat-", `\bglpat-[\w-]{20,}`},
		{"slack_token_leaked", "xox", `\bxox[abprs]-\d+-\d+-[\w-]{16,}`},
		{"google_key_leaked", "aiza", `\bAIza[\w-]{35}\b`},
		{"hf_token_leaked", "hf_", `\bhf_[A-Za-z0-9]{30,}\b`},
		{"stripe_key_leaked", "sk_live_|rk_live_", `\b[sr]k_live_[A-Za-z0-9]{20,}`},
		{"npm_token_leaked", "npm_", `\bnpm_[A-Za-z0-9]{36}\b`},
		{"telegram_token_leaked", ":aa", `\b\d{8,10}:AA[\w-]{33}\b`},
	} {
		r := t.add(x[0], Critical, x[1], x[2], "a key: everybody who has the skill has it")
		r.check, r.firm = realSecret, true
	}
	t.add("hardcoded_secret", High, "key|secret|token|password|passwd", `\b[\w.-]{0,40}(?:api[_-]?key|secret|token|passw(?:or)?d)["']?\s*[:=]\s*["'][A-Za-z0-9_+/=.-]{20,}["']`, "a key or password written into the skill").check = realSecret
	return t.rules
}

var body = text.NewPattern(`^[\s"'\\nr|>]*[A-Za-z0-9+/=]{40,}`)

// realKey: the header alone is documentation.
func realKey(h *hit) (Severity, bool) {
	if body.Regexp().MatchString(h.seg.text[h.end:]) {
		return h.severity, true
	}
	return Low, true
}

var placeholder = text.NewPattern(`(?i)(?:x{4,}|\*{3}|\.{3}|your|example|placeholder|changeme|dummy|fake|sample|test|demo|replace|insert|abc123|123456|0000|<|redacted|secret-?here|todo|env|process\.|none|null|undefined)`)

// realSecret tells keys from stand-ins: a key looks random.
func realSecret(h *hit) (Severity, bool) {
	m := h.match()
	if h.id == "hardcoded_secret" {
		_, m, _ = strings.Cut(strings.TrimRight(m, `"'`), m[strings.IndexAny(m, ":="):strings.IndexAny(m, ":=")+1])
		m = strings.Trim(m, ` "'`)
	}
	if placeholder.Regexp().MatchString(m) || entropy(m) < 3.2 || !strings.ContainsAny(m, "0123456789") {
		return Low, h.id != "hardcoded_secret"
	}
	return h.severity, true
}

// entropy is the Shannon entropy of the bytes of s, in bits a byte.
func entropy(s string) float64 {
	var n [256]int
	for i := range len(s) {
		n[s[i]]++
	}
	sum := 0.0
	for _, c := range n {
		if c > 0 {
			p := float64(c) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
