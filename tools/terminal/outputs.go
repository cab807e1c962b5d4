package terminal

import (
	"slices"
	"strings"

	"hermes/core/home"
)

// Files that programs write by their own flags and operands.

// writer says where a program takes the places it writes to from.
type writer struct {
	flags  string // flags whose value is such a place, also glued to a short one
	values string // other flags that take a value
	last   bool   // the last of two or more operands
	second bool   // the second operand
	first  bool   // the first operand
	// archive says that the second operand is written unless the first is a verb that reads.
	archive bool
	glued   string // a flag whose value can only be glued to it
}

// writerOf is the table of programs that are no copiers and write outside when told to.
func (j *Judge) writerOf(name string) (w writer, ok bool) {
	if re(`^([\w.-]+-)?(gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ld|as|gfortran|rustc|tcc|zig|ar)(-[\d.]+)?$`).MatchString(name) {
		return writer{flags: "-o --output", values: "-I -L -l -D -x -include -isystem -MF -MT"}, true
	}
	w, ok = j.writers[name]
	return w, ok
}

// writerTable is what of that is known, by the names of programs.
func writerTable() map[string]writer {
	out := map[string]writer{}
	for _, row := range []struct {
		names string
		writer
	}{
		{"zip zipcloak", writer{first: true, values: "-x -i -P -n -b"}},
		{"7z 7za 7zr rar unrar", writer{glued: "-o", archive: true}},
		{"uniq", writer{second: true, values: "-f -s -w"}},
		{"xxd", writer{second: true, values: "-s -l -c -g -o -n -R"}},
		{"aria2c", writer{flags: "-d --dir -o --out -l --log"}},
		{"cmake", writer{flags: "-B --prefix"}},
		{"conda mamba micromamba", writer{flags: "-p --prefix"}},
		{"cargo", writer{flags: "--root --target-dir --out-dir --artifact-dir"}},
		{"tcpdump tshark", writer{flags: "-w"}},
		{"split", writer{second: true, values: "-a -b -C -n -l -t --filter --lines --bytes --additional-suffix"}},
		{"csplit", writer{flags: "-f --prefix"}},
		{"cpio", writer{flags: "-D --directory -O -F --file"}},
		{"curl", writer{flags: "-D --dump-header --libcurl --trace --trace-ascii --stderr -c --cookie-jar --etag-save --hsts --alt-svc"}},
		{"wget", writer{flags: "-a -o --append-output --output-file --save-cookies --warc-file --hsts-file --rejected-log"}},
		{"go", writer{flags: "-o -coverprofile -cpuprofile -memprofile -outputdir -trace -blockprofile -mutexprofile"}},
		{"make gmake bmake ninja", writer{flags: "-C --directory"}},
		{"psql", writer{flags: "-o --output -L --log-file"}},
		{"pg_dump pg_dumpall", writer{flags: "-f --file"}},
		{"mysqldump", writer{flags: "-r --result-file -T --tab"}},
		{"pip pip3", writer{flags: "-t --target --prefix --root -d --dest -w --wheel-dir --log --report"}},
		{"pytest py.test", writer{flags: "--basetemp --junitxml --junit-xml --log-file --cov-report --result-log"}},
		{"npm pnpm", writer{flags: "--prefix -C --dir --pack-destination"}},
		{"ssh-keygen", writer{flags: "-f"}},
		{"ffmpeg convert magick pandoc-cp mkisofs qemu-img sox pdftk gs rsvg-convert cwebp xz-cp pdftotext", writer{last: true, flags: "-o"}},
		{"mksquashfs cookiecutter degit ditto robocopy xcopy", writer{last: true, flags: "-o --output-dir"}},
		{"virtualenv", writer{first: true}},
		{"sftp", writer{second: true, values: "-b -B -c -D -F -i -J -l -o -P -R -S -s -X"}},
		{"openssl", writer{flags: "-out -keyout -CAserial"}},
		{"script", writer{first: true, values: "-c -E -I -O -B -T -o -t -m"}},
		{"logrotate install-info", writer{flags: "-s"}},
	} {
		for name := range strings.FieldsSeq(row.names) {
			out[name] = row.writer
		}
	}
	return out
}

// reader reports whether a program's short -o and -t are no places it writes to.
func reads(name string) bool {
	return slices.Contains([]string{
		"grep", "egrep", "fgrep", "rg", "ag", "ack", "ugrep", "ls", "ps", "ssh", "scp", "sftp", "mount", "set", "shopt", "find", "echo", "printf", "test", "cut", "stat", "lsblk", "df", "date", "tr", "wc", "cat", "head", "tail", "chown", "useradd", "sort", "bash", "sh", "zsh", "ldd", "nm", "objdump", "readelf", "diff", "od", "top", "free", "lsof", "pgrep", "kubectl", "jq", "columns", "gzip", "xz",
		"timeout", "env", "sudo", "nohup", "time", "strace", "xargs", "stdbuf", "nice", "cp", "mv", "install", "ln", "rsync", "git", "hub", "wget", "curl", "tar", "unzip",
	}, name)
}

// longOutput matches long flags that name a place to write to, whatever the program.
const longOutput = `^--?(out|output|outfile|out-?file|out-?dir|output-?(file|dir|directory|path|folder)|dest|dest-?dir|destination|target-?dir|logfile|log-?file|basetemp|save|save-[a-z-]+|export-[a-z-]+|dump-[a-z-]+|report-?file|junit-?xml|html-?report|record|trace-?file|write-[a-z-]+|install-dir|coverage-?dir|pidfile|pid-file)$`

// puts judges the places that a program writes to by its flags and operands.
func (s *scan) puts(name string, args []string) {
	w, known := s.j.writerOf(name)
	for i, a := range args {
		next := ""
		if i+1 < len(args) {
			next = args[i+1]
		}
		long, value, cut := strings.Cut(a, "=")
		switch {
		case known && w.glued != "" && strings.HasPrefix(a, w.glued) && len(a) > len(w.glued):
			s.writes(a[len(w.glued):])
		case known && cut && listed(w.flags, long):
			s.writesTo(value)
		case known && (listed(w.flags, a) || name == "cpio" && takesValue(a, w.flags)) && next != "":
			s.writesTo(next)
		case known && !strings.HasPrefix(a, "--") && len(a) > 2 && a[0] == '-' && listed(w.flags, a[:2]) && !singleDash(name):
			s.writesTo(a[2:])
		case known || reads(name) || isShell(name) || isInterpreter(name) || !strings.HasPrefix(a, "-"):
		case !cut && (a == "-o" || re(longOutput).MatchString(a)):
			s.outside(next)
		case cut && (long == "-o" || re(longOutput).MatchString(long)):
			s.outside(value)
		}
	}
	s.rewrites(name, args)
	if !known {
		return
	}
	_, operands := options(args, w.values+" "+w.flags)
	switch n := len(operands); {
	case w.last && n > 1, w.first && n > 0 && name == "script":
		s.writesTo(operands[map[bool]int{true: n - 1, false: 0}[w.last]])
	case w.first && n > 0:
		s.writesTo(operands[0])
	case w.second && n > 1:
		s.writesTo(operands[1])
	case w.archive && n > 1 && slices.Contains([]string{"a", "u", "d", "rn"}, operands[0]):
		s.writesTo(operands[1])
	case w.archive && n > 2 && strings.HasPrefix(name, "unrar"):
		s.outside(operands[n-1])
	}
}

// rewrites judges formatters and editors of data that change the files they are given.
func (s *scan) rewrites(name string, args []string) {
	flags, operands := options(args, "")
	switch {
	case strings.HasSuffix(name, "awk") && slices.Contains(args, "inplace"):
		with := operands[min(1, len(operands)):]
		for _, o := range with {
			s.outside(o)
		}
	case name == "cpio" && has(flags, "p", "pass-through"), name == "pax" && has(flags, "w"), (name == "kubectl" || name == "oc" || name == "uv" || name == "rclone") && slices.Contains([]string{"cp", "venv", "copy", "sync", "move", "copyto"}, firstOf(operands)):
		if n := len(operands); n > 0 && !strings.Contains(operands[n-1], ":") {
			s.outside(operands[n-1])
		}
	}
	if len(operands) == 0 {
		return
	}
	on := map[string][]string{
		"yq": {"i", "inplace", "in-place"}, "gofmt": {"w"}, "goimports": {"w"}, "gofumpt": {"w"}, "shfmt": {"w", "write"}, "prettier": {"w", "write"}, "clang-format": {"i"}, "eslint": {"", "fix"}, "autopep8": {"i", "in-place"}, "crudini": {"", "set", "del"},
		"black": nil, "isort": nil, "dos2unix": nil, "unix2dos": nil, "sponge": nil, "mogrify": nil, "exiftool": nil, "strip": nil, "chattr": nil, "setfacl": nil,
	}
	with, known := on[name]
	if !known || with != nil && !has(flags, with[0], with[1:]...) {
		return
	}
	for _, o := range operands {
		s.outside(o)
	}
}

func listed(flags, a string) bool { return slices.Contains(strings.Fields(flags), a) }

// singleDash reports whether a program writes long flags behind one hyphen, so that nothing is glued.
func singleDash(name string) bool { return name == "go" || name == "openssl" }

// writesTo is writes for the value of a flag; "-" is no file.
func (s *scan) writesTo(word string) {
	if word != "-" && word != "stdout" {
		s.writes(word)
	}
}

// outside judges a value that is a place only if it looks like one, and matters only if that is outside.
func (s *scan) outside(word string) {
	if word == "" || strings.HasPrefix(word, "-") || !strings.ContainsAny(word, "/~") && word != ".." || strings.Contains(word, "://") {
		return
	}
	if p, ok := s.path(word); ok && !home.Within(s.j.policy.Root, p) {
		s.writes(word)
	}
}

// archives judges what tar makes and where it unpacks.
func (s *scan) archives(args []string) {
	if len(args) == 0 {
		return
	}
	bundle := args[0]
	if !strings.HasPrefix(bundle, "-") {
		bundle = "-" + bundle // "tar cf x"
	}
	has := func(letters string, long ...string) bool {
		return slices.ContainsFunc(append([]string{bundle}, args...), func(a string) bool {
			return short(a, letters) && !strings.HasPrefix(a, "-C") && !strings.HasPrefix(a, "-f") && !strings.HasPrefix(a, "-T")
		}) || slices.ContainsFunc(args, func(a string) bool { return slices.Contains(long, a) })
	}
	creates, extracts := has("cru", "--create", "--append", "--update"), has("x", "--extract", "--get")
	if extracts && has("P", "--absolute-names") {
		s.askExact("unpack", "unpacks files to wherever the archive says")
	}
	for i, a := range args {
		switch {
		case creates && !extracts && strings.HasPrefix(a, "--file="):
			s.writesTo(strings.TrimPrefix(a, "--file="))
		case creates && !extracts && (a == "--file" || (i == 0 || short(a, "f")) && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "f")) && i+1 < len(args):
			s.writesTo(args[i+1])
		case creates && !extracts && short(a, "f"):
			if _, file, ok := strings.Cut(a, "f"); ok && file != "" {
				s.writesTo(file)
			}
		case extracts && (a == "-C" || a == "--directory") && i+1 < len(args):
			s.writes(args[i+1])
		case extracts && strings.HasPrefix(a, "-C") && len(a) > 2:
			s.writes(a[2:])
		case extracts && strings.HasPrefix(a, "--directory="):
			s.writes(strings.TrimPrefix(a, "--directory="))
		}
	}
	if extracts {
		s.unpacks(args)
	}
}

// unpacks remembers that a download is unpacked: what is then run came from elsewhere.
func (s *scan) unpacks(args []string) {
	for _, a := range args {
		if p, ok := s.path(a); ok && slices.Contains(s.fetched, p) {
			s.unpacked = true
		}
	}
}
