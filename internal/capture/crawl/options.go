package crawl

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

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
	h := sha256.New()
	fmt.Fprintln(h, o.Start, o.EntireDomain, o.Subdomains, o.External, o.Depth, o.IgnoreQuery, o.NoSitemaps)
	for _, globs := range [][]*glob.Glob{o.Include, o.Exclude} {
		fmt.Fprintln(h, len(globs))
		for _, g := range globs {
			fmt.Fprintf(h, "%q\n", g.String())
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
