package webtools

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// lookup returns the newest stored document of a query if it is not older than maxAge, where -1 allows any age; nil: none, or the store
// cannot read it.
func (s *Scraper) lookup(ctx context.Context, q *scrapeQuery, maxAge time.Duration) *document {
	owners := []string{q.caller}
	if q.caller != "" && !q.personal() {
		owners = append(owners, "")
	}
	keys := make([]string, len(owners))
	for i, o := range owners {
		keys[i] = q.request(o).Key()
	}
	for range 2 { // another replica may replace the capture meanwhile
		captures, err := s.Store.FindAll(ctx, keys...)
		if err != nil {
			return nil
		}
		var newest *store.Capture
		for i, c := range captures {
			if c == nil || c.Meta.Owner != owners[i] {
				continue
			}
			if (maxAge < 0 || s.Now().Sub(c.Meta.Created) <= maxAge) && (q.extract == "" || c.Meta.Prompt == q.extract) &&
				(newest == nil || c.Meta.Created.After(newest.Meta.Created)) {
				newest = c
			}
		}
		if newest == nil {
			return nil
		}
		if d, err := s.stored(ctx, newest); !errors.Is(err, store.ErrNotFound) {
			return d
		}
	}
	return nil
}

// stored reads the document of a capture.
func (s *Scraper) stored(ctx context.Context, c *store.Capture) (*document, error) {
	contents, err := s.Store.Contents(ctx, c)
	if err != nil {
		return nil, err
	}
	if contents[0] == nil {
		return nil, store.ErrNotFound
	}
	d := &document{meta: c.Meta, contents: contents[0], cached: true, kept: true}
	d.meta.Parts, d.meta.Options = maps.Clone(c.Meta.Parts), maps.Clone(c.Meta.Options)
	d.meta.Diagnostics = append([]string(nil), c.Meta.Diagnostics...)
	return d, nil
}

var errNoStore = errors.New("the server of the page says that it must not be kept (Cache-Control: no-store), and others use this server too")

// secrecy returns who may keep the document of an answer. After a 304, it is never more public than
// the old document. If the strategy does not know Cache-Control, it is private if the caller already
// has a private capture of the page, or if the store cannot tell. secrecy removes the public capture of
// a page that is now private, and every capture of a page that must not be kept.
func (s *Scraper) secrecy(ctx context.Context, q *scrapeQuery, a *fetch.Answer, old *document) (now webclient.Secrecy) {
	if !q.shared {
		return webclient.Secrecy{}
	}
	if a.Secrecy != nil {
		now = *a.Secrecy
	}
	if a.NotModified {
		now.Private = now.Private || old.meta.Owner != ""
	} else if a.Secrecy == nil {
		_, err := s.Store.Get(ctx, q.request(q.caller).Key())
		now.Private = !errors.Is(err, store.ErrNotFound)
	}
	if now.NoStore {
		s.withdraw(ctx, q, q.caller)
	}
	if now.NoStore || now.Private {
		s.withdraw(ctx, q, "")
	}
	return now
}

// withdraw removes an owner's capture of a query.
func (s *Scraper) withdraw(ctx context.Context, q *scrapeQuery, owner string) {
	key := q.request(owner).Key()
	if err := s.Store.Delete(ctx, key); err != nil && !errors.Is(err, store.ErrNotFound) {
		s.Logger.Warn("a capture of a page that is now private cannot be removed", "capture", key, "error", err)
	}
}

// put puts a fresh document into the store.
func (s *Scraper) put(ctx context.Context, q *scrapeQuery, d *document) error {
	if d.cached {
		return nil
	}
	if d.extractErr != nil {
		q = q.plain() // stored as a page without an extract
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
	c, err := s.Store.Put(ctx, d.meta, d.contents)
	if err != nil {
		return s.public(err)
	}
	d.meta.Created, d.kept = c.Meta.Created, true
	return nil
}
