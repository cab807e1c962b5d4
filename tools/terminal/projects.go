package terminal

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// Tools that run what files of the project say, when the command has just written those files.

// projectTool reports whether a program runs code of the project it stands in.
func projectTool(name string, args []string) bool {
	verb := firstOf(skipFlags(args, "-C --prefix --cwd --manifest-path"))
	switch name {
	case "go":
		return slices.Contains([]string{"test", "run", "generate"}, verb)
	case "npm", "pnpm", "yarn", "bun":
		return !slices.Contains([]string{"config", "view", "info", "ls", "list", "pkg", "pack", "version", "outdated", "search", "why", "audit"}, verb)
	case "cargo":
		return slices.Contains([]string{"run", "test", "build", "bench", "check", "t", "r", "b"}, verb)
	case "pip", "pip3", "uv", "poetry":
		return verb == "install" || verb == "run" || verb == "sync" || verb == "pip" || verb == "build"
	case "deno":
		return verb == "task" || verb == "test"
	}
	return slices.Contains([]string{
		"pytest", "py.test", "tox", "nox", "just", "task", "rake", "mvn", "gradle", "gradlew", "cmake", "ninja", "meson", "bazel", "dotnet", "mix", "composer", "invoke", "inv", "jest", "vitest", "mocha", "rspec", "ava", "tap", "gulp", "grunt", "webpack", "vite", "rollup", "tsx", "ts-node", "eslint", "prettier", "phpunit", "ctest", "scons", "waf", "stack", "cabal", "dune", "lein", "sbt", "nx", "turbo", "pre-commit",
	}, name)
}

// buildFile reports whether a file of that name decides by itself what such tools run.
func buildFile(name string) bool {
	low := strings.ToLower(name)
	return slices.Contains([]string{
		"package.json", "setup.py", "conftest.py", "justfile", ".justfile", "taskfile.yml", "taskfile.yaml", "rakefile", "build.rs", "build.gradle", "build.gradle.kts", "pom.xml", "cmakelists.txt", "noxfile.py", "tasks.py", "gulpfile.js", "gruntfile.js", "sconstruct", "wscript", "build.zig", "dune", "mix.exs", "build.sbt", "meson.build", "pyproject.toml", "tox.ini", "pytest.ini",
	}, low) || strings.HasSuffix(strings.TrimSuffix(strings.TrimSuffix(low, filepath.Ext(low)), ".config"), "config") && strings.HasSuffix(low, "js")
}

// codeFile reports whether a name is that of code.
func codeFile(name string) bool {
	return slices.Contains([]string{".go", ".py", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".rb", ".rs", ".c", ".cc", ".cpp", ".h", ".java", ".kt", ".php", ".pl", ".ex", ".exs", ".hs", ".ml", ".scala", ".swift", ".cs", ".lua", ".zig"}, filepath.Ext(strings.ToLower(name)))
}

// project judges such a tool by the files that the command wrote before.
func (s *scan) project(name string, args []string) {
	if !projectTool(name, args) {
		return
	}
	if name == "npm" || name == "pnpm" || name == "yarn" || name == "bun" {
		s.packageScripts(args)
	}
	if name == "just" || name == "task" {
		for _, n := range []string{"justfile", "Justfile", ".justfile", "Taskfile.yml", "Taskfile.yaml"} {
			if p, ok := s.path(n); ok {
				if src, young := s.young(p); young {
					s.recipes(src)
				}
			}
		}
	}
	for _, p := range s.changed {
		src, known := s.written[p]
		file := filepath.Base(p)
		switch {
		case file == "package.json" && known:
		case known && buildFile(file) && !codeFile(file):
			s.askExact("inline-code", "runs "+file+" that it just wrote")
			s.recipes(src)
		case known && codeFile(file):
			s.code(name, src)
		case buildFile(file):
			s.askExact("new-program", "runs "+file+" that it just changed")
		}
	}
}

// packageScripts judges the scripts of a package.json that is new: written by the command, or since the judge
// is there.
func (s *scan) packageScripts(args []string) {
	dir := flagValue(args, "--prefix", "-C")
	if dir == "" {
		dir = "."
	}
	p, ok := s.path(filepath.Join(dir, "package.json"))
	if !ok {
		return
	}
	src, known := s.written[p]
	if !known {
		if src, known = s.young(p); !known {
			return
		}
	}
	var file struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal([]byte(src), &file) != nil {
		return
	}
	rest := skipFlags(args, "--prefix -C --cwd -w --workspace --filter")
	verb := firstOf(rest)
	names := []string{verb}
	switch verb {
	case "run", "run-script", "rum", "urn":
		names = rest[1:min(2, len(rest))]
	case "i", "install", "ci", "add", "":
		names = []string{"preinstall", "install", "postinstall", "prepare"}
	}
	for _, n := range names {
		for _, hook := range []string{"pre" + n, n, "post" + n} {
			if text := file.Scripts[hook]; text != "" && !s.opened[p+"\n"+hook] {
				if s.opened == nil {
					s.opened = map[string]bool{}
				}
				s.opened[p+"\n"+hook] = true
				dir, pwd := s.dir, s.words.vars["PWD"]
				s.script(text, true)
				s.dir, s.words.vars["PWD"] = dir, pwd
			}
		}
	}
}
