package webtools

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const (
	maxRunning    = 8
	maxJobs       = 200
	maxErrors     = 1000
	maxFault      = 500
	maxCrawlBytes = 2 << 30
	maxCrawlTime  = 12 * time.Hour
	// tidyEvery is how often jobs that ended [jobTime] ago are removed.
	tidyEvery = time.Hour
)

// Commands.
const (
	cmdStart  = "start"
	cmdStatus = "status"
	cmdCancel = "cancel"
	cmdErrors = "errors"
	cmdList   = "list"
)

var crawlSchema = tools.SchemaOf[crawlQuery]()

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

// choices are the arguments that decide what a crawl captures.
type crawlChoices struct {
	URL        string        `json:"url" doc:"Start of the crawl: this page and those below it are captured; either this or jobId"`
	Limit      int           `json:"limit" schema:"minimum=1 maximum=100000 default=100" doc:"Maximum number of pages"`
	MaxDepth   int           `json:"maxDepth" schema:"minimum=1 maximum=10000" doc:"Maximum number of links from the URL to a page; unlimited by default"`
	Entire     bool          `json:"crawlEntireDomain" schema:"default=false" doc:"Also capture pages of the host that are not below the URL"`
	Subdomains bool          `json:"allowSubdomains" schema:"default=false" doc:"Also capture pages of all hosts of the domain"`
	External   bool          `json:"allowExternalLinks" schema:"default=false" doc:"Also capture pages of other hosts to which links lead"`
	Include    []string      `json:"includePaths" schema:"maxItems=100" doc:"Globs such as */library/*: only these paths"`
	Exclude    []string      `json:"excludePaths" schema:"maxItems=100" doc:"Globs: these paths are left out"`
	NoQuery    bool          `json:"ignoreQueryParameters" schema:"default=true" doc:"Treat URLs that differ only in their queries as one page"`
	Sitemap    string        `json:"sitemap" schema:"enum=include|skip default=include" doc:"skip: find pages by links only"`
	Scrape     scrapeOptions `json:"scrapeOptions"`
}

type scrapeOptions struct {
	Formats []string          `json:"formats" schema:"enum=markdown|html|rawHtml" doc:"html and rawHtml also keep the original HTML; by default markdown"`
	Main    bool              `json:"onlyMainContent" schema:"default=true"`
	Include []string          `json:"includeTags" schema:"maxItems=100" doc:"CSS selectors: only matching elements are kept"`
	Exclude []string          `json:"excludeTags" schema:"maxItems=100" doc:"CSS selectors: matching elements are removed"`
	Headers map[string]string `json:"headers,omitempty" doc:"Sent to the host of the URL; not saved"`
}

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
	each(wrong, name, patterns, func(p string) error {
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

// A Crawler is the tool crawl, which runs jobs. It is safe for concurrent use.
type Crawler struct {
	Options
	ctx  context.Context // of all jobs
	end  context.CancelFunc
	work sync.WaitGroup

	mu     sync.Mutex // guards all fields below
	jobs   []*job     // the oldest first
	closed bool
}

// NewCrawler returns a crawler.
func NewCrawler(o Options) *Crawler {
	m := &Crawler{Options: o}
	m.ctx, m.end = context.WithCancel(context.Background())
	return m
}

// Run removes old jobs until ctx ends. Then it ends all jobs.
func (m *Crawler) Run(ctx context.Context) {
	ticker := time.NewTicker(tidyEvery)
	defer ticker.Stop()
	for ctx.Err() == nil {
		m.tidy(ctx)
		_ = latest.Wait(ctx, ticker.C)
	}
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.end()
	m.work.Wait()
}

// tidy removes jobs that ended long ago.
func (m *Crawler) tidy(ctx context.Context) {
	m.mu.Lock()
	m.jobs = slices.DeleteFunc(m.jobs, func(j *job) bool { return m.old(j.look()) })
	m.mu.Unlock()
	if m.Jobs != nil {
		if err := m.Jobs.Tidy(ctx); err != nil && ctx.Err() == nil {
			m.Logger.Debug("old crawls cannot be removed", "error", err)
		}
	}
}

// Running returns how many jobs run in this process.
func (m *Crawler) Running() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	all, _ := m.running("")
	return all
}

// running returns how many jobs run, and how many of these are of a caller. The caller of running holds m.mu.
func (m *Crawler) running(owner string) (all, ours int) {
	for _, j := range m.jobs {
		if j.look().State == running {
			all++
			if j.owner == owner {
				ours++
			}
		}
	}
	return all, ours
}

// old reports whether a job of this process ended longer than [jobTime] ago: callers cannot see it any more.
func (m *Crawler) old(d *jobReport) bool {
	return d.State != running && m.Now().Sub(d.Ended) > jobTime
}

// begin runs a job, and returns the job that is forgotten for it; nil: none.
func (m *Crawler) begin(j *job) (forgotten *job, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	count, ours := m.running(j.owner)
	switch {
	case m.closed:
		return nil, errors.New("the server ends")
	case count >= maxRunning:
		return nil, fmt.Errorf("%d crawls are running, which is the limit: wait until one ends, or cancel one", count)
	case j.shared && ours >= maxRunning-count:
		return nil, fmt.Errorf("%d of your crawls are running, which is the limit for now, as others use the server too: wait until one ends, or cancel one", ours)
	}
	forgotten = m.remember(j)
	ctx, cancel := context.WithCancel(m.ctx)
	j.cancel, j.pins = cancel, []func(){m.Store.Pin(j.id)}
	m.work.Go(func() {
		defer cancel()
		j.run(ctx)
	})
	return forgotten, nil
}

// remember remembers a job. If there are too many, it forgets the oldest ended job of the caller that has the most jobs, and
// returns it. The caller holds m.mu.
func (m *Crawler) remember(j *job) (forgotten *job) {
	if len(m.jobs) >= maxJobs {
		count := make(map[string]int)
		for _, other := range m.jobs {
			count[other.owner]++
		}
		for _, old := range m.jobs {
			if old.look().State != running && (forgotten == nil || count[old.owner] > count[forgotten.owner]) {
				forgotten = old
			}
		}
		m.jobs = slices.DeleteFunc(m.jobs, func(other *job) bool { return other == forgotten })
	}
	m.jobs = append(m.jobs, j)
	return forgotten
}

// ours returns a job of a caller that this process has run; nil: there is none.
func (m *Crawler) ours(owner, id string) *job {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, j := range m.jobs {
		if j.id == id && j.owner == owner {
			return j
		}
	}
	return nil
}

// find returns the document of a job. The error is [fs.ErrNotExist] if the caller has no such job.
func (m *Crawler) find(ctx context.Context, owner, id string) (*jobReport, error) {
	if j := m.ours(owner, id); j != nil {
		if d := j.look(); !m.old(d) {
			return d, nil
		}
	}
	if m.Jobs == nil {
		return nil, fs.ErrNotExist
	}
	return m.Jobs.Read(ctx, owner, id)
}

// list returns the states of the jobs of a caller, the oldest first.
func (m *Crawler) list(ctx context.Context, owner string) (list []status, err error) {
	m.mu.Lock()
	jobs := slices.Clone(m.jobs)
	m.mu.Unlock()
	known := make(map[string]bool)
	for _, j := range jobs {
		if d := j.look(); j.owner == owner && !m.old(d) {
			known[j.id] = true
			list = append(list, d.status)
		}
	}
	if m.Jobs != nil {
		others, failure := m.Jobs.List(ctx, owner)
		err = failure
		for _, s := range others {
			if !known[s.ID] {
				list = append(list, s)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b status) int { return a.Created.Compare(b.Created) })
	return list, err
}

// newID returns an id that cannot be guessed.
func newID() string {
	text := strings.ToLower(rand.Text())
	return text[:8] + "-" + text[8:16] + "-" + text[16:26]
}

// validID reports whether an id has the form of [newID].
func validID(id string) bool { return ids().MatchString(id) }

var ids = lazyregexp.New(`^[a-z2-7-]{8}-[a-z2-7-]{8}-[a-z2-7-]{10}$`)
