package threat

import (
	"regexp"
	"strings"
)

// Scope says how much is looked for; each holds the ones before it.
type Scope int

// The scopes. All is fit for any text, Context for what is read into a prompt, Strict for what is
// kept and repeated in every session.
const (
	All Scope = iota
	Context
	Strict
)

// Severity says how sure a pattern is.
type Severity int

// The severities: a warning is shown, a blocking finding keeps the text out of the prompt.
const (
	Warn Severity = iota
	Block
)

type pattern struct {
	id       string
	scope    Scope
	severity Severity
	strict   Severity // in Strict scope: what is kept and repeated weighs more
	hints    []string // one of these must occur, in lower case, before the costly match is tried
	re       *regexp.Regexp
}

// few stands for up to eight filler words between two key words, also over a line break.
const few = `(?:[\s,;:"'*_-]+[\p{L}\p{N}'’_-]+){0,8}?[\s,;:"'*_-]+`

func must(id, hints string, s Scope, sev Severity, expr string) pattern {
	return pattern{id, s, sev, sev, strings.Fields(hints), regexp.MustCompile(`(?i)` + expr)}
}

// kept makes p block where text is kept: said once in a document it is a curiosity, said in every
// session it is a takeover.
func kept(p pattern) pattern {
	p.strict = Block
	return p
}

// patterns returns the table. It is built on first use: compiling it costs a few milliseconds that
// a start without context files need not pay.
func patterns() []pattern {
	const secret = `\$\{?[A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)\b`
	return []pattern{
		must("prompt_injection", "ignore forget disregard override", All, Block, `\b(?:ignore|forget|disregard|override)`+few+`?(?:previous|all|above|prior|earlier|preceding|your)`+few+`?(?:instructions?|prompts?|directions?|context)\b`),
		must("sys_prompt_override", "system", All, Block, `\b(?:new|real|true|updated)\s+system\s+prompt\b|\bsystem\s+prompt\s+override\b`),
		must("disregard_rules", "disregard", All, Block, `\bdisregard`+few+`?(?:rules|guidelines|guardrails|safety|polic(?:y|ies))\b`),
		must("bypass_restrictions", "act", All, Block, `\bact\s+as\s+(?:if|though)`+few+`?(?:no|without)\s+(?:limits?|restrictions?|rules|filters?)\b`),
		must("html_comment_injection", "<!--", All, Block, `<!--[^>]{0,400}\b(?:ignore\s+(?:all|previous|prior|the)|override\s+(?:the|all|system)|system\s+prompt|hidden\s+instruction)\b[^>]{0,400}-->`),
		must("hidden_div", "display", All, Block, `<(?:div|span|p)[^>]{0,200}style\s*=\s*["'][^"']{0,200}display\s*:\s*none`),
		must("translate_execute", "translate", All, Block, `\btranslate`+few+`into`+few+`and\s+(?:then\s+)?(?:run|execute|eval)\b`),
		must("deception_hide", "user", All, Block, `\b(?:do\s+not|don['’]?t|never)\s+(?:tell|inform|mention\s+(?:this|it)\s+to|reveal\s+(?:this|it)\s+to|let)`+few+`?(?:the\s+)?user\b`),
		must("exfil_curl", "curl", All, Block, `\bcurl\b[^\n|]{0,300}`+secret),
		must("exfil_wget", "wget", All, Block, `\bwget\b[^\n|]{0,300}`+secret),
		must("read_secrets", ".env credentials .netrc .pgpass .npmrc .pypirc", All, Block, `\b(?:cat|less|head|tail|type|base64)\s+[^\n|;&]{0,120}(?:\.env\b|/credentials\b|\.netrc\b|\.pgpass\b|\.npmrc\b|\.pypirc\b)`),
		kept(must("role_hijack", "you", Context, Warn, `\byou\s+are\s+now\s+(?:a|an|the)\b`)),
		must("role_pretend", "pretend", Context, Warn, `\bpretend\s+(?:to\s+be|that\s+you\s+are|you\s+are)\b`),
		kept(must("leak_system_prompt", "system", Context, Warn, `\b(?:print|reveal|show|output|repeat|leak)`+few+`?(?:your|the)\s+system\s+prompt\b`)),
		kept(must("remove_filters", "safety content", Context, Warn, `\b(?:remove|disable|turn\s+off)`+few+`?(?:safety|content)\s+(?:filters?|checks?|guards?)\b`)),
		kept(must("fake_update", "system policy", Context, Warn, `\b(?:system|policy)\s+(?:update|notice)\s*:\s*(?:you|from\s+now)\b`)),
		kept(must("identity_override", "name", Context, Warn, `\byour\s+(?:new\s+)?name\s+is\s+now\b`)),
		must("c2_node_registration", "register", Context, Warn, `\bregister\s+(?:yourself\s+)?(?:as|with)\s+(?:a\s+)?(?:node|bot|implant)\b`),
		kept(must("c2_heartbeat", "heartbeat beacon", Context, Warn, `\bsend\s+(?:a\s+)?(?:heartbeat|beacon)\s+to\b`)),
		kept(must("c2_task_pull", "poll fetch pull", Context, Warn, `\b(?:poll|fetch|pull)\s+(?:new\s+)?(?:tasks?|commands?)\s+from\s+(?:the\s+)?(?:c2|command\s+server|controller\s+at)\b`)),
		kept(must("forced_action", "must", Context, Warn, `\byou\s+must\s+(?:immediately\s+)?(?:register|connect|report|beacon)\s+(?:to|with)\b`)),
		kept(must("anti_forensic", "clear wipe delete", Context, Warn, `\b(?:clear|wipe|delete)\s+(?:all\s+)?(?:logs|history|traces)\s+(?:afterwards?|when\s+done|to\s+hide)\b`)),
		kept(must("env_var_unset_agent", "unset", Context, Warn, `\bunset\s+HERMES_[A-Z]+\b`)),
		must("c2_explicit", "command", Context, Warn, `\bcommand[- ]and[- ]control\s+server\b`),
		must("send_to_url", "http", Strict, Block, `\b(?:send|post|upload|forward|submit|transmit|exfiltrate)\b`+few+`?(?:conversations?|chat|history|messages?|secrets?|credentials?|keys?|tokens?|passwords?|memory|memories|files?|context|contents?|everything)\b[^\n.]{0,80}?\bto\s+["'`+"`"+`<(]?https?://`),
		must("context_exfil", "send post include output print dump forward reveal", Strict, Block, `\b(?:send|post|include|output|print|dump|forward|reveal)(?:\s+[\p{L}'’-]+){0,3}?\s+(?:(?:entire|full|whole|complete)\s+(?:conversation|context|chat|history|prompt)|conversation\s+history|previous\s+messages)\b`),
		must("ssh_backdoor", "authorized_keys", Strict, Block, `(?:>>|\btee\s+-a\b|\b(?:add|append|write|put|insert|echo)\b)[^\n]{0,160}\bauthorized_keys\b`),
		must("ssh_access", ".ssh", Strict, Block, `\b(?:cat|less|more|head|tail|base64|xxd|cp|scp|rsync|tar|zip|curl|read|copy|send|upload|print|show|dump|steal|exfiltrate)\b[^\n.;]{0,80}(?:~|\$\{?HOME\}?|/root|/home/[^\s/]+)/\.ssh/(?:id_[a-z0-9]+\b|\*|[^\s]*_rsa\b|[^\s]*_key\b)`),
		must("hermes_env", ".env", Strict, Block, `\b(?:cat|less|more|head|tail|base64|source|cp|scp|curl|grep|read|copy|send|upload|print|show|dump|echo)\b[^\n;]{0,80}(?:\.hermes|\$\{?HERMES_HOME\}?)/\.env\b`),
		must("agent_config_mod", "agents.md claude.md .cursorrules .clinerules soul.md", Strict, Warn, `\b(?:edit|modify|change|update|overwrite|replace|rewrite|append\s+to|add\s+to|write\s+to)\b[^\n.]{0,60}(?:\bAGENTS\.md|\bCLAUDE\.md|\.cursorrules|\.clinerules|\bSOUL\.md)\b`),
		must("hermes_config_mod", "hermes approvals yolo guard_agent_created", Strict, Block, `\b(?:edit|modify|change|set|disable|turn\s+off|overwrite|delete|switch\s+off)\b[^\n.]{0,80}(?:\.hermes/config\.yaml|\$\{?HERMES_HOME\}?/config\.yaml|\bapprovals\.(?:mode|allow|deny)\b|\bguard_agent_created\b)`),
		must("hardcoded_secret", "key secret token password passwd", Strict, Block, `\b[a-z0-9_.-]{0,40}(?:api[_-]?key|secret|token|passw(?:or)?d|private[_-]?key)["']?\s*[:=]\s*["'][A-Za-z0-9_+/=.-]{20,}["']`),
	}
}
