package file

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"net/http"
	"os"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const sniffLen = 8000

// form is how a text file is written on disk.
type form struct {
	encoding string // "", "UTF-8 with BOM", "UTF-16LE" or "UTF-16BE"
	crlf     bool   // every line of the sniffed part ends in CR LF
	binary   string // what it is when it is no text; "" for text
}

// sniff looks at the first bytes of a file.
func sniff(head []byte) form {
	var f form
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		f.encoding = "UTF-8 with BOM"
	case bytes.HasPrefix(head, []byte("\xff\xfe")) && !bytes.HasPrefix(head, []byte("\xff\xfe\x00\x00")):
		f.encoding = "UTF-16LE"
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		f.encoding = "UTF-16BE"
	case bytes.IndexByte(head, 0) >= 0:
		f.binary = kind(head)
		return f
	}
	if t := http.DetectContentType(head); f.encoding == "" && !strings.HasPrefix(t, "text/") && t != "application/octet-stream" && !strings.HasSuffix(t, "/postscript") {
		f.binary = t
		return f
	}
	plain := head
	if strings.HasPrefix(f.encoding, "UTF-16") {
		plain = bytes.ReplaceAll(head, []byte{0}, nil)
	}
	breaks := bytes.Count(plain, []byte("\n"))
	f.crlf = breaks > 0 && bytes.Count(plain, []byte("\r\n")) == breaks
	return f
}

func kind(head []byte) string {
	if t := http.DetectContentType(head); t != "application/octet-stream" {
		return t
	}
	if bytes.HasPrefix(head, []byte("\x7fELF")) {
		return "program (ELF)"
	}
	if bytes.HasPrefix(head, []byte("SQLite format 3")) {
		return "SQLite database"
	}
	return "binary data"
}

// decoder returns r as UTF-8 without a byte order mark.
func (f form) decoder(r io.Reader) io.Reader {
	switch f.encoding {
	case "UTF-16LE", "UTF-16BE":
		return transform.NewReader(r, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder())
	case "UTF-8 with BOM":
		return transform.NewReader(r, unicode.UTF8BOM.NewDecoder())
	}
	return r
}

// encode writes s the way the old file was written: byte order mark, encoding and, when s has no CR of
// its own, CR LF.
func (f form) encode(s string) ([]byte, error) {
	if f.crlf && !strings.Contains(s, "\r") {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	switch f.encoding {
	case "UTF-16LE":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(s))
	case "UTF-16BE":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(s))
	case "UTF-8 with BOM":
		return []byte("\ufeff" + strings.TrimPrefix(s, "\ufeff")), nil
	}
	return []byte(s), nil
}

// opened is a text file being read as UTF-8.
type opened struct {
	*bufio.Reader

	file *os.File
	form form
	hash hash.Hash // of the bytes read so far; nil when not wanted
}

// sum is the SHA-256 of the file in hex, once it was read to its end.
func (o *opened) sum() string { return hex.EncodeToString(o.hash.Sum(nil)) }

// openText opens the regular file at path. For a binary file the reader is not to be used. hashed makes
// sum work, which costs time.
func openText(path string, hashed bool) (*opened, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	head := make([]byte, sniffLen)
	n, err := io.ReadFull(f, head)
	if err != nil && n == 0 && err != io.EOF { //nolint:errorlint // ReadFull returns io.EOF itself for an empty file
		_ = f.Close()
		return nil, err
	}
	head = head[:n]
	o := &opened{file: f, form: sniff(head)}
	whole := io.MultiReader(bytes.NewReader(head), f)
	if hashed {
		o.hash = sha256.New()
		whole = io.TeeReader(whole, o.hash)
	}
	o.Reader = bufio.NewReaderSize(o.form.decoder(whole), 64<<10)
	return o, nil
}

// close ends reading; nothing was written, so its error means nothing.
func (o *opened) close() { _ = o.file.Close() }

// line returns the next line without its break, at most limit bytes of it, and how many bytes were
// left out. err is io.EOF only when there is no further line.
func (o *opened) line(limit int) (line []byte, cut int, err error) {
	var buf []byte
	for {
		part, err := o.ReadSlice('\n')
		if len(buf) < limit {
			n := min(limit-len(buf), len(part))
			buf = append(buf, part[:n]...)
			cut += len(part) - n
		} else {
			cut += len(part)
		}
		switch {
		case err == bufio.ErrBufferFull: //nolint:errorlint // ReadSlice returns it bare
			continue
		case err == io.EOF && len(buf) == 0 && cut == 0: //nolint:errorlint // as above
			return nil, 0, io.EOF
		case err != nil && err != io.EOF: //nolint:errorlint // as above
			return nil, 0, err
		}
		if cut == 0 {
			buf = bytes.TrimSuffix(bytes.TrimSuffix(buf, []byte("\n")), []byte("\r"))
		}
		return buf, cut, nil
	}
}
