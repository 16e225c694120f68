// Package fetch fetches one page of the web, with the first of several strategies that succeeds.
//
// A [Strategy] is one way to fetch a page: "native" sends a request to its server, through [webclient]; "browser"
// renders the page; "firecrawl" has a service fetch it. All of them return the bytes that the server sent or the
// browser made, with their type. Conversion is done elsewhere.
//
// [Chain.Fetch] does this, in this order:
//
//  1. A strategy that cannot do what the request asks for, such as actions without a browser, is not tried. It
//     returns the reason, with what to configure.
//  2. The other strategies are tried in the order of the chain. But if an earlier strategy failed for a page near
//     this URL and a later one succeeded, that one goes first. The chain remembers this for each host.
//  3. An answer that is a shell, whose text is made by JavaScript, counts only if no later strategy has a better one.
//  4. A refusal by the rules for addresses, by robots.txt, for a missing page, or for one that is too large,
//     compressed or not, ends the search: no other strategy may or can do more.
//
// If no strategy succeeds, the error is [*Failed], which lists the strategies that were tried, why each failed, and
// how long it took.
package fetch

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// Names of strategies.
const (
	NativeName    = "native"
	BrowserName   = "browser"
	FirecrawlName = "firecrawl"
)

// A Request is for one page. Its caller has validated it: strategies rely on an absolute URL and complete actions.
type Request struct {
	URL     *url.URL
	Caller  string
	Timeout time.Duration // waiting included; 0: the strategy's default
	// Header is sent to the origin of URL only.
	Header http.Header
	// Known are the validators of an earlier answer; a strategy may answer [Answer.NotModified].
	Known    webclient.Validators
	MaxBytes int64 // 0: the strategy's default

	Proxy      Proxy
	BlockAds   bool
	WaitFor    time.Duration
	Actions    []Action // after WaitFor
	Screenshot bool

	// Formats are extracts that only a service makes: "summary", "branding".
	Formats []string
	// MaxAge is how old an answer from a service's cache may be.
	MaxAge time.Duration
}

// A Proxy is a way to the page.
type Proxy string

const (
	AutoProxy    Proxy = "auto"
	BasicProxy   Proxy = "basic"
	StealthProxy Proxy = "stealth"
)

// rendering returns why the request needs a browser, or "".
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

// NeedsService returns why only a service can serve the request, with what to configure, or "".
func (r *Request) NeedsService() string {
	switch {
	case r.Proxy == StealthProxy:
		return `proxy "stealth" needs a service: set FIRECRAWL_API_KEY`
	case len(r.Formats) > 0:
		return "the format " + r.Formats[0] + " needs a service: set FIRECRAWL_API_KEY"
	}
	return ""
}

// Plain reports whether any strategy can serve the request.
func (r *Request) Plain() bool { return r.rendering() == "" && r.NeedsService() == "" }

// An Answer is a page.
type Answer struct {
	Strategy    string
	URL         *url.URL
	NotModified bool // since Request.Known; then only Validators and Secrecy are set
	ContentType string
	Validators  webclient.Validators
	Secrecy     *webclient.Secrecy // nil: unknown
	Body        []byte
	Title       string // "": only the page itself has it

	Extras  []Extra // of actions, then Request.Screenshot and Request.Formats
	Credits int

	Notes []string // how the page differs from the request
}

// An Extra is something besides the page that a request asks for.
type Extra struct {
	Name  string
	Label string // the Name of its Action, or ""
	MIME  string
	Data  []byte
}

// Names of extras.
const (
	ExtraScreenshot = "screenshot"
	ExtraScrape     = "scrape"
	ExtraResult     = "result" // JSON of a script's value
)

// A Strategy is one way to fetch a page. Its methods are safe for concurrent use.
type Strategy interface {
	Name() string
	// Refuses returns why the strategy cannot serve a request at all, with what to configure, or "". It sends no
	// requests.
	Refuses(*Request) string
	// Fetch fetches the page. It returns when ctx ends, and leaves nothing running.
	Fetch(context.Context, *Request) (*Answer, error)
}

// accepted is the default Accept header: Markdown, if the server has it, and otherwise the types that a browser asks
// for.
const accepted = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/pdf;q=0.8, */*;q=0.5"

// Native fetches a page from its server. It runs no scripts and loads nothing else.
type Native struct{ Client *webclient.Client }

// Name returns "native".
func (n *Native) Name() string { return NativeName }

// Refuses implements [Strategy].
func (n *Native) Refuses(r *Request) string {
	if reason := r.rendering(); reason != "" {
		return reason + ": start the server with --browser, or set FIRECRAWL_API_KEY"
	}
	return r.NeedsService()
}

// Fetch implements [Strategy].
func (n *Native) Fetch(ctx context.Context, r *Request) (*Answer, error) {
	accept := ""
	if r.Header.Get("Accept") == "" {
		accept = accepted
	}
	response, err := n.Client.Get(ctx, webclient.Request{URL: r.URL, Caller: r.Caller, Header: r.Header, Known: r.Known, Accept: accept, MaxBytes: r.MaxBytes, Timeout: r.Timeout})
	if err != nil {
		return nil, err
	}
	return &Answer{
		Strategy: NativeName, URL: response.URL, NotModified: response.NotModified, ContentType: response.ContentType,
		Validators: response.Validators, Secrecy: &response.Secrecy, Body: response.Body,
	}, nil
}

// An Action is something that a browser does with a page. Which other fields it has depends on
// its type:
//
//	wait               Milliseconds
//	click              Selector
//	write              Selector, Text
//	press              Key
//	scroll             Direction ("up", "down"), Amount (pixels; 0: a screen)
//	screenshot         Name
//	scrape             Selector ("": the whole page)
//	executeJavascript  Script
type Action struct {
	Type         string `json:"type" schema:"required enum=wait|click|write|press|scroll|screenshot|scrape|executeJavascript"`
	Milliseconds int    `json:"milliseconds,omitempty" schema:"minimum=1 maximum=60000"`
	Selector     string `json:"selector,omitempty"`
	Text         string `json:"text,omitempty"`
	Key          string `json:"key,omitempty"`
	Direction    string `json:"direction,omitempty" schema:"enum=up|down"`
	Amount       int    `json:"amount,omitempty" schema:"minimum=1 maximum=1000000"`
	Name         string `json:"name,omitempty"`
	Script       string `json:"script,omitempty"`
}

// Types of actions.
const (
	ActWait       = "wait"
	ActClick      = "click"
	ActWrite      = "write"
	ActPress      = "press"
	ActScroll     = "scroll"
	ActScreenshot = "screenshot"
	ActScrape     = "scrape"
	ActScript     = "executeJavascript"
)

// Check returns which field an action lacks; the schema of the tool has checked everything else.
func (a *Action) Check() error {
	field, has := "", true
	switch a.Type {
	case ActWait:
		field, has = "milliseconds", a.Milliseconds > 0
	case ActClick, ActWrite:
		field, has = "selector", strings.TrimSpace(a.Selector) != ""
	case ActPress:
		field, has = "key", a.Key != ""
	case ActScroll:
		field, has = "direction", a.Direction != ""
	case ActScript:
		field, has = "script", strings.TrimSpace(a.Script) != ""
	}
	if !has {
		return fmt.Errorf("%s: is missing, but an action %s needs it", field, a.Type)
	}
	return nil
}
