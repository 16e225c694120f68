package crawl

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash/fnv"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
)

// Accept is the Accept header for pages. HTML comes first, since only its links are complete.
const Accept = "text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.8, */*;q=0.5"

// visit requests a URL whose turn it is, and records the outcome. If ctx has ended, it records nothing.
func (c *Crawl) visit(ctx context.Context, index int32) Result {
	n := ask(&c.ledger, func(l *ledger) node { return l.frontier.nodes[index] })
	o := &outcome{Result: Result{URL: n.url, Old: n.old}, alias: -1}
	u, err := url.Parse(n.url)
	if err == nil {
		err = c.fetch(ctx, index, n, u, o)
	}
	c.ledger.use(func(l *ledger) { l.end(index, u, o, err, ctx.Err() != nil) })
	return o.Result
}

// fetch requests a URL and has the page stored.
func (c *Crawl) fetch(ctx context.Context, index int32, n node, u *url.URL, o *outcome) error {
	visit, err := c.options.Keeper.Open(u)
	if err != nil {
		return err
	}
	known, fetched := visit.Known()
	var modified time.Time
	c.ledger.use(func(l *ledger) {
		modified, o.earlier = l.modified[index], l.earlier[index]
		if o.earlier.numbers == nil && l.followed(&n) {
			known = webclient.Validators{}
		}
	})
	if !modified.IsZero() && !c.options.Fresh && known.URL != "" && !fetched.IsZero() && modified.Before(fetched) {
		o.State, o.Unchanged = Kept, true
		return nil
	}
	request := c.request(u, 0)
	request.Known, request.Accept, request.Stay = known, Accept, true
	response, err := c.get(ctx, request)
	if err != nil {
		return o.refused(err)
	}
	if response.Redirect != nil {
		o.State, o.to = Redirect, response.Redirect
		return nil
	}
	o.bytes = int64(len(response.Body))
	p := &Page{URL: u, Response: response}
	if response.NotModified {
		o.Unchanged = true
		p.Claim = func(string, string) bool { return true }
		return o.keep(ctx, visit, p)
	}
	p.Leads = webpage.ReadLeads(webpage.Source{URL: response.URL, ContentType: response.ContentType, Body: response.Body}, response.Header, Agent)
	o.leads = p.Leads
	if p.Leads.Refresh != nil && Key(p.Leads.Refresh) != Key(u) {
		o.State, o.to = Redirect, p.Leads.Refresh
		return nil
	}
	c.ledger.use(func(l *ledger) { l.judge(n, u, o) })
	if o.State != 0 {
		return nil
	}
	p.Claim = func(title, markdown string) bool { return c.claim(index, n, u, o, title, markdown) }
	return o.keep(ctx, visit, p)
}

// claim is [Page.Claim]. If it returns false, it has set the state of the URL.
func (c *Crawl) claim(index int32, n node, u *url.URL, o *outcome, title, markdown string) (ok bool) {
	digest, words := digestOf(title, markdown), sampleOf(markdown)
	c.ledger.use(func(l *ledger) {
		if o.alias, ok = l.claim(digest, index); !ok {
			o.State = Duplicate
			return
		}
		o.digest = &digest
		if to := l.canonical(n, u, o.leads.Canonical); to >= 0 && l.holds(to, n, words) {
			o.alias, o.State, ok = to, Canonical, false
			return
		}
		o.alias = -1
		l.words[index] = words
	})
	return ok
}

// request returns a request for a URL. maxBytes is 0 for the default.
func (c *Crawl) request(u *url.URL, maxBytes int64) webclient.Request {
	r := webclient.Request{URL: u, Caller: c.options.Caller, Background: c.options.Background, MaxBytes: maxBytes}
	if webclient.SameOrigin(u, c.options.Start) {
		r.Header = c.options.Header
	}
	return r
}

// A lane spaces the requests to one host, in a crawl with a delay.
type lane struct {
	turn chan struct{} // holds an element during a request
	next time.Time     // of the next request; used while holding turn
}

// get sends a request. With [Options.Delay], it waits that long after the last answer of the host: the host sees the
// delay, however long it takes to connect and to wait for other callers.
func (c *Crawl) get(ctx context.Context, r webclient.Request) (*webclient.Response, error) {
	if c.options.Delay > 0 {
		v, _ := c.lanes.LoadOrStore(r.URL.Host, &lane{turn: make(chan struct{}, 1)})
		l := v.(*lane)
		select {
		case l.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		defer func() {
			l.next = time.Now().Add(c.options.Delay)
			<-l.turn
		}()
		if err := webclient.Pause(ctx, time.Until(l.next)); err != nil {
			return nil, err
		}
	}
	return c.site.Get(ctx, r)
}

// refused sets the state of a URL whose request failed, or returns the error.
func (o *outcome) refused(err error) error {
	if status, ok := errors.AsType[*webclient.StatusError](err); ok {
		o.retry = status.Status >= 500 || status.Status == http.StatusTooManyRequests || status.Status == http.StatusRequestTimeout
		if status.Status == http.StatusNotFound || status.Status == http.StatusGone {
			o.State, o.Err = Gone, err
			return nil
		}
		return err
	}
	if errors.Is(err, webclient.ErrRobots) {
		o.State, o.Err = Forbidden, err
		return nil
	}
	o.retry = !errors.Is(err, webclient.ErrExhausted) && !errors.Is(err, webclient.ErrRefused)
	return err
}

// keep has a page stored.
func (o *outcome) keep(ctx context.Context, visit Visit, p *Page) error {
	switch err := visit.Keep(ctx, p); {
	case err == nil:
		o.State, o.note, o.Visit = Kept, p.Note, visit
	case errors.Is(err, ErrElsewhere): // Claim has set the state
	case errors.Is(err, ErrNoPage):
		o.State, o.Err = Other, err
	default:
		return err
	}
	return nil
}

// mostWords is how many words of a page are kept to compare it with others.
const mostWords = 256

// digestOf returns a digest of the content of a page.
func digestOf(title, text string) [16]byte {
	sum := sha256.Sum256([]byte(title + "\n" + text))
	return [16]byte(sum[:16])
}

// A sample is the words of a text with the smallest hashes, in order. Two samples have the same choice of words up to
// the smaller of their last hashes, so what holds for these words nearly holds for all.
type sample []uint32

// sampleOf returns the sample of Markdown. Headings do not count: pages that differ in nothing else are one page.
func sampleOf(markdown string) sample {
	var s sample
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for word := range strings.FieldsFuncSeq(strings.ToLower(line), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			h := fnv.New32a()
			h.Write([]byte(word))
			s = append(s, h.Sum32())
		}
	}
	slices.Sort(s)
	s = slices.Compact(s)
	return slices.Clone(s[:min(len(s), mostWords)])
}

// has reports whether a text has nine tenths of the words of another one.
func (s sample) has(other sample) bool {
	both, all := 0, 0
	for _, h := range other {
		if len(s) == mostWords && h > s[mostWords-1] {
			break
		}
		all++
		if _, ok := slices.BinarySearch(s, h); ok {
			both++
		}
	}
	return all > 0 && both*10 >= all*9
}
