package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hermes/core/text"
)

// schema is the part of JSON schema that tool parameters use.
type schema struct {
	Type       string            `json:"type"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Enum       []string          `json:"enum"`
	Items      *schema           `json:"items"`
	Minimum    *float64          `json:"minimum"`
	Maximum    *float64          `json:"maximum"`
}

// parseArguments reads the argument text of a call as an object and checks it against s. The returned
// object is normalised: numbers and booleans sent as strings are converted, nulls dropped. The error
// is written for the model: what is wrong, where, and what is expected.
func parseArguments(raw string, s schema) (json.RawMessage, error) {
	if strings.TrimSpace(raw) == "" {
		raw = "{}"
	}
	var fields map[string]json.RawMessage
	dec := json.NewDecoder(strings.NewReader(raw))
	err := dec.Decode(&fields)
	if err == nil && fields == nil {
		err = errors.New("null is not an object")
	}
	if err == nil {
		if _, extra := dec.Token(); !errors.Is(extra, io.EOF) {
			err = fmt.Errorf("more text behind the object, at character %d", text.Len(raw[:dec.InputOffset()])+1)
		}
	}
	if err != nil {
		return nil, describe(raw, err)
	}
	if err := check(fields, s); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// describe says where the arguments stop being a JSON object.
func describe(raw string, err error) error {
	var se *json.SyntaxError
	var te *json.UnmarshalTypeError
	switch {
	case errors.As(err, &se):
		at := min(max(int(se.Offset)-1, 0), len(raw))
		from, to := max(at-20, 0), min(at+20, len(raw))
		return fmt.Errorf("the arguments are not valid JSON: %s at character %d, near %q. Send one JSON object",
			se.Error(), text.Len(text.CleanUTF8(raw[:at]))+1, text.CleanUTF8(raw[from:to]))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the arguments are not valid JSON: they end too early, at character %d. Send one complete JSON object", text.Len(raw))
	case errors.As(err, &te):
		return fmt.Errorf("the arguments are a JSON %s, not an object. Send one JSON object", te.Value)
	}
	return fmt.Errorf("the arguments are not one JSON object: %w", err)
}

func check(fields map[string]json.RawMessage, s schema) error {
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		prop, known := s.Properties[name]
		if !known {
			faults = append(faults, fmt.Sprintf("unknown field %q", name))
			continue
		}
		if bytes.Equal(fields[name], []byte("null")) {
			delete(fields, name)
			continue
		}
		v, err := conform(fields[name], prop)
		if err != nil {
			faults = append(faults, fmt.Sprintf("field %q %s", name, err))
			continue
		}
		fields[name] = v
	}
	for _, name := range s.Required {
		if _, ok := fields[name]; !ok {
			faults = append(faults, fmt.Sprintf("field %q is missing", name))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("%s. The fields are: %s", strings.Join(faults, "; "), s.usage())
}

// usage lists the fields, required ones marked.
func (s schema) usage() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		word := name + " (" + s.Properties[name].Type
		if slices.Contains(s.Required, name) {
			word += ", required"
		}
		out = append(out, word+")")
	}
	return strings.Join(out, ", ")
}

// conform returns raw as a value of s's type, or why it is none. It forgives quotes around numbers and
// booleans, and whole numbers written as 3.0.
func conform(raw json.RawMessage, s schema) (json.RawMessage, error) {
	var str string
	quoted := json.Unmarshal(raw, &str) == nil
	switch s.Type {
	case "string":
		if !quoted {
			return nil, errors.New("must be a string")
		}
		if len(s.Enum) > 0 && !slices.Contains(s.Enum, str) {
			return nil, fmt.Errorf("must be one of %s", strings.Join(s.Enum, ", "))
		}
	case "integer", "number":
		if quoted {
			raw = json.RawMessage(strings.TrimSpace(str))
		}
		return conformNumber(raw, s)
	case "boolean":
		if quoted {
			raw = json.RawMessage(strings.ToLower(strings.TrimSpace(str)))
		}
		if b := string(raw); b != "true" && b != "false" {
			return nil, errors.New("must be true or false")
		}
	case "array":
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			return nil, errors.New("must be a list")
		}
		for i := range items {
			if s.Items == nil {
				break
			}
			v, err := conform(items[i], *s.Items)
			if err != nil {
				return nil, fmt.Errorf("item %d %w", i+1, err)
			}
			items[i] = v
		}
		return json.Marshal(items)
	case "object":
		var m map[string]json.RawMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			return nil, errors.New("must be an object")
		}
	}
	return raw, nil
}

func conformNumber(raw json.RawMessage, s schema) (json.RawMessage, error) {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != f || f > 1e300 || f < -1e300 {
		return nil, errors.New("must be a number")
	}
	if s.Minimum != nil && f < *s.Minimum {
		return nil, fmt.Errorf("must be at least %v", *s.Minimum)
	}
	if s.Maximum != nil && f > *s.Maximum {
		return nil, fmt.Errorf("must be at most %v", *s.Maximum)
	}
	if s.Type == "integer" {
		if f != float64(int64(f)) {
			return nil, errors.New("must be a whole number")
		}
		return json.RawMessage(strconv.FormatInt(int64(f), 10)), nil
	}
	return json.RawMessage(strconv.FormatFloat(f, 'g', -1, 64)), nil
}
