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
	// A crawl at the service is asked for every pollFirst; where nothing comes, less and less often.
	pollFirst = 2 * time.Second
	pollLast  = 10 * time.Second
	// A service that fails is asked again after failPause, at most maxFails times in turn.
	failPause = 30 * time.Second
	maxFails  = 20
	// beginTime bounds how long the service may take to begin a crawl, and leaveTime to cancel it:
	// the end of the process waits for both.
	beginTime = 20 * time.Second
	leaveTime = 5 * time.Second
	// longestPause is the longest time after which a service that wants a pause is asked again.
	longestPause = 15 * time.Minute
	// maxPage bounds a page of the service, in bytes.
	maxPage = 10 << 20
	// spare is how many documents may come besides twice those that were asked for.
	spare = 100
)

// remote is what job.json has of a job that is a crawl of Firecrawl.
type remote struct {
	Why   string    `json:"why"`            // it is there
	Key   string    `json:"idempotencyKey"` // with which it is begun
	Asked time.Time `json:"asked,omitzero"` // when the service was asked to begin
	ID    string    `json:"id,omitempty"`   // that the service gave
	Open  bool      `json:"open,omitempty"` // it may go on at the service, and count credits
	Base  string    `json:"base,omitempty"` // where the start redirects to, if that is another host
}

// A count is what is known of the work of Firecrawl for a job.
type count struct {
	Credits float64   `json:"credits,omitempty"`
	Skip    int       `json:"skip,omitempty"`  // documents that were taken
	Total   int       `json:"total,omitempty"` // pages that the service knows
	Expires time.Time `json:"expires,omitzero"`
}

func newRemote(why string) *remote { return &remote{Why: why, Key: uuid()} }

// uuid returns a random UUID (RFC 9562, 5.4), the form of keys that the service takes.
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	text := hex.EncodeToString(b[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// request is what a query asks of the service for a page.
func (q *query) request() *fetch.Request {
	return &fetch.Request{URL: q.crawl.Start, Header: q.headers, Proxy: fetch.AutoProxy, BlockAds: true, Actions: q.actions}
}

// options are a query in the terms of the service, whose page options also say that a page comes as
// it is: it is cleaned here.
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
	if len(include) > 0 && all { // else some pages would be missing
		o.Include = append(include, "^"+regexp.QuoteMeta(c.Start.EscapedPath())+"$") // the start is asked in any case
	}
	o.Exclude, _ = expressions(c.Exclude)
	return o
}

// expressions returns globs as the service takes them, and whether these are all. Those that are
// not are only applied to what comes.
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

// handOver makes a job one of the service. What came of its pages before does not count.
func (j *job) handOver(why string) error {
	j.record(note{Over: true})
	j.mu.Lock()
	defer j.mu.Unlock()
	j.crawl = nil
	j.saved.Firecrawl = newRemote(why)
	return j.save()
}

// remote returns what is known of the crawl at the service; nil: there is none.
func (j *job) remote() *remote {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.saved.Firecrawl == nil {
		return nil
	}
	r := *j.saved.Firecrawl
	return &r
}

// setRemote changes what is known of the crawl at the service, and saves it.
func (j *job) setRemote(change func(*remote)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	change(j.saved.Firecrawl)
	return j.save()
}

// crawlThere has the service crawl, and takes the pages as they come.
func (j *job) crawlThere(ctx context.Context) error {
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

// Bounds that end a crawl at the service. They are no errors of the job.
var (
	errTime  = fmt.Errorf("it took %v, which is the limit", maxTime)
	errBytes = fmt.Errorf("the pages had %d bytes, which is the limit", maxBytes)
)

// begin begins the crawl at the service. Before it asks, it saves that it does, and then the id: a
// crawl is not paid for twice. Where the answer is lost, the crawl is looked for.
func (j *job) begin(ctx context.Context, s *firecrawl.Strategy) error {
	if err := s.Rules.Vet(ctx, j.query.crawl.Start); err != nil {
		return err
	}
	if why := s.Refuses(j.query.request()); why != "" {
		return errors.New(why)
	}
	// Whatever ends the job meanwhile: the id has to be known, so that the crawl can be cancelled.
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
		if r.ID = j.lost(asking, s, r.Asked); r.ID == "" {
			return errors.Join(errLost, err)
		}
	}
	return j.setRemote(func(now *remote) { now.ID, now.Open = r.ID, true })
}

var errLost = fmt.Errorf("whether Firecrawl has begun the crawl is not known, as its answer was lost: start the crawl again")

// lost returns the id of the crawl that the service was asked to begin, if it has one that can only
// be that.
func (j *job) lost(ctx context.Context, s *firecrawl.Strategy, asked time.Time) (id string) {
	list, err := s.Client.ActiveCrawls(ctx)
	if err != nil {
		return ""
	}
	others := j.m.remotes()
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

// remotes returns the ids of all crawls at the service that are known, those of other processes too.
func (m *Manager) remotes() map[string]bool {
	ids := make(map[string]bool)
	if m.options.Files != nil {
		names, _ := m.options.Files.Names(".")
		for _, id := range names {
			if j, err := m.peek(id); err == nil && j.saved.Firecrawl != nil {
				ids[j.saved.Firecrawl.ID] = true
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

// follow takes what the service has until the crawl has ended there.
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
		if status.Next > 2*j.query.crawl.Limit+spare { // it might never end
			return errors.New("Firecrawl sent more pages than it was asked for") //lint:ignore ST1005 a name
		}
		if status.State != firecrawl.Scraping && (len(status.Documents) == 0 || !status.More) {
			return j.settle(ctx, s, status)
		}
		if len(status.Documents) > 0 {
			wait = pollFirst
			if status.State != firecrawl.Scraping || status.Next < status.Done { // there is more at once
				continue
			}
		}
		if err := j.m.options.Pause(ctx, wait); err != nil {
			return err
		}
		wait = min(wait*2, pollLast)
	}
}

// settle takes over how the crawl has ended at the service.
func (j *job) settle(ctx context.Context, s *firecrawl.Strategy, status *firecrawl.CrawlStatus) error {
	if err := j.setRemote(func(r *remote) { r.Open = false }); err != nil {
		return err
	}
	list, forbidden, err := s.Client.CrawlErrors(ctx, j.remote().ID)
	if err != nil {
		j.record(note{Fault: newFault(j.query.crawl.Start.String(), "what Firecrawl could not fetch is not known: "+err.Error())})
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

// receive keeps a page of the service, by the rules that hold for pages that are asked for here. The
// error is one that ends the crawl.
func (j *job) receive(ctx context.Context, s *firecrawl.Strategy, d *firecrawl.Document) error {
	j.mu.Lock()
	full, received := len(j.results) >= j.query.crawl.Limit, j.bytes
	j.mu.Unlock()
	switch {
	case full: // the service was asked for no more
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
	of, err := j.ofSite(d, u)
	switch {
	case err != nil:
		return err
	case !of:
		return wrong(errors.New("is not of the hosts of the crawl, and Firecrawl sent it all the same"))
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
	err = (&visit{j: j, u: u, there: true}).Keep(ctx, p)
	if err == nil || errors.Is(err, crawl.ErrElsewhere) || errors.Is(err, crawl.ErrNoPage) {
		return nil
	}
	return wrong(err)
}

// ofSite reports whether a page is of the hosts of the crawl, or of the one that its start redirects
// to. The error is one that ends the crawl.
func (j *job) ofSite(d *firecrawl.Document, u *url.URL) (bool, error) {
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

// claim reports whether a page is the first with its content.
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

// leave ends the crawl at the service, which would go on and count credits.
func (j *job) leave() error {
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
