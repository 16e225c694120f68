package mirror

import (
	"cmp"
	"context"
	"net/url"
	"runtime"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
)

// relink makes the links between all pages relative.
func (m *Mirror) relink(ctx context.Context) error {
	if m.options.Capture.DryRun || m.folder == nil {
		return nil
	}
	m.mu.Lock()
	m.whole = true
	m.mu.Unlock()
	names := make(chan string)
	var wg sync.WaitGroup
	errs := make(chan error, 1)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for name := range names {
				err := m.capturer.Relink(ctx, name, func(target *url.URL) string { return m.link(name, target) })
				if err != nil && ctx.Err() == nil {
					select {
					case errs <- err:
					default:
					}
				}
			}
		})
	}
	m.crawl.Pages(func(page string) {
		m.mu.Lock()
		name := m.file(page)
		m.mu.Unlock()
		if ctx.Err() == nil {
			names <- name
		}
	})
	close(names)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

// markGone marks the files of pages that the site has no longer. A page that could not be asked may
// still be there.
func (m *Mirror) markGone(ctx context.Context) error {
	if m.folder == nil {
		return nil
	}
	var first error
	m.crawl.Old(func(page string, state crawl.State) {
		switch state {
		case crawl.Gone, crawl.Redirect, crawl.Canonical, crawl.Duplicate, crawl.NoIndex, crawl.Other:
		default:
			return
		}
		u, err := url.Parse(page)
		if err != nil || ctx.Err() != nil || first != nil {
			return
		}
		m.mu.Lock()
		name := m.file(page)
		m.mu.Unlock()
		result, ok, err := m.capturer.MarkGone(ctx, u, name)
		if err != nil {
			first = err
		} else if ok && m.options.Done != nil {
			m.options.Done(result)
		}
	})
	return cmp.Or(first, ctx.Err())
}
