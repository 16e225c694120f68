package crawltool

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pause"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

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
	j, o := v.j, v.j.m.options
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
	request := store.Request{URL: v.u, Owner: j.owner, Options: map[string]string{"crawl": j.id}} // no other job has its key
	meta := store.Meta{
		Key: request.Key(), Owner: j.owner, URL: v.u.String(), TTL: o.Store.Settings().TTL, Source: v.source(), Title: page.Title, Job: j.id, Diagnostics: page.Notes,
		ETag: p.Response.Validators.ETag, LastModified: p.Response.Validators.LastModified, Options: request.Options,
		Parts: map[store.Tier]store.Part{store.Cleaned: {MIME: "text/markdown"}},
	}
	contents := store.Contents{store.Cleaned: []byte(text)}
	if j.query.raw() {
		meta.Parts[store.Raw] = store.Part{MIME: page.MIME}
		contents[store.Raw] = p.Response.Body
	}
	_, err = o.Store.Put(ctx, meta, contents)
	for try := 1; errors.Is(err, database.ErrUnreachable) && try < storeTries && pause.For(ctx, time.Second) == nil; try++ {
		_, err = o.Store.Put(ctx, meta, contents)
	}
	switch {
	case errors.Is(err, database.ErrUnreachable): // its reason names addresses
		return &crawl.Fatal{Err: fmt.Errorf("%s: %w", v.u, database.ErrUnreachable)}
	case errors.Is(err, store.ErrTooLarge) || fserr.Full(err): // the same will happen to all further pages
		return &crawl.Fatal{Err: fmt.Errorf("%s %w", v.u, err)}
	case err != nil:
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pending[v.u.String()] = result{URL: v.u.String(), Title: page.Title, Key: meta.Key}
	return nil
}

// source returns the strategy that fetched the page.
func (v *visit) source() string {
	v.j.mu.Lock()
	defer v.j.mu.Unlock()
	if v.j.paid[v.u.String()] {
		delete(v.j.paid, v.u.String())
		return fetch.FirecrawlName
	}
	return fetch.NativeName
}
