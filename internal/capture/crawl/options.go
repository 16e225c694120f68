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
)

// Defaults of [Options].
const (
	DefaultLimit   = 100
	DefaultWorkers = 4
	DefaultBytes   = 4 << 30
)

// Options say what is crawled.
type Options struct {
	Start *url.URL
	Scope
	Depth       int           // links from the start; 0: any number
	Limit       int           // pages
	Delay       time.Duration // between an answer of a host and the next request to it; 0: as the site has it
	IgnoreQuery bool          // parameters do not make a page
	NoSitemaps  bool          // neither sitemaps nor llms.txt are read
	OnlySitemap bool          // the links of pages lead nowhere
	Known       int           // URLs that may be known; 0: half a million
	Workers     int
	Caller      string        // for whom the pages are
	Patient     bool          // nobody waits for them
	Bytes       int64         // of all answers
	Time        time.Duration // of one run; 0: any
	Header      http.Header   // for the origin of Start
	Fresh       bool          // what sitemaps say of times does not keep a page from being asked

	Keeper  Keeper
	Journal io.Writer // gets what becomes known; nil: nothing
	// Done is called for each URL, by one goroutine at a time; and again for a page whose canonical
	// URL is no page. It may be nil.
	Done func(Result)
	// Found is called for each URL when it becomes known, and again with a title; by one goroutine
	// at a time. It may be nil.
	Found func(u *url.URL, title string)
	// Retry is the time before a page that failed is asked again; 0: two seconds.
	Retry time.Duration
}

// complete returns options with what they leave out, and their start as [Clean] makes it.
func (o Options) complete() (Options, error) {
	o.Limit = cmp.Or(o.Limit, DefaultLimit)
	o.Workers = cmp.Or(o.Workers, DefaultWorkers)
	o.Bytes = cmp.Or(o.Bytes, DefaultBytes)
	o.Retry = cmp.Or(o.Retry, 2*time.Second)
	start, err := Clean(o.Start, false)
	o.Start = start
	return o, err
}

// digest is equal for options with which a crawl may go on.
func (o Options) digest() string {
	h := sha256.New()
	fmt.Fprintln(h, o.Start, o.EntireDomain, o.Subdomains, o.External, o.Depth, o.IgnoreQuery, o.NoSitemaps)
	for _, globs := range [][]fmt.Stringer{stringers(o.Include), stringers(o.Exclude)} {
		fmt.Fprintln(h, len(globs))
		for _, g := range globs {
			fmt.Fprintf(h, "%q\n", g.String())
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func stringers[T fmt.Stringer](list []T) []fmt.Stringer {
	out := make([]fmt.Stringer, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
