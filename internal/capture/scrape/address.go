package scrape

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/outbound"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// address reads a URL as an agent writes it, and returns it in one spelling.
func address(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return nil, errors.New("is empty")
	case !utf8.ValidString(s), strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return nil, errors.New("is no URL: it has control characters")
	}
	if !strings.Contains(s, "://") {
		scheme, rest, found := strings.Cut(s, ":")
		port := rest
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			port = rest[:i]
		}
		_, err := strconv.ParseUint(port, 10, 16)
		if found && err != nil && !strings.ContainsAny(scheme, "/?#.[") {
			return nil, fmt.Errorf("has the scheme %q, must have http or https", excerpt.Cut(scheme, 60))
		}
		s = "https://" + strings.TrimPrefix(s, "//")
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, errors.New("is no URL")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("has the scheme %q, must have http or https", excerpt.Cut(u.Scheme, 60))
	}
	host := outbound.ASCII(strings.ToLower(u.Hostname()))
	if host == "" {
		return nil, errors.New("has no host")
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" && !(u.Scheme == "http" && port == "80") && !(u.Scheme == "https" && port == "443") {
		host += ":" + port
	}
	u.Host, u.RawQuery = host, outbound.EscapeQuery(u.RawQuery)
	if u.Path == "" {
		u.Path = "/"
	}
	if !strings.HasPrefix(u.Fragment, "/") && !strings.HasPrefix(u.Fragment, "!") { // others are places of the page
		u.Fragment, u.RawFragment = "", ""
	}
	return u, nil
}
