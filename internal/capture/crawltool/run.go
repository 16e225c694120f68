package crawltool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
)

// errCancelled reports that another process cancelled the job.
var errCancelled = errors.New("the crawl was cancelled")

// run crawls and records how the job ended. If the process ends, or another one has taken the job, it leaves a saved job
// as it is.
func (j *job) run(ctx context.Context) {
	defer close(j.ended)
	j.pin.hold(j)
	defer j.pin.release()
	watching, stop := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { j.watch(watching) })
	err := j.work(ctx)
	stop()
	watch.Wait()
	if cause := context.Cause(ctx); elsewhere(cause) {
		err = cause
	}
	left := j.stats().Left
	if errors.Is(err, errTime) || errors.Is(err, errBytes) {
		left, err = err.Error(), nil
	}
	switch {
	case j.m.ctx.Err() != nil && j.state() == running && j.m.options.Jobs != nil: // another process continues
		return
	case j.m.ctx.Err() != nil:
		err = j.finish(failed, "the server ended")
	case elsewhere(err):
	case errors.Is(err, errCancelled), ctx.Err() != nil:
		err = j.finish(cancelled, "")
	case err != nil:
		err = j.finish(failed, fserr.Reason(err))
	default:
		err = j.finish(completed, left)
	}
	if elsewhere(err) {
		j.leave(err)
		return
	}
	if err := j.cancelRemote(); err != nil {
		j.noteNotCancelled(err)
	}
}

// leave leaves a job to the process that continues it. From now on, this process knows what that one saves.
func (j *job) leave(why error) {
	j.m.options.Logger.Info("a crawl is left to another process", "job", j.id, "reason", why)
	j.m.mu.Lock()
	j.m.forget(j)
	j.m.mu.Unlock()
	j.owned.Store(false)
	j.m.left.Store(true) // it may be this process, when the store can be reached again
	j.mu.Lock()
	defer j.mu.Unlock()
	j.notify()
}

// noteNotCancelled adds to the outcome that the crawl at the service may continue.
func (j *job) noteNotCancelled(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.saved.Why = strings.TrimPrefix(j.saved.Why+"; it could not be cancelled at Firecrawl, which may continue and use credits:  "+line(err.Error()), "; ")
	if err := j.save(); err != nil {
		j.m.options.Logger.Warn("the end of a crawl cannot be saved", "job", j.id, "error", err)
	}
	j.notify()
}

// stats returns the statistics of the crawl. The crawl calls its job while it holds its own lock, so stats must not
// be called while holding j.mu.
func (j *job) stats() crawl.Stats {
	j.mu.Lock()
	c := j.crawl
	j.mu.Unlock()
	if c == nil {
		return crawl.Stats{}
	}
	return c.Stats()
}

// work crawls. If the site refuses this program from the first page on, Firecrawl crawls it.
func (j *job) work(ctx context.Context) error {
	if j.lease != nil {
		defer j.log.Use(nil)
		j.log.Use(j.lease)
	}
	if j.remote() == nil {
		err := j.crawlHere(ctx)
		refusal := j.refusal(err)
		if refusal == nil || ctx.Err() != nil {
			return err
		}
		if err := j.handOver(line(refusal.Error())); err != nil {
			return err
		}
	}
	return j.crawlRemotely(ctx)
}

// refusal returns why Firecrawl must crawl a site: no page could be fetched, since the site refuses programs. nil: it
// need not.
func (j *job) refusal(err error) error {
	s := j.m.options.Firecrawl
	if s == nil || s.Refuses(j.query.request()) != "" {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.results) > 0 || err != nil && !firecrawl.Refuses(err) {
		return nil
	}
	return j.refused
}

// crawlHere crawls the site from this process.
func (j *job) crawlHere(ctx context.Context) error {
	o := j.query.crawl
	o.Caller, o.Background = j.saved.Owner, true
	o.Header, o.Bytes, o.Time, o.Keeper, o.Done = j.query.headers, maxBytes, maxTime, j, j.done
	if j.lease != nil {
		o.Journal = &j.log
	}
	var site crawl.Site = j.m.options.Client
	if s := j.m.options.Firecrawl; s != nil {
		withFirecrawl := &firecrawl.Site{Client: j.m.options.Client, Strategy: s, Spent: j.spent}
		if len(j.results) > 0 {
			withFirecrawl.Answered()
		}
		site = withFirecrawl
	}
	c, err := crawl.New(site, o)
	if err != nil {
		return err
	}
	j.mu.Lock()
	j.crawl = c
	j.mu.Unlock()
	if j.resumes {
		switch err := j.resume(ctx, c); {
		case errors.Is(err, crawl.ErrEnded): // the process was killed before it saved the end of the job
			return j.startFault()
		case err != nil:
			return fmt.Errorf("its journal: %w", err)
		}
	}
	return c.Run(ctx)
}

// startFault returns the error of a crawl that kept no page.
func (j *job) startFault() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.results) > 0 || len(j.faults) == 0 {
		return nil
	}
	return errors.New(j.faults[0].Error)
}

// resume continues a crawl from the journal of the job, if it has begun one.
func (j *job) resume(ctx context.Context, c *crawl.Crawl) error {
	journal, err := j.m.options.Jobs.Journal(ctx, j.id, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer journal.Close()
	lines := bufio.NewReader(journal)
	if _, err := lines.Peek(1); err == io.EOF {
		return nil
	}
	return c.Resume(lines)
}

// spent counts the credits of a page.
func (j *job) spent(page *url.URL, credits float64) {
	j.mu.Lock()
	j.paid[page.String()] = true
	now := j.count
	j.mu.Unlock()
	now.Credits += credits
	j.record(note{Count: &now})
}

// done records a URL that was not captured.
func (j *job) done(r crawl.Result) {
	if firecrawl.Refuses(r.Err) {
		j.mu.Lock()
		j.refused = r.Err
		j.mu.Unlock()
	}
	if r.Err != nil && (r.State == crawl.Failed || r.State == crawl.Forbidden || r.State == crawl.Gone) {
		j.record(note{Fault: newFault(r.URL, r.Err.Error())})
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.notify()
}
