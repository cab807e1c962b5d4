package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"hermes/core"
)

// Provider names how a search service is spoken to.
type Provider string

// The services known.
const (
	SearXNG Provider = "searxng"
	Brave   Provider = "brave"
	Tavily  Provider = "tavily"
)

// The public addresses of the services that need a key.
const (
	braveURL  = "https://api.search.brave.com/res/v1/web/search"
	tavilyURL = "https://api.tavily.com/search"
)

// Service is a configured search service.
type Service struct {
	Provider Provider
	URL      string // of the endpoint; for SearXNG the instance's address
	Key      string // sent in a header, never in an address
}

// ChooseSearch makes a service of web.search_url and web.search_key_env; lookup reads a variable. It
// returns nil when no search is configured, and an error that says what is missing.
//
// An address at brave.com or tavily.com, or else a variable named BRAVE… or TAVILY…, chooses that
// service; any other address is a SearXNG instance.
func ChooseSearch(searchURL, keyEnv string, lookup func(name string) string) (*Service, error) {
	searchURL, keyEnv = strings.TrimSpace(searchURL), strings.TrimSpace(keyEnv)
	if searchURL == "" && keyEnv == "" {
		return nil, nil
	}
	fault := func(err error, hint string) error {
		return &core.Error{Code: core.CodeConfig, Op: "set up web search", Err: err, Hint: hint}
	}
	s := &Service{Provider: SearXNG, URL: searchURL}
	if keyEnv != "" {
		s.Key = strings.TrimSpace(lookup(keyEnv))
	}
	host := ""
	if searchURL != "" {
		u, err := url.Parse(searchURL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
			return nil, fault(errors.New("web.search_url is no http or https address"), "Write it like https://searx.example.org, without a password")
		}
		host = "." + strings.ToLower(u.Hostname())
	}
	name := strings.ToUpper(keyEnv)
	switch {
	case strings.HasSuffix(host, ".brave.com"), host == "" && strings.HasPrefix(name, "BRAVE"):
		s.Provider, s.URL = Brave, braveURL
	case strings.HasSuffix(host, ".tavily.com"), host == "" && strings.HasPrefix(name, "TAVILY"):
		s.Provider, s.URL = Tavily, tavilyURL
	case host == "":
		return nil, fault(fmt.Errorf("no search service goes with the variable %s", keyEnv), "Set web.search_url, or use BRAVE_API_KEY or TAVILY_API_KEY")
	}
	if s.Provider != SearXNG && s.Key == "" {
		return nil, fault(errors.New("the key of the search service is missing"), "Put it into .env and its variable's name into web.search_key_env")
	}
	return s, nil
}

// source names the service in marks and taints.
func (s Service) source() string {
	if u, err := url.Parse(s.URL); err == nil {
		return u.Scheme + "://" + u.Host
	}
	return string(s.Provider)
}

func (s Service) request(ctx context.Context, query string, count int) (*http.Request, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	switch s.Provider {
	case Brave:
		u.RawQuery = url.Values{"q": {query}, "count": {strconv.Itoa(count)}}.Encode()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
		if err == nil {
			req.Header.Set("X-Subscription-Token", s.Key)
		}
		return req, err
	case Tavily:
		body, err := json.Marshal(map[string]any{"query": query, "max_results": count})
		if err != nil {
			return nil, err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
		if err == nil {
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Authorization", "Bearer "+s.Key)
		}
		return req, err
	case SearXNG:
	}
	if !strings.HasSuffix(u.Path, "/search") {
		u = u.JoinPath("search")
	}
	u.RawQuery = url.Values{"q": {query}, "format": {"json"}}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err == nil && s.Key != "" {
		req.Header.Set("Authorization", "Bearer "+s.Key)
	}
	return req, err
}

// hits reads an answer. The services differ in where the list is and what a snippet is called.
func (s Service) hits(body []byte) ([]hit, error) {
	type entry struct {
		Title       string `json:"title"`
		URL         string `json:"url"`
		Content     string `json:"content"`
		Description string `json:"description"`
	}
	var a struct {
		Results *[]entry `json:"results"`
		Web     *struct {
			Results []entry `json:"results"`
		} `json:"web"`
		Query json.RawMessage `json:"query"`
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, err
	}
	var list []entry
	switch {
	case s.Provider == Brave && a.Web != nil:
		list = a.Web.Results
	case s.Provider == Brave && a.Query != nil: // Brave leaves web out when nothing was found
	case s.Provider != Brave && a.Results != nil:
		list = *a.Results
	default:
		return nil, errors.New("no list of results")
	}
	out := make([]hit, 0, len(list))
	for _, e := range list {
		h := hit{title: e.Title, url: e.URL, snippet: e.Content}
		if h.snippet == "" {
			h.snippet = e.Description
		}
		out = append(out, h)
	}
	return out, nil
}

// statusFault words a refusal of the service.
func (s Service) statusFault(at *url.URL, resp *http.Response) error {
	err := statusFault(at, resp)
	var e *core.Error
	if !errors.As(err, &e) {
		return err
	}
	e.Op = "search at"
	switch {
	case resp.StatusCode == http.StatusForbidden && s.Provider == SearXNG:
		e.Hint = "The instance does not give JSON: its settings.yml must list json under search.formats"
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden, resp.StatusCode == http.StatusUnprocessableEntity:
		e.Code, e.Hint = core.CodeAuth, "The person must check the key named by web.search_key_env"
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		e.Hint = "The service redirects, which is not followed; the person can set web.search_url to the final address"
	case resp.StatusCode == http.StatusTooManyRequests:
		e.Hint = "The service's limit is reached; wait, or read known pages with web_extract"
	}
	return err
}
