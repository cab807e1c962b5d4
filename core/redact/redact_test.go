package redact

import (
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	r := New(map[string]string{"DB": "hunter2hunter2", "LONG": "hunter2hunter2-more", "SHORT": "8080", "SPACED": "  padded-value \n"})
	a40 := strings.Repeat("a1B2", 10)
	tests := map[string]string{
		"pw hunter2hunter2!":                      "pw [redacted:DB]!",
		"pw hunter2hunter2-more!":                 "pw [redacted:LONG]!",
		"port 8080":                               "port 8080",
		"x padded-value y":                        "x [redacted:SPACED] y",
		"key sk-" + a40:                           "key [redacted:api-key]",
		"sk-ant-api03-" + a40 + " end":            "[redacted:api-key] end",
		"ghp_" + a40:                              "[redacted:github-token]",
		"AKIAABCDEFGHIJKLMNOP.":                   "[redacted:aws-key].",
		"Authorization: Bearer " + a40:            "Authorization: Bearer [redacted:bearer]",
		"postgres://me:s3cret@db/x":               "postgres://me:[redacted:url-password]@db/x",
		"git clone https://me:<token>@h/r.git":    "git clone https://me:<token>@h/r.git",
		"https://x:${TOKEN}@h https://x:$TOKEN@h": "https://x:${TOKEN}@h https://x:$TOKEN@h",
		"https://x:{{ token }}@h":                 "https://x:{{ token }}@h",
		"https://x:{{token}}@h https://x:***@h":   "https://x:{{token}}@h https://x:***@h",
		"https://x:$ecret1@h https://x:<a>b@h":    "https://x:[redacted:url-password]@h https://x:[redacted:url-password]@h",
		"task-list and risk-based-assessment":     "task-list and risk-based-assessment",
		"/sk-hynix-announces-new-memory-chips":    "/sk-hynix-announces-new-memory-chips",
		"http://host:8080/a@b":                    "http://host:8080/a@b",
		"-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nrest": "[redacted:private-key]\nrest",
		"-----BEGIN PRIVATE KEY-----\ncut off":                                      "[redacted:private-key]",
		"":                                                                          "",
	}
	for in, want := range tests {
		if got := r.Redact(in); got != want {
			t.Errorf("Redact(%q) = %q, want %q", in, got, want)
		}
		if got := r.Redact(want); got != want {
			t.Errorf("redacting %q twice gives %q", want, got)
		}
	}
	if got := (*Redactor)(nil).Redact("ghp_" + a40); strings.Contains(got, a40) {
		t.Errorf("the nil redactor knows no shapes: %q", got)
	}
}

func TestPartial(t *testing.T) {
	t.Parallel()
	r := New(map[string]string{"A": "hunter2hunter2", "B": "秘密の値です"})
	for text, want := range map[string]int{"": 0, "abc": 0, "my hunt": 4, "hunter2hunter": 13, "x hunter2h": 8, "秘密": 6} {
		if got := r.Partial(text); got != want {
			t.Errorf("Partial(%q) = %d, want %d", text, got, want)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("x secretsecret y ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "secretsecret")
	f.Fuzz(func(t *testing.T, text, secret string) {
		r := New(map[string]string{"S": secret})
		secret = strings.TrimSpace(secret)
		got := r.Redact(text)
		if len(secret) >= MinValue && !strings.Contains("[redacted:S]", secret) && strings.Contains(got, secret) &&
			!strings.Contains(secret, "redacted") && !strings.Contains(secret, "[") && !strings.Contains(secret, "]") {
			for _, s := range shapes {
				if strings.Contains(s.name, secret) {
					return
				}
			}
			t.Fatalf("%q still holds %q", got, secret)
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	r := New(map[string]string{"A": "abcdefghij", "B": "klmnopqrst"})
	text := strings.Repeat("a line of ordinary tool output without any key in it\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Redact(text)
	}
}
