package crawl

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
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
	Depth       int // 0: unlimited
	Limit       int
	Delay       time.Duration // after an answer of the host; 0: only that of robots.txt
	IgnoreQuery bool
	NoSitemaps  bool
	OnlySitemap bool
	Known       int // maximum number of URLs; 0: half a million
	Workers     int
	Caller      string
	Background  bool // nobody waits for the pages
	Bytes       int64
	Time        time.Duration // of one run; 0: unlimited
	Header      http.Header   // to the origin of Start only
	Again       []Known
	Fresh       bool // request pages even if a sitemap says that they have not changed

	Keeper  Keeper
	Journal io.Writer
	// Done is called with the result of each URL, by one goroutine at a time. A page whose canonical URL turns out
	// not to be a page has two results. Done may be nil.
	Done func(Result)
	// Found is called with each URL when it is found, and again with its title, by one goroutine at a time. It may be
	// nil.
	Found func(u *url.URL, title string)
	// Retry is the delay before a failed page is requested again; 0: two seconds.
	Retry time.Duration
}

// A Scope says which links are followed.
type Scope struct {
	EntireDomain bool // also pages outside the folder of the start URL
	Subdomains   bool // also hosts in the registered domain of the start URL
	External     bool
	Include      []*glob.Glob
	Exclude      []*glob.Glob
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

// A boundary is a scope with its start URL.
type boundary struct {
	Scope
	start  *url.URL
	folder string
	domain string // registered, or the host of start
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
	below := u.Host != b.start.Host || b.EntireDomain || strings.HasPrefix(u.EscapedPath()+"/", b.folder)
	return b.site(u) && below && b.Wants(u)
}

// Wants reports whether the globs include a path, with or without its leading slash.
func (s Scope) Wants(u *url.URL) bool {
	return (len(s.Include) == 0 || matches(s.Include, u.Path)) && !matches(s.Exclude, u.Path)
}

func matches(globs []*glob.Glob, p string) bool {
	rooted := strings.TrimSuffix(p, "/")
	bare := strings.TrimPrefix(rooted, "/")
	return slices.ContainsFunc(globs, func(g *glob.Glob) bool { return g.Match(bare) || g.Match(rooted) })
}

// A Site fetches pages and lists sitemaps, such as [webclient.Client].
type Site interface {
	Get(context.Context, webclient.Request) (*webclient.Response, error)
	Sitemaps(context.Context, *url.URL) ([]string, error)
}

// A Keeper stores pages. Its methods are called concurrently.
type Keeper interface {
	// Open is called before the page at a URL is requested.
	Open(*url.URL) (Visit, error)
}

// A Visit is the processing of one page.
type Visit interface {
	// Known returns the validators of the stored page, and when it was fetched; zero values if it is not stored.
	Known() (webclient.Validators, time.Time)
	// Keep stores a page. Its response may say that it has not changed. [ErrElsewhere] means that [Page.Claim]
	// returned false, [ErrNoPage] that the answer is not text. Any other error counts for the page only, unless it is
	// [Fatal], which ends the crawl.
	Keep(context.Context, *Page) error
}

// Errors of [Visit.Keep].
var (
	ErrElsewhere = errors.New("another page has the same content")
	ErrNoPage    = errors.New("is not text")
)

// A Fatal error ends a crawl: no more pages can be stored.
type Fatal struct{ Err error }

func (f *Fatal) Error() string { return f.Err.Error() }

func (f *Fatal) Unwrap() error { return f.Err }

// A Page is a page that was fetched.
type Page struct {
	URL      *url.URL
	Response *webclient.Response
	Leads    *webpage.Leads
	// Claim reports whether a page with this title and this Markdown is to be stored: no other page has the same content, and the
	// page that it names as canonical has other words.
	Claim func(title, markdown string) bool
	// Note is a text that [Visit.Keep] may set. The journal has it with the page, see [EarlierPage].
	Note *string
}

// A State is the state of a URL.
type State byte

// States of URLs. The letters are written to the journal. Older journals also contain 't', for URLs that were left
// out as part of a trap.
const (
	Waiting   State = 'w'
	Kept      State = 'k'
	Duplicate State = 'd'
	Redirect  State = 'r'
	Canonical State = 'c'
	NoIndex   State = 'n'
	Forbidden State = 'x'
	Gone      State = 'g' // it answers 404 or 410
	Other     State = 'o' // not text, or outside the scope
	Failed    State = 'f'
)

// A Result is the outcome of a URL.
type Result struct {
	URL       string
	State     State
	Unchanged bool
	Old       bool
	Depth     uint16
	Visit     Visit // that stored the page; nil: none in this run
	Err       error
}

// A Known URL was found by an earlier crawl.
type Known struct {
	URL   string `json:"url"`
	Depth uint16 `json:"depth,omitempty"`
	Kept  bool   `json:"-"`
}

// LeftOut are URLs that were left out for one reason.
type LeftOut struct {
	Why      string
	Examples []string
	URLs     int
}

// Stats are the progress of a crawl.
type Stats struct {
	Pages, Waiting int
	Limit          int
	Bytes          int64
	LeftOut        []LeftOut
	// Sitemaps lists the sitemaps, or parts of them, that were not read, with the reasons.
	Sitemaps []string
	// Left says why the crawl ended before all URLs were requested; "" if it did not.
	Left string
}
