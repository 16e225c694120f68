package project

import (
	"context"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// readPrompts reads the prompts and publishes them.
func (l *Live) readPrompts(ctx context.Context, r *refresher) bool {
	l.promptsMu.Lock()
	old := l.filePrompts
	l.promptsMu.Unlock()
	set, err := prompts.Scan(ctx, l.project.now(), r.folder(), r.visit)
	if err != nil {
		return false // ctx has ended
	}
	l.warn(without(set.Problems(), old.Problems()))
	l.setPrompts(ctx, set)
	return true
}

// learnSkills reports mistakes in the skills of a new catalog that were not reported before, and
// makes prompts of the skills if the settings say so. It returns all known mistakes.
func (l *Live) learnSkills(ctx context.Context, catalog *loader.Catalog, before jsondoc.Problems) jsondoc.Problems {
	found, err := l.skills.Problems(ctx, catalog)
	if err != nil {
		return before
	}
	for i := range found {
		found[i].Warning = true // the project is served nevertheless
	}
	l.warn(without(found, before))
	l.promptsMu.Lock()
	defer l.promptsMu.Unlock()
	if l.filePrompts == nil {
		// the prompts are not read yet: setPrompts will merge the prompts of skills
		return found
	}
	l.mergePrompts(ctx, catalog)
	return found
}

// setPrompts publishes the prompts of files and of skills.
func (l *Live) setPrompts(ctx context.Context, set *prompts.Set) {
	var catalog *loader.Catalog
	if l.settings.Load().Config.Skills.AsPrompts {
		var err error
		if catalog, err = l.catalog.Load(ctx); err != nil {
			return
		}
	}
	l.promptsMu.Lock()
	defer l.promptsMu.Unlock()
	l.filePrompts = set
	l.mergePrompts(ctx, catalog)
}

// mergePrompts does the work of setPrompts with the skills of a catalog. promptsMu is held.
func (l *Live) mergePrompts(ctx context.Context, catalog *loader.Catalog) {
	set := l.filePrompts
	if catalog != nil && l.settings.Load().Config.Skills.AsPrompts {
		var err error
		if set, err = l.skills.Prompts(ctx, catalog, set); err != nil {
			return
		}
	}
	l.server.SetPrompts(set)
	l.index.Changed()
	l.offerSearch(ctx)
}
