package terminal

import (
	_ "embed" // the table of verbs
	"slices"
	"strings"

	"hermes/tools"
)

// Verbs of programs that reach beyond the files here: other people's systems, keys, what runs by itself.

// rule is one line of a table: words that occur among the arguments in this order. A word may name several
// with "|" and end or begin with "*".
type rule struct{ words, id, reason string }

//go:embed verbs.txt
var verbTable string

// verbRules reads the table of what asks by program and verb.
func verbRules() (out []rule) {
	id, reason := "", ""
	for line := range strings.Lines(verbTable) {
		switch line = strings.TrimSpace(line); {
		case line == "", strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			id, reason, _ = strings.Cut(line[1:], "] ")
		default:
			out = append(out, rule{line, id, reason})
		}
	}
	return out
}

// fits reports whether the words of a rule occur in argv in order; "--dry-run" takes the edge off any of them.
func (r rule) fits(argv []string) bool {
	at := 0
	for w := range strings.FieldsSeq(r.words) {
		found := false
		w, next := strings.CutPrefix(w, "^")
		for ; at < len(argv) && !found; at++ {
			found = anyOf(w, argv[at])
			if (at == 0 || next) && !found {
				return false
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// anyOf reports whether word is one of the alternatives of a pattern.
func anyOf(pattern, word string) bool {
	for alt := range strings.SplitSeq(pattern, "|") {
		before, after, star := strings.Cut(alt, "*")
		after, both := strings.CutSuffix(after, "*")
		switch {
		case alt == "*", !star && alt == word, both && strings.Contains(word, after):
			return true
		case star && !both && len(word) >= len(before)+len(after) && strings.HasPrefix(word, before) && strings.HasSuffix(word, after):
			return true
		}
	}
	return false
}

// verbs judges what the tables know of a program.
func (s *scan) verbs(name string, args []string) {
	if slices.ContainsFunc(args, func(a string) bool { return a == "--help" || a == "--version" || strings.HasPrefix(a, "--dry-run") }) {
		return
	}
	argv := append([]string{name}, args...)
	for _, r := range s.j.rules[name] {
		if r.fits(argv) {
			s.add(tools.ActionAsk, r.id, r.reason+" ("+name+")", r.id == "credentials")
		}
	}
	if cloud(name) && cloudRemoves(name, args) {
		s.ask("remote-delete", "removes or stops something on another system ("+name+")")
	}
	switch name {
	case "pass", "gopass":
		if _, operands := options(args, ""); len(operands) > 0 && !slices.Contains([]string{"ls", "list", "find", "git", "help", "version", "init"}, operands[0]) {
			s.askExact("credentials", "prints keys or passwords (pass)")
		}
	case "kubectl", "oc":
		s.kubectl(args)
	case "curl", "wget", "http", "https", "xh":
		s.requests(name, args)
	case "crontab":
		if !slices.Contains(args, "-l") {
			s.ask("system", "changes the system (crontab)")
		}
	case "python", "python3", "py":
		if i := slices.IndexFunc(args, func(a string) bool { return base(a) == "manage.py" }); i >= 0 {
			s.verbs("manage.py", args[i+1:])
		}
	case "php":
		if i := slices.IndexFunc(args, func(a string) bool { return base(a) == "artisan" }); i >= 0 {
			s.verbs("artisan", args[i+1:])
		}
	}
}

// cloud reports whether a program works on systems elsewhere.
func cloud(name string) bool {
	return slices.Contains([]string{
		"gh", "glab", "aws", "gcloud", "az", "doctl", "heroku", "fly", "flyctl", "vercel", "netlify", "pulumi", "wrangler", "supabase", "firebase", "linode-cli", "hcloud", "oci", "ibmcloud", "eksctl", "argocd", "cdk", "sam", "serverless", "sls", "nomad", "consul", "vault", "etcdctl", "rclone", "s3cmd", "mc", "gsutil", "bq",
		"railway", "render", "kops", "scw", "openstack", "oc", "helmfile", "terragrunt", "cdktf", "ansible-galaxy", "amplify", "copilot", "planetscale", "pscale", "turso", "neonctl", "stripe", "twilio", "exo", "civo", "upctl", "vultr-cli", "virsh", "vagrant", "multipass", "limactl", "kind", "k3d", "minikube",
	}, name)
}

// removal matches the word in a verb that takes something away: delete, apps:destroy, terminate-instances.
const removal = `^(?:[a-z]+[:.-])*(delete|destroy|remove|rm|rb|terminate|purge|drop|reset|flush|wipe|uninstall|deregister|detach|revoke|disable|drain|cordon|prune|down|archive|empty|erase|undefine|del|purge|cancel|deallocate|stop|deletefile|cleanup)(?:[:.-][a-z-]+)*$`

// cloudRemoves looks at the verbs: the words before the first that is a name.
func cloudRemoves(name string, args []string) bool {
	_, operands := options(args, "--profile --region -p --project --subscription -g --resource-group --account --zone -R --repo --output -o -X --method --app -a --config -c")
	verb := re(removal)
	deep := 1 // "gh pr checkout delete-old-api" removes nothing
	if slices.Contains([]string{"gcloud", "az", "doctl", "oci", "ibmcloud", "openstack", "scw", "exo", "civo", "hcloud", "linode-cli", "bq"}, name) {
		deep = 3
	}
	for i, o := range operands {
		if i > deep || strings.ContainsAny(o, "/ ") && i > 0 {
			break
		}
		if name == "gh" && i == 0 && o == "api" {
			break
		}
		if verb.MatchString(strings.ToLower(o)) && (name != "gh" || operands[0] != "run" || o != "cancel") {
			return true
		}
	}
	if name == "aws" && len(operands) > 1 && operands[0] == "s3" && slices.Contains(args, "--delete") {
		return true
	}
	return name == "gh" && firstOf(operands) == "api" && deletes(args)
}

// deletes reports whether a request is one that deletes.
func deletes(args []string) bool {
	m := flagValue(args, "--method", "-X")
	if m == "" {
		m = flagValue(args, "--request", "")
	}
	for _, j := range joined(args, "-X") {
		m = strings.TrimPrefix(j, "=")
	}
	return strings.EqualFold(m, "DELETE")
}

// requests judges web requests that delete, and settings that curl reads from a file.
func (s *scan) requests(name string, args []string) {
	local := re(`^(https?://)?(localhost|127\.|\[::1\]|0\.0\.0\.0)`)
	if (deletes(args) || (name == "http" || name == "https" || name == "xh") && slices.Contains(args, "DELETE")) && !slices.ContainsFunc(args, local.MatchString) {
		s.ask("remote-delete", "removes something on another system ("+name+")")
	}
	if name != "curl" {
		return
	}
	file := flagValue(args, "--config", "-K")
	for _, j := range joined(args, "-K") {
		file = j
	}
	if file != "" && file != "-" {
		s.askExact("hidden-code", "takes what it does from "+strings.ReplaceAll(file, hole, "…"))
	}
}

// kubectl judges what it prints of secrets and what it takes from elsewhere.
func (s *scan) kubectl(args []string) {
	_, operands := options(args, "-n --namespace --context --kubeconfig -l --selector -f --filename -o --output")
	if len(operands) > 1 && operands[0] == "get" && re(`(^|,)secrets?(/|,|$)`).MatchString(operands[1]) {
		for i, a := range args {
			v, ok := strings.CutPrefix(a, "--output=")
			if short(a, "o") {
				v, ok = strings.TrimPrefix(a[2:], "="), true
			}
			if ok && v == "" || a == "--output" {
				v, ok = firstOf(args[min(i+1, len(args)):]), true
			}
			if ok && v != "wide" && v != "name" {
				s.askExact("credentials", "prints keys or passwords (kubectl)")
			}
		}
	}
	for i, a := range args {
		v, ok := strings.CutPrefix(a, "--filename=")
		if (a == "-f" || a == "--filename" || a == "-k") && i+1 < len(args) {
			v, ok = args[i+1], true
		}
		if ok && strings.Contains(v, "://") {
			s.askExact("pipe-to-shell", "applies a download at once")
		}
	}
}
