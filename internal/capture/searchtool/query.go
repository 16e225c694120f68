// Package searchtool implements the tool web_search, which searches the web by services that the
// operator configured. A [Provider] is one such service: SearXNG, Brave or Firecrawl.
//
//  1. The arguments of the tool become a [Query]. All mistakes are reported together.
//  2. The providers are tried in their order, until one succeeds. A provider that does not support the
//     query, such as a search by location, is skipped.
//  3. The store keeps a list of results for each source. Lists are private to the caller, since a search
//     shows what the caller is interested in.
//  4. With scrapeOptions, the pages are captured, and the answer links to the captures.
//  5. Strangers write titles and descriptions. The answer has them as JSON, each on one line and of
//     bounded length, and has only http and https URLs.
package searchtool

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// A Source is a kind of results.
type Source string

// The sources.
const (
	Web    Source = "web"
	Images Source = "images"
	News   Source = "news"
)

// A Category narrows a search for web pages.
type Category string

// The categories.
const (
	GitHub   Category = "github"
	Research Category = "research"
	PDF      Category = "pdf"
)

// A Result is a page, an image or a piece of news. Unknown fields are zero.
type Result struct {
	Title       string   `json:"title"`
	URL         string   `json:"url"`
	Description string   `json:"description,omitempty"`
	Category    Category `json:"category,omitempty"`
	Date        string   `json:"date,omitempty"`  // as the provider writes it
	Image       string   `json:"image,omitempty"` // URL
}

// Results are the results of a provider.
type Results struct {
	Provider string
	Found    map[Source][]Result
	Credits  float64  // price of the search; 0: free, or unknown
	Notes    []string // parts of the query that were not followed, and failures
}

// A Provider is a service that searches the web.
type Provider interface {
	Name() string
	// Refuses returns why the provider does not support a query, or "". It makes no request.
	Refuses(*Query) string
	// Search returns at most Query.Limit results of each source, the best first.
	Search(context.Context, *Query) (*Results, error)
	Close()
}

// Bounds of the fields of a result, in bytes.
const (
	maxURL         = 4 << 10
	maxTitle       = 500
	maxDescription = 2000
)

// noLocation is the reason of providers that do not support [Query.Place].
const noLocation = "it cannot search by location; leave that out, or the operator sets FIRECRAWL_API_KEY"

// search tries the providers in turn.
func search(ctx context.Context, providers []Provider, q *Query) (*Results, error) {
	var failures []error
	for _, p := range providers {
		if why := p.Refuses(q); why != "" {
			failures = append(failures, fmt.Errorf("%s was not used: %s", p.Name(), why))
			continue
		}
		results, err := p.Search(ctx, q)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			failures = append(failures, err)
			continue
		}
		results.Provider = p.Name()
		for source, found := range results.Found {
			results.Found[source] = clean(found, q.Limit)
		}
		for _, failure := range failures {
			results.Notes = append(results.Notes, failure.Error())
		}
		return results, nil
	}
	return nil, errors.Join(failures...)
}

// clean prepares results for an answer: only URLs of web pages, each once, and texts on one line.
func clean(found []Result, limit int) []Result {
	kept := make([]Result, 0, min(len(found), limit))
	seen := make(map[string]bool)
	for _, r := range found {
		if !ofTheWeb(r.URL) || seen[r.URL] {
			continue
		}
		seen[r.URL] = true
		if !ofTheWeb(r.Image) {
			r.Image = ""
		}
		r.Title, r.Description, r.Date = line(r.Title, maxTitle), line(r.Description, maxDescription), line(r.Date, maxTitle)
		if kept = append(kept, r); len(kept) == limit {
			break
		}
	}
	return kept
}

func ofTheWeb(s string) bool {
	u, err := url.Parse(s)
	return err == nil && len(s) <= maxURL && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// line returns a text without HTML entities, on one line of at most a number of bytes.
func line(s string, most int) string {
	s = strings.ToValidUTF8(html.UnescapeString(s), "\uFFFD")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	}), " ")
	return excerpt.Ellipsis(s, most)
}
