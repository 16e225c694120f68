package project

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcp-docs-server/mcp-docs-server/internal/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A docsFolder is the documents as they were last published.
type docsFolder struct {
	library atomic.Pointer[docs.Library]
	refused string // why the folder could not be read when it was last tried, so that it is reported once
}

func (d *docsFolder) count() int { return d.library.Load().Len() }

// read reads the documents that have changed, publishes them and has them indexed. A query meanwhile waits a little, or
// searches the paths only.
func (d *docsFolder) read(ctx context.Context, l *Live, r *refresher, indexing *sync.WaitGroup) bool {
	old := d.library.Load()
	library, err := docs.Scan(ctx, l.project.Files, r.folder(), old, r.visit, r.changed)
	refused := ""
	if err != nil {
		if ctx.Err() != nil {
			return false
		}
		if refused = err.Error(); refused != d.refused {
			l.report(Unreadable{r.folder(), err})
		}
		library = new(docs.Library)
	}
	d.refused = refused
	news := slices.DeleteFunc(slices.Clone(library.Notices()), func(n loader.Notice) bool { return slices.Contains(old.Notices(), n) })
	d.library.Store(library)
	l.server.SetLibrary(library)
	l.notices(l.unreported(ctx, news))
	indexing.Go(func() {
		if err := library.Index(ctx); err != nil && ctx.Err() == nil {
			l.logger.Warn("the documents cannot be indexed", "error", err)
		}
	})
	return err == nil
}

// unreported returns the notices about documents that the catalog does not report, which has the documents too where they are
// resources.
func (l *Live) unreported(ctx context.Context, notices []loader.Notice) []loader.Notice {
	if len(notices) == 0 || !l.settings.Load().Config.DocsResources {
		return notices
	}
	catalog, err := l.current.Load(ctx)
	if err != nil {
		return nil
	}
	reported := catalog.Notices()
	return slices.DeleteFunc(notices, func(n loader.Notice) bool { return slices.Contains(reported, n) })
}

// A promptsFolder is the prompts as they were last published.
type promptsFolder struct{ set atomic.Pointer[prompts.Set] }

func (p *promptsFolder) count() int { return len(p.set.Load().Prompts()) }

// read reads the prompts that have changed and publishes them.
func (p *promptsFolder) read(ctx context.Context, l *Live, r *refresher) bool {
	old := p.set.Load()
	set, err := prompts.Scan(ctx, l.project.Files, r.folder(), old, r.visit, r.changed)
	if err != nil {
		return false // ctx has ended
	}
	l.warn(slices.DeleteFunc(slices.Clone(set.Problems()), func(n jsondoc.Problem) bool { return slices.Contains(old.Problems(), n) }))
	p.set.Store(set)
	l.server.SetPrompts(set)
	return true
}
