package firecrawl

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/outbound"
)

// refusals are what servers answer to programs that they do not want, but would to a browser.
var refusals = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable}

// Refuses reports whether an error is the answer of a server that does not want a program.
func Refuses(err error) bool {
	status, ok := errors.AsType[*outbound.StatusError](err)
	return ok && slices.Contains(refusals, status.Status)
}

// A Site fetches the pages of a site itself, and those that its server refuses by Firecrawl. It is a
// crawl.Site.
type Site struct {
	*outbound.Client
	Strategy *Strategy
}

// Get fetches a page as [outbound.Client.Get] does. Only a page of a crawl, which has
// [outbound.Request.Stay], is asked for by Firecrawl: lists such as sitemaps are not.
func (s *Site) Get(ctx context.Context, r outbound.Request) (*outbound.Response, error) {
	response, err := s.Client.Get(ctx, r)
	if err == nil || !r.Stay || !Refuses(err) {
		return response, err
	}
	request := &fetch.Request{URL: r.URL, Header: r.Header, MaxBytes: r.MaxBytes, Timeout: r.Timeout, Proxy: fetch.AutoProxy, BlockAds: true}
	if s.Strategy.Refuses(request) != "" {
		return nil, err
	}
	a, failure := s.Strategy.Fetch(ctx, request)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if failure != nil {
		return nil, errors.Join(err, failure)
	}
	if to := a.URL; to.String() != r.URL.String() {
		return nil, &outbound.RedirectError{From: r.URL, To: to}
	}
	return &outbound.Response{URL: a.URL, ContentType: a.ContentType, Header: http.Header{}, Body: a.Body}, nil
}
