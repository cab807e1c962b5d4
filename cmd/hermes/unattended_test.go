//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestE2E_projectSecretsStayHere: what a project's .env holds of secrets never reaches the model, whether it was
// there before or the agent wrote it; plain settings do.
func TestE2E_projectSecretsStayHere(t *testing.T) {
	t.Parallel()
	srv, env := model(t, `
rules:
  - {when: {turn: 0}, reply: {tool_calls: [{name: read_file, arguments: {path: .env}}]}}
  - {when: {turn: 1}, reply: {tool_calls: [{name: search_files, arguments: {pattern: SECRET, path: .env}}]}}
  - {when: {turn: 2}, reply: {tool_calls: [{name: terminal, arguments: {command: "cat .env; grep hunter app.log"}}]}}
  - {when: {turn: 3}, reply: {tool_calls: [{name: terminal, arguments: {command: "base64 .env"}}]}}
  - {when: {turn: 4}, reply: {tool_calls: [{name: terminal, arguments: {command: "rm -rf src; ls"}}]}}
  - {reply: {text: "done"}}
`)
	w := newWorld(t, env...)
	for name, text := range map[string]string{
		".env": "APP_SECRET=correct-hunter2-battery\nMODE=development\nSESSION=a81bc81bdead4e5dabff90865d1e13b1\n", "app.log": "login with correct-hunter2-battery in development\n", "src/x": "x\n",
	} {
		p := filepath.Join(w.dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if o := w.hermes(t, "", "run", "look"); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	var sent strings.Builder
	for _, r := range srv.Requests() {
		sent.Write(r.Body)
	}
	for _, secret := range []string{"hunter2", "a81bc81bdead", "Y29ycmVjdC1odW50ZXIy"} {
		if strings.Contains(sent.String(), secret) {
			t.Errorf("%s reached the model", secret)
		}
	}
	for _, known := range []string{"MODE=development", "in development", "redacted:APP_SECRET", "The part `rm -rf src` needs a person's approval, because it deletes with all it holds: src"} {
		if !strings.Contains(sent.String(), known) {
			t.Errorf("the model was not told %q", known)
		}
	}
}
