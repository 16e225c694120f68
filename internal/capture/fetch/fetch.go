// Package fetch gets one page of the web, by the first of several strategies that can.
//
// A [Strategy] is one way to get a page: "native" asks the server itself, over [webclient];
// "browser" renders the page; "firecrawl" has a service do it. All return what the server sent or
// the browser made, with its type. What becomes of it is not theirs.
//
// [Chain.Fetch] does this, in this order:
//
//  1. A strategy that cannot do what the request asks for, such as actions without a browser, says
//     so, and what to configure. It is not asked.
//  2. The others are asked in turn: in the order of the chain, but first the one that served pages
//     near this URL before, where those before it had failed. See [Memory].
//  3. An answer that is a shell, which needs JavaScript to have a text, counts only if no later
//     strategy has a better one.
//  4. A refusal by the rules for addresses, robots.txt, a page that does not exist, or one that is too
//     large, as it is sent or without its compression, ends it: no other strategy may or can do more.
//
// If none has an answer, the error is [*Failed], which lists what was tried, why each failed, and
// how long it took.
package fetch

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// Names of strategies.
const (
	NativeName    = "native"
	BrowserName   = "browser"
	FirecrawlName = "firecrawl"
)

// A Request is for one page. It is checked before: a strategy relies on the URL being absolute and
// the actions being complete.
type Request struct {
	URL     *url.URL
	Caller  string        // for whom it is
	Timeout time.Duration // for everything, waiting included; 0: that of the strategy
	// Header is sent to the origin of URL only.
	Header http.Header
	// Known is what an earlier answer said of itself; a strategy may answer [Answer.NotModified].
	Known     webclient.Validators
	Accept    string   // the value of that header field; "": what the strategy sends
	Languages []string // values of Accept-Language, the preferred first
	Country   string   // ISO 3166-1 alpha-2: where the page is asked from, if the strategy has a choice
	MaxBytes  int64    // of the answer; 0: that of the strategy

	Proxy      Proxy
	BlockAds   bool // what a rendered page loads from hosts of advertisements is left out
	WaitFor    time.Duration
	Actions    []Action // done in turn after WaitFor
	Screenshot bool     // of the page as it is in the end
	FullPage   bool     // the screenshot shows all of the page

	// Formats are what only a service makes of a page: "summary", "branding".
	Formats []string
	// MaxAge is how old an answer may be that a service has kept.
	MaxAge time.Duration
}

// A Proxy is a way to the page.
type Proxy string

const (
	AutoProxy    Proxy = "auto"    // as the strategy thinks best
	BasicProxy   Proxy = "basic"   // none, or a simple one
	StealthProxy Proxy = "stealth" // one that sites do not take for a program
)

// rendering returns that the request needs something that shows the page, and what for, or "".
func (r *Request) rendering() string {
	switch {
	case len(r.Actions) > 0:
		return "actions need a browser"
	case r.Screenshot:
		return "the format screenshot needs a browser"
	case r.WaitFor > 0:
		return "waitFor needs a browser"
	}
	return ""
}

// Plain reports whether any strategy can serve the request.
func (r *Request) Plain() bool {
	return r.rendering() == "" && r.Proxy != StealthProxy && len(r.Formats) == 0
}

// An Answer is a page.
type Answer struct {
	Strategy    string   // its name
	URL         *url.URL // after redirects
	NotModified bool     // the page is still that of Request.Known; only Validators and Secrecy are set too
	ContentType string
	Validators  webclient.Validators
	Secrecy     *webclient.Secrecy // nil: the strategy does not know it
	Body        []byte
	Title       string // as the strategy knows it; "": as the page has it

	Screenshots []Image           // those of actions in turn, and then that of the request
	Scraped     []string          // HTML of the elements of the actions "scrape", in turn
	Results     []string          // JSON of what the actions "executeJavascript" returned, in turn
	Made        map[string][]byte // by format of Request.Formats: text in UTF-8, or JSON
	Credits     int               // that the service took

	Notes []string // for whoever reads the page: what is not as it was asked for
}

// An Image is a picture of a page.
type Image struct {
	Name string // that the action gave it, or ""
	MIME string
	Data []byte
}

// A Strategy is one way to get a page. Its methods may be called at the same time.
type Strategy interface {
	Name() string
	// Refuses returns why the strategy cannot serve a request at all, with what to configure, or
	// "". It asks nobody.
	Refuses(*Request) string
	// Fetch gets the page. It returns when ctx ends, and leaves nothing behind.
	Fetch(context.Context, *Request) (*Answer, error)
	// Close ends what the strategy started.
	Close() error
}
