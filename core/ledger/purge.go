package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/text"
)

// Purged is what stands in the ledger where a secret was.
const Purged = "[redacted:purged]"

// The shortest texts that may be purged, in code points: shorter ones would tear up honest text. Below SafeSecret
// a person must have said that they mean it.
const (
	minSecret  = 4
	SafeSecret = 8
)

// Purger removes a secret from another store: transcripts, the search index.
type Purger interface {
	// Purge replaces secret everywhere and returns how many places it found.
	Purge(ctx context.Context, secret string) (int, error)
}

// PurgeResult says where a secret was removed, and where it still is.
type PurgeResult struct {
	Versions int `json:"versions"` // kept versions rewritten
	Lines    int `json:"lines"`    // journal lines rewritten
	Others   int `json:"others"`   // places in transcripts and index
	Files    int `json:"files"`    // learned files in force that held it
	// Still lists learned files that hold the secret and could not be cleaned.
	Still []string `json:"still,omitempty"`
}

// Found tells whether the secret was anywhere.
func (r PurgeResult) Found() bool { return r.Versions+r.Lines+r.Others+r.Files+len(r.Still) > 0 }

// Purge removes a leaked secret from all kept versions, the journal and the learned files as they stand
// (else the next look at them would keep it again), then asks the others. Versions
// get new hashes, and the journal follows. It can be run again after a crash. History keeps its order
// and its ids; what the secret was is gone for good.
func (l *Ledger) Purge(ctx context.Context, secret string, others ...Purger) (PurgeResult, error) {
	var out PurgeResult
	if text.Len(strings.TrimSpace(secret)) < minSecret {
		return out, &core.Error{Code: core.CodeUsage, Op: "purge", Err: fmt.Errorf("the text is shorter than %d characters", minSecret), Hint: "Give the whole secret."}
	}
	err := l.locked(ctx, func() error {
		renamed, err := l.purgeBlobs(secret)
		if err != nil {
			return err
		}
		out.Versions = len(renamed)
		if out.Lines, err = l.purgeJournal(secret, renamed); err != nil {
			return err
		}
		for old := range renamed {
			if err := os.Remove(l.blobPath(old)); err != nil {
				return fmt.Errorf("purge: %w", err)
			}
		}
		if err := l.index.refresh(l.home.Ledger()); err != nil {
			return err
		}
		out.Files, out.Still = l.purgeFiles(secret)
		return nil
	})
	if err != nil {
		return out, err
	}
	var errs []error
	for _, p := range others {
		n, err := p.Purge(ctx, secret)
		out.Others += n
		errs = append(errs, err)
	}
	return out, errors.Join(errs...)
}

// purgeBlobs writes a clean copy of each version that holds secret and maps old hash to new.
func (l *Ledger) purgeBlobs(secret string) (map[string]string, error) {
	entries, err := os.ReadDir(l.blobs())
	if err != nil {
		return nil, fmt.Errorf("purge: %w", err)
	}
	renamed := map[string]string{}
	for _, d := range entries {
		if d.IsDir() || d.Name() == unfinished {
			continue
		}
		data, err := os.ReadFile(l.blobPath(d.Name()))
		if err != nil {
			return nil, fmt.Errorf("purge: %w", err)
		}
		if !bytes.Contains(data, []byte(secret)) {
			continue
		}
		clean := bytes.ReplaceAll(data, []byte(secret), []byte(Purged))
		if err := l.put(clean); err != nil {
			return nil, err
		}
		renamed[d.Name()] = Hash(clean)
	}
	return renamed, nil
}

// purgeJournal rewrites the months in which secret or an old hash occurs. A reader sees a month before
// or after.
func (l *Ledger) purgeJournal(secret string, renamed map[string]string) (lines int, err error) {
	names, err := journals(l.home.Ledger())
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		path := filepath.Join(l.home.Ledger(), name)
		data, err := os.ReadFile(path)
		if err != nil {
			return lines, fmt.Errorf("purge: %w", err)
		}
		var out []byte
		changed := 0
		for raw := range bytes.Lines(data) {
			clean := purgeLine(raw, secret, renamed)
			if !bytes.Equal(clean, raw) {
				changed++
			}
			out = append(out, clean...)
		}
		if changed == 0 {
			continue
		}
		if err := home.WriteFile(path, out, home.FileMode); err != nil {
			return lines, err
		}
		lines += changed
	}
	return lines, nil
}

// purgeLine cleans one line as JSON, so that escapes hide nothing; a damaged line as bytes. The order of
// its fields is of no meaning.
func purgeLine(raw []byte, secret string, renamed map[string]string) []byte {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return bytes.ReplaceAll(raw, []byte(secret), []byte(Purged))
	}
	changed := false
	v = purgeValue(v, func(s string) string {
		clean := strings.ReplaceAll(s, secret, Purged)
		if hash, ok := renamed[clean]; ok {
			clean = hash
		}
		changed = changed || clean != s
		return clean
	})
	if !changed {
		return raw
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return bytes.ReplaceAll(raw, []byte(secret), []byte(Purged))
	}
	return b.Bytes()
}

func purgeValue(v any, clean func(string) string) any {
	switch v := v.(type) {
	case string:
		return clean(v)
	case []any:
		for i := range v {
			v[i] = purgeValue(v[i], clean)
		}
	case map[string]any:
		for k := range v {
			v[k] = purgeValue(v[k], clean)
		}
	}
	return v
}

// purgeFiles cleans the files in force. What the journal says of a file stays right: its version was
// cleaned in the same way.
func (l *Ledger) purgeFiles(secret string) (cleaned int, still []string) {
	l.index.mu.Lock()
	var names []string
	for name, hash := range l.index.heads {
		if hash != "" {
			names = append(names, name)
		}
	}
	l.index.mu.Unlock()
	slices.Sort(names)
	for _, name := range names {
		data, err := os.ReadFile(l.Path(name))
		if err != nil || !bytes.Contains(data, []byte(secret)) {
			continue
		}
		clean := bytes.ReplaceAll(data, []byte(secret), []byte(Purged))
		if err := home.WriteFile(l.Path(name), clean, home.FileMode); err != nil {
			still = append(still, name)
			continue
		}
		cleaned++
	}
	return cleaned, still
}
