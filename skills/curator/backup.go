package curator

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
	"hermes/skills"
)

const (
	backupFolder = ".curator_backups"
	usageFile    = ".usage.json"
	maxBackup    = 256 << 20 // bytes that are read back of one
)

func (c *Curator) backupPath(run string) string {
	return filepath.Join(c.o.Library.Home(), backupFolder, run+".tar.gz")
}

// changing tells whether a run with these steps touches what was there before.
func changing(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return s.Move == Archive || s.Move == MarkStale || s.Move == Reactivate })
}

// backup packs what the run is about to change: the usage file, and the folders that go to the archive. Without
// it a changing run does not begin.
func (c *Curator) backup(run string, steps []Step) (err error) {
	if c.o.Settings.Backups <= 0 || !changing(steps) {
		return nil
	}
	defer func() {
		if err != nil {
			err = &core.Error{Op: "back up skills before the curator runs", Err: err, Hint: "Nothing was changed. curator.backup.keep 0 runs without backups."}
		}
	}()
	file := c.backupPath(run)
	if err := home.EnsureDir(filepath.Dir(file)); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, home.FileMode)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(f)
	t := tar.NewWriter(z)
	err = c.pack(t, usageFile)
	for _, s := range steps {
		if s.Move == Archive && err == nil {
			err = c.pack(t, s.Name)
		}
	}
	if err = errors.Join(err, t.Close(), z.Close(), f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	return c.prune()
}

// pack adds a file or folder of the library by its regular files; what is not there is left out.
func (c *Curator) pack(t *tar.Writer, rel string) error {
	top := c.o.Library.Home()
	return filepath.WalkDir(filepath.Join(top, filepath.FromSlash(rel)), func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(top, file)
		if err != nil {
			return err
		}
		if err := t.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: int64(home.FileMode), Size: int64(len(data)), Format: tar.FormatPAX}); err != nil {
			return err
		}
		_, err = t.Write(data)
		return err
	})
}

// prune keeps the newest backups.
func (c *Curator) prune() error {
	list, err := filepath.Glob(filepath.Join(c.o.Library.Home(), backupFolder, "*.tar.gz"))
	if err != nil {
		return err
	}
	slices.Sort(list) // their names begin with the time
	for _, old := range list[:max(len(list)-c.o.Settings.Backups, 0)] {
		err = errors.Join(err, os.Remove(old))
	}
	return err
}

// packed reads the files of one skill from the backup of a run, by their names below its folder.
func (c *Curator) packed(run, skill string) (map[string][]byte, error) {
	data, err := unzip(c.backupPath(run))
	if err != nil {
		return nil, err
	}
	t := tar.NewReader(bytes.NewReader(data))
	out := map[string][]byte{}
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		name, ok := strings.CutPrefix(h.Name, skill+"/")
		if !ok || path.Clean("/"+name) != "/"+name {
			continue
		}
		if out[name], err = io.ReadAll(t); err != nil {
			return nil, err
		}
	}
	if out[skills.FileName] == nil {
		return nil, fmt.Errorf("%s is not in the backup of %s", skill, run)
	}
	return out, nil
}

// bringBack returns one skill to its place: from the archive, or from the backup when it is no longer there.
func (c *Curator) bringBack(ctx context.Context, by ledger.Change, run, skill string) error {
	if _, err := os.Stat(filepath.Join(c.o.Library.Home(), filepath.FromSlash(skill), skills.FileName)); err == nil {
		return nil
	}
	_, gone := c.o.Library.Restore(ctx, by, skill)
	if gone == nil {
		return nil
	}
	files, err := c.packed(run, skill)
	if err != nil {
		return errors.Join(gone, err)
	}
	return c.o.Library.PutBack(ctx, by, skill, files)
}

// BackupsWith lists the backups that hold one of texts: they are compressed, so that nobody else finds it there.
func (c *Curator) BackupsWith(texts [][]byte) (files []string, err error) {
	list, err := filepath.Glob(filepath.Join(c.o.Library.Home(), backupFolder, "*.tar.gz"))
	if err != nil {
		return nil, err
	}
	for _, file := range list {
		data, rerr := unzip(file)
		if rerr != nil {
			err = errors.Join(err, &core.Error{Op: "read backup", Subject: file, Err: rerr, Hint: "Remove it by hand."})
		}
		if slices.ContainsFunc(texts, func(t []byte) bool { return bytes.Contains(data, t) }) {
			files = append(files, file)
		}
	}
	return files, err
}

// unzip is a backup as it was before compression, as far as it can be read.
func unzip(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, maxBackup))
}
