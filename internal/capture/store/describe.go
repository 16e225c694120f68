package store

import (
	"net/url"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// Name returns the name of a tier in lists, such as cleaned/example.com_2025-01-08. It is not
// unique.
func (m *Meta) Name(tier Tier) string {
	host := m.URL
	if u, err := url.Parse(m.URL); err == nil && u.Host != "" {
		host = u.Hostname()
	}
	return string(tier) + "/" + host + "_" + m.Created.UTC().Format("2006-01-02")
}

// About returns the description of a tier in lists.
func (m *Meta) About(tier Tier) string {
	switch {
	case m.Description != "":
		return m.Description
	case tier == Extracted && m.Prompt != "":
		return "Extracted information from " + m.URL + " using query: " + quoted(excerpt.Ellipsis(m.Prompt, maxQuoted))
	}
	return "Fetched content from " + m.URL
}

// maxQuoted is how many bytes of a prompt a description quotes.
const maxQuoted = 200
