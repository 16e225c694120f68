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
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// Bounds on arguments.
const (
	defaultLimit   = 5000
	maxLimit       = 100_000
	maxResults     = 5000
	maxSearch      = 1000 // bytes
	defaultTimeout = time.Minute
	maxTimeout     = 5 * time.Minute
	maxLanguages   = 9
)

// Variables of the environment.
const (
	CountryVariable   = "MAP_DEFAULT_COUNTRY"
	LanguagesVariable = "MAP_DEFAULT_LANGUAGES"
	ResultsVariable   = "MAP_MAX_RESULTS_PER_PAGE"
)

// Settings are what holds where a call says nothing.
type Settings struct {
	Country   string
	Languages []string
	Results   int // URLs of a page
}

// FromEnvironment returns the settings that variables say. Everything wrong with them is in the
// error, a line each.
func FromEnvironment(getenv func(string) string) (Settings, error) {
	s := Settings{Country: "US", Languages: []string{"en-US"}, Results: 200}
	var wrong []error
	if v := getenv(CountryVariable); v != "" {
		if s.Country = strings.ToUpper(v); !country(s.Country) {
			wrong = append(wrong, fmt.Errorf("%s is %q, must be two letters such as US", CountryVariable, v))
		}
	}
	if v := getenv(LanguagesVariable); v != "" {
		s.Languages = nil
		for tag := range strings.SplitSeq(v, ",") {
			s.Languages = append(s.Languages, strings.TrimSpace(tag))
		}
		if err := languages(s.Languages); err != nil {
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

func country(s string) bool {
	return len(s) == 2 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'A' && s[1] <= 'Z'
}

func languages(list []string) error {
	if len(list) > maxLanguages {
		return fmt.Errorf("there are %d languages, may be %d", len(list), maxLanguages)
	}
	for _, tag := range list {
		if _, err := language.Parse(tag[:min(len(tag), 36)]); err != nil || len(tag) > 35 {
			return fmt.Errorf("%.100q is no language such as en or pt-BR", tag)
		}
	}
	return nil
}

const schema = `{"type":"object","required":["url"],"properties":{
"url":{"type":"string","description":"URL of a page of the site; https:// may be left out"},
"search":{"type":"string","description":"Only URLs that have one of these words, or whose titles have; those with more of them come first"},
"limit":{"type":"integer","minimum":1,"maximum":100000,"default":5000,"description":"URLs at most, in all answers together"},
"maxResults":{"type":"integer","minimum":1,"maximum":5000,"description":"URLs of one answer; 200 by default"},
"sitemap":{"type":"string","enum":["skip","include","only"],"default":"include","description":"only: URLs of sitemaps alone; skip: those of links alone"},
"includeSubdomains":{"type":"boolean","default":true,"description":"Hosts of the same domain too"},
"ignoreQueryParameters":{"type":"boolean","default":true,"description":"Take URLs that differ in their queries for one"},
"timeout":{"type":"integer","minimum":1,"maximum":300000,"description":"Milliseconds to look for URLs; then the answer has what was found. 60000 by default"},
"location":{"type":"object","description":"In which language the site is asked for its pages","properties":{
"country":{"type":"string","description":"Two letters such as US"},
"languages":{"type":"array","items":{"type":"string"},"description":"Such as en-US, the first is preferred"}}},
"startIndex":{"type":"integer","minimum":0,"default":0,"description":"Number of the first URL to return, from 0; the answer before says where to go on"},
"resultHandling":{"type":"string","enum":["saveOnly","saveAndReturn","returnOnly"],"default":"saveAndReturn","description":"saveOnly returns a link to the list, saveAndReturn the list as a resource, returnOnly its text without saving it"}}}`

type arguments struct {
	URL               string `json:"url"`
	Search            string `json:"search"`
	Limit             *int   `json:"limit"`
	MaxResults        *int   `json:"maxResults"`
	Sitemap           string `json:"sitemap"`
	IncludeSubdomains *bool  `json:"includeSubdomains"`
	IgnoreQuery       *bool  `json:"ignoreQueryParameters"`
	Timeout           *int   `json:"timeout"`
	Location          *struct {
		Country   string   `json:"country"`
		Languages []string `json:"languages"`
	} `json:"location"`
	StartIndex     int    `json:"startIndex"`
	ResultHandling string `json:"resultHandling"`
}

// A query is what a call wants.
type query struct {
	url                     *url.URL
	search, sitemap         string
	limit, most, start      int
	subdomains, ignoreQuery bool
	timeout                 time.Duration
	country                 string
	languages               []string
	handling                string
}

// parse reads arguments. The error is a [*tools.Mistake].
func parse(raw json.RawMessage, s Settings) (*query, error) {
	var a arguments
	if err := tools.Arguments(raw, &a); err != nil {
		return nil, err
	}
	q := &query{search: strings.TrimSpace(a.Search), sitemap: "include", limit: defaultLimit, most: s.Results, start: a.StartIndex, subdomains: true, ignoreQuery: true, timeout: defaultTimeout, handling: toolargs.SaveAndReturn}
	var wrong []error
	fault := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	number := func(name string, v *int, low, high int, dst *int) {
		if v == nil {
			return
		}
		if *v < low || *v > high {
			fault("%s: is %d, must be from %d to %d", name, *v, low, high)
		}
		*dst = *v
	}
	var err error
	if q.url, err = toolargs.URL(a.URL); err == nil {
		q.url, err = crawl.Clean(q.url, false)
	}
	if a.URL == "" {
		fault("url: is missing")
	} else if err != nil {
		fault("url: %w", err)
	}
	number("limit", a.Limit, 1, maxLimit, &q.limit)
	number("maxResults", a.MaxResults, 1, maxResults, &q.most)
	number("startIndex", &a.StartIndex, 0, maxLimit, &q.start)
	ms := int(q.timeout / time.Millisecond)
	number("timeout", a.Timeout, 1, int(maxTimeout/time.Millisecond), &ms)
	q.timeout = time.Duration(ms) * time.Millisecond
	if len(a.Search) > maxSearch {
		fault("search: has %d bytes, may have %d", len(a.Search), maxSearch)
	}
	switch a.Sitemap {
	case "":
	case "skip", "include", "only":
		q.sitemap = a.Sitemap
	default:
		fault("sitemap: %s", nearest.NotOneOf(a.Sitemap, []string{"skip", "include", "only"}))
	}
	switch a.ResultHandling {
	case "":
	case toolargs.SaveOnly, toolargs.SaveAndReturn, toolargs.ReturnOnly:
		q.handling = a.ResultHandling
	default:
		fault("resultHandling: %s", nearest.NotOneOf(a.ResultHandling, []string{toolargs.SaveOnly, toolargs.SaveAndReturn, toolargs.ReturnOnly}))
	}
	if a.IncludeSubdomains != nil {
		q.subdomains = *a.IncludeSubdomains
	}
	if a.IgnoreQuery != nil {
		q.ignoreQuery = *a.IgnoreQuery
	}
	place, spoken := s.Country, s.Languages
	if l := a.Location; l != nil {
		if l.Country != "" {
			if place = strings.ToUpper(l.Country); !country(place) {
				fault("location.country: is %q, must be two letters such as US", l.Country)
			}
		}
		if len(l.Languages) > 0 {
			spoken = l.Languages
			if err := languages(spoken); err != nil {
				fault("location.languages: %w", err)
			}
		}
	}
	q.country = place
	for _, tag := range spoken { // a language without a country is spoken in that of the call
		if !strings.Contains(tag, "-") {
			q.languages = append(q.languages, tag+"-"+place)
		}
		q.languages = append(q.languages, tag)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, &tools.Mistake{Err: fmt.Errorf("Invalid arguments: %s", strings.ReplaceAll(err.Error(), "\n", ", "))} //lint:ignore ST1005 these are the words of the interface
	}
	return q, nil
}

// header is what the site is asked with.
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
