package maptool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/language"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/toolargs"
)

const (
	maxLimit     = 100_000 // as the schema says
	maxSearch    = 1000    // bytes
	maxLanguages = 9
)

// checkLanguages checks a list of language tags.
func checkLanguages(list []string) error {
	if len(list) > maxLanguages {
		return fmt.Errorf("has %d languages, must have at most %d", len(list), maxLanguages)
	}
	for _, tag := range list {
		if _, err := language.Parse(tag[:min(len(tag), 36)]); err != nil || len(tag) > 35 {
			return fmt.Errorf("%.100q is not a language such as en or pt-BR", tag)
		}
	}
	return nil
}

var schema = sync.OnceValue(func() *toolargs.Schema { return toolargs.SchemaOf[query]() })

// A query is the arguments of a call, and what they mean.
type query struct {
	URL         *string `json:"url" schema:"required" doc:"URL of a page of the site; https:// may be left out"`
	Search      string  `json:"search" doc:"Only URLs that have one of these words in the URL or the title; URLs with more of the words come first"`
	Limit       int     `json:"limit" schema:"minimum=1 maximum=100000 default=5000" doc:"URLs at most, in all answers together"`
	MaxResults  int     `json:"maxResults" schema:"minimum=1 maximum=5000 default=200" doc:"URLs of one answer"`
	Sitemap     string  `json:"sitemap" schema:"enum=skip|include|only default=include" doc:"only: URLs of sitemaps alone; skip: URLs of links alone"`
	Subdomains  bool    `json:"includeSubdomains" schema:"default=true" doc:"Include the subdomains of the host"`
	IgnoreQuery bool    `json:"ignoreQueryParameters" schema:"default=true" doc:"Treat URLs that differ only in their queries as one"`
	Timeout     int64   `json:"timeout" schema:"minimum=1 maximum=300000 default=60000" doc:"Milliseconds to look for URLs; the answer has the URLs found until then"`
	Location    struct {
		Country   string   `json:"country" schema:"default=US" doc:"Two letters such as US"`
		Languages []string `json:"languages" doc:"Such as en-US, the first is preferred"`
	} `json:"location" doc:"Country and languages that the site is asked for"`
	StartIndex     int    `json:"startIndex" schema:"minimum=0 maximum=100000 default=0" doc:"Number of the first URL to return, from 0; the previous answer says where to continue"`
	ResultHandling string `json:"resultHandling" schema:"enum=saveOnly|saveAndReturn|returnOnly default=saveAndReturn" doc:"saveOnly returns a link to the list, saveAndReturn the list as a resource, returnOnly its text without saving it"`

	url       *url.URL
	languages []string // preferred ones first
}

func (q *query) timeout() time.Duration { return time.Duration(q.Timeout) * time.Millisecond }

// parse reads arguments. The error is a [*tools.Mistake].
func parse(raw json.RawMessage) (*query, error) {
	q := new(query)
	wrong := schema().Read(raw, q)
	q.Search = strings.TrimSpace(q.Search)
	if q.URL != nil {
		var err error
		if q.url, err = toolargs.URL(*q.URL); err == nil {
			q.url, err = crawl.Clean(q.url, false)
		}
		if err != nil {
			wrong.Add("url", "%v", err)
		}
	}
	if len(q.Search) > maxSearch {
		wrong.Add("search", "has %d bytes, must have at most %d", len(q.Search), maxSearch)
	}
	l := &q.Location
	if l.Country = strings.ToUpper(cmp.Or(l.Country, "US")); !toolargs.Countries().MatchString(l.Country) {
		wrong.Add("location.country", "is %.50q, must be two letters such as US", l.Country)
	}
	tags := l.Languages
	if len(tags) == 0 {
		tags = []string{"en-US"}
	}
	if err := checkLanguages(tags); err != nil {
		wrong.Add("location.languages", "%v", err)
	}
	for _, tag := range tags { // a language without a country gets the country of the call
		if !strings.Contains(tag, "-") {
			q.languages = append(q.languages, tag+"-"+l.Country)
		}
		q.languages = append(q.languages, tag)
	}
	return q, wrong.Err()
}

// header returns the header of the requests to the site.
func (q *query) header() http.Header {
	var list []string
	for i, language := range q.languages {
		if i > 0 {
			language += fmt.Sprintf(";q=%.1f", max(0.1, 1-float64(i)/10))
		}
		list = append(list, language)
	}
	return http.Header{"Accept-Language": {strings.Join(list, ", ")}}
}
