package fetch

import (
	"context"
	"net/http"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// accepted is what native asks for unless the request says something else: Markdown, if the server
// has it, and otherwise what a browser asks for.
const accepted = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/pdf;q=0.8, */*;q=0.5"

// Native asks the server of a page itself. It runs no scripts and loads nothing else.
type Native struct{ Client *webclient.Client }

// Name returns "native".
func (n *Native) Name() string { return NativeName }

// Refuses returns why a request needs another strategy.
func (n *Native) Refuses(r *Request) string {
	if what := r.rendering(); what != "" {
		return what + ": start the server with --browser, or set FIRECRAWL_API_KEY"
	}
	if r.Proxy == StealthProxy {
		return `proxy "stealth" needs a service: set FIRECRAWL_API_KEY`
	}
	if len(r.Formats) > 0 {
		return "the format " + r.Formats[0] + " needs a service: set FIRECRAWL_API_KEY"
	}
	return ""
}

// Fetch gets a page.
func (n *Native) Fetch(ctx context.Context, r *Request) (*Answer, error) {
	header := r.Header
	if len(r.Languages) > 0 && header.Get("Accept-Language") == "" {
		header = header.Clone()
		if header == nil {
			header = make(http.Header)
		}
		header.Set("Accept-Language", strings.Join(r.Languages, ", "))
	}
	accept := r.Accept
	if accept == "" && header.Get("Accept") == "" {
		accept = accepted
	}
	response, err := n.Client.Get(ctx, webclient.Request{URL: r.URL, Caller: r.Caller, Header: header, Known: r.Known, Accept: accept, MaxBytes: r.MaxBytes, Timeout: r.Timeout})
	if err != nil {
		return nil, err
	}
	return &Answer{
		Strategy: NativeName, URL: response.URL, NotModified: response.NotModified, ContentType: response.ContentType,
		Validators: response.Validators, Secrecy: &response.Secrecy, Body: response.Body,
	}, nil
}

// Close does nothing.
func (n *Native) Close() error { return nil }
