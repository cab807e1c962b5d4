// Package web is the web toolset: web_extract reads pages as Markdown, web_search asks a search service
// (only when one is configured).
//
// Pages and results are foreign text: they come back between marks that name their source, are scanned
// for attempts to steer the agent, and carry a taint. Connections are judged by the address that is
// dialled, never by the name, so neither a name that resolves to a private address nor a redirect gets
// inside. For the same reason HTTP_PROXY and its like are not used: behind a proxy the address that is
// really reached cannot be seen.
//
// It knows no model, transcript or screen, and keeps no cookies. Start with extract.go (the way of a
// page), then address.go (what may be reached), fetch.go (one page, hop by hop), decode.go (bytes to
// text), markdown.go (HTML to Markdown) and search.go.
package web
