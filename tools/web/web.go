package web

import (
	"net/netip"
	"time"

	"hermes/core"
	"hermes/tools"
)

// The limits of web_extract.
const (
	MaxURLs = 5      // addresses a call
	MaxPage = 15_000 // code points of a page in a result
	MaxBody = 10 << 20
	MaxHops = 10 // redirects
	maxURL  = 4_096

	// DefaultTimeout is the time for one page, redirects and body together.
	DefaultTimeout = 30 * time.Second
)

// Options configures the toolset. The zero value reads public pages, without search and without spills.
type Options struct {
	Spills       *tools.Spills // keeps pages longer than MaxPage; nil keeps none
	Redactor     core.Redactor // finds known secrets in addresses and queries; nil finds none
	AllowPrivate bool          // web.allow_private
	// Reachable are address and port pairs that are let through whatever the rule says; the rule stays
	// for all others.
	Reachable []netip.AddrPort
	Search    *Service      // nil: no web_search (see ChooseSearch)
	Timeout   time.Duration // for one page or search; 0 is DefaultTimeout
	UserAgent string        // "" is "hermes"
}

// New returns the toolset: web_extract, and web_search when a search service is configured.
func New(opts Options) []core.Tool {
	if opts.Timeout <= 0 {
		opts.Timeout = DefaultTimeout
	}
	if opts.UserAgent == "" {
		opts.UserAgent = "hermes"
	}
	list := []core.Tool{newExtract(opts)}
	if opts.Search != nil {
		list = append(list, newSearch(opts))
	}
	return list
}
