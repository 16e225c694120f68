package scrapetool

import (
	"net/url"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/toolargs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// address reads a URL as an agent writes it, and returns its canonical spelling.
func address(s string) (*url.URL, error) {
	u, err := toolargs.URL(s)
	if err != nil {
		return nil, err
	}
	host := webclient.ASCII(strings.ToLower(u.Hostname()))
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" && !(u.Scheme == "http" && port == "80") && !(u.Scheme == "https" && port == "443") {
		host += ":" + port
	}
	u.Host, u.RawQuery = host, webclient.EscapeQuery(u.RawQuery)
	if u.Path == "" {
		u.Path = "/"
	}
	if !strings.HasPrefix(u.Fragment, "/") && !strings.HasPrefix(u.Fragment, "!") { // other fragments are anchors in the page
		u.Fragment, u.RawFragment = "", ""
	}
	return u, nil
}
