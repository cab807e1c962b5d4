package terminal

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"hermes/core/home"
	"hermes/tools"
)

// asRoot judges running something as another user. One yes is for one command: "always" for all of them
// would hand over the machine.
func (s *scan) asRoot(name string, args []string) {
	if name == "machinectl" && firstOf(args) != "shell" && firstOf(args) != "login" {
		return
	}
	s.askExact("root", "runs as another user")
	if name != "sudo" && name != "doas" {
		return
	}
	for _, a := range args {
		switch {
		case !strings.HasPrefix(a, "-"):
			return // what follows belongs to the command
		case a == "--stdin" || a == "--askpass" || short(a, "SA"):
			s.askExact("root-password", "hands a password to "+name)
		case a == "--shell" || a == "--login" || short(a, "si"):
			s.askExact("root-shell", "opens a shell as another user")
		case a == "--list" || short(a, "l"):
			s.askExact("root-list", "looks up what "+name+" allows")
		}
	}
}

// short reports whether flag is a bundle of short flags with one of letters.
func short(flag, letters string) bool {
	return len(flag) > 1 && flag[0] == '-' && flag[1] != '-' && strings.ContainsAny(flag[1:], letters)
}

// kill judges ending processes.
func (s *scan) kill(name string, args, flags []string, open bool) {
	if open {
		s.askExact("kill", "ends processes that are only known when it runs")
	}
	if slices.Contains(args, "-l") || slices.Contains(args, "-0") {
		return
	}
	for _, a := range args {
		if name == "kill" && a == strconv.Itoa(os.Getpid()) || name != "kill" && re(`(?i)^"?\W*hermes\W*$`).MatchString(a) {
			s.hard("ends hermes itself")
		}
	}
	if name == "kill" && slices.ContainsFunc(args, func(a string) bool { return a == ownJob }) && !slices.ContainsFunc(args, func(a string) bool { return a != ownJob && !strings.HasPrefix(a, "-") && a != "KILL" && a != "9" }) {
		return // a process that the command started itself
	}
	if slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, hole) }) {
		s.askExact("kill", "ends processes that are only known when it runs")
	}
	hard := has(flags, "9") || slices.ContainsFunc(args, func(a string) bool { return strings.HasSuffix(strings.ToUpper(a), "STOP") }) || slices.ContainsFunc(args, func(a string) bool { return strings.HasSuffix(strings.ToUpper(a), "KILL") })
	if name != "kill" || hard || slices.Contains(args, "1") {
		s.ask("kill", "ends processes by force or by name")
	}
}

// containers judges docker and its relatives.
func (s *scan) containers(name string, args []string) {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			break // what follows the verb belongs to it
		}
		if a == "-H" || a == "-c" || a == "--context" || strings.HasPrefix(a, "--host") || strings.HasPrefix(a, "--context=") {
			s.ask("docker-host", "talks to another container daemon")
		}
	}
	_, operands := options(args, "-H --host --context --config -l --log-level -f --file -p --project-name")
	if len(operands) == 0 {
		return
	}
	verb := operands[0]
	if slices.Contains([]string{"container", "compose", "system", "volume", "image", "network", "stack", "service", "builder", "context", "swarm", "node"}, verb) && len(operands) > 1 {
		verb += " " + operands[1]
	}
	if verb == "cp" || verb == "container cp" {
		if to := operands[len(operands)-1]; len(operands) > 2 && !strings.Contains(to, ":") {
			s.writes(to)
		}
	}
	last := verb[strings.LastIndexByte(verb, ' ')+1:]
	switch {
	case verb == "context use":
		s.ask("docker-host", "talks to another container daemon")
	case verb != "image rm" && slices.Contains([]string{"stop", "kill", "restart", "rm", "down", "prune", "leave"}, last):
		s.ask("container-"+last, "stops or removes containers or their data ("+name+" "+verb+")")
	}
	s.containerPower(args)
	s.mounted(args)
}

// containerPower judges what a container gets of the machine.
func (s *scan) containerPower(args []string) {
	for i, a := range args {
		switch {
		case a == "--privileged", a == "--pid=host", a == "--userns=host", a == "--ipc=host", strings.Contains(a, "docker.sock"),
			strings.HasPrefix(a, "--cap-add") && (strings.HasSuffix(strings.ToUpper(a), "ALL") || strings.HasSuffix(strings.ToUpper(a), "SYS_ADMIN")),
			strings.HasSuffix(a, "=unconfined"), strings.HasPrefix(a, "--device"):
			s.ask("container-privileged", "gives a container power over the machine")
			continue
		}
		value := ""
		for _, f := range []string{"-v", "--volume", "--mount"} {
			if v, ok := strings.CutPrefix(a, f+"="); ok {
				value = v
			} else if a == f && i+1 < len(args) {
				value = args[i+1]
			}
		}
		if value != "" {
			s.mount(value)
		}
	}
}

// mount judges a folder of the machine that a container gets.
func (s *scan) mount(value string) {
	from, _, _ := strings.Cut(value, ":")
	for part := range strings.SplitSeq(value, ",") {
		if v, ok := strings.CutPrefix(part, "source="); ok {
			from = v
		} else if v, ok := strings.CutPrefix(part, "src="); ok {
			from = v
		}
	}
	if what := s.vital(from); what != "" && strings.ContainsAny(from, "/~") {
		s.askExact("container-privileged", "gives a container all of "+what)
		return
	}
	if what := s.holds(from); what != "" && strings.ContainsAny(from, "/~.") && strings.Contains(value, from) {
		s.askExact("container-privileged", "gives a container "+from+", which holds "+what)
		return
	}
	if p, ok := s.path(from); ok && (strings.ContainsAny(from, "/~") || from == "..") {
		if !home.Within(s.j.policy.Root, p) && !strings.HasSuffix(value, ":ro") && !strings.Contains(value, "readonly") {
			s.askExact("container-privileged", "gives a container "+p+", which is outside the working folder")
			return
		}
		if action, why := s.j.policy.Read(p, ""); action != tools.ActionAllow {
			s.askExact("container-privileged", "gives a container "+p+", which "+why)
		}
	}
}

// riskyVariable reports whether setting name to value makes programs run or load something else.
func riskyVariable(name, value string) bool {
	switch name {
	case "DOCKER_HOST", "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PROMPT_COMMAND", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND",
		"MAKEFILES", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_ASKPASS", "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "GIT_CONFIG_GLOBAL", "SSH_ASKPASS", "SUDO_ASKPASS":
		return true
	case "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "TAR_OPTIONS", "GCONV_PATH", "PYTHONBREAKPOINT", "PYTHONINSPECT", "R_PROFILE", "R_PROFILE_USER", "JULIA_LOAD_PATH", "BUNDLE_GEMFILE", "AWS_CONFIG_FILE":
		return true
	case "GOFLAGS":
		return strings.Contains(value, "exec")
	case "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "MAVEN_OPTS", "GRADLE_OPTS", "SBT_OPTS":
		return strings.Contains(value, "agent")
	case "LESS", "MORE":
		return strings.ContainsAny(value, "!|")
	case "MAKEFLAGS", "GNUMAKEFLAGS":
		return strings.Contains(value, "eval") || strings.Contains(value, "SHELL") || strings.Contains(value, "-f")
	case "PS4", "PS1", "PS0":
		return strings.ContainsAny(value, "$`")
	case "ENV":
		return strings.Contains(value, "/")
	case "NODE_OPTIONS":
		return strings.Contains(value, "-r") || strings.Contains(value, "import")
	}
	low := strings.ToLower(name)
	return strings.HasPrefix(low, "npm_config_") && strings.Contains(low, "shell") || strings.HasPrefix(low, "npm_config_") && strings.Contains(low, "options") || strings.HasPrefix(name, "CARGO_") && (strings.HasSuffix(name, "_RUNNER") || strings.HasSuffix(name, "_LINKER") || strings.HasSuffix(name, "_WRAPPER"))
}

// powershell judges the commands of that shell, which names them with hyphens.
func (s *scan) powershell(name string, args []string) {
	flags, operands := options(args, "")
	low := strings.ToLower(strings.Join(flags, " "))
	switch name {
	case "remove-item", "ri", "erase", "del", "rd":
		if !strings.Contains(low, "-rec") && !strings.Contains(strings.ToLower(strings.Join(operands, " ")), "/s") && !slices.Contains(strings.Fields(low), "-r") {
			return
		}
		for _, o := range operands {
			if re(`(?i)^([a-z]:[\\/]?\*?|[a-z]:[\\/](windows|users|program files)[\\/]?.{0,2}|%systemroot%|\$env:systemroot|~[\\/]?)$`).MatchString(o) {
				s.hard("deletes " + o + " with all it holds")
			}
		}
		s.askExact("delete", "deletes with all it holds")
	case "format-volume", "clear-disk", "initialize-disk", "remove-partition", "diskpart":
		s.hard("wipes a disk")
	case "stop-computer", "restart-computer":
		s.hard("shuts the machine down")
	case "invoke-expression", "iex":
		s.askExact("inline-code", "runs text as code")
	case "stop-process", "spps":
		s.ask("kill", "ends processes by force or by name")
	case "stop-service", "restart-service", "remove-service":
		s.ask("service", "stops or changes a service")
	case "set-executionpolicy", "reg", "bcdedit", "vssadmin":
		s.ask("system", "changes the system ("+name+")")
	}
}
