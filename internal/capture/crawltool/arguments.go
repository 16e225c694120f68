package crawltool

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/toolargs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// Bounds on arguments.
const (
	maxGlobs  = 100
	maxPrompt = 4000 // bytes
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
"forceRescrape":{"type":"boolean","default":false,"description":"Request pages again that an earlier crawl with the same arguments captured and that have not expired"},
"delay":{"type":"integer","minimum":0,"maximum":600000,"description":"Milliseconds between an answer of a host and the next request to it, which may ask for more"},
"maxConcurrency":{"type":"integer","minimum":1,"maximum":10,"default":4,"description":"Pages processed at a time"},
"scrapeOptions":{"type":"object","properties":{
"formats":{"type":"array","items":{"type":"string","enum":["markdown","html","rawHtml"]},"default":["markdown"],"description":"html and rawHtml also keep the original HTML"},
"onlyMainContent":{"type":"boolean","default":true},
"includeTags":{"type":"array","items":{"type":"string"},"description":"CSS selectors: only matching elements are kept"},
"excludeTags":{"type":"array","items":{"type":"string"},"description":"CSS selectors: matching elements are removed"},
"headers":{"type":"object","additionalProperties":{"type":"string"},"description":"Sent to the host of the URL; not saved"}}},
"wait":{"type":"integer","minimum":0,"maximum":50000,"default":0,"description":"Milliseconds to wait for the end, with progress"},
"startIndex":{"type":"integer","minimum":0,"maximum":100000,"default":0,"description":"Number of the first page or error of jobId to return, from 0"},
"maxResults":{"type":"integer","minimum":1,"maximum":1000,"default":20,"description":"Maximum number of pages or errors of jobId to return"}}}`}

// choices are the arguments that decide what a crawl captures.
type choices struct {
	URL        string        `json:"url"`
	Limit      int           `json:"limit"`
	MaxDepth   int           `json:"maxDepth"`
	Entire     bool          `json:"crawlEntireDomain"`
	Subdomains bool          `json:"allowSubdomains"`
	External   bool          `json:"allowExternalLinks"`
	Include    []string      `json:"includePaths"`
	Exclude    []string      `json:"excludePaths"`
	NoQuery    bool          `json:"ignoreQueryParameters"`
	Sitemap    string        `json:"sitemap"`
	Scrape     scrapeOptions `json:"scrapeOptions"`
}

type scrapeOptions struct {
	Formats []string          `json:"formats"`
	Main    bool              `json:"onlyMainContent"`
	Include []string          `json:"includeTags"`
	Exclude []string          `json:"excludeTags"`
	Headers map[string]string `json:"headers,omitempty"`
}

// Commands.
const (
	start  = "start"
	stat   = "status"
	cancel = "cancel"
	faults = "errors"
	list   = "list"
)

// A query is the arguments of a call, and what they mean.
type query struct {
	choices
	Command       string `json:"command"`
	JobID         string `json:"jobId"`
	Cancel        bool   `json:"cancel"`
	Prompt        string `json:"prompt"`
	ForceRescrape bool   `json:"forceRescrape"`
	Delay         int64  `json:"delay"` // ms
	Workers       int    `json:"maxConcurrency"`
	Wait          int64  `json:"wait"` // ms
	Start         int    `json:"startIndex"`
	Results       int    `json:"maxResults"`

	crawl   crawl.Options
	choice  webpage.Choice
	headers http.Header
}

// raw reports whether the original HTML is kept too.
func (q *query) raw() bool {
	return slices.Contains(q.Scrape.Formats, "html") || slices.Contains(q.Scrape.Formats, "rawHtml")
}

// same returns a text that is equal for crawls that capture the same; nil: no other crawl does, as this one has headers.
func (q *query) same() json.RawMessage {
	if len(q.headers) > 0 {
		return nil
	}
	c := q.choices
	c.URL = q.crawl.Start.String()
	text, _ := json.Marshal(c) // does not fail for these types
	return text
}

// parse reads arguments; those that come later take precedence. The error is a [*tools.Mistake].
func parse(all ...json.RawMessage) (*query, error) {
	q := &query{choices: choices{Limit: crawl.DefaultLimit, NoQuery: true, Sitemap: "include", Scrape: scrapeOptions{Main: true}}, Workers: crawl.DefaultWorkers, Results: 20}
	for _, raw := range all {
		wrong := schema.Read(raw, q)
		if err := wrong.Err(); err != nil {
			return nil, err
		}
	}
	wrong := new(tools.Wrong)
	q.command(wrong)
	if q.Command == start && q.URL != "" {
		q.options(wrong)
	}
	return q, wrong.Err()
}

// command sets the command, and checks that it has what it needs.
func (q *query) command(wrong *tools.Wrong) {
	q.JobID = strings.TrimSpace(q.JobID)
	switch {
	case q.Command != "":
	case q.Cancel:
		q.Command = cancel
	case q.JobID != "":
		q.Command = stat
	default:
		q.Command = start
	}
	switch {
	case q.Command == list:
		if q.URL != "" || q.JobID != "" {
			wrong.Add("", "the command list takes neither url nor jobId")
		}
	case (q.URL == "") == (q.JobID == ""):
		wrong.Add("", `Provide either "url" to start a crawl, or "jobId" of one that was started`)
	case q.Command == start && q.JobID != "":
		wrong.Add("", "the command start takes url, not jobId")
	case q.Command != start && q.URL != "":
		wrong.Add("", "the command %s takes jobId, not url", q.Command)
	case q.Command != start && !validID(q.JobID):
		wrong.Add("jobId", "is not the id of a crawl")
	}
}

// options sets the options of a new crawl.
func (q *query) options(wrong *tools.Wrong) {
	q.crawl = crawl.Options{
		Limit: q.Limit, Depth: q.MaxDepth, Workers: q.Workers, Delay: time.Duration(q.Delay) * time.Millisecond,
		Scope: crawl.Scope{
			EntireDomain: q.Entire, Subdomains: q.Subdomains, External: q.External,
			Include: globs("includePaths", q.Include, wrong), Exclude: globs("excludePaths", q.Exclude, wrong),
		},
		IgnoreQuery: q.NoQuery, NoSitemaps: q.Sitemap == "skip",
	}
	if len(q.Prompt) > maxPrompt {
		wrong.Add("prompt", "has %d bytes, may have %d", len(q.Prompt), maxPrompt)
	}
	fail := func(name, format string, args ...any) { wrong.Add("scrapeOptions."+name, format, args...) }
	q.choice.Whole = !q.Scrape.Main
	q.choice.Include, q.choice.Exclude = toolargs.Selectors("includeTags", q.Scrape.Include, fail), toolargs.Selectors("excludeTags", q.Scrape.Exclude, fail)
	q.headers = toolargs.Header("headers", q.Scrape.Headers, fail)
	u, err := toolargs.URL(q.URL)
	if err == nil {
		q.crawl.Start, err = crawl.Clean(u, false)
	}
	if err != nil {
		q.crawl.Start = new(url.URL)
		wrong.Add("url", "%v", err)
	}
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
