package file

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/text"
)

// change is a write (or removal) of one file that was looked at and can be carried out.
type change struct {
	path    string // resolved
	shown   string // for people and the model
	from    string // where the text came from when the file is moved here, as shown; "" otherwise
	old     []byte // what was there when it was judged
	oldText string
	newText string
	data    []byte // what will be on disk
	exists  bool
	remove  bool
	whole   bool        // the whole text was sent, not an edit of it
	mode    fs.FileMode // of a new file
	form    form
	diff    string
}

// look reads what stands at path. A file that does not exist is a change with exists false.
func (o Options) look(path string) (*change, error) {
	c := &change{path: path, shown: o.Workdir.Show(path), mode: 0o644}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("is a folder")
	case !info.Mode().IsRegular():
		return nil, errors.New("is no regular file")
	case info.Size() > maxEdit:
		return nil, fmt.Errorf("the file there has %s bytes, more than is changed at once", text.Thousands(int(info.Size())))
	}
	c.exists, c.mode = true, info.Mode().Perm()
	if c.old, err = os.ReadFile(path); err != nil {
		return nil, err
	}
	c.form = sniff(c.old[:min(len(c.old), sniffLen)])
	return c, nil
}

// decode reads the old bytes as text.
func (c *change) decode() error {
	if c.form.binary != "" {
		return fmt.Errorf("the file there is not text (%s); remove it first if it is to be replaced", c.form.binary)
	}
	decoded, err := io.ReadAll(c.form.decoder(strings.NewReader(string(c.old))))
	if err != nil {
		return err
	}
	c.oldText = string(decoded)
	return nil
}

// edit makes newText, which was made from oldText, the future of the file: bytes it shares with the old
// text stay as they are.
func (c *change) edit(newText string) error {
	if strings.HasPrefix(c.form.encoding, "UTF-16") {
		same, err := c.form.encode(c.oldText)
		if err != nil || string(same) != string(c.old) {
			return fmt.Errorf("the file is %s with damaged characters and cannot be changed without loss", c.form.encoding)
		}
	}
	plain := c.form
	plain.crlf = false // the edit kept the line ends itself
	data, err := plain.encode(newText)
	if err != nil {
		return err
	}
	c.data, c.newText = data, newText
	c.diff = unified(c.shown, c.oldText, newText, c.exists)
	return nil
}

// digest is the SHA-256 of data in hex.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// unified returns the change as a unified diff; of very large files only that it is too large.
func unified(name, before, after string, exists bool) string {
	from := name
	if !exists {
		from = "/dev/null"
	}
	return diffOf(from, name, before, after)
}

func diffOf(from, to, before, after string) string {
	if before == after || len(before)+len(after) > 2*maxDiffBytes {
		return ""
	}
	diff, err := udiff.ToUnified(from, to, before, udiff.Lines(before, after), 3)
	if err != nil {
		return ""
	}
	return diff
}

// moved reports what kept list from being carried out: a path that leads elsewhere, a file that changed.
func moved(list []*change) error {
	for _, c := range list {
		if err := unchanged(c.path); err != nil {
			return fmt.Errorf("%s: %w", c.shown, err)
		}
		now, err := os.ReadFile(c.path)
		if c.exists != (err == nil) || (err == nil && string(now) != string(c.old)) {
			return fmt.Errorf("%s: the file changed while the write waited. Read it again", c.shown)
		}
	}
	return nil
}

// carryOut writes all of list, or nothing: a write that fails takes the earlier ones back. The notes are
// for the model.
func (o Options) carryOut(run core.ToolRun, list []*change) (notes []string, err error) {
	if err := moved(list); err != nil {
		return nil, err
	}
	settle, note := o.keep(run, list)
	if note != "" {
		notes = append(notes, note)
	}
	for i, c := range list {
		if err := c.write(); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", c.shown, err), takeBack(list[:i]))
		}
	}
	for _, c := range list {
		o.Seen.wrote(run.SessionID, c)
	}
	if err := settle(); err != nil {
		notes = append(notes, "undo may not know of this change: "+err.Error())
	}
	return notes, nil
}

// keep lets the keeper copy the files that list changes.
func (o Options) keep(run core.ToolRun, list []*change) (settle func() error, note string) {
	if o.Keeper == nil {
		return func() error { return nil }, ""
	}
	edits := make([]core.FileEdit, len(list))
	for i, c := range list {
		edits[i].Path = c.path
		if !c.remove {
			edits[i].After = digest(c.data)
		}
	}
	settle, err := o.Keeper.Keep(run, edits)
	if err != nil {
		note = "this change cannot be undone later: " + err.Error()
	}
	return settle, note
}

func (c *change) write() error {
	if c.remove {
		return os.Remove(c.path)
	}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o755); err != nil {
		return err
	}
	if err := home.WriteFile(c.path, c.data, c.mode); err != nil {
		return err
	}
	if !c.exists && c.mode != 0o644 { // a moved file keeps its mode whatever the umask is
		return os.Chmod(c.path, c.mode)
	}
	return nil
}

// takeBack restores what was written of a set that could not be finished.
func takeBack(list []*change) error {
	var errs []error
	for _, c := range list {
		var err error
		if c.exists {
			err = home.WriteFile(c.path, c.old, c.mode)
		} else {
			err = os.Remove(c.path)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("and %s could not be put back: %w", c.shown, err))
		}
	}
	return errors.Join(errs...)
}

// summary is one line: "created, 14 lines" or "+3 -2, now 14 lines".
func (c *change) summary() string {
	lines := strings.Count(c.newText, "\n")
	if c.newText != "" && !strings.HasSuffix(c.newText, "\n") {
		lines++
	}
	switch {
	case c.remove:
		return "removed"
	case c.from != "":
		return "moved from " + c.from
	case !c.exists:
		return fmt.Sprintf("created, %s", text.Count(lines, "line", "lines"))
	case c.diff == "":
		return fmt.Sprintf("replaced, %s", text.Count(lines, "line", "lines"))
	}
	plus, minus := counts(c.diff)
	return fmt.Sprintf("+%d -%d, now %s", plus, minus, text.Count(lines, "line", "lines"))
}

// counts are the added and removed lines of a unified diff of one file.
func counts(diff string) (plus, minus int) {
	inside := false
	for l := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(l, "@@"):
			inside = true
		case inside && l[0] == '+':
			plus++
		case inside && l[0] == '-':
			minus++
		}
	}
	return plus, minus
}
