package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/option"

	"hermes/core"
)

// ListModels asks the server which models it serves, in its order. Options.Model may be empty. Errors are
// *core.Error with a hint.
func ListModels(ctx context.Context, o Options) ([]string, error) {
	if o.Model == "" {
		o.Model = "models" // only for messages
	}
	c, err := New(o)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	models, err := c.list(ctx)
	if err == nil {
		return models, nil
	}
	if ctx.Err() != nil {
		return nil, c.interrupted(ctx)
	}
	f := c.describe(err)
	f.err.Op, f.err.Subject = "list models of", c.info.BaseURL
	return nil, f.err
}

func (c *Client) list(parent context.Context) ([]string, error) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	o := c.opts
	o.FirstByte = min(o.FirstByte, 30*time.Second)
	w := newWatch(cancel, o)
	defer w.stop()
	var resp *http.Response
	err := c.api.Get(ctx, "models", nil, &resp, c.listOptions()...)
	if resp == nil {
		return nil, c.cause(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err != nil && resp.StatusCode < http.StatusBadRequest {
		return nil, c.cause(ctx, err) // a refused redirect
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return nil, c.statusError(ctx, resp)
	}
	const most = 16 << 20
	body, err := io.ReadAll(io.LimitReader(&watched{r: resp.Body, w: w}, most))
	if err != nil {
		return nil, c.cause(ctx, err)
	}
	if looksLikeHTML(body) {
		return nil, &serverError{html: true, message: "the server answered with a web page"}
	}
	return parseModels(body)
}

// listOptions are the headers Anthropic's list wants; only its chat endpoint knows the common ones.
func (c *Client) listOptions() []option.RequestOption {
	if c.preset.Name != "anthropic" || c.opts.Key == "" {
		return nil
	}
	return []option.RequestOption{option.WithHeader("X-Api-Key", c.opts.Key), option.WithHeader("Anthropic-Version", "2023-06-01")}
}

// parseModels reads {"data":[{"id"}]}, {"models":[{"name"}]}, or a bare list of objects or strings.
func parseModels(body []byte) ([]string, error) {
	var wrapped struct {
		Data   json.RawMessage `json:"data"`
		Models json.RawMessage `json:"models"`
		Error  json.RawMessage `json:"error"`
	}
	var items []json.RawMessage
	if err := json.Unmarshal(body, &items); err != nil {
		if err := json.Unmarshal(body, &wrapped); err != nil {
			return nil, &protocolError{fmt.Errorf("read model list: %w", err)}
		}
		switch {
		case len(wrapped.Error) > 0 && string(wrapped.Error) != "null":
			return nil, parseServerError(wrapped.Error)
		case rawList(wrapped.Data) == nil && rawList(wrapped.Models) == nil:
			return nil, &protocolError{errors.New("read model list: the answer holds none")}
		}
		items = append(rawList(wrapped.Data), rawList(wrapped.Models)...)
	}
	var out []string
	seen := map[string]bool{}
	for _, raw := range items {
		var o struct {
			ID    looseString `json:"id"`
			Name  looseString `json:"name"`
			Model looseString `json:"model"`
		}
		var name looseString
		if raw[0] == '"' {
			_ = name.UnmarshalJSON(raw) // never fails
		} else if json.Unmarshal(raw, &o) == nil {
			name = cmpOr(o.ID, o.Model, o.Name)
		}
		id := strings.TrimPrefix(oneLine(string(name)), "models/") // Gemini's prefix
		if id != "" && !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out, nil
}

func cmpOr(values ...looseString) looseString {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// Check makes one tiny call: nil when the model answers. It does not retry.
func Check(ctx context.Context, o Options) error {
	o.Retries = -1
	c, err := New(o)
	if err != nil {
		return err
	}
	defer c.Close()
	const enough = 16
	_, err = c.Stream(ctx, core.Request{
		Messages:  []core.Message{{Role: core.RoleUser, Content: "Reply with the word ok."}},
		MaxTokens: enough,
	}, nil)
	return err
}
