package scrapetool

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// partsOption is the option of a capture that names its extras, and partOption that of an extra.
const (
	partsOption = "parts"
	partOption  = "part"
)

// find returns what the store has for a query and is fresh: not older than the query allows, nor than
// the store keeps it. What the store cannot read is not there.
func (s *Scraper) find(ctx context.Context, q *query, owner string) *document {
	return s.lookup(ctx, q, owner, q.maxAge)
}

// lookup is find for another age; -1: any.
func (s *Scraper) lookup(ctx context.Context, q *query, owner string, most time.Duration) *document {
	owners := []string{owner}
	if owner != "" && !q.personal() {
		owners = append(owners, "")
	}
	var newest *document
	for _, o := range owners {
		d := s.load(ctx, q, o, most)
		if d != nil && (newest == nil || d.meta.Created.After(newest.meta.Created)) {
			newest = d
		}
	}
	return newest
}

func (s *Scraper) load(ctx context.Context, q *query, owner string, most time.Duration) *document {
	c, err := s.options.Store.Get(ctx, q.request(owner).Key())
	if err != nil || c.Meta.Owner != owner || most >= 0 && s.options.Now().Sub(c.Meta.Created) > most {
		return nil
	}
	if q.extract != "" && c.Meta.Prompt != q.extract {
		return nil
	}
	d := &document{meta: c.Meta, contents: make(store.Contents), cached: true, kept: true}
	d.meta.Parts, d.meta.Options = maps.Clone(c.Meta.Parts), maps.Clone(c.Meta.Options)
	d.meta.Diagnostics = append([]string(nil), c.Meta.Diagnostics...)
	for tier := range c.Meta.Parts {
		if d.contents[tier], err = c.Content(ctx, tier); err != nil {
			return nil
		}
	}
	for _, name := range extrasOf(c) {
		e, err := s.options.Store.Get(ctx, extraKey(q, owner, name))
		if err != nil {
			return nil
		}
		data, err := e.Content(ctx, store.Raw)
		if err != nil {
			return nil
		}
		d.extras = append(d.extras, extra{name, e.Meta.Parts[store.Raw].MIME, data, e.Meta.Key})
	}
	return d
}

// extrasOf returns the names of the extras of a capture.
func extrasOf(c *store.Capture) []string {
	return strings.FieldsFunc(c.Meta.Options[partsOption], func(r rune) bool { return r == ',' })
}

func extraKey(q *query, owner, name string) string {
	r := q.request(owner)
	r.Options = maps.Clone(r.Options)
	r.Options[partOption] = name
	return r.Key()
}

var (
	errNoStore = errors.New("the server of the page says that it must not be kept (Cache-Control: no-store), and others use this server too")
	errStorage = errors.New("the storage failed")
)

// secrecy returns who may keep a document of an answer. Its capture is never for more callers than
// old, from which a 304 made it, or, where nobody knows what the server said, than the private
// capture that the caller has. What the server now calls private goes from the captures for all, and
// what nobody may keep from those of the caller too.
func (s *Scraper) secrecy(ctx context.Context, q *query, a *fetch.Answer, old *document) (now webclient.Secrecy) {
	if !q.shared {
		return webclient.Secrecy{}
	}
	if a.Secrecy != nil {
		now = *a.Secrecy
	}
	if a.NotModified {
		now.Private = now.Private || old.meta.Owner != ""
	} else if a.Secrecy == nil {
		_, err := s.options.Store.Get(ctx, q.request(q.caller).Key())
		now.Private = err == nil
	}
	if now.NoStore {
		s.withdraw(ctx, q, q.caller)
	}
	if now.NoStore || now.Private {
		s.withdraw(ctx, q, "")
	}
	return now
}

// withdraw removes the capture of a query that an owner has, with its extras.
func (s *Scraper) withdraw(ctx context.Context, q *query, owner string) {
	c, err := s.options.Store.Get(ctx, q.request(owner).Key())
	if err != nil {
		return
	}
	keys := []string{c.Meta.Key}
	for _, name := range extrasOf(c) {
		keys = append(keys, extraKey(q, owner, name))
	}
	for _, key := range keys {
		if err := s.options.Store.Delete(ctx, key); err != nil && !errors.Is(err, store.ErrNotFound) {
			s.options.Logger.Warn("a capture that its server calls private cannot be removed", "capture", key, "error", err)
		}
	}
}

// put puts a document into the store.
func (s *Scraper) put(ctx context.Context, q *query, d *document) error {
	if d.cached {
		return nil // it is there
	}
	if d.failed != nil {
		q = q.plain() // there is nothing of the extract
	}
	if d.secrecy.NoStore {
		return errNoStore
	}
	owner := q.caller
	if !q.personal() && !d.secrecy.Private {
		owner = ""
	}
	d.meta.Owner, d.meta.Key = owner, q.request(owner).Key()
	d.meta.Options = maps.Clone(q.parameters)
	var names []string
	for i := range d.extras {
		e := &d.extras[i]
		meta := d.meta
		meta.Key, meta.Options = extraKey(q, owner, e.name), map[string]string{partOption: e.name}
		meta.Title, meta.Prompt, meta.Diagnostics = e.name+" of "+d.meta.URL, "", nil
		meta.Parts = map[store.Tier]store.Part{store.Raw: {MIME: e.mime}}
		if _, err := s.options.Store.Put(ctx, meta, store.Contents{store.Raw: e.data}); err != nil {
			return s.storage(err)
		}
		e.key = meta.Key
		names = append(names, e.name)
	}
	if len(names) > 0 {
		d.meta.Options[partsOption] = strings.Join(names, ",")
	}
	c, err := s.options.Store.Put(ctx, d.meta, d.contents)
	if err != nil {
		return s.storage(err)
	}
	d.meta.Created, d.kept = c.Meta.Created, true
	return nil
}

// storage returns what a client may know of an error of the store.
func (s *Scraper) storage(err error) error {
	if errors.Is(err, store.ErrTooLarge) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	s.options.Logger.Warn("a capture cannot be kept", "error", err)
	return errStorage
}

// source is a document as it was received.
func (d *document) source(q *query) webpage.Source {
	u, err := url.Parse(d.at(q))
	if err != nil {
		u = q.url
	}
	return webpage.Source{URL: u, ContentType: d.meta.Parts[store.Raw].MIME, Body: d.contents[store.Raw]}
}
