package crawl

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

const maxURL = 4096 // bytes

// Normalize returns the canonical spelling of a URL: scheme and host in lower case, no default port, no fragment, no
// dot segments, and percent-encoding only where needed, in upper case (RFC 3986, 6.2.2).
func Normalize(u *url.URL) (*url.URL, error) {
	c := url.URL{Scheme: strings.ToLower(u.Scheme), RawQuery: encoding(u.RawQuery), ForceQuery: u.ForceQuery}
	if c.Scheme != "http" && c.Scheme != "https" {
		return nil, fmt.Errorf("%s: the scheme is %q, must be http or https", u.Redacted(), u.Scheme)
	}
	if u.User != nil {
		return nil, fmt.Errorf("%s: has a user name or password: leave it out", u.Redacted())
	}
	host := webclient.ASCII(strings.ToLower(u.Hostname()))
	if host == "" {
		return nil, fmt.Errorf("%q has no host", u)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := strings.TrimLeft(u.Port(), "0"); port != "" && port != map[string]string{"http": "80", "https": "443"}[c.Scheme] {
		host += ":" + port
	}
	c.Host = host
	p := encoding(u.EscapedPath())
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	full, err := url.Parse(c.Scheme + "://" + c.Host + p)
	if err != nil {
		return nil, err
	}
	full = full.ResolveReference(&url.URL{Scheme: full.Scheme, Host: full.Host, Path: full.Path, RawPath: full.RawPath})
	full.RawQuery, full.ForceQuery = c.RawQuery, c.ForceQuery
	if len(full.String()) > maxURL {
		return nil, errors.New("the URL has more than 4096 bytes")
	}
	return full, nil
}

// encoding returns a path or query with canonical percent-encoding.
func encoding(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' || i+2 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		code, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		switch c := byte(code); {
		case err != nil:
			b.WriteByte(s[i])
			continue
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteString(strings.ToUpper(s[i : i+3]))
		}
		i += 2
	}
	return b.String()
}
