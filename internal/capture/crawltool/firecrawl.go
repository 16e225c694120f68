package crawltool

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/apiclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

const (
	// The progress of a crawl is requested every pollFirst. While no pages come, the interval grows to pollLast.
	pollFirst = 2 * time.Second
	pollLast  = 10 * time.Second
	// After a failure, the service is asked again after failPause, at most maxFails times in a row.
	failPause = 30 * time.Second
	maxFails  = 20
	// beginTime bounds starting a crawl at the service, and leaveTime cancelling it: the end of the process waits for
	// both.
	beginTime = 20 * time.Second
	leaveTime = 5 * time.Second
	// longestPause is the longest pause that the service may ask for.
	longestPause = 15 * time.Minute
	// maxPage bounds a page of the service, in bytes.
	maxPage = 10 << 20
	// spare is how many documents more than twice the limit the service may send.
	spare = 100
)

// remote is the part of job.json that describes a crawl at Firecrawl.
type remote struct {
	Why   string    `json:"why"`            // why Firecrawl crawls
	Key   string    `json:"idempotencyKey"` // sent with the request to start
	Asked time.Time `json:"asked,omitzero"` // time of the request to start
	ID    string    `json:"id,omitempty"`   // from the service; "": unknown
	Open  bool      `json:"open,omitempty"` // the crawl may still run and use credits
	Base  string    `json:"base,omitempty"` // target of the redirect of the start URL to another host
}

// A count is the progress of Firecrawl on a job.
type count struct {
	Credits float64   `json:"credits,omitempty"`
	Skip    int       `json:"skip,omitempty"`  // documents that were received
	Total   int       `json:"total,omitempty"` // pages that the service has found
	Expires time.Time `json:"expires,omitzero"`
}

func newRemote(why string) *remote { return &remote{Why: why, Key: uuid()} }

// uuid returns a random UUID (RFC 9562, 5.4), the form of the service's keys.
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	text := hex.EncodeToString(b[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// request returns the request to the service for a page of a query.
func (q *query) request() *fetch.Request {
	return &fetch.Request{URL: q.crawl.Start, Header: q.headers, Proxy: fetch.AutoProxy, BlockAds: true, Actions: q.actions}
}

// options translates a query for the service. Pages come unchanged, since they are cleaned here.
func (q *query) options() firecrawl.CrawlOptions {
	c := &q.crawl
	o := firecrawl.CrawlOptions{
		Limit: c.Limit, Depth: c.Depth, EntireDomain: c.EntireDomain, Subdomains: c.Subdomains, External: c.External, IgnoreQuery: c.IgnoreQuery,
		Sitemap: "include", Delay: min(c.Delay, firecrawl.MaxDelay).Seconds(), Concurrency: c.Workers, Scrape: firecrawl.PageOptions(q.request()),
	}
	if c.NoSitemaps {
		o.Sitemap = "skip"
	}
	include, all := expressions(c.Include)
	if len(include) > 0 && all { // otherwise some pages would be missing
		o.Include = append(include, "^"+regexp.QuoteMeta(c.Start.EscapedPath())+"$") // the start URL is requested in any case
	}
	o.Exclude, _ = expressions(c.Exclude)
	return o
}

// expressions translates globs to regular expressions for the service. all is false if some cannot be translated;
// these are only applied to the pages that come.
func expressions(globs []*glob.Glob) (list []string, all bool) {
	all = true
	for _, g := range globs {
		if text, ok := g.Expression(); ok {
			list = append(list, "^/?"+text+"/?$")
		} else {
			all = false
		}
	}
	return list, all
}

// handOver hands a job over to Firecrawl. Its faults so far do not count.
func (j *job) handOver(why string) error {
	j.record(note{ForgetFaults: true})
	j.mu.Lock()
	defer j.mu.Unlock()
	j.crawl = nil
	j.saved.Firecrawl = newRemote(why)
	return j.save()
}

// remote returns a copy of the state of the crawl at Firecrawl; nil: this process crawls.
func (j *job) remote() *remote {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.saved.Firecrawl == nil {
		return nil
	}
	r := *j.saved.Firecrawl
	return &r
}

// setRemote changes the state of the crawl at Firecrawl, and saves it.
func (j *job) setRemote(change func(*remote)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	change(j.saved.Firecrawl)
	return j.save()
}

// crawlRemotely has Firecrawl crawl, and keeps the pages as they come.
func (j *job) crawlRemotely(ctx context.Context) error {
	s := j.m.options.Firecrawl
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, errTime)
	defer cancel()
	if j.remote().ID == "" {
		if err := j.begin(ctx, s); err != nil {
			return err
		}
	}
	err := j.follow(ctx, s)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return err
}

// Bounds that end a crawl at Firecrawl. They do not count as errors of the job.
var (
	errTime  = fmt.Errorf("it took %v, which is the limit", maxTime)
	errBytes = fmt.Errorf("the pages had %d bytes, which is the limit", maxBytes)
)

// begin starts the crawl at Firecrawl. It saves that it sends the request, and then the id, so that no crawl is paid
// for twice. If the answer is lost, it looks for the crawl.
func (j *job) begin(ctx context.Context, s *firecrawl.Strategy) error {
	if err := s.Rules.Vet(ctx, j.query.crawl.Start); err != nil {
		return err
	}
	if reason := s.Refuses(j.query.request()); reason != "" {
		return errors.New(reason)
	}
	// This continues even if the job ends meanwhile: without the id, the crawl could not be cancelled.
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), beginTime)
	defer cancel()
	r := j.remote()
	var err error
	if r.Asked.IsZero() {
		r.Asked = j.m.options.Now().UTC()
		if err := j.setRemote(func(now *remote) { now.Asked = r.Asked }); err != nil {
			return err
		}
		r.ID, err = s.Client.StartCrawl(asking, j.query.crawl.Start.String(), r.Key, j.query.options())
		if err != nil && !firecrawl.MayHaveStarted(err) && asking.Err() == nil {
			return err
		}
	}
	if r.ID == "" {
		if r.ID = j.findLost(asking, s, r.Asked); r.ID == "" {
			return errors.Join(errLost, err)
		}
	}
	return j.setRemote(func(now *remote) { now.ID, now.Open = r.ID, true })
}

var errLost = fmt.Errorf("Firecrawl may have started the crawl, but its answer was lost: start the crawl again") //lint:ignore ST1005 a name

// findLost returns the id of the crawl that the service was asked to start, if only one crawl can be it.
func (j *job) findLost(ctx context.Context, s *firecrawl.Strategy, asked time.Time) (id string) {
	list, err := s.Client.ActiveCrawls(ctx)
	if err != nil {
		return ""
	}
	others := j.m.remotes(ctx)
	for _, one := range list {
		if one.URL != j.query.crawl.Start.String() || others[one.ID] || !one.Created.IsZero() && one.Created.Before(asked.Add(-time.Minute)) {
			continue
		}
		if id != "" {
			return ""
		}
		id = one.ID
	}
	return id
}

// remotes returns the ids of all known crawls at Firecrawl, including those of other processes.
func (m *Manager) remotes(ctx context.Context) map[string]bool {
	ids := make(map[string]bool)
	if m.options.Jobs != nil {
		list, _ := m.options.Jobs.List(ctx, selection{})
		for _, e := range list {
			if e.Firecrawl != nil {
				ids[e.Firecrawl.ID] = true
			}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, j := range m.jobs {
		if r := j.remote(); r != nil {
			ids[r.ID] = true
		}
	}
	return ids
}

// follow keeps the pages that the service sends until the crawl has ended there.
func (j *job) follow(ctx context.Context, s *firecrawl.Strategy) error {
	id, wait, fails := j.remote().ID, pollFirst, 0
	for {
		j.mu.Lock()
		skip := j.count.Skip
		j.mu.Unlock()
		status, err := s.Client.CrawlStatus(ctx, id, skip)
		if err != nil {
			failure, ok := errors.AsType[*apiclient.Error](err)
			if fails++; ctx.Err() != nil || !ok || !failure.Retryable() || fails > maxFails || failure.RetryAfter > longestPause {
				return err
			}
			if err := j.m.options.Pause(ctx, max(failPause, failure.RetryAfter)); err != nil {
				return err
			}
			continue
		}
		fails = 0
		for _, d := range status.Documents {
			if d == nil {
				continue
			}
			if err := j.receive(ctx, s, d); err != nil {
				return err
			}
		}
		j.record(note{Count: &count{Credits: status.Credits, Skip: status.Next, Total: status.Total, Expires: status.Expires}})
		if status.Next > 2*j.query.crawl.Limit+spare { // the service might never stop
			return errors.New("Firecrawl sent more pages than it was asked for") //lint:ignore ST1005 a name
		}
		if status.State != firecrawl.Scraping && (len(status.Documents) == 0 || !status.More) {
			return j.settle(ctx, s, status)
		}
		if len(status.Documents) > 0 {
			wait = pollFirst
			if status.State != firecrawl.Scraping || status.Next < status.Done { // more pages are ready
				continue
			}
		}
		if err := j.m.options.Pause(ctx, wait); err != nil {
			return err
		}
		wait = min(wait*2, pollLast)
	}
}

// settle records how the crawl ended at the service.
func (j *job) settle(ctx context.Context, s *firecrawl.Strategy, status *firecrawl.CrawlStatus) error {
	if err := j.setRemote(func(r *remote) { r.Open = false }); err != nil {
		return err
	}
	list, forbidden, err := s.Client.CrawlErrors(ctx, j.remote().ID)
	if err != nil {
		j.record(note{Fault: newFault(j.query.crawl.Start.String(), "Firecrawl did not send the list of its errors: "+err.Error())})
	}
	for _, e := range list {
		j.record(note{Fault: newFault(e.URL, e.URL+": Firecrawl: "+e.Error)})
	}
	for _, page := range forbidden {
		j.record(note{Fault: newFault(page, page+": Firecrawl: robots.txt does not allow it")})
	}
	switch status.State {
	case firecrawl.Cancelled:
		return errCancelled
	case firecrawl.Failed:
		return errors.New(line("Firecrawl says that the crawl failed: " + status.Error))
	}
	return nil
}

// receive keeps a page from the service, by the rules for pages that this program fetches. An error ends the crawl.
func (j *job) receive(ctx context.Context, s *firecrawl.Strategy, d *firecrawl.Document) error {
	j.mu.Lock()
	full, received := len(j.results) >= j.query.crawl.Limit, j.bytes
	j.mu.Unlock()
	switch {
	case full: // more than the service was asked for
		return nil
	case received > maxBytes:
		return errBytes
	}
	wrong := func(err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if fatal, ok := errors.AsType[*crawl.Fatal](err); ok {
			return fatal.Err
		}
		j.record(note{Fault: newFault(d.Asked(), d.Asked()+": "+err.Error())})
		return nil
	}
	response, err := d.Page(maxPage)
	if err != nil {
		return wrong(err)
	}
	u, err := crawl.Clean(response.URL, j.query.crawl.IgnoreQuery)
	if err != nil {
		return wrong(err)
	}
	inScope, err := j.inScope(d, u)
	switch {
	case err != nil:
		return err
	case !inScope:
		return wrong(errors.New("is on a host outside the crawl, although Firecrawl sent it"))
	case !j.query.crawl.Wants(u):
		return nil
	}
	if err := s.Rules.Vet(ctx, u); err != nil {
		return wrong(err)
	}
	leads, err := webpage.ReadLeads(ctx, webpage.Source{URL: u, ContentType: response.ContentType, Body: response.Body}, nil, crawl.Agent)
	if err != nil {
		return wrong(err)
	}
	if leads.NoIndex {
		return nil
	}
	j.mu.Lock()
	j.bytes += int64(len(response.Body))
	j.mu.Unlock()
	p := &crawl.Page{URL: u, Response: response, Leads: leads, Claim: func(digest [16]byte) bool { return j.claim(u, digest) }}
	err = (&visit{j: j, u: u, byFirecrawl: true}).Keep(ctx, p)
	if err == nil || errors.Is(err, crawl.ErrElsewhere) || errors.Is(err, crawl.ErrNoPage) {
		return nil
	}
	return wrong(err)
}

// inScope reports whether the host of a page is in the scope of the crawl, which starts at the target if the start
// URL redirects. An error ends the crawl.
func (j *job) inScope(d *firecrawl.Document, u *url.URL) (bool, error) {
	c := &j.query.crawl
	if c.Reaches(c.Start, u) {
		return true, nil
	}
	if base := j.remote().Base; base != "" {
		from, err := url.Parse(base)
		return err == nil && c.Reaches(from, u), nil
	}
	asked, err := url.Parse(d.Metadata.SourceURL)
	if err != nil {
		return false, nil
	}
	if asked, err = crawl.Clean(asked, c.IgnoreQuery); err != nil || asked.String() != c.Start.String() {
		return false, nil
	}
	return true, j.setRemote(func(r *remote) { r.Base = u.String() })
}

// claim reports whether a page is the first one with its content.
func (j *job) claim(u *url.URL, digest [16]byte) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	text := hex.EncodeToString(digest[:])
	if first, known := j.digests[text]; known {
		return first == u.String()
	}
	j.digests[text] = u.String()
	return true
}

// cancelRemote cancels the crawl at Firecrawl, which would continue and use credits.
func (j *job) cancelRemote() error {
	r := j.remote()
	s := j.m.options.Firecrawl
	if r == nil || !r.Open {
		return nil
	}
	if s == nil {
		return fmt.Errorf("%s is not set", firecrawl.KeyVar)
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	if err := s.Client.CancelCrawl(ctx, r.ID); err != nil {
		j.m.options.Logger.Warn("a crawl at Firecrawl cannot be cancelled", "job", j.id, "error", err)
		return err
	}
	return j.setRemote(func(r *remote) { r.Open = false })
}
