package webtools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
)

// A document is a page with its Markdown and extras, fresh or from the store. meta.Diagnostics are the
// notes for its readers.
type document struct {
	meta     store.Meta
	contents store.Contents
	page     *webpage.Page // its HTML, links and images, or nil
	// only in the answer: screenshot-1, scrape-1, result-1, summary, branding
	extras []fetch.Extra
	cached bool

	secrecy    webclient.Secrecy // if it is not cached
	extractErr error

	kept    bool
	saveErr error
}

// location returns the URL of a document after redirects.
func (d *document) location(q *scrapeQuery) string {
	return cmp.Or(d.meta.Location, q.url.String())
}

const maxType = 300

// typeOf returns the MIME type that a server sent, or fallback if it is not fit to be shown.
func typeOf(sent, fallback string) string {
	if _, _, err := mime.ParseMediaType(sent); err == nil && len(sent) < maxType && strings.IndexFunc(sent, func(r rune) bool { return r < ' ' || r > '~' }) < 0 {
		return sent
	}
	return fallback
}

// read makes a document from the answer of a strategy.
func (s *Scraper) read(ctx context.Context, q *scrapeQuery, a *fetch.Answer) (*document, error) {
	d := &document{contents: store.Contents{store.Raw: a.Body}}
	d.meta = store.Meta{
		URL: q.url.String(), Source: a.Strategy, TTL: s.Store.Settings().TTL, Title: a.Title,
		ETag: a.Validators.ETag, LastModified: a.Validators.LastModified, Diagnostics: a.Notes,
	}
	if location := a.URL.String(); location != d.meta.URL {
		d.meta.Location = location
	}
	src := webpage.Source{URL: a.URL, ContentType: a.ContentType, Body: a.Body}
	page, ended, err := s.convert(ctx, q, q.choice, src)
	if ended {
		return nil, err
	}
	d.page = cmp.Or(page, new(webpage.Page))
	raw, cleaned := "application/octet-stream", "text/markdown"
	var text string
	if page != nil {
		raw = page.MIME
		switch page.Kind {
		case webpage.Text:
			text, cleaned = page.Text, page.MIME
		case webpage.HTML, webpage.Markdown, webpage.PDF:
			text = page.Markdown(nil)
		}
		if page.Title != "" {
			d.meta.Title = page.Title
		}
		for _, n := range page.Notes {
			d.note(n)
		}
	}
	if err != nil {
		d.note("The page is returned as it was sent: " + err.Error())
	} else if page.Kind == webpage.HTML && isEmpty(text) {
		d.note("Nothing of the page is left: it has no text, or none that includeTags and excludeTags leave.")
	}
	d.meta.Parts = map[store.Tier]store.Part{store.Raw: {MIME: typeOf(a.ContentType, raw)}}
	if err == nil && page.Kind != webpage.Bytes {
		d.contents[store.Cleaned] = []byte(text)
		d.meta.Parts[store.Cleaned] = store.Part{MIME: cleaned}
	}
	d.addExtras(a)
	return d, nil
}

// isEmpty reports whether Markdown has only a title, which every page gets.
func isEmpty(markdown string) bool {
	if title, below, _ := strings.Cut(markdown, "\n"); strings.HasPrefix(title, "# ") {
		markdown = below
	}
	return strings.TrimSpace(markdown) == ""
}

func (d *document) note(text string) { d.meta.Diagnostics = append(d.meta.Diagnostics, text) }

// addExtras adds the extras of an answer to a document, in their order. Those that actions may make get numbers.
func (d *document) addExtras(a *fetch.Answer) {
	numbers := make(map[string]int)
	for _, e := range a.Extras {
		if e.Name != "summary" && e.Name != "branding" {
			numbers[e.Name]++
			e.Name = fmt.Sprintf("%s-%d", e.Name, numbers[e.Name])
		}
		if e.Label != "" {
			d.note(fmt.Sprintf("%s is %q.", e.Name, e.Label))
		}
		e.MIME = typeOf(e.MIME, "image/png")
		d.extras = append(d.extras, e)
	}
}

// get fetches the page of a query, and extracts the wanted information from it.
func (s *Scraper) get(ctx context.Context, q *scrapeQuery, report func(string)) (*document, error) {
	if q.extract == "" {
		return s.page(ctx, q, report)
	}
	plain := q.plain()
	var d *document
	if !q.fresh() {
		d = s.lookup(ctx, plain, milliseconds(q.MaxAge))
	}
	if d == nil {
		var err error
		if d, err = s.page(ctx, plain, report); err != nil {
			return nil, err
		}
	}
	text, ok := d.contents[store.Cleaned]
	if !ok {
		raw, isText := webpage.Decode(d.source(q))
		if !isText {
			d.extractErr = fmt.Errorf("the page is %s, which has no text", d.meta.Parts[store.Raw].MIME)
			return d, nil
		}
		text = []byte(raw)
	}
	report("extract")
	began := time.Now()
	found, err := s.LLM.Extract(ctx, string(text), q.extract)
	q.end = q.end.Add(time.Since(began)) // the model has its own time
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		d.extractErr = err
		return d, nil
	}
	d.cached, d.kept = false, false
	d.contents[store.Extracted] = []byte(found.Text)
	d.meta.Parts[store.Extracted] = store.Part{MIME: "text/markdown"}
	d.meta.Prompt = q.extract
	for _, n := range found.Notes {
		d.note(n)
	}
	return d, nil
}

// page fetches the page of a query. If the store has a capture that is too old for the query, the
// request is conditional.
func (s *Scraper) page(ctx context.Context, q *scrapeQuery, report func(string)) (*document, error) {
	r := &fetch.Request{
		URL: q.url, Caller: q.caller, Timeout: time.Until(q.end), Header: q.header, Proxy: q.Proxy, BlockAds: q.BlockAds, WaitFor: milliseconds(q.WaitFor), Actions: q.Actions,
		Screenshot: q.has("screenshot"), Formats: q.made(), MaxAge: milliseconds(q.MaxAge),
	}
	done, err := s.turn(ctx, q, r)
	if err != nil {
		return nil, err
	}
	defer done()
	var old *document
	if q.ForceRescrape {
		r.MaxAge = 0
	} else if r.Plain() {
		old = s.lookup(ctx, q, -1)
	}
	if old != nil && old.meta.Source == fetch.NativeName {
		r.Known = webclient.Validators{URL: old.location(q), ETag: old.meta.ETag, LastModified: old.meta.LastModified}
	}
	answer, attempts, err := s.Chain.Fetch(ctx, r, report)
	if err != nil {
		return nil, err
	}
	if answer.NotModified && old != nil {
		old.meta.Created, old.meta.TTL = s.Now(), s.Store.Settings().TTL
		old.meta.ETag, old.meta.LastModified = answer.Validators.ETag, answer.Validators.LastModified
		old.cached, old.kept, old.secrecy = false, false, s.secrecy(ctx, q, answer, old)
		return old, nil
	}
	bounded, cancel := q.within(ctx)
	defer cancel()
	d, err := s.read(bounded, q, answer)
	if err != nil {
		return nil, err
	}
	d.meta.Created, d.secrecy = s.Now(), s.secrecy(ctx, q, answer, nil)
	for _, a := range attempts {
		d.note(fmt.Sprintf("%s was tried before: %v.", a.Strategy, strings.TrimSuffix(a.Err.Error(), ".")))
	}
	return d, nil
}

// turn waits until a query may fetch a page, and subtracts the time from the timeout of r. Call done
// once, when the page has been fetched and read: until then it is in memory.
func (s *Scraper) turn(ctx context.Context, q *scrapeQuery, r *fetch.Request) (done func(), err error) {
	began := time.Now()
	waiting, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	done, err = q.wait(waiting, s.fetching)
	if waiting.Err() != nil && ctx.Err() == nil && err != nil {
		return nil, q.failed(fmt.Sprintf("other pages are being fetched, and it had no turn within %v: try again in about %v", r.Timeout, s.fetching.Expected()))
	}
	r.Timeout = max(r.Timeout-time.Since(began), time.Millisecond)
	return done, err
}

// convert parses a source as a page when it is the turn of the query. The error says why that failed, or is the error of ctx, or a
// [*fetch.Failed] if the server is busy. ended reports that the error ends the call: after other errors, the answer only lacks this form.
func (s *Scraper) convert(ctx context.Context, q *scrapeQuery, c webpage.Choice, src webpage.Source) (page *webpage.Page, ended bool, err error) {
	page, err = s.Converter.Read(ctx, conversion.Input{Ask: q.ask(), Choice: c, Source: src})
	if full, ok := errors.AsType[fairqueue.FullError](err); ok {
		return nil, true, q.busy(full)
	}
	return page, ctx.Err() != nil, err
}

// forms sets the forms of a document that are not kept: HTML, links and images.
func (s *Scraper) forms(ctx context.Context, q *scrapeQuery, d *document) (err error) {
	if d.page != nil || !q.choice.KeepHTML && !q.choice.Lists {
		return nil
	}
	page, ended, err := s.convert(ctx, q, q.choice, d.source(q))
	if ended {
		return err
	}
	d.page = cmp.Or(page, new(webpage.Page))
	return nil
}

// maxListed is how many links or images an answer lists.
const maxListed = 2000

// listed returns a list of links or images.
func listed(lines []string) string {
	if len(lines) == 0 {
		return "none"
	}
	more := ""
	if len(lines) > maxListed {
		more, lines = fmt.Sprintf("and %d more\n", len(lines)-maxListed), lines[:maxListed]
	}
	return "- " + strings.Join(lines, "\n- ") + "\n" + more
}

// source returns a document as it was received.
func (d *document) source(q *scrapeQuery) webpage.Source {
	u, err := url.Parse(d.location(q))
	if err != nil {
		u = q.url
	}
	return webpage.Source{URL: u, ContentType: d.meta.Parts[store.Raw].MIME, Body: d.contents[store.Raw]}
}
