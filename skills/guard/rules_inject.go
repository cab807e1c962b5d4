package guard

import "hermes/core/threat"

// injectionRules are those beside the patterns of package threat, which every text of a skill meets too.
func injectionRules() []rule {
	t := table{category: "injection"}
	const few = `(?:[\s,;:"'*_-]+[\p{L}\p{N}'’_-]+){0,5}?[\s,;:"'*_-]+`
	t.add("prompt_injection_ignore", Critical, "ignore|forget|disregard|override|bypass", `\b(?:ignore|forget|disregard|override|bypass)`+few+`?(?:previous|all|above|prior|earlier|preceding|your|system)`+few+`?(?:instructions?|prompts?|directives?|guidelines)\b`, "tells the agent to drop its instructions")
	t.add("prompt_injection_other", Critical, "忽略|无视|無視|忽視|ignorez|oubliez|ignoriere|vergiss|ignora|olvida|ignore todas|игнорируй|забудь|무시",
		`(?:忽略|无视|忽視|無視)[^。！？]{0,12}(?:指令|指示|提示词|规则|規則|说明)|(?:以前|上記|これまで)の[^。]{0,8}指示を無視|\b(?:ignorez|oubliez)\s[^.]{0,40}(?:instructions|consignes)|\b(?:ignoriere|vergiss)\s[^.]{0,40}(?:anweisungen|instruktionen|regeln)|\b(?:ignora|olvida|ignore\s+todas)\s[^.]{0,40}(?:instrucciones|istruzioni|instruções)|(?:игнорируй|забудь)[^.]{0,40}(?:инструкци|указани)|(?:이전|위의)[^.]{0,12}(?:지시|명령)[^.]{0,8}무시`,
		"tells the agent to drop its instructions")
	t.add("set_aside", High, "set aside|told before|everything you were", `\b(?:set\s+aside|drop|discard)\b[^.]{0,30}\b(?:everything|all|what|any\w*)\b[^.]{0,20}\byou\s+(?:were|have\s+been|are)\s+(?:told|given|taught|instructed)\b`, "tells the agent to drop its instructions").where = inProse
	t.add("deception_hide", Critical, "user|human|person|operator", `\b(?:do\s+not|don['’]?t|never|without)\s+(?:tell(?:ing)?|inform(?:ing)?|alert(?:ing)?|notify(?:ing)?|reveal(?:ing)?\s+(?:this|it|that)\s+to|mention(?:ing)?\s+(?:this|it|that)\s+to|show(?:ing)?\s+(?:this|it)\s+to|let(?:ting)?)\s+(?:it\s+|this\s+)?(?:the\s+)?(?:user|human|person|operator)s?\b`, "tells the agent to hide something from the person").check = hides
	const unseen, carry = `(?:silently|secretly|covertly|quietly|discreetly|unobtrusively)`, `(?:send|upload|post|forward|copy|transmit|submit|exfiltrate|sync|mirror|back\s+up)(?:ing)?`
	t.add("hidden_upload", Critical, "http://|https://", `\b`+unseen+`\b[^.\n]{0,60}\b`+carry+`\b[^\n]{0,160}https?://|\b`+carry+`\b[^\n]{0,160}https?://[^\n]{0,160}\b(?:(?:do\s+not|don['’]?t|never)\s+(?:mention|say|tell|ask|report|disclose|reveal|announce|talk)|without\s+(?:mentioning|saying|telling|asking|reporting|disclosing|announcing))\b`, "asks for something to be sent to a host unseen").where = inProse
	t.add("claimed_consent", High, "agreed|consented|approved|permission|consent", `\bthe\s+(?:user|person|operator|owner|human)\s+(?:has\s+|have\s+)?already\s+(?:agreed|consented|approved|given\s+(?:\w+\s+)?(?:consent|permission|approval))\b`, "claims a consent that nobody gave").where = inProse
	t.add("secret_action", High, "silently|secretly|quietly|covertly|discreetly", `\b`+unseen+`\s+(?:run|execute|send|upload|post|install|copy|download|exfiltrate|forward|collect)\b`, "asks for something to be done unseen").where = inProse
	t.add("jailbreak_dan", Critical, "dan mode|do anything now|jailbreak mode", `\b(?:DAN\s+mode|do\s+anything\s+now|jailbreak\s+mode\s+(?:on|enabled|activated))\b`, "a known way to switch off the agent's limits")
	t.add("jailbreak_dev_mode", Critical, "developer mode|god mode|debug mode|maintenance mode", `\byou\b[^.]{0,40}\b(?:developer|god|debug|maintenance)\s+mode\b[^.]{0,40}(?:unrestricted|no\s+(?:limits?|restrictions?|rules)|enabled|activated)|\b(?:developer|god)\s+mode\s*(?::|is\s+now|now)\s*(?:enabled|on|activated)\b`, "a known way to switch off the agent's limits")
	t.add("hypothetical_bypass", High, "hypothetical|imagine|fiction", `\b(?:hypothetical(?:ly)?|imagine|fictional)\b[^.]{0,80}\b(?:ignore|bypass|override|without)\b[^.]{0,40}\b(?:rules|restrictions?|safety|instructions?|guidelines|limits)\b`, "wraps a breach of the rules in a story")
	t.add("educational_pretext", Medium, "educational purposes", `\bfor\s+educational\s+purposes\s+only\b`, "a usual excuse for something harmful")
	t.add("conditional_deception", High, "watching|observ|monitor|reviewer|unattended|nobody", `\b(?:if|when|while|unless)\b[^.]{0,40}\b(?:no\s*(?:body|\s+one)\s+is\s+(?:watching|looking)|not\s+(?:being\s+)?(?:watched|observed|monitored)|(?:the\s+)?(?:reviewer|user|human)\s+(?:is\s+)?(?:away|absent|not\s+(?:looking|watching)))`, "behaves differently when nobody watches")
	t.add("fake_policy", Medium, "policy|guidelines", `\b(?:new|revised|updated)\s+(?:safety\s+)?(?:policy|guidelines)\s*(?::|states?|says?|allows?|require)\b[^.]{0,60}\b(?:you|agent|assistant|model)\b`, "claims that the agent's rules changed").where = inProse
	t.add("auto_approve", Critical, "approv|confirm|permission", `\b(?:automatically|always|silently)\s+(?:approve|accept|confirm|grant)\b[^.]{0,50}\b(?:approvals?|prompts?|permissions?|confirmations?|requests?|commands?)\b|\b(?:skip|bypass|disable|suppress)\s+(?:all\s+|the\s+|any\s+)?(?:approval|permission|confirmation|security|safety)\s+(?:prompts?|checks?|dialogs?|requests?|gates?|guards?)\b`, "tells the agent to get round the person's approval").check = approval
	t.add("memory_poison", High, "memory", `\b(?:save|write|store|add|record|remember)\b[^.]{0,60}\b(?:to|in|into)\s+(?:your\s+|the\s+)?(?:long[- ]term\s+|persistent\s+)?memory\b[^.]{0,80}\b(?:always|never|ignore|trust(?:ed)?|without\s+asking|must)\b[^.]{0,60}\b(?:instructions?|approve|approval|commands?|trusted|run|execute|ask)\b`, "plants a standing order in the agent's memory").where = inProse
	t.add("inline_shell", Medium, "!`", "(?:^|\\s)!`[^`\\n]{2,200}`", "is run as a command by programs that expand it on load").where = inProse
	t.add("css_hidden", High, "font-size|visibility|opacity|color:", `<[a-z]+[^>]{0,160}style\s*=\s*["'][^"']{0,160}(?:font-size\s*:\s*0|visibility\s*:\s*hidden|opacity\s*:\s*0(?:[;"'\s]|\.0))`, "text that a reader of the page does not see").where = inProse
	return t.rules
}

// hides: "don't tell the user to …" and "tell … unless" are about wording, not about hiding.
func hides(h *hit) (Severity, bool) {
	rest := lower(h.seg.text[h.end:min(len(h.seg.text), h.end+24)])
	for _, soft := range []string{" to ", " that you can", " you can", " how to", " it's done", " it is done", " \"", " `", " unless", " until"} {
		if len(rest) >= len(soft) && rest[:len(soft)] == soft {
			return Low, true
		}
	}
	return h.severity, true
}

// approval: in guides for programs the flags that skip a prompt are ordinary; addressed to the agent
// they are not.
func approval(h *hit) (Severity, bool) {
	if h.seg.kind != prose {
		return Medium, true
	}
	if imperative(h.seg.text[:h.at]) {
		return h.severity, true
	}
	return Medium, true
}

// steers weighs a finding of package threat for a skill.
func steers(f threat.Finding) (Severity, string) {
	if f.Severity == threat.Warn {
		switch f.ID {
		case "leak_system_prompt", "fake_update", "identity_override", "c2_heartbeat", "c2_task_pull", "forced_action", "anti_forensic", "env_var_unset_agent":
			return High, "steers the agent"
		case "role_hijack", "role_pretend", "remove_filters", "c2_explicit", "c2_node_registration":
			return Medium, "steers the agent"
		}
		return Low, "would steer the agent, but is quoted as a warning"
	}
	switch f.ID {
	case "html_comment_injection":
		return High, "an instruction in a comment that a reader of the page does not see"
	case "hidden_div":
		return High, "text that a reader of the page does not see"
	}
	return Critical, "steers the agent"
}
