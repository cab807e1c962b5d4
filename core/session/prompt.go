package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"hermes/core"
	"hermes/core/home"
)

// Prompt is what is frozen for the life of a session.
type Prompt struct {
	System string
	Tools  []core.ToolSpec
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// savePrompt stores system prompt and tool list once each and returns their hashes.
func (st *Store) savePrompt(p Prompt) (system, tools string, err error) {
	spec, err := encodeLine(p.Tools)
	if err != nil {
		return "", "", &core.Error{Op: "encode tool list", Err: err}
	}
	if system, err = st.saveBlob([]byte(p.System)); err != nil {
		return "", "", err
	}
	tools, err = st.saveBlob(spec)
	return system, tools, err
}

func (st *Store) saveBlob(b []byte) (string, error) {
	sum := hashOf(b)
	path := filepath.Join(st.home.Prompts(), sum)
	if old, err := os.ReadFile(path); err == nil && hashOf(old) == sum {
		return sum, nil
	}
	if err := home.EnsureDir(st.home.Prompts()); err != nil {
		return "", err
	}
	return sum, home.WriteFile(path, b, home.FileMode)
}

// loadPrompt reads the frozen prompt of h. A session without one (an old or damaged file) has the
// zero prompt; a missing or altered blob is an error, because going on would move the prompt.
func (st *Store) loadPrompt(h Header) (Prompt, error) {
	var p Prompt
	if h.Prompt == "" {
		return p, nil
	}
	b, err := st.blob(h.Prompt)
	if err != nil {
		return p, err
	}
	p.System = string(b)
	if h.Tools == "" {
		return p, nil
	}
	if b, err = st.blob(h.Tools); err != nil {
		return p, err
	}
	if err := json.Unmarshal(b, &p.Tools); err != nil {
		return p, &core.Error{Op: "read frozen tool list", Subject: h.Tools, Err: err}
	}
	return p, nil
}

// PromptText is the frozen system prompt with this hash (Row.Prompt).
func (st *Store) PromptText(sum string) (string, error) {
	b, err := st.blob(sum)
	return string(b), err
}

var errAltered = errors.New("its content does not fit its name")

func (st *Store) blob(sum string) ([]byte, error) {
	path := filepath.Join(st.home.Prompts(), filepath.Base(sum))
	b, err := os.ReadFile(path)
	if err == nil && hashOf(b) != sum {
		err = errAltered
	}
	if err != nil {
		code := core.CodeInternal
		if errors.Is(err, fs.ErrNotExist) {
			code = core.CodeNotFound
		}
		return nil, &core.Error{
			Code: code, Op: "read frozen prompt", Subject: path, Err: err,
			Hint: "fork the session to go on with a fresh prompt",
		}
	}
	return b, nil
}
