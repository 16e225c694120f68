package fetch

import (
	"context"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

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

// Close implements [Strategy]. It does nothing.
func (n *Native) Close() error { return nil }
