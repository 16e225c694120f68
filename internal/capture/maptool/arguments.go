package maptool

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/toolargs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
)

// Bounds on arguments.
const (
	defaultLimit   = 5000
	maxLimit       = 100_000 // as the schema says
	maxResults     = 5000
	maxSearch      = 1000 // bytes
	defaultTimeout = time.Minute
	maxLanguages   = 9
)

// Environment variables.
const (
	CountryVariable   = "MAP_DEFAULT_COUNTRY"
	LanguagesVariable = "MAP_DEFAULT_LANGUAGES"
	ResultsVariable   = "MAP_MAX_RESULTS_PER_PAGE"
)

// Settings are the defaults of arguments.
type Settings struct {
	Country   string
	Languages []string
	Results   int // URLs of one answer
}

// FromEnvironment returns the settings of the environment. The error has a line for each mistake.
func FromEnvironment(getenv func(string) string) (Settings, error) {
	s := Settings{Country: "US", Languages: []string{"en-US"}, Results: 200}
	var wrong []error
	if v := getenv(CountryVariable); v != "" {
		if s.Country = strings.ToUpper(v); !toolargs.Country(s.Country) {
			wrong = append(wrong, fmt.Errorf("%s is %q, must be two letters such as US", CountryVariable, v))
		}
	}
	if v := getenv(LanguagesVariable); v != "" {
		s.Languages = nil
		for tag := range strings.SplitSeq(v, ",") {
			s.Languages = append(s.Languages, strings.TrimSpace(tag))
		}
		if err := checkLanguages(s.Languages); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", LanguagesVariable, err))
		}
	}
	if v := getenv(ResultsVariable); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > maxResults {
			wrong = append(wrong, fmt.Errorf("%s is %q, must be a number from 1 to %d", ResultsVariable, v, maxResults))
		}
		s.Results = n
	}
	return s, errors.Join(wrong...)
}

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

var schema = &tools.Schema{Text: `{"type":"object","required":["url"],"properties":{
"url":{"type":"string","description":"URL of a page of the site; https:// may be left out"},
"search":{"type":"string","description":"Only URLs that have one of these words in the URL or the title; URLs with more of the words come first"},
"limit":{"type":"integer","minimum":1,"maximum":100000,"default":5000,"description":"URLs at most, in all answers together"},
"maxResults":{"type":"integer","minimum":1,"maximum":5000,"description":"URLs of one answer; 200 by default"},
"sitemap":{"type":"string","enum":["skip","include","only"],"default":"include","description":"only: URLs of sitemaps alone; skip: URLs of links alone"},
"includeSubdomains":{"type":"boolean","default":true,"description":"Include the subdomains of the host"},
"ignoreQueryParameters":{"type":"boolean","default":true,"description":"Treat URLs that differ only in their queries as one"},
"timeout":{"type":"integer","minimum":1,"maximum":300000,"description":"Milliseconds to look for URLs; the answer has the URLs found until then. 60000 by default"},
"location":{"type":"object","description":"Country and languages that the site is asked for","properties":{
"country":{"type":"string","description":"Two letters such as US"},
"languages":{"type":"array","items":{"type":"string"},"description":"Such as en-US, the first is preferred"}}},
"startIndex":{"type":"integer","minimum":0,"maximum":100000,"default":0,"description":"Number of the first URL to return, from 0; the previous answer says where to continue"},
"resultHandling":{"type":"string","enum":["saveOnly","saveAndReturn","returnOnly"],"default":"saveAndReturn","description":"saveOnly returns a link to the list, saveAndReturn the list as a resource, returnOnly its text without saving it"}}}`}

type arguments struct {
	URL               *string `json:"url"`
	Search            string  `json:"search"`
	Limit             int     `json:"limit"`
	MaxResults        int     `json:"maxResults"`
	Sitemap           string  `json:"sitemap"`
	IncludeSubdomains bool    `json:"includeSubdomains"`
	IgnoreQuery       bool    `json:"ignoreQueryParameters"`
	Timeout           int     `json:"timeout"`
	Location          struct {
		Country   string   `json:"country"`
		Languages []string `json:"languages"`
	} `json:"location"`
	StartIndex     int    `json:"startIndex"`
	ResultHandling string `json:"resultHandling"`
}

// A query has the checked arguments of a call.
type query struct {
	url                      *url.URL
	search, sitemap          string
	limit, maxResults, start int
	subdomains, ignoreQuery  bool
	timeout                  time.Duration
	country                  string
	languages                []string
	handling                 string
}

// parse reads arguments. The error is a [*tools.Mistake].
func parse(raw json.RawMessage, s Settings) (*query, error) {
	a := arguments{Limit: defaultLimit, MaxResults: s.Results, Sitemap: "include", IncludeSubdomains: true, IgnoreQuery: true, Timeout: int(defaultTimeout / time.Millisecond), ResultHandling: toolargs.SaveAndReturn}
	wrong := schema.Read(raw, &a)
	q := &query{
		search: strings.TrimSpace(a.Search), sitemap: a.Sitemap, limit: a.Limit, maxResults: a.MaxResults, start: a.StartIndex, subdomains: a.IncludeSubdomains, ignoreQuery: a.IgnoreQuery,
		timeout: time.Duration(a.Timeout) * time.Millisecond, country: s.Country, handling: a.ResultHandling,
	}
	if a.URL != nil {
		var err error
		if q.url, err = toolargs.URL(*a.URL); err == nil {
			q.url, err = crawl.Clean(q.url, false)
		}
		if err != nil {
			wrong.Add("url", "%v", err)
		}
	}
	if len(a.Search) > maxSearch {
		wrong.Add("search", "has %d bytes, must have at most %d", len(a.Search), maxSearch)
	}
	tags := s.Languages
	if l := a.Location; l.Country != "" {
		if q.country = strings.ToUpper(l.Country); !toolargs.Country(q.country) {
			wrong.Add("location.country", "is %q, must be two letters such as US", l.Country)
		}
	}
	if l := a.Location; len(l.Languages) > 0 {
		tags = l.Languages
		if err := checkLanguages(tags); err != nil {
			wrong.Add("location.languages", "%v", err)
		}
	}
	for _, tag := range tags { // a language without a country gets the country of the call
		if !strings.Contains(tag, "-") {
			q.languages = append(q.languages, tag+"-"+q.country)
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
