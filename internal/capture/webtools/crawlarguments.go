package webtools

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
)

const maxGlobs = 100

var crawlSchema = sync.OnceValue(func() *Schema { return SchemaOf[crawlQuery]() })

// choices are the arguments that decide what a crawl captures.
type crawlChoices struct {
	URL        string        `json:"url" doc:"Start of the crawl: this page and those below it are captured; either this or jobId"`
	Limit      int           `json:"limit" schema:"minimum=1 maximum=100000 default=100" doc:"Maximum number of pages"`
	MaxDepth   int           `json:"maxDepth" schema:"minimum=1 maximum=10000" doc:"Maximum number of links from the URL to a page; unlimited by default"`
	Entire     bool          `json:"crawlEntireDomain" schema:"default=false" doc:"Also capture pages of the host that are not below the URL"`
	Subdomains bool          `json:"allowSubdomains" schema:"default=false" doc:"Also capture pages of all hosts of the domain"`
	External   bool          `json:"allowExternalLinks" schema:"default=false" doc:"Also capture pages of other hosts to which links lead"`
	Include    []string      `json:"includePaths" doc:"Globs such as */library/*: only these paths"`
	Exclude    []string      `json:"excludePaths" doc:"Globs: these paths are left out"`
	NoQuery    bool          `json:"ignoreQueryParameters" schema:"default=true" doc:"Treat URLs that differ only in their queries as one page"`
	Sitemap    string        `json:"sitemap" schema:"enum=include|skip default=include" doc:"skip: find pages by links only"`
	Scrape     scrapeOptions `json:"scrapeOptions"`
}

type scrapeOptions struct {
	Formats []string          `json:"formats" schema:"enum=markdown|html|rawHtml" doc:"html and rawHtml also keep the original HTML; by default markdown"`
	Main    bool              `json:"onlyMainContent" schema:"default=true"`
	Include []string          `json:"includeTags" doc:"CSS selectors: only matching elements are kept"`
	Exclude []string          `json:"excludeTags" doc:"CSS selectors: matching elements are removed"`
	Headers map[string]string `json:"headers,omitempty" doc:"Sent to the host of the URL; not saved"`
}

// A query is the arguments of a call, and what they mean.
type crawlQuery struct {
	Command string `json:"command" schema:"enum=start|status|cancel|errors|list" doc:"By default start with url, status with jobId. list returns all jobs and needs neither"`
	JobID   string `json:"jobId" doc:"Id of a crawl that was started; either this or url"`
	Cancel  bool   `json:"cancel" schema:"default=false" doc:"Cancel the crawl jobId; command cancel does the same"`
	crawlChoices
	ForceRescrape bool  `json:"forceRescrape" schema:"default=false" doc:"Request pages again that an earlier crawl with the same arguments captured and that have not expired"`
	Delay         int64 `json:"delay" schema:"minimum=0 maximum=600000" doc:"Milliseconds between an answer of a host and the next request to it, which may ask for more"`
	Workers       int   `json:"maxConcurrency" schema:"minimum=1 maximum=10 default=4" doc:"Pages processed at a time"`
	Wait          int64 `json:"wait" schema:"minimum=0 maximum=50000 default=0" doc:"Milliseconds to wait for the end, with progress"`
	Start         int   `json:"startIndex" schema:"minimum=0 maximum=100000 default=0" doc:"Number of the first page or error of jobId to return, from 0"`
	Results       int   `json:"maxResults" schema:"minimum=1 maximum=1000 default=20" doc:"Maximum number of pages or errors of jobId to return"`

	crawl   crawl.Options
	choice  webpage.Choice
	headers http.Header
}

// Commands.
const (
	cmdStart  = "start"
	cmdStatus = "status"
	cmdCancel = "cancel"
	cmdErrors = "errors"
	cmdList   = "list"
)

// raw reports whether the original HTML is kept too.
func (q *crawlQuery) raw() bool {
	return slices.Contains(q.Scrape.Formats, "html") || slices.Contains(q.Scrape.Formats, "rawHtml")
}

// same returns a text that is equal for crawls that capture the same; nil: no other crawl does, as this one has headers.
func (q *crawlQuery) same() json.RawMessage {
	if len(q.headers) > 0 {
		return nil
	}
	c := q.crawlChoices
	c.URL = q.crawl.Start.String()
	return asJSON(c)
}

// parse reads the arguments of a call. The error is a [*tools.Mistake].
func parseCrawl(raw json.RawMessage) (*crawlQuery, error) {
	q := new(crawlQuery)
	wrong := crawlSchema().Read(raw, q)
	q.command(wrong)
	if q.Command == cmdStart && q.URL != "" {
		q.options(wrong)
	}
	return q, wrong.Err()
}

// command sets the command, and checks that it has what it needs.
func (q *crawlQuery) command(wrong *tools.Wrong) {
	q.JobID = strings.TrimSpace(q.JobID)
	switch {
	case q.Command != "":
	case q.Cancel:
		q.Command = cmdCancel
	case q.JobID != "":
		q.Command = cmdStatus
	default:
		q.Command = cmdStart
	}
	switch {
	case q.Command == cmdList:
		if q.URL != "" || q.JobID != "" {
			wrong.Add("", "the command list takes neither url nor jobId")
		}
	case (q.URL == "") == (q.JobID == ""):
		wrong.Add("", `Provide either "url" to start a crawl, or "jobId" of one that was started`)
	case q.Command == cmdStart && q.JobID != "":
		wrong.Add("", "the command start takes url, not jobId")
	case q.Command != cmdStart && q.URL != "":
		wrong.Add("", "the command %s takes jobId, not url", q.Command)
	case q.Command != cmdStart && !validID(q.JobID):
		wrong.Add("jobId", "is not the id of a crawl")
	}
}

// options sets the options of a new crawl.
func (q *crawlQuery) options(wrong *tools.Wrong) {
	q.crawl = crawl.Options{
		Limit: q.Limit, Depth: q.MaxDepth, Workers: q.Workers, Delay: milliseconds(q.Delay),
		Scope: crawl.Scope{
			EntireDomain: q.Entire, Subdomains: q.Subdomains, External: q.External,
			Include: globs(wrong, "includePaths", q.Include), Exclude: globs(wrong, "excludePaths", q.Exclude),
		},
		IgnoreQuery: q.NoQuery, NoSitemaps: q.Sitemap == "skip",
	}
	q.choice = choice(wrong, "scrapeOptions.", q.Scrape.Main, q.Scrape.Include, q.Scrape.Exclude)
	q.headers = headers(wrong, "scrapeOptions.headers", q.Scrape.Headers)
	q.crawl.Start = address(wrong, q.URL, siteURL)
}

// globs parses patterns. Agents write "*" as first or last segment for any number of segments, so it is treated as
// "**" there.
func globs(wrong *tools.Wrong, name string, patterns []string) (list []*glob.Glob) {
	each(wrong, name, patterns, maxGlobs, func(p string) error {
		if strings.HasPrefix(p, "*/") {
			p = "*" + p
		}
		if strings.HasSuffix(p, "/*") && !strings.HasSuffix(p, "**/*") {
			p += "*"
		}
		g, err := glob.Parse(p)
		list = append(list, g)
		return err
	})
	return list
}
