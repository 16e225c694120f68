package crawl

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/url"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
)

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
	Old      bool // an earlier crawl kept it
	Response *webclient.Response
	Leads    *webpage.Leads
	// Claim reports whether a page with this title and this Markdown is to be stored: no other page has the same content, and the
	// page that it names as canonical has other words.
	Claim func(title, markdown string) bool
}

// digestOf returns a digest of the content of a page.
func digestOf(title, text string) [16]byte {
	sum := sha256.Sum256([]byte(title + "\n" + text))
	return [16]byte(sum[:16])
}
