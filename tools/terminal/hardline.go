package terminal

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hermes/core/home"
)

// The floor: what never runs, whatever the mode, --yolo or a remembered rule says.

// floor judges one unwrapped argv against it.
func (s *scan) floor(name string, args []string) {
	flags, operands := options(args, "")
	switch {
	case name == "rm":
		s.floorRemove(flags, operands)
	case name == "rimraf", name == "del-cli":
		s.floorRemove([]string{"-r"}, operands)
	case name == "mkfs" || strings.HasPrefix(name, "mkfs.") || slices.Contains([]string{"mke2fs", "newfs", "mkswap", "format", "format.com"}, name) || strings.HasPrefix(name, "newfs_"):
		s.floorFormat(name, flags, operands)
	case name == "diskutil" && len(operands) > 0 && slices.Contains([]string{"erasedisk", "erasevolume", "zerodisk", "secureerase", "partitiondisk", "reformat"}, strings.ToLower(operands[0])):
		s.hard("formats a disk")
	case name == "wipefs" && has(flags, "a", "all"), name == "sgdisk" && has(flags, "Zz", "zap-all", "zap"), name == "blkdiscard",
		name == "hdparm" && has(flags, "", "security-erase", "trim-sector-ranges"), name == "nvme" && len(operands) > 0 && operands[0] == "format":
		s.hard("wipes a disk")
	case name == "shred" || name == "tee" || name == "cp" || name == "mv" || name == "truncate" || name == "install" || name == "badblocks":
		for i, o := range operands {
			reads := (name == "cp" || name == "mv" || name == "install") && i < len(operands)-1
			if !reads && s.blockDevice(o) {
				s.hard("overwrites the raw disk " + o)
			}
		}
	case name == "dd":
		for _, a := range args {
			if of, ok := strings.CutPrefix(a, "of="); ok && s.blockDevice(of) {
				s.hard("overwrites the raw disk " + of)
			}
		}
	case name == "kill":
		s.floorKill(args)
	case name == "killall5":
		s.hard("ends every process")
	case (name == "pkill" || name == "killall") && slices.ContainsFunc(operands, func(o string) bool { return o == "." || o == ".*" || o == "" }):
		s.hard("ends every process")
	default:
		s.floorPower(name, flags, operands)
		s.floorTables(name, flags, operands)
	}
}

// floorTables judges programs that write partition tables, volumes and pools.
func (s *scan) floorTables(name string, flags, operands []string) {
	verb := func(verbs ...string) bool {
		return slices.ContainsFunc(operands, func(o string) bool { return slices.Contains(verbs, strings.ToLower(o)) })
	}
	bad := false
	switch name {
	case "parted":
		bad = !has(flags, "l", "list") && !verb("print", "unit", "help") || verb("mklabel", "mktable", "mkpart", "rm", "resizepart")
	case "fdisk", "cfdisk", "gdisk", "cgdisk", "sfdisk":
		bad = !has(flags, "lxd", "list", "dump", "json", "verify")
	case "cryptsetup":
		bad = verb("luksformat", "erase", "lukserase", "reencrypt", "lukskillslot", "format")
	case "pvcreate", "pvremove", "vgcreate", "grub-install", "grub2-install":
		bad = true
	case "debugfs":
		bad = has(flags, "w")
	case "zpool":
		bad = verb("create", "add", "attach", "labelclear", "destroy")
		if verb("destroy") {
			s.hard("wipes a disk")
			return
		}
	case "mdadm":
		bad = has(flags, "C", "create", "zero-superblock")
	case "ddrescue", "partclone", "ntfsclone":
		bad = len(operands) > 1 && s.blockDevice(operands[1])
	}
	if bad && slices.ContainsFunc(operands, func(o string) bool { return strings.HasPrefix(o, "/dev/") && !strings.HasPrefix(o, "/dev/shm/") }) {
		s.hard("wipes a disk")
	}
}

// removesFiles judges tar, which can delete what it packed.
func (s *scan) removesFiles(args []string) {
	if !slices.ContainsFunc(args, func(a string) bool { return len(a) > 7 && strings.HasPrefix("--remove-files", a) }) {
		return
	}
	s.askExact("delete", "deletes what it packs")
	was := s.dir
	for i, a := range args {
		switch {
		case (a == "-C" || a == "--directory") && i+1 < len(args):
			if p, ok := s.path(args[i+1]); ok {
				s.dir = p
			}
		case !strings.HasPrefix(a, "-") && (i == 0 || args[i-1] != "-f"):
			if what := s.vital(a); what != "" {
				s.hard("deletes " + what + " with all it holds")
			}
		}
	}
	s.dir = was
}

func (s *scan) floorPower(name string, flags, operands []string) {
	help := has(flags, "", "help", "version")
	first := ""
	if len(operands) > 0 {
		first = operands[0]
	}
	switch name {
	case "shutdown":
		if !help && !has(flags, "c") {
			s.hard("shuts the machine down")
		}
	case "reboot", "halt", "poweroff":
		if !help {
			s.hard("shuts the machine down")
		}
	case "init", "telinit":
		if first == "0" || first == "6" {
			s.hard("shuts the machine down")
		}
	case "systemctl":
		if (first == "start" || first == "isolate") && slices.ContainsFunc(operands[1:], func(o string) bool {
			return slices.Contains([]string{"reboot.target", "poweroff.target", "halt.target", "kexec.target", "shutdown.target"}, o)
		}) {
			s.hard("shuts the machine down")
		}
		if slices.Contains([]string{"reboot", "poweroff", "halt", "kexec", "soft-reboot", "rescue", "emergency"}, first) || (len(operands) > 1 && first == "isolate" && slices.Contains([]string{"reboot.target", "poweroff.target", "halt.target", "rescue.target"}, operands[1])) {
			s.hard("shuts the machine down")
		}
	case "loginctl":
		if slices.ContainsFunc(operands, func(o string) bool { return slices.Contains([]string{"reboot", "poweroff", "halt", "kexec"}, o) }) {
			s.hard("shuts the machine down")
		}
	case "busctl", "dbus-send", "gdbus", "qdbus":
		if slices.ContainsFunc(operands, func(o string) bool {
			return slices.Contains([]string{"poweroff", "reboot", "halt", "kexec", "poweroffwithflags", "rebootwithflags", "haltwithflags"}, strings.ToLower(o[strings.LastIndexByte(o, '.')+1:]))
		}) || slices.ContainsFunc(flags, func(f string) bool {
			return re(`(?i)\.(poweroff|reboot|halt|kexec)\w*$`).MatchString(f)
		}) {
			s.hard("shuts the machine down")
		}
	}
}

func (s *scan) floorRemove(flags, operands []string) {
	if has(flags, "", "no-preserve-root") {
		s.hard("removes the root folder")
		return
	}
	if !has(flags, "rR", "recursive") {
		return
	}
	for _, o := range operands {
		if what := s.vital(o); what != "" {
			s.hard("deletes " + what + " with all it holds")
		}
	}
}

// vital names the folder when word means root, a system folder, or a person's home, itself or as
// "all in it"; else "".
func (s *scan) vital(word string) string {
	if strings.Contains(word, hole) {
		return ""
	}
	p := filepath.ToSlash(word)
	if strings.HasPrefix(p, "~") && !strings.Contains(strings.TrimRight(p, "/*"), "/") {
		return p // the home of somebody
	}
	if !strings.HasPrefix(p, "/") {
		if strings.Contains(s.dir, hole) {
			return ""
		}
		p = filepath.ToSlash(s.dir) + "/" + p
	}
	p = path.Clean(p)
	for { // "/*", "/.*", "/**", "/?*" name everything in the folder
		dir, last := path.Split(p)
		if last == "" || strings.Trim(last, "*.?") != "" || !strings.Contains(last, "*") {
			break
		}
		p = path.Clean(dir)
	}
	if vitalPath(p, filepath.ToSlash(s.j.policy.User)) {
		return p
	}
	// A link to such a folder, followed by a slash, is that folder.
	if strings.HasSuffix(word, "/") || strings.HasSuffix(word, "*") {
		if target, ok := s.follow(p); ok && vitalPath(filepath.ToSlash(target), filepath.ToSlash(s.j.policy.User)) {
			return target
		}
		if target, err := home.ResolvePath(p); err == nil && vitalPath(filepath.ToSlash(target), filepath.ToSlash(s.j.policy.User)) {
			return target
		}
	}
	return ""
}

// vitalFolders are the folders a system, or everything of its people, lives in.
func vitalFolders() []string {
	return []string{
		"/", "/home", "/root", "/etc", "/usr", "/var", "/bin", "/sbin", "/boot", "/lib", "/lib64", "/opt", "/dev", "/proc", "/sys", "/srv",
		"/usr/bin", "/usr/lib", "/usr/sbin", "/usr/local", "/var/lib", "/Users", "/System", "/Library", "/Applications", "/private", "/private/etc", "/private/var", "/c", "/mnt/c",
	}
}

func vitalPath(p, user string) bool {
	folders := vitalFolders()
	if user != "" {
		folders = append(folders, user)
	}
	if strings.ContainsAny(p, "*?[") { // a glob that a vital folder answers to
		return slices.ContainsFunc(folders, func(f string) bool {
			ok, err := path.Match(p, f)
			return err == nil && ok
		})
	}
	if slices.Contains(folders, p) {
		return true
	}
	dir := path.Dir(p)
	return dir == "/home" || dir == "/Users"
}

func (s *scan) floorFormat(name string, flags, operands []string) {
	if has(flags, "Vh", "version", "help") {
		return
	}
	inside := func(o string) bool {
		p, ok := s.path(o)
		return ok && home.Within(s.j.policy.Root, p)
	}
	if len(operands) > 0 && !slices.ContainsFunc(operands, func(o string) bool { return !inside(o) }) {
		s.askExact("format", "makes a file system in "+operands[len(operands)-1])
		return
	}
	s.hard("formats a disk (" + name + ")")
}

func (s *scan) floorKill(args []string) {
	operands := 0
	for i, a := range args {
		if a == "-1" && (i > 0 || len(args) == 1) || a == "-1" && i == 0 && len(args) > 1 && args[1] == "-1" {
			s.hard("ends every process")
			return
		}
		if !strings.HasPrefix(a, "-") {
			operands++
		}
	}
}

// blockDevice reports whether word is a raw disk.
func (s *scan) blockDevice(word string) bool {
	p := path.Clean(filepath.ToSlash(word))
	if !strings.HasPrefix(p, "/dev/") {
		return strings.HasPrefix(strings.ToLower(word), `\\.\physicaldrive`)
	}
	name := strings.TrimPrefix(p, "/dev/")
	for _, prefix := range []string{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "md", "dm-", "mapper/", "loop", "block/", "nbd", "sr", "zd"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" {
			return true
		}
	}
	return false
}

// redirect judges where output goes.
func (s *scan) redirect(r *syntax.Redirect) {
	switch r.Op {
	case syntax.RdrIn:
		s.namedWord(s.words.one(r.Word))
		if w := s.words.one(r.Word); envFile(w) {
			s.leaks.from = w
		}
		return
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut, syntax.DplOut:
	default:
		return
	}
	word := s.words.one(r.Word)
	if r.Op == syntax.DplOut && (word == "-" || strings.Trim(word, "0123456789-") == "") {
		return
	}
	if s.blockDevice(word) {
		s.hard("overwrites the raw disk " + word)
		return
	}
	if word == "/proc/sysrq-trigger" {
		s.hard("shuts the machine down")
		return
	}
	s.writes(word)
}
