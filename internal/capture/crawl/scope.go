package crawl

import (
	"net"
	"net/url"
	"path"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
)

// A Scope says which links are followed.
type Scope struct {
	EntireDomain bool // also pages of the host outside the folder of the start URL
	Subdomains   bool // also hosts in the registered domain of the start URL
	External     bool // any host
	Include      []*glob.Glob
	Exclude      []*glob.Glob
}

// A boundary is a scope with its start URL.
type boundary struct {
	Scope
	start  *url.URL
	folder string // ends with a slash
	domain string // the registered domain of start, or its host
}

func (s Scope) from(start *url.URL) *boundary {
	b := &boundary{Scope: s, start: start, folder: start.EscapedPath(), domain: start.Hostname()}
	if !strings.HasSuffix(b.folder, "/") {
		if path.Ext(b.folder) != "" {
			b.folder = strings.TrimSuffix(path.Dir(b.folder), "/")
		}
		b.folder += "/"
	}
	if net.ParseIP(b.domain) == nil {
		if domain, err := publicsuffix.EffectiveTLDPlusOne(b.domain); err == nil {
			b.domain = domain
		}
	}
	return b
}

// site reports whether the host of a URL is in the scope.
func (b *boundary) site(u *url.URL) bool {
	switch {
	case b.External, u.Host == b.start.Host:
		return true
	case b.Subdomains:
		host := u.Hostname()
		return host == b.domain || strings.HasSuffix(host, "."+b.domain) && net.ParseIP(host) == nil
	}
	return false
}

// has reports whether a link is followed.
func (b *boundary) has(u *url.URL) bool {
	if !b.site(u) {
		return false
	}
	p := u.EscapedPath()
	if u.Host == b.start.Host && !b.EntireDomain && !strings.HasPrefix(p+"/", b.folder) {
		return false
	}
	return b.Wants(u)
}

// Wants reports whether the globs include a path, with or without its leading slash.
func (s Scope) Wants(u *url.URL) bool {
	p := u.Path
	if len(s.Include) > 0 && !matches(s.Include, p) {
		return false
	}
	return !matches(s.Exclude, p)
}

func matches(globs []*glob.Glob, p string) bool {
	rooted := strings.TrimSuffix(p, "/")
	bare := strings.TrimPrefix(rooted, "/")
	for _, g := range globs {
		if g.Match(bare) || g.Match(rooted) {
			return true
		}
	}
	return false
}
