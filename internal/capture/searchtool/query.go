// Package searchtool searches the web by services that the operator configured, and has the tool
// web_search.
//
// A [Provider] is one such service: SearXNG, Brave or Firecrawl. A search goes like this:
//
//  1. The arguments of the tool become a [Query], which is checked whole: every mistake is named.
//  2. The providers are asked in their order. One that cannot do what the query asks for, such as a
//     search by place, says so and is not asked; one that fails is followed by the next.
//  3. What was found is kept in the store, a list for each source, for the caller alone: what
//     somebody searches for concerns nobody else.
//  4. With scrapeOptions, the pages are captured, and the answer links to them.
//
// Titles and descriptions come from pages that anybody can write. They are data in JSON, on one
// line each, of bounded length, and only http and https URLs are left.
package searchtool

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// A Source is a kind of results.
type Source string

// The sources.
const (
	Web    Source = "web"
	Images Source = "images"
	News   Source = "news"
)

// A Category narrows a search of the web.
type Category string

// The categories.
const (
	GitHub   Category = "github"
	Research Category = "research"
	PDF      Category = "pdf"
)

// A Query is what is searched for.
type Query struct {
	Text       string
	Limit      int // of results of each source
	Sources    []Source
	Categories []Category
	Country    string // ISO 3166-1 alpha-2, in upper case; "": any
	Language   string // such as en or pt-BR
	Place      string // "": anywhere
	Window     Window
	Timeout    time.Duration // 0: that of the provider
}

// A Result is a page, an image or a piece of news. What is unknown is zero.
type Result struct {
	Title       string   `json:"title"`
	URL         string   `json:"url"`
	Description string   `json:"description,omitempty"`
	Category    Category `json:"category,omitempty"`
	Date        string   `json:"date,omitempty"`   // as the provider has it
	Image       string   `json:"image,omitempty"`  // URL
	Width       int      `json:"width,omitempty"`  // of the image, in pixels
	Height      int      `json:"height,omitempty"` // the same
}

// Results are what a provider found.
type Results struct {
	Provider string
	Found    map[Source][]Result
	Credits  float64  // that the search cost; 0: nothing, or nobody counts
	Notes    []string // what is not as it was asked for
}

// A Provider is a service that searches the web.
type Provider interface {
	Name() string
	// Refuses returns why the provider cannot serve a query, or "". It asks nobody.
	Refuses(*Query) string
	// Search returns at most Query.Limit results of each source, the best first.
	Search(context.Context, *Query) (*Results, error)
	Close()
}

// Bounds on what is kept of a result, in bytes.
const (
	maxURL         = 4 << 10
	maxTitle       = 500
	maxDescription = 2000
)

// ErrNoProvider reports that no provider is configured.
var ErrNoProvider = errors.New("no provider is configured")

// search asks the providers in turn.
func search(ctx context.Context, providers []Provider, q *Query) (*Results, error) {
	if len(providers) == 0 {
		return nil, ErrNoProvider
	}
	var failures []error
	for _, p := range providers {
		if why := p.Refuses(q); why != "" {
			failures = append(failures, fmt.Errorf("%s is not asked: %s", p.Name(), why))
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

// clean returns results that can be shown: no other URLs than of web pages, none twice, and texts
// on one line.
func clean(found []Result, limit int) []Result {
	kept := make([]Result, 0, min(len(found), limit))
	seen := make(map[string]bool)
	for _, r := range found {
		if !ofTheWeb(r.URL) || seen[r.URL] {
			continue
		}
		seen[r.URL] = true
		if !ofTheWeb(r.Image) {
			r.Image, r.Width, r.Height = "", 0, 0
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

// line is a text of a page on one line, without marks of HTML, of at most so many bytes.
func line(s string, most int) string {
	s = strings.ToValidUTF8(html.UnescapeString(s), "\uFFFD")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	}), " ")
	if len(s) <= most {
		return s
	}
	cut := strings.ToValidUTF8(s[:most-len("…")], "")
	return strings.TrimRight(cut, " ") + "…"
}
