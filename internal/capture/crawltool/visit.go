package crawltool

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// Open implements [crawl.Keeper].
func (j *job) Open(u *url.URL) (crawl.Visit, error) { return &visit{j: j, u: u}, nil }

type visit struct {
	j           *job
	u           *url.URL
	byFirecrawl bool // the page comes from a crawl of Firecrawl
}

func (v *visit) Known() (webclient.Validators, time.Time) { return webclient.Validators{}, time.Time{} }

// Keep puts a page into the store ([crawl.Visit]).
func (v *visit) Keep(ctx context.Context, p *crawl.Page) error {
	j, o := v.j, v.j.m.options
	if j.saved.Shared && p.Response.Secrecy.NoStore {
		return fmt.Errorf("%s: its server says that it must not be kept (Cache-Control: no-store), and others use this server too", p.URL)
	}
	source := webpage.Source{URL: p.Response.URL, ContentType: p.Response.ContentType, Body: p.Response.Body}
	ask := fairqueue.Ask{Caller: j.saved.Owner, Unshared: j.saved.Owner == "", Background: true}
	page, err := o.Converter.Read(ctx, conversion.Input{Ask: ask, Choice: j.query.choice, Source: source})
	if err != nil {
		return fmt.Errorf("%s: %w", p.URL, err)
	}
	if page.Kind == webpage.Bytes {
		return fmt.Errorf("%w: %s", crawl.ErrNoPage, page.MIME)
	}
	text := page.Markdown(nil)
	digest := crawl.Digest(page.Title, text)
	if !p.Claim(digest) {
		return crawl.ErrElsewhere
	}
	request := v.request()
	meta := store.Meta{
		Key: request.Key(), Owner: j.saved.Owner, URL: v.u.String(), TTL: o.Store.Settings().TTL, Source: v.source(), Title: page.Title, Job: j.id, Diagnostics: page.Notes,
		ETag: p.Response.Validators.ETag, LastModified: p.Response.Validators.LastModified, Options: request.Options,
		Parts: map[store.Tier]store.Part{store.Cleaned: {MIME: "text/markdown"}},
	}
	contents := store.Contents{store.Cleaned: []byte(text)}
	if j.query.raw {
		meta.Parts[store.Raw] = store.Part{MIME: page.MIME}
		contents[store.Raw] = p.Response.Body
	}
	kept, err := o.Store.Put(ctx, meta, contents)
	if elsewhere(err) {
		return &crawl.Fatal{Err: err}
	}
	if errors.Is(err, store.ErrTooLarge) || fserr.Full(err) { // the same will happen to all further pages
		return &crawl.Fatal{Err: fmt.Errorf("%s %w", v.u, err)}
	}
	if err != nil {
		return err
	}
	r := result{URL: v.u.String(), Title: page.Title, Key: kept.Meta.Key}
	if v.byFirecrawl {
		r.Digest = hex.EncodeToString(digest[:])
	}
	j.recordPage(&r)
	return nil
}

// request returns the request whose capture the page is. Its key is that of no other job.
func (v *visit) request() store.Request {
	return store.Request{URL: v.u, Owner: v.j.saved.Owner, Options: map[string]string{"crawl": v.j.id}}
}

// Recover implements [crawl.Recoverer]: the capture may be in the store although the journal does not have it.
func (v *visit) Recover(ctx context.Context, digest [16]byte) (stored bool, err error) {
	kept, err := v.j.m.options.Store.Find(ctx, v.request().Key())
	var text []byte
	if err == nil {
		text, err = kept.Content(ctx, store.Cleaned)
	}
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case elsewhere(err):
		return false, &crawl.Fatal{Err: err}
	case err != nil, crawl.Digest(kept.Meta.Title, string(text)) != digest:
		return false, nil
	}
	v.j.recordPage(&result{URL: v.u.String(), Title: kept.Meta.Title, Key: kept.Meta.Key})
	return true, nil
}

// source returns the strategy that fetched the page.
func (v *visit) source() string {
	v.j.mu.Lock()
	defer v.j.mu.Unlock()
	if v.byFirecrawl || v.j.paid[v.u.String()] {
		delete(v.j.paid, v.u.String())
		return fetch.FirecrawlName
	}
	return fetch.NativeName
}
