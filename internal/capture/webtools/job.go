package webtools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
)

// A job is one crawl, which this process runs.
type job struct {
	m      *Crawler
	id     string
	owner  string
	shared bool
	query  *crawlQuery
	cancel context.CancelFunc
	pins   []func()

	mu      sync.Mutex // locked after the lock of the crawl
	doc     jobReport  // readers share it: fields are replaced, slices grow
	crawl   *crawl.Crawl
	pending map[string]result // until the crawl knows their links
	written time.Time         // for other processes
	stale   bool
}

// look returns the current document of the job, without [kept.Open].
func (j *job) look() *jobReport {
	j.mu.Lock()
	c := j.crawl
	j.mu.Unlock()
	var stats crawl.Stats
	if c != nil {
		stats = c.Stats() // locks the crawl, so j.mu must be free
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	d := j.doc
	d.Done = len(d.Pages)
	d.Total = d.Done
	if d.State == running {
		d.Total = max(d.Done, min(stats.Limit, stats.Pages+stats.Waiting))
	}
	for _, l := range stats.LeftOut {
		d.Notes = append(d.Notes, fmt.Sprintf("Left out: %d URLs (%s) such as %s", l.URLs, l.Why, strings.Join(l.Examples, "; ")))
	}
	for _, text := range stats.Sitemaps[:min(len(stats.Sitemaps), 5)] {
		d.Notes = append(d.Notes, "Not read: "+text)
	}
	return &d
}

// complete returns the current document of the job. The links of all its pages are in [kept.Pages] or [kept.Open].
func (j *job) complete() *jobReport {
	d := j.look()
	j.mu.Lock()
	c := j.crawl
	j.mu.Unlock()
	if c != nil {
		c.Open(j.query.Limit, func(open []crawl.Known) {
			j.mu.Lock()
			defer j.mu.Unlock()
			d.Open, d.Pages = open, j.doc.Pages
		})
	}
	return d
}

// change changes the document of the job.
func (j *job) change(change func(d *jobReport)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	change(&j.doc)
	j.stale = true
}

// end records the end of a job, unless it has ended.
func (d *jobReport) end(state, why string, now time.Time) {
	if d.State == running {
		d.State, d.Why, d.Ended, d.Total = state, why, now.UTC(), d.Done
	}
}

// endAsCancelled shows callers the end of a job before its work has ended.
func (j *job) endAsCancelled() {
	j.change(func(d *jobReport) { d.end(cancelled, "", j.m.Now()) })
	j.cancel()
}

// run crawls, and records how the job ended.
func (j *job) run(ctx context.Context) {
	defer func() {
		for _, unpin := range j.pins {
			unpin()
		}
	}()
	signing, stop := context.WithCancel(ctx)
	var signs sync.WaitGroup
	if j.m.Jobs != nil {
		signs.Go(func() { j.sign(signing) })
	}
	err := j.work(ctx)
	stop()
	signs.Wait()
	d, now := j.complete(), j.m.Now()
	switch {
	case j.m.ctx.Err() != nil:
		d.end(interrupted, "the server ended", now)
	case ctx.Err() != nil:
		d.end(cancelled, "", now)
	case err != nil:
		d.end(failed, fserr.Reason(err), now)
	default:
		d.end(completed, j.crawl.Stats().Left, now)
	}
	if j.m.Jobs != nil {
		j.show(d)
	}
	j.change(func(doc *jobReport) { *doc, j.crawl, j.pending = *d, nil, nil })
}

// show shows the end of the job to other processes, before callers hear of it: they may ask another process next. While the store
// cannot be reached, it tries again.
func (j *job) show(d *jobReport) {
	for try := 0; ; try++ {
		_, err := j.m.Jobs.Write(context.Background(), j.id, d)
		if err == nil {
			return
		}
		if try == 60 || webclient.Pause(j.m.ctx, time.Second) != nil {
			j.m.Logger.Warn("the end of a crawl cannot be saved", "job", j.id, "error", err)
			return
		}
	}
}

// sign gives a sign of life every second, and cancels the job if another process wants that.
func (j *job) sign(ctx context.Context) {
	for webclient.Pause(ctx, signEvery) == nil {
		cancel, err := j.m.Jobs.Write(ctx, j.id, j.due())
		switch {
		case errors.Is(err, fs.ErrNotExist): // the store lost recent captures
			j.mu.Lock()
			j.stale, j.written = true, time.Time{}
			j.mu.Unlock()
		case err != nil && ctx.Err() == nil:
			j.m.Logger.Debug("a crawl cannot give a sign of life", "job", j.id, "error", err)
		case cancel:
			j.endAsCancelled()
		}
	}
}

// due returns the document if other processes shall see it now: the longer it is, the less often it is written.
func (j *job) due() *jobReport {
	j.mu.Lock()
	due := j.stale && time.Since(j.written) >= signEvery*time.Duration(len(j.doc.Pages)/1000)
	if due {
		j.stale, j.written = false, time.Now()
	}
	j.mu.Unlock()
	if !due {
		return nil
	}
	return j.complete()
}

// work crawls the site.
func (j *job) work(ctx context.Context) error {
	o := j.query.crawl
	o.Caller, o.Background = j.owner, true
	o.Header, o.Bytes, o.Time, o.Keeper, o.Done = j.query.headers, maxCrawlBytes, maxCrawlTime, j, j.done
	o.Again = j.again(ctx)
	var site crawl.Site = j.m.Client
	if s := j.m.Firecrawl; s != nil {
		site = &firecrawl.Site{Client: j.m.Client, Strategy: s, Spent: func(credits float64) {
			j.change(func(d *jobReport) { d.Credits += credits })
		}}
	}
	c, err := crawl.New(site, o)
	if err != nil {
		return err
	}
	j.mu.Lock()
	j.crawl = c
	j.mu.Unlock()
	return c.Run(ctx)
}

// again returns what earlier jobs of the caller with the same arguments captured: their pages that are in the store and have
// not expired are not requested again.
func (j *job) again(ctx context.Context) (list []crawl.Known) {
	if j.query.ForceRescrape || j.doc.Arguments == nil {
		return nil
	}
	seen, pinned := make(map[string]bool), map[string]bool{j.id: true}
	for _, d := range j.m.same(ctx, &j.doc.status) {
		for _, page := range d.Pages {
			if seen[page.URL] {
				continue
			}
			seen[page.URL] = true
			capture, err := j.m.Store.Find(ctx, page.Key)
			fresh := err == nil && capture.Meta.Owner == j.owner
			if list = append(list, crawl.Known{URL: page.URL, Depth: page.Depth, Kept: fresh}); !fresh {
				continue
			}
			j.pending[page.URL] = page
			if job := capture.Meta.Job; !pinned[job] {
				pinned[job] = true
				j.pins = append(j.pins, j.m.Store.Pin(job))
			}
		}
		for _, known := range d.Open {
			if !seen[known.URL] {
				seen[known.URL] = true
				list = append(list, known)
			}
		}
	}
	return list
}

// done records the outcome of a URL.
func (j *job) done(r crawl.Result) {
	j.change(func(d *jobReport) {
		page, stored := j.pending[r.URL]
		delete(j.pending, r.URL)
		switch {
		case r.State == crawl.Kept && stored:
			page.Depth = r.Depth
			d.Pages = append(d.Pages, page)
			if r.Unchanged {
				d.Reused++
			}
		case r.Err != nil && (r.State == crawl.Failed || r.State == crawl.Forbidden || r.State == crawl.Gone):
			if d.Errors++; len(d.Faults) < maxErrors {
				d.Faults = append(d.Faults, fault{fmt.Sprintf("%.4096s", r.URL), oneLine(r.Err.Error(), maxFault)})
			}
		}
	})
}

// same returns the documents of earlier jobs with the owner and the arguments of a job, the newest first.
func (m *Crawler) same(ctx context.Context, s *status) (list []*jobReport) {
	all, err := m.list(ctx, s.Owner)
	if err != nil {
		m.Logger.Warn("earlier crawls cannot be read", "error", err)
	}
	for _, other := range slices.Backward(all) {
		if other.ID == s.ID || string(other.Arguments) != string(s.Arguments) {
			continue
		}
		if j := m.ours(s.Owner, other.ID); j != nil {
			list = append(list, j.complete())
		} else if d, err := m.Jobs.Read(ctx, s.Owner, other.ID); err == nil {
			list = append(list, d)
		}
	}
	return list
}

// storeTries is how often a page is stored, once a second, while the store cannot be reached.
const storeTries = 60

// Open implements [crawl.Keeper].
func (j *job) Open(u *url.URL) (crawl.Visit, error) { return &visit{j: j, u: u}, nil }

type visit struct {
	j *job
	u *url.URL
}

func (v *visit) Known() (webclient.Validators, time.Time) { return webclient.Validators{}, time.Time{} }

// Keep puts a page into the store ([crawl.Visit]).
func (v *visit) Keep(ctx context.Context, p *crawl.Page) error {
	j, o := v.j, &v.j.m.Options
	if j.shared && p.Response.Secrecy.NoStore {
		return fmt.Errorf("%s: its server says that it must not be kept (Cache-Control: no-store), and others use this server too", p.URL)
	}
	source := webpage.Source{URL: p.Response.URL, ContentType: p.Response.ContentType, Body: p.Response.Body}
	ask := fairqueue.Ask{Caller: j.owner, Unshared: j.owner == "", Background: true}
	page, err := o.Converter.Read(ctx, conversion.Input{Ask: ask, Choice: j.query.choice, Source: source})
	if err != nil {
		return fmt.Errorf("%s: %w", p.URL, err)
	}
	if page.Kind == webpage.Bytes {
		return fmt.Errorf("%w: %s", crawl.ErrNoPage, page.MIME)
	}
	text := page.Markdown(nil)
	if !p.Claim(page.Title, text) {
		return crawl.ErrElsewhere
	}
	// no other job has its key
	request := store.Request{URL: v.u, Owner: j.owner, Options: map[string]string{"crawl": j.id}}
	meta := store.Meta{
		Key: request.Key(), Owner: j.owner, URL: v.u.String(), TTL: o.Store.Settings().TTL, Source: fetch.NativeName, Title: page.Title, Job: j.id, Diagnostics: page.Notes,
		ETag: p.Response.Validators.ETag, LastModified: p.Response.Validators.LastModified, Options: request.Options,
		Parts: map[store.Tier]store.Part{store.Cleaned: {MIME: "text/markdown"}},
	}
	if p.Response.Header == nil {
		meta.Source = fetch.FirecrawlName
	}
	contents := store.Contents{store.Cleaned: []byte(text)}
	if j.query.raw() {
		meta.Parts[store.Raw] = store.Part{MIME: page.MIME}
		contents[store.Raw] = p.Response.Body
	}
	_, err = o.Store.Put(ctx, meta, contents)
	for try := 1; errors.Is(err, database.ErrUnreachable) && try < storeTries && webclient.Pause(ctx, time.Second) == nil; try++ {
		_, err = o.Store.Put(ctx, meta, contents)
	}
	// All further pages would fail too.
	if lasting := database.Public(err) != nil || errors.Is(err, store.ErrTooLarge) || fserr.Full(err); lasting {
		return &crawl.Fatal{Err: fmt.Errorf("%s: %w", v.u, o.public(err))}
	} else if err != nil {
		return o.public(err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pending[v.u.String()] = result{URL: v.u.String(), Title: page.Title, Key: meta.Key}
	return nil
}
