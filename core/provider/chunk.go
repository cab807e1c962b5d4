package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// chunk is one object of a stream, or the whole answer of a server that does not stream. Fields of the
// wrong type are read as absent: a server's odd field must not end a turn.
type chunk struct {
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
	// Message and Code are where some servers put an error without the object around it.
	Message looseString `json:"message"`
	Object  looseString `json:"object"`
}

type choice struct {
	Delta        *delta       `json:"delta"`
	Message      *delta       `json:"message"`
	FinishReason *looseString `json:"finish_reason"`
}

type delta struct {
	Content          looseString     `json:"content"`
	Refusal          looseString     `json:"refusal"`
	ReasoningContent looseString     `json:"reasoning_content"`
	Reasoning        looseString     `json:"reasoning"`
	ReasoningDetails json.RawMessage `json:"reasoning_details"`
	ToolCalls        []fragment      `json:"tool_calls"`
}

// empty says that the delta carries nothing of an answer.
func (d *delta) empty() bool {
	return d == nil || d.Content == "" && d.Refusal == "" && d.ReasoningContent == "" && d.Reasoning == "" &&
		len(d.ToolCalls) == 0 && (len(d.ReasoningDetails) == 0 || string(d.ReasoningDetails) == "null")
}

// fragment is a piece of a tool call.
type fragment struct {
	Index    *int        `json:"index"`
	ID       looseString `json:"id"`
	Function struct {
		Name      looseString `json:"name"`
		Arguments looseJSON   `json:"arguments"`
	} `json:"function"`
	Extra json.RawMessage `json:"extra_content"`
}

// looseString is a string, the joined texts of a list of parts, or empty for anything else.
type looseString string

// UnmarshalJSON never fails.
func (s *looseString) UnmarshalJSON(b []byte) error {
	*s = ""
	if len(b) == 0 {
		return nil
	}
	switch b[0] {
	case '"':
		var text string
		if err := json.Unmarshal(b, &text); err == nil {
			*s = looseString(text)
		}
	case '[':
		var parts []struct {
			Text looseString `json:"text"`
		}
		_ = json.Unmarshal(b, &parts) // parts of the wrong type have no text
		for _, p := range parts {
			*s += p.Text
		}
	}
	return nil
}

// looseJSON is a string, or the JSON text of an object sent where a string belongs.
type looseJSON string

// UnmarshalJSON never fails.
func (s *looseJSON) UnmarshalJSON(b []byte) error {
	*s = ""
	if len(b) > 0 && b[0] == '{' {
		*s = looseJSON(b)
		return nil
	}
	var text looseString
	_ = text.UnmarshalJSON(b) // never fails
	*s = looseJSON(text)
	return nil
}

// parseChunk decodes one payload.
func parseChunk(data []byte) (chunk, error) {
	var c chunk
	err := json.Unmarshal(data, &c)
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		err = nil // the rest was decoded
	}
	return c, err
}

// failure returns the error a chunk reports, or nil.
func (c *chunk) failure() *serverError {
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return parseServerError(c.Error)
	}
	if c.Object == "error" {
		return &serverError{message: string(c.Message)}
	}
	return nil
}

// serverError is an error object of a server, in a body or inside a stream.
type serverError struct {
	status  int    // HTTP status, or a numeric code inside the object; 0 when neither
	code    string // "context_length_exceeded" …
	kind    string // "invalid_request_error" …
	param   string
	message string
	html    bool // the body was a web page
	header  func(name string) string
}

// Error is the server's message, on one line.
func (e *serverError) Error() string {
	if e.message == "" {
		return "the server gave no reason"
	}
	return e.message
}

// parseServerError reads an error object or string.
func parseServerError(raw json.RawMessage) *serverError {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return &serverError{message: oneLine(text)}
	}
	var o struct {
		Message  looseString     `json:"message"`
		Type     looseString     `json:"type"`
		Param    looseString     `json:"param"`
		Code     json.RawMessage `json:"code"`
		Metadata struct {
			Raw looseString `json:"raw"`
		} `json:"metadata"`
	}
	_ = json.Unmarshal(raw, &o) // wrong types leave fields empty
	e := &serverError{message: oneLine(string(o.Message)), kind: string(o.Type), param: string(o.Param)}
	if o.Metadata.Raw != "" {
		e.message = oneLine(e.message + ": " + string(o.Metadata.Raw))
	}
	var code string
	if json.Unmarshal(o.Code, &code) == nil {
		e.code = code
		return e
	}
	_ = json.Unmarshal(o.Code, &e.status) // absent or odd: no status
	return e
}

// parseErrorBody reads the body of an answer with an error status, whatever form it has.
func parseErrorBody(body []byte) *serverError {
	trimmed := bytes.TrimSpace(body)
	if bytes.HasPrefix(trimmed, []byte("[")) { // Gemini wraps the object in a list
		var wrapped []json.RawMessage
		if json.Unmarshal(trimmed, &wrapped) == nil && len(wrapped) > 0 {
			trimmed = wrapped[0]
		}
	}
	var o struct {
		Error   json.RawMessage `json:"error"`
		Message looseString     `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if bytes.HasPrefix(trimmed, []byte("{")) {
		_ = json.Unmarshal(trimmed, &o) // wrong types leave fields empty
		switch {
		case len(o.Error) > 0 && string(o.Error) != "null":
			e := parseServerError(o.Error)
			if e.message == "" {
				e.message = oneLine(string(o.Message))
			}
			return e
		case o.Message != "":
			return parseServerError(trimmed)
		case len(o.Detail) > 0:
			return parseServerError(o.Detail)
		}
	}
	if looksLikeHTML(trimmed) {
		return &serverError{html: true, message: "the server answered with a web page"}
	}
	return &serverError{message: oneLine(string(trimmed))}
}

func looksLikeHTML(b []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(b), []byte("<"))
}

// oneLine makes a server's text fit for one line of ours: no control characters, at most 300 code points.
func oneLine(s string) string {
	const most = 300
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return s
}
