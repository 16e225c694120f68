package crawl

// A State is what became of a URL.
type State byte

// States of URLs. The letters are those of the journal. Older journals have 't' too, of URLs that
// were left out as part of a trap.
const (
	Waiting   State = 'w'
	Kept      State = 'k' // it is a page
	Duplicate State = 'd' // another page has the same content
	Redirect  State = 'r' // it leads to another URL
	Canonical State = 'c' // it says that another URL stands for it
	NoIndex   State = 'n' // it does not want to be kept
	Forbidden State = 'x' // robots.txt does not allow it
	Gone      State = 'g' // it answers 404 or 410
	Other     State = 'o' // it is no text, or not in the scope
	Failed    State = 'f'
)

// A Result says what became of a URL.
type Result struct {
	URL       string
	State     State
	Unchanged bool   // it was kept before, and has not changed
	Old       bool   // an earlier crawl had it
	Alias     string // the URL that stands for it
	Err       error
}

// A Trap is a set of URLs without an end.
type Trap struct {
	Pattern string `json:"pattern"` // the host and the beginning of the path
	Why     string `json:"why"`
	Left    int    `json:"left"` // URLs that were left out
}

// Stats say how far a crawl has come.
type Stats struct {
	Pages, Failed, Waiting, Known int
	Limit                         int
	Bytes                         int64
	Requests                      int
	Traps                         []Trap
	// Sitemaps says what was not read of sitemaps, and why.
	Sitemaps []string
	// Left says why the crawl ended before all URLs were asked; "" if it did not.
	Left string
}
