package core

import (
	"errors"
	"strings"
)

// Code names a class of failure that callers branch on. It is also the "code" of JSON errors.
type Code string

// The failure classes. Keep them few: a code exists only where somebody branches on it.
const (
	CodeInternal    Code = "internal"    // a fault of ours
	CodeUsage       Code = "usage"       // wrong words on the command line
	CodeNotFound    Code = "not_found"   // nothing by that name
	CodeSetup       Code = "needs_setup" // no model, no key, no home
	CodeConfig      Code = "config"      // config.yaml or .env cannot be used as written
	CodeAuth        Code = "auth"        // the server refused the key
	CodeModel       Code = "model"       // the server does not know the model
	CodeRate        Code = "rate_limit"  // too many requests
	CodeOverflow    Code = "overflow"    // the request is larger than the context window
	CodeRequest     Code = "bad_request" // the server rejected the request
	CodeServer      Code = "server"      // the server failed
	CodeNetwork     Code = "network"     // the server could not be reached, or the link was cut
	CodeStall       Code = "stall"       // no byte for longer than the idle limit
	CodeProtocol    Code = "protocol"    // the answer is not what a chat server sends
	CodeBusy        Code = "busy"        // held by another process
	CodeDenied      Code = "denied"      // a person or a rule said no
	CodeFull        Code = "full"        // it would not fit: a store is at its limit
	CodeInterrupted Code = "interrupted" // a person stopped it
)

// Error is the one typed error of hermes: what was being done, to what, why it did not work and
// what the person can do about it. Op is lower case and names the operation ("open session").
type Error struct {
	Code    Code
	Op      string // the operation, lower case, no "failed to"
	Subject string // a file, a URL, a name; may be empty
	Line    int    // 1-based line in Subject; 0 when it has none
	Hint    string // the remedy, one sentence for the person
	Err     error  // the cause; may be nil
}

// Error joins operation, subject and cause; the hint is left to whoever shows it.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Subject != "" {
		b.WriteString(" ")
		b.WriteString(e.Subject)
		if e.Line > 0 {
			b.WriteString(":")
			b.WriteString(itoa(e.Line))
		}
	}
	if e.Err != nil {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the first class given in err's chain, or CodeInternal.
func CodeOf(err error) Code {
	for e := next(err); e != nil; e = next(e.Err) {
		if e.Code != "" {
			return e.Code
		}
	}
	return CodeInternal
}

// HintOf returns the first remedy in err's chain, or "".
func HintOf(err error) string {
	for e := next(err); e != nil; e = next(e.Err) {
		if e.Hint != "" {
			return e.Hint
		}
	}
	return ""
}

// next finds the outermost *Error in err's chain.
func next(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}
