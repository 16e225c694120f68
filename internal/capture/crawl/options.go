package crawl

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
)

// Defaults of [Options].
const (
	DefaultLimit   = 100
	DefaultWorkers = 4
	DefaultBytes   = 4 << 30
)

// Options say which pages are crawled, and how.
type Options struct {
	Start *url.URL
	Scope
	Depth       int           // links from the start; 0: unlimited
	Limit       int           // pages
	Delay       time.Duration // between an answer of a host and the next request to it; 0: only the delay of robots.txt
	IgnoreQuery bool          // URLs that differ in parameters are one page
	NoSitemaps  bool          // sitemaps and llms.txt are not read
	OnlySitemap bool          // links of pages are not followed
	Known       int           // maximum number of known URLs; 0: half a million
	Workers     int
	Caller      string        // the client whose turns the requests use; see package fairqueue
	Background  bool          // nobody waits for the pages
	Bytes       int64         // of all answers
	Time        time.Duration // of one run; 0: unlimited
	Header      http.Header   // sent to the origin of Start only
	Again       []Known       // from an earlier crawl of the site
	Fresh       bool          // pages are requested even if a sitemap says that they have not changed

	Keeper  Keeper
	Journal io.Writer // nil: no journal is written
	// Done is called with the result of each URL, by one goroutine at a time. A page whose canonical URL turns out
	// not to be a page has two results. Done may be nil.
	Done func(Result)
	// Found is called with each URL when it is found, and again with its title, by one goroutine at a time. It may be
	// nil.
	Found func(u *url.URL, title string)
	// Retry is the delay before a failed page is requested again; 0: two seconds.
	Retry time.Duration
}

// complete returns the options with defaults filled in and Start cleaned.
func (o Options) complete() (Options, error) {
	o.Limit = cmp.Or(o.Limit, DefaultLimit)
	o.Workers = cmp.Or(o.Workers, DefaultWorkers)
	o.Bytes = cmp.Or(o.Bytes, DefaultBytes)
	o.Retry = cmp.Or(o.Retry, 2*time.Second)
	start, err := Clean(o.Start, false)
	o.Start = start
	return o, err
}

// digest is equal for options with which an interrupted crawl can continue.
func (o Options) digest() string {
	text := fmt.Sprintf("%v %t %t %t %d %t %t %q %q", o.Start, o.EntireDomain, o.Subdomains, o.External, o.Depth, o.IgnoreQuery, o.NoSitemaps, o.Include, o.Exclude)
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

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
