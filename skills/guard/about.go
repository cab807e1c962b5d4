package guard

import (
	"net"
	"net/netip"
	"strings"

	"hermes/core/text"
)

// about is what a skill says of itself: the variables it declares and the service it is for. It decides
// whether a key that is sent somewhere is sent home or away.
type about struct {
	declared map[string]bool
	words    string // name and description, lower case, letters and digits only
}

var (
	variable  = text.NewPattern(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b`)
	authority = text.NewPattern(`(?i)\b(?:https?|wss?|ftp)://([^\s/"'<>?#\\` + "`" + `)]+)`)
	aboutLine = text.NewPattern(`(?m)^(?:name|description):(.*)$`)
	noWord    = text.NewPattern(`[^a-z0-9]+`)
)

// describe reads the front matter of the skill. Every upper-case name in it counts as declared: it is
// what the person sees and is asked for.
func describe(b *bundle) *about {
	a := &about{declared: map[string]bool{}}
	for _, f := range b.files {
		if f.name != "SKILL.md" {
			continue
		}
		head, ok := strings.CutPrefix(strings.TrimPrefix(string(f.data), "\ufeff"), "---")
		if !ok {
			continue
		}
		head, _, _ = strings.Cut(head, "\n---")
		for _, v := range variable.Regexp().FindAllString(head, -1) {
			a.declared[v] = true
		}
		for _, l := range aboutLine.Regexp().FindAllStringSubmatch(head, -1) {
			a.words += noWord.Regexp().ReplaceAllString(strings.ToLower(l[1]), "") + " "
		}
	}
	return a
}

// hosts lists the hosts of the URLs in s, lower case, without user, port and brackets.
func hosts(s string) []string {
	var out []string
	for _, m := range authority.Regexp().FindAllStringSubmatch(s, 20) {
		h := strings.ToLower(m[1])
		if i := strings.LastIndexByte(h, '@'); i >= 0 {
			h = h[i+1:]
		}
		if host, _, err := net.SplitHostPort(h); err == nil {
			h = host
		}
		out = append(out, strings.Trim(h, "[]."))
	}
	return out
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || host == "host.docker.internal" || host == "0.0.0.0" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// allLoopback reports whether there are hosts and every one is this machine.
func allLoopback(hs []string) bool {
	for _, h := range hs {
		if !loopback(h) {
			return false
		}
	}
	return len(hs) > 0
}

// label is the part of a host that names its owner: "linear" of api.linear.app.
func label(host string) string {
	ls := strings.Split(host, ".")
	if len(ls) < 2 {
		return host
	}
	at := len(ls) - 2
	if at > 0 && len(ls[at+1]) == 2 && strings.Contains(" co com org net ac gov ", " "+ls[at]+" ") {
		at--
	}
	return ls[at]
}

// services are owners whose keys are worth stealing, by the first word of the usual variable, with the
// labels of the hosts that may have them.
func services(word string) []string {
	switch word {
	case "aws":
		return []string{"amazonaws", "aws", "amazon"}
	case "gh", "github":
		return []string{"github", "githubusercontent", "githubcopilot"}
	case "hf", "huggingface":
		return []string{"huggingface", "hf"}
	case "google", "gemini", "gcp":
		return []string{"google", "googleapis", "googleusercontent"}
	case "azure":
		return []string{"azure", "windows", "microsoft", "microsoftonline"}
	case "twitter", "xurl":
		return []string{"twitter", "x"}
	case "tg":
		return []string{"telegram"}
	case "openai", "anthropic", "openrouter", "stripe", "slack", "npm", "pypi", "docker", "gitlab", "discord", "telegram", "notion", "cloudflare", "digitalocean", "deepseek":
		return []string{word, word + "js"}
	}
	return nil
}

// generic words say nothing about whose a key is.
const generic = " api key token access auth bearer secret password passwd app client user my service id bot the private refresh session oauth credential credentials admin "

// owner is the first word of a variable's name that says whose it is; "" when none does.
func owner(name string) string {
	for w := range strings.SplitSeq(strings.ToLower(name), "_") {
		if len(w) > 1 && !strings.Contains(generic, " "+w+" ") {
			return w
		}
	}
	return ""
}

// fit says how well a variable and a host go together.
type fit uint8

const (
	stranger fit = iota // the key of one service to another
	unsure              // declared or of no known owner, to a host the skill does not name
	own                 // to the service it is for
)

func (a *about) fit(name, host string) fit {
	l, who := label(host), owner(name)
	if known := services(who); known != nil {
		for _, k := range known {
			if l == k {
				return own
			}
		}
		return stranger
	}
	if l == "googleapis" || l == "microsoft" { // makers whose names only they can give
		l = strings.Split(host, ".")[0]
	}
	related := len(l) > 2 && strings.Contains(a.words, noWord.Regexp().ReplaceAllString(l, ""))
	switch {
	case len(who) > 2 && (strings.HasPrefix(l, who) || strings.HasPrefix(who, l) && len(l) > 2):
		return own
	case related && (who == "" || a.declared[name] || strings.Contains(a.words, who)):
		return own
	case a.declared[name]:
		return unsure
	}
	return stranger
}
