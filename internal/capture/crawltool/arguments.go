package crawltool

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/toolargs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// Bounds on arguments.
const (
	maxGlobs       = 100
	maxPrompt      = 4000 // bytes
	defaultResults = 20
)

var schema = &tools.Schema{Text: `{"type":"object","properties":{
"command":{"type":"string","enum":["start","status","cancel","errors","list"],"description":"By default start with url, status with jobId. list returns all jobs and needs neither"},
"url":{"type":"string","description":"Start of the crawl: this page and those below it are captured; either this or jobId"},
"jobId":{"type":"string","description":"Id of a crawl that was started; either this or url"},
"cancel":{"type":"boolean","default":false,"description":"Cancel the crawl jobId; command cancel does the same"},
"prompt":{"type":"string","description":"What to crawl, in words, from which a language model derives parameters; given parameters win"},
"limit":{"type":"integer","minimum":1,"maximum":100000,"default":100,"description":"Maximum number of pages"},
"maxDepth":{"type":"integer","minimum":1,"maximum":10000,"description":"Maximum number of links from the URL to a page; unlimited by default"},
"crawlEntireDomain":{"type":"boolean","default":false,"description":"Also capture pages of the host that are not below the URL"},
"allowSubdomains":{"type":"boolean","default":false,"description":"Also capture pages of all hosts of the domain"},
"allowExternalLinks":{"type":"boolean","default":false,"description":"Also capture pages of other hosts to which links lead"},
"includePaths":{"type":"array","items":{"type":"string"},"description":"Globs such as */library/*: only these paths"},
"excludePaths":{"type":"array","items":{"type":"string"},"description":"Globs: these paths are left out"},
"ignoreQueryParameters":{"type":"boolean","default":true,"description":"Treat URLs that differ only in their queries as one page"},
"sitemap":{"type":"string","enum":["include","skip"],"default":"include","description":"skip: find pages by links only"},
"delay":{"type":"integer","minimum":0,"maximum":600000,"description":"Milliseconds between an answer of a host and the next request to it, which may ask for more"},
"maxConcurrency":{"type":"integer","minimum":1,"maximum":10,"default":4,"description":"Pages processed at a time"},
"scrapeOptions":{"type":"object","properties":{
"formats":{"type":"array","items":{"type":"string","enum":["markdown","html","rawHtml"]},"default":["markdown"],"description":"html and rawHtml also keep the original HTML"},
"onlyMainContent":{"type":"boolean","default":true},
"includeTags":{"type":"array","items":{"type":"string"},"description":"CSS selectors: only matching elements are kept"},
"excludeTags":{"type":"array","items":{"type":"string"},"description":"CSS selectors: matching elements are removed"},
"headers":{"type":"object","additionalProperties":{"type":"string"},"description":"Sent to the host of the URL; not saved"},
"actions":{"type":"array","items":{"type":"object"},"description":"What a browser does with each page before it is captured, as for scrape; only Firecrawl does this, for credits"}}},
"wait":{"type":"integer","minimum":0,"maximum":50000,"default":0,"description":"Milliseconds to wait for the end, with progress"},
"startIndex":{"type":"integer","minimum":0,"maximum":100000,"default":0,"description":"Number of the first page or error of jobId to return, from 0"},
"maxResults":{"type":"integer","minimum":1,"maximum":1000,"default":20,"description":"Maximum number of pages or errors of jobId to return"}}}`}

type arguments struct {
	Command    string         `json:"command,omitempty"`
	URL        string         `json:"url,omitempty"`
	JobID      string         `json:"jobId,omitempty"`
	Cancel     bool           `json:"cancel,omitempty"`
	Prompt     string         `json:"prompt,omitempty"`
	Limit      *int           `json:"limit,omitempty"`
	MaxDepth   *int           `json:"maxDepth,omitempty"`
	Entire     *bool          `json:"crawlEntireDomain,omitempty"`
	Subdomains *bool          `json:"allowSubdomains,omitempty"`
	External   *bool          `json:"allowExternalLinks,omitempty"`
	Include    []string       `json:"includePaths,omitempty"`
	Exclude    []string       `json:"excludePaths,omitempty"`
	NoQuery    *bool          `json:"ignoreQueryParameters,omitempty"`
	Sitemap    string         `json:"sitemap,omitempty"`
	Delay      *int           `json:"delay,omitempty"`
	Workers    *int           `json:"maxConcurrency,omitempty"`
	Scrape     *scrapeOptions `json:"scrapeOptions,omitempty"`
	Wait       *int           `json:"wait,omitempty"`
	Start      *int           `json:"startIndex,omitempty"`
	Results    *int           `json:"maxResults,omitempty"`
}

type scrapeOptions struct {
	Formats []string          `json:"formats,omitempty"`
	Main    *bool             `json:"onlyMainContent,omitempty"`
	Include []string          `json:"includeTags,omitempty"`
	Exclude []string          `json:"excludeTags,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Actions []json.RawMessage `json:"actions,omitempty"`
}

// Commands.
const (
	start  = "start"
	status = "status"
	cancel = "cancel"
	faults = "errors"
	list   = "list"
)

// A query is a parsed call.
type query struct {
	command     string
	id          string
	arguments   arguments
	crawl       crawl.Options
	choice      webpage.Choice
	raw         bool // the original HTML is kept too
	headers     http.Header
	actions     []fetch.Action // before a page is captured
	wait        time.Duration
	from, count int
}

// saved returns the arguments that may be on disk.
func (q *query) saved() (json.RawMessage, error) {
	a := q.arguments
	if a.Scrape != nil {
		s := *a.Scrape
		s.Headers, s.Actions = nil, nil
		a.Scrape = &s
	}
	a.Prompt, a.Wait = "", nil
	return json.Marshal(a)
}

// parse reads arguments. The error is a [*tools.Mistake].
func parse(raw json.RawMessage) (*query, error) {
	var a arguments
	wrong := schema.Read(raw, &a)
	if q := a.query(wrong); wrong.Err() == nil {
		return q, nil
	}
	return nil, wrong.Err()
}

// query returns the query of a call, and adds mistakes to wrong.
func (a arguments) query(wrong *tools.Wrong) *query {
	q := &query{command: a.Command, id: strings.TrimSpace(a.JobID), arguments: a, count: defaultResults}
	switch {
	case q.command != "":
	case a.Cancel:
		q.command = cancel
	case q.id != "":
		q.command = status
	default:
		q.command = start
	}
	switch {
	case q.command == list:
		if a.URL != "" || q.id != "" {
			wrong.Add("", "the command list takes neither url nor jobId")
		}
	case (a.URL == "") == (q.id == ""):
		wrong.Add("", `Provide either "url" to start a crawl, or "jobId" of one that was started`)
	case q.command == start && q.id != "":
		wrong.Add("", "the command start takes url, not jobId")
	case q.command != start && a.URL != "":
		wrong.Add("", "the command %s takes jobId, not url", q.command)
	case q.command != start && !validID(q.id):
		wrong.Add("jobId", "is not the id of a crawl")
	}
	q.wait, q.from = milliseconds(a.Wait), value(a.Start, 0)
	q.count = value(a.Results, defaultResults)
	if q.command == start && a.URL != "" {
		a.options(q, wrong)
	}
	return q
}

// value returns the value of an optional argument.
func value[T any](v *T, fallback T) T {
	if v == nil {
		return fallback
	}
	return *v
}

func milliseconds(v *int) time.Duration { return time.Duration(value(v, 0)) * time.Millisecond }

// options parses the arguments for a new crawl.
func (a arguments) options(q *query, wrong *tools.Wrong) {
	q.crawl = crawl.Options{
		Limit: value(a.Limit, crawl.DefaultLimit), Depth: value(a.MaxDepth, 0), Workers: value(a.Workers, 0), Delay: milliseconds(a.Delay),
		Scope: crawl.Scope{
			EntireDomain: value(a.Entire, false), Subdomains: value(a.Subdomains, false), External: value(a.External, false),
			Include: globs("includePaths", a.Include, wrong), Exclude: globs("excludePaths", a.Exclude, wrong),
		},
		IgnoreQuery: value(a.NoQuery, true), NoSitemaps: a.Sitemap == "skip",
	}
	if len(a.Prompt) > maxPrompt {
		wrong.Add("prompt", "has %d bytes, may have %d", len(a.Prompt), maxPrompt)
	}
	if s := a.Scrape; s != nil {
		a.scraping(q, s, wrong)
	}
	u, err := toolargs.URL(a.URL)
	if err == nil {
		q.crawl.Start, err = crawl.Clean(u, false)
	}
	if err != nil {
		wrong.Add("url", "%v", err)
	}
}

func (a arguments) scraping(q *query, s *scrapeOptions, wrong *tools.Wrong) {
	q.raw = slices.Contains(s.Formats, "html") || slices.Contains(s.Formats, "rawHtml")
	fail := func(name, format string, args ...any) { wrong.Add("scrapeOptions."+name, format, args...) }
	q.actions = toolargs.Actions("actions", s.Actions, fail)
	for _, a := range q.actions {
		if a.Type == fetch.ActScreenshot || a.Type == fetch.ActScrape {
			fail("actions", "%s is not possible in a crawl: scrape single pages with it", a.Type)
		}
	}
	q.choice.Whole = s.Main != nil && !*s.Main
	q.choice.Include, q.choice.Exclude = toolargs.Selectors("includeTags", s.Include, fail), toolargs.Selectors("excludeTags", s.Exclude, fail)
	q.headers = toolargs.Header("headers", s.Headers, fail)
}

// globs parses patterns. Agents write "*" as first or last segment for any number of segments, so it is treated as
// "**" there.
func globs(name string, patterns []string, wrong *tools.Wrong) (list []*glob.Glob) {
	if len(patterns) > maxGlobs {
		wrong.Add(name, "has %d patterns, may have %d", len(patterns), maxGlobs)
		return nil
	}
	for _, p := range patterns {
		wide := p
		if strings.HasPrefix(wide, "*/") {
			wide = "*" + wide
		}
		if strings.HasSuffix(wide, "/*") && !strings.HasSuffix(wide, "**/*") {
			wide += "*"
		}
		g, err := glob.Parse(wide)
		if err != nil {
			wrong.Add(name, "the pattern %.100q is %v", p, err)
			continue
		}
		list = append(list, g)
	}
	return list
}
