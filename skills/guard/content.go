package guard

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// content is what a file holds.
type content struct {
	text  string // to look at; of a binary its printable runs
	notes []Finding
}

// magic begins files of known kinds.
type magic struct{ start, what string }

func programs() []magic {
	return []magic{
		{"\x7fELF", "a Linux program"},
		{"MZ", "a Windows program"},
		{"\xfe\xed\xfa\xce", "a macOS program"},
		{"\xfe\xed\xfa\xcf", "a macOS program"},
		{"\xcf\xfa\xed\xfe", "a macOS program"},
		{"\xce\xfa\xed\xfe", "a macOS program"},
		{"\xca\xfe\xba\xbe", "a program"},
		{"\x00asm", "a WebAssembly program"},
		{"dex\n", "an Android program"},
	}
}

func archives() []magic {
	return []magic{
		{"PK\x03\x04", "a zip archive"},
		{"\x1f\x8b", "a gzip archive"},
		{"BZh", "a bzip2 archive"},
		{"\xfd7zXZ\x00", "an xz archive"},
		{"7z\xbc\xaf\x27\x1c", "a 7z archive"},
		{"Rar!\x1a\x07", "a rar archive"},
		{"\x28\xb5\x2f\xfd", "a zstd archive"},
		{"!<arch>\n", "an ar archive"},
		{"MSCF", "a cab archive"},
		{"xar!", "a macOS package"},
	}
}

func media() []magic {
	return []magic{
		{"\x89PNG\r\n\x1a\n", ".png"},
		{"\xff\xd8\xff", ".jpg .jpeg"},
		{"GIF87a", ".gif"},
		{"GIF89a", ".gif"},
		{"RIFF", ".webp .wav .avi"},
		{"%PDF-", ".pdf"},
		{"\x00\x00\x01\x00", ".ico"},
		{"wOFF", ".woff"},
		{"wOF2", ".woff2"},
		{"\x00\x01\x00\x00", ".ttf"},
		{"OTTO", ".otf"},
		{"true", ".ttf"},
		{"ID3", ".mp3"},
		{"\xff\xfb", ".mp3"},
		{"OggS", ".ogg .oga"},
		{"fLaC", ".flac"},
		{"BM", ".bmp"},
		{"II*\x00", ".tif .tiff"},
		{"MM\x00*", ".tif .tiff"},
		{"SQLite format 3\x00", ".db .sqlite .sqlite3"},
	}
}

// Name endings by kind, each between blanks.
const (
	programNames = " .exe .dll .so .dylib .bin .dat .com .msi .dmg .app .deb .rpm .scr .pif .sys .ko .elf .apk .class .pyc .pyd .node .wasm .o .a "
	archiveNames = " .zip .tar .gz .tgz .bz2 .xz .7z .rar .zst .jar .war .whl .egg .cab .iso .img .pkg .xpi .crx .vsix .gem .nupkg .lz4 .br .skill "
	officeNames  = " .docx .xlsx .pptx .odt .ods .odp .epub .potx .dotx .xltx .docm .xlsm .pptm "
	scriptNames  = " .sh .bash .zsh .py .rb .pl .js .mjs .ts .php .ps1 .fish .lua "
	videoNames   = " .mp4 .mov .m4a .m4v .avif .heic "
	textNames    = " .md .txt .rst .json .yaml .yml .toml .ini .cfg .conf .html .htm .xml .css .csv .tsv .svg .tex .mdx .log .env "
)

// in reports whether a name ending is of a kind.
func in(kind, ext string) bool { return ext != "" && strings.Contains(kind, " "+ext+" ") }

// contentOf reads a file: what text it holds in whatever encoding, or what kind of binary it is. Nothing
// is left out: of a binary the readable runs are looked at.
func contentOf(f *file) content {
	c := content{}
	note := func(id string, sev Severity, excerpt, why string) {
		c.notes = append(c.notes, Finding{ID: id, Category: "structure", Severity: sev, File: f.name, Excerpt: show(excerpt), Why: why})
	}
	ext := strings.ToLower(path.Ext(f.name))
	if f.exec && !in(scriptNames, ext) && !bytes.HasPrefix(f.data, []byte("#!")) {
		note("unexpected_executable", Medium, "executable", "may be run, although it is not a script by its name")
	}
	text, encoding, ok := decodeText(f.data)
	switch {
	case ok && in(programNames, ext) && ext != ".dat":
		note("binary_file", Critical, ext, "a program nobody can read")
	case ok:
		if encoding != "" {
			note("odd_encoding", Low, encoding, "not UTF-8; it was converted before looking")
		}
		if in(archiveNames, ext) && len(f.data) > 0 {
			note("disguised_file", High, ext, "its name says archive, its content is text")
		}
		c.text = text
		return c
	}
	c.text = runs(f.data)
	c.binary(f, ext, note)
	return c
}

// binary names what kind of binary a file is.
func (c *content) binary(f *file, ext string, note func(string, Severity, string, string)) {
	program, archive := kindOf(f.data, programs()), kindOf(f.data, archives())
	isMedia := slices.ContainsFunc(media(), func(m magic) bool {
		return bytes.HasPrefix(f.data, []byte(m.start)) && slices.Contains(strings.Fields(m.what), ext)
	}) || len(f.data) > 8 && string(f.data[4:8]) == "ftyp" && in(videoNames, ext)
	switch {
	case program != "" || in(programNames, ext):
		note("binary_file", Critical, strings.TrimSpace(ext+" "+program), "a program nobody can read")
	case in(officeNames, ext) && archive != "":
		note("office_file", Medium, ext, "an office document: its inside was not looked at")
	case archive != "" || in(archiveNames, ext) || len(f.data) > 262 && string(f.data[257:262]) == "ustar":
		note("archive_file", High, strings.TrimSpace(ext+" "+archive), "an archive: its inside was not looked at and can hold anything")
	case isMedia:
	case in(scriptNames, ext) || in(textNames, ext) || ext == "":
		note("disguised_file", High, ext+fmt.Sprintf(" %d bytes", f.size), "its name says text, its content is binary")
	default:
		note("binary_data", Medium, strings.TrimSpace(ext+fmt.Sprintf(" %d bytes", f.size)), "binary data that nobody can read")
	}
}

func kindOf(data []byte, kinds []magic) string {
	for _, m := range kinds {
		if bytes.HasPrefix(data, []byte(m.start)) {
			return m.what
		}
	}
	return ""
}

// decodeText reads text in UTF-8, UTF-16 or, when it has no control characters, Latin-1; encoding is
// empty for UTF-8.
func decodeText(data []byte) (text, encoding string, ok bool) {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return utf16Text(data[2:], binary.LittleEndian), "UTF-16", true
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return utf16Text(data[2:], binary.BigEndian), "UTF-16", true
	case utf8.Valid(data) && !slices.Contains(data, 0):
		return string(data), "", true
	}
	head := data[:min(len(data), 4096)]
	zeros, odd, control := 0, 0, 0
	for i, b := range head {
		switch {
		case b == 0:
			zeros++
			odd += i & 1
		case b < 9 || b > 13 && b < 32 && b != 27:
			control++
		}
	}
	switch {
	case zeros*5 > len(head)*2 && control == 0 && odd == zeros:
		return utf16Text(data, binary.LittleEndian), "UTF-16", true
	case zeros*5 > len(head)*2 && control == 0 && odd == 0:
		return utf16Text(data, binary.BigEndian), "UTF-16", true
	case zeros == 0 && control*100 <= len(head) && !slices.Contains(data, 0):
		return latin1(data), "Latin-1", true
	}
	return "", "", false
}

func utf16Text(data []byte, order binary.ByteOrder) string {
	u := make([]uint16, len(data)/2)
	for i := range u {
		u[i] = order.Uint16(data[2*i:])
	}
	return string(utf16.Decode(u))
}

func latin1(data []byte) string {
	r := make([]rune, len(data))
	for i, b := range data {
		r[i] = rune(b)
	}
	return string(r)
}

// runs are the printable stretches of at least six characters in binary data, one a line.
func runs(data []byte) string {
	var b strings.Builder
	from := -1
	for i := 0; i <= len(data); i++ {
		if i < len(data) && data[i] >= 32 && data[i] < 127 {
			if from < 0 {
				from = i
			}
			continue
		}
		if from >= 0 && i-from >= 6 {
			b.Write(data[from:i])
			b.WriteByte('\n')
		}
		from = -1
	}
	return b.String()
}
