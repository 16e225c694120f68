package mirror

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/folder"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/outbound"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
)

// Open begins to capture a page.
func (m *Mirror) Open(u *url.URL) (crawl.Visit, error) {
	m.mu.Lock()
	name := m.there[crawl.Key(u)]
	m.mu.Unlock()
	v, err := m.capturer.Visit(u, "")
	if err == nil && name != "" && name != folder.PageName(u) && v.Fetched().IsZero() {
		if moved, err := m.capturer.Visit(u, name); err == nil { // its author moved it
			v = moved
		}
	}
	if err != nil {
		return nil, err
	}
	v.Site, v.Text = m.site, true
	return &visit{m, v}, nil
}

type visit struct {
	m *Mirror
	v *folder.Visit
}

func (v *visit) Known() (outbound.Validators, time.Time) { return v.v.Known(), v.v.Fetched() }

func (v *visit) Keep(ctx context.Context, p *crawl.Page) error {
	v.v.Claim = p.Claim
	v.v.Rendered = v.m.rendered(p.URL.String())
	result, err := v.v.Keep(ctx, p.Response)
	switch {
	case errors.Is(err, folder.ErrElsewhere):
		if !p.Old { // a run that was killed wrote it, and then another page was first
			if err := v.v.Discard(); err != nil {
				return err
			}
		}
		return crawl.ErrElsewhere
	case errors.Is(err, folder.ErrNoText):
		return fmt.Errorf("%w: %v", crawl.ErrNoPage, err)
	case err != nil:
		if full(err) {
			return &crawl.Fatal{Err: err}
		}
		return err
	}
	v.m.mu.Lock()
	v.m.results[result.URL] = result
	v.m.there[crawl.Key(p.URL)] = result.File
	v.m.mu.Unlock()
	return nil
}

// full reports whether an error is one of the disk that the next page will have too.
func full(err error) bool {
	_, writing := errors.AsType[*folder.WriteError](err)
	return writing && fserr.Full(err)
}
