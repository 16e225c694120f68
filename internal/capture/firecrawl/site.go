package firecrawl

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/apiclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// refusals are the statuses with which servers turn away programs, but possibly not browsers.
var refusals = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable}

// Refuses reports whether an error is a server's refusal to answer a program.
func Refuses(err error) bool {
	status, ok := errors.AsType[*webclient.StatusError](err)
	return ok && slices.Contains(refusals, status.Status)
}

// A Site fetches pages from their server. If the server refuses a page, the Site fetches it through Firecrawl. It is
// the crawl.Site of one crawl.
type Site struct {
	*webclient.Client
	Strategy *Strategy
	// Spent is called with the credits of each page of Firecrawl, before Get returns it.
	Spent func(page *url.URL, credits float64)

	mu     sync.Mutex // guards broken
	broken error      // the service rejects the key or the account
}

// Get implements crawl.Site. Only pages of a crawl, with [webclient.Request.Stay], are fetched through Firecrawl:
// lists such as sitemaps are not.
func (s *Site) Get(ctx context.Context, r webclient.Request) (*webclient.Response, error) {
	response, err := s.Client.Get(ctx, r)
	if err == nil || !r.Stay || !Refuses(err) {
		return response, err
	}
	request := &fetch.Request{URL: r.URL, Header: r.Header, MaxBytes: r.MaxBytes, Timeout: r.Timeout, Proxy: fetch.AutoProxy, BlockAds: true}
	if s.Strategy.Refuses(request) != "" {
		return nil, err
	}
	s.mu.Lock()
	broken := s.broken
	s.mu.Unlock()
	if broken != nil {
		return nil, errors.Join(err, broken)
	}
	a, failure := s.Strategy.Fetch(ctx, request)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if failure != nil {
		if f, ok := errors.AsType[*apiclient.Error](failure); ok && slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusPaymentRequired}, f.Status) {
			s.mu.Lock()
			s.broken = failure
			s.mu.Unlock()
		}
		return nil, errors.Join(err, failure)
	}
	if s.Spent != nil {
		s.Spent(r.URL, float64(a.Credits))
	}
	if to := a.URL; to.String() != r.URL.String() {
		return nil, &webclient.RedirectError{From: r.URL, To: to}
	}
	return &webclient.Response{URL: a.URL, ContentType: a.ContentType, Header: http.Header{}, Body: a.Body}, nil
}
