package crawl

// A State is the state of a URL.
type State byte

// States of URLs. The letters are written to the journal. Older journals also contain 't', for URLs that were left
// out as part of a trap.
const (
	Waiting   State = 'w'
	Kept      State = 'k' // it is a page, and was stored
	Duplicate State = 'd' // another page has the same content
	Redirect  State = 'r' // it redirects to another URL
	Canonical State = 'c' // it names another URL as canonical
	NoIndex   State = 'n' // it says "noindex"
	Forbidden State = 'x' // robots.txt does not allow it
	Gone      State = 'g' // it answers 404 or 410
	Other     State = 'o' // it is not text, or leads outside the scope
	Failed    State = 'f'
)

// A Result is the outcome of a URL.
type Result struct {
	URL       string
	State     State
	Unchanged bool   // an earlier crawl kept it, and it has not changed
	Old       bool   // an earlier crawl kept it
	Alias     string // the URL that replaces it
	Depth     uint16 // links from the start
	From      string // the page whose link led to it first; "": a sitemap, or nothing
	Err       error
}

// A Known URL was found by an earlier crawl.
type Known struct {
	URL   string `json:"url"`
	Depth uint16 `json:"depth,omitempty"`
	Kept  bool   `json:"-"` // its page was kept: it is not requested, and its links are known too
}

// LeftOut are URLs that were left out for one reason.
type LeftOut struct {
	Why      string
	Examples []string // the first of them
	URLs     int
}

// Stats are the progress of a crawl.
type Stats struct {
	Pages, Waiting int
	Limit          int
	Bytes          int64
	LeftOut        []LeftOut // a few: one for each reason
	// Sitemaps lists the sitemaps, or parts of them, that were not read, with the reasons.
	Sitemaps []string
	// Left says why the crawl ended before all URLs were requested; "" if it did not.
	Left string
}
