package crawl

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/url"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// A Site fetches. [webclient.Client] is one.
type Site interface {
	Get(context.Context, webclient.Request) (*webclient.Response, error)
	Sitemaps(context.Context, *url.URL) ([]string, error)
}

// A Keeper keeps pages. Its methods are called by several goroutines.
type Keeper interface {
	// Open is called before a page is asked for.
	Open(*url.URL) (Visit, error)
}

// A Visit is to one page.
type Visit interface {
	// Known says what is there already, and when it was fetched.
	Known() (webclient.Validators, time.Time)
	// Keep keeps a page. Its response may say that nothing has changed. [ErrElsewhere] reports that
	// [Page.Claim] was false, [ErrNoPage] that there is no text; any other error is that of the
	// page, and a [Fatal] one ends the crawl.
	Keep(context.Context, *Page) error
}

// Errors of [Visit.Keep].
var (
	ErrElsewhere = errors.New("another page has the same content")
	ErrNoPage    = errors.New("is no text")
)

// A Fatal error ends a crawl: there is no place for more pages.
type Fatal struct{ Err error }

func (f *Fatal) Error() string { return f.Err.Error() }
func (f *Fatal) Unwrap() error { return f.Err }

// A Page is one that was fetched.
type Page struct {
	URL      *url.URL
	Old      bool // an earlier crawl kept it
	Response *webclient.Response
	Leads    *webpage.Leads
	// Claim reports whether this is the first page with a content, of which it gets a [Digest].
	Claim func(digest [16]byte) bool
}

// Digest returns a digest of the content of a page, for [Page.Claim].
func Digest(title, text string) [16]byte {
	sum := sha256.Sum256([]byte(title + "\n" + text))
	return [16]byte(sum[:16])
}
