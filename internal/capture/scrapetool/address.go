package scrapetool

import (
	"net/url"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/toolargs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// address reads a URL as an agent writes it, and returns its canonical spelling.
func address(s string) (*url.URL, error) {
	given, err := toolargs.URL(s)
	if err != nil {
		return nil, err
	}
	u, err := crawl.Normalize(given)
	if err != nil {
		return nil, err
	}
	u.RawQuery = webclient.EscapeQuery(u.RawQuery)
	if strings.HasPrefix(given.Fragment, "/") || strings.HasPrefix(given.Fragment, "!") { // other fragments are anchors in the page
		u.Fragment, u.RawFragment = given.Fragment, given.RawFragment
	}
	return u, nil
}
