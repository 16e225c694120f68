package scrape

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// partsOption is the option of a capture that names its extras, and partOption that of an extra.
const (
	partsOption = "parts"
	partOption  = "part"
)

// find returns what the store has for a job and is fresh: not older than the job allows, nor than
// the store keeps it. What the store cannot read is not there.
func (s *Scraper) find(ctx context.Context, j *job, owner string) *document {
	return s.lookup(ctx, j, owner, j.maxAge)
}

// lookup is find for another age; -1: any.
func (s *Scraper) lookup(ctx context.Context, j *job, owner string, most time.Duration) *document {
	owners := []string{owner}
	if owner != "" && !j.personal() {
		owners = append(owners, "")
	}
	var newest *document
	for _, o := range owners {
		d := s.load(ctx, j, o, most)
		if d != nil && (newest == nil || d.meta.Created.After(newest.meta.Created)) {
			newest = d
		}
	}
	return newest
}

func (s *Scraper) load(ctx context.Context, j *job, owner string, most time.Duration) *document {
	c, err := s.options.Store.Get(ctx, j.request(owner).Key())
	if err != nil || c.Meta.Owner != owner || most >= 0 && s.options.Now().Sub(c.Meta.Created) > most {
		return nil
	}
	if j.query != "" && c.Meta.Prompt != j.query {
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
	for name := range strings.SplitSeq(c.Meta.Options[partsOption], ",") {
		if name == "" {
			continue
		}
		e, err := s.options.Store.Get(ctx, extraKey(j, owner, name))
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

func extraKey(j *job, owner, name string) string {
	r := j.request(owner)
	r.Options = maps.Clone(r.Options)
	r.Options[partOption] = name
	return r.Key()
}

var (
	errNoStore = errors.New("the server of the page says that it must not be kept (Cache-Control: no-store), and others use this server too")
	errStorage = errors.New("the storage failed")
)

// put puts a document into the store. shared says that several callers use it.
func (s *Scraper) put(ctx context.Context, j *job, d *document, owner string, shared bool) error {
	if d.cached {
		return nil // it is there
	}
	if d.failed != nil {
		j = j.plain() // there is nothing of the extract
	}
	if !j.personal() {
		noStore, private := secrecy(d.header)
		switch {
		case shared && noStore:
			return errNoStore
		case !shared || !private:
			owner = ""
		}
	} else if noStore, _ := secrecy(d.header); shared && noStore {
		return errNoStore
	}
	d.meta.Owner, d.meta.Key = owner, j.request(owner).Key()
	d.meta.Options = maps.Clone(j.parameters)
	var names []string
	for i := range d.extras {
		e := &d.extras[i]
		meta := d.meta
		meta.Key, meta.Options = extraKey(j, owner, e.name), map[string]string{partOption: e.name}
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

// secrecy returns what Cache-Control says about who may keep an answer (RFC 9111, 5.2.2).
func secrecy(h http.Header) (noStore, private bool) {
	for _, value := range h.Values("Cache-Control") {
		for directive := range strings.SplitSeq(value, ",") {
			name, _, _ := strings.Cut(strings.TrimSpace(directive), "=")
			noStore = noStore || strings.EqualFold(name, "no-store")
			private = private || strings.EqualFold(name, "private")
		}
	}
	return noStore, private
}

// source is a document as it was received.
func (d *document) source(j *job) webpage.Source {
	u, err := url.Parse(d.at(j))
	if err != nil {
		u = j.url
	}
	return webpage.Source{URL: u, ContentType: d.meta.Parts[store.Raw].MIME, Body: d.contents[store.Raw]}
}
