package project

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// apply reads what has changed, publishes the new catalog and then notifies the clients. If the
// tree cannot be read now, the current catalog stays.
func (l *Live) apply(ctx context.Context, c loader.Changes) {
	old, err := l.catalog.Load(ctx)
	if err != nil {
		return
	}
	var catalog *loader.Catalog
	if l.reload(ctx, c) {
		catalog, err = l.scan(ctx)
	} else {
		catalog, err = loader.Rescan(ctx, old, c)
	}
	if err != nil {
		if ctx.Err() == nil {
			l.logger.Error("the change is not served", "error", err)
		}
		return
	}
	l.publish(catalog)
	l.offerSearch(ctx)
	l.server.Changed(old, catalog, touched(c))
	l.warnings(catalog.NewWarnings(old))
}

// touched returns a function that reports whether a change may have given a file other bytes with
// the same size and time.
func touched(c loader.Changes) func(r loader.Resource) bool {
	files := make(map[string]bool, len(c.Files))
	for _, file := range c.Files {
		files[file] = true
	}
	return func(r loader.Resource) bool {
		path := r.Path()
		return r.Linked() || files[path] || len(files) == 0 && walk.Recent(r.ModTime()) ||
			slices.ContainsFunc(c.Trees, func(tree string) bool { return walk.Holds(tree, path) })
	}
}

// remounts reports whether the mount of the documents must be made again: it belongs to one version of files that are replaced as a
// whole, and to the patterns of git at its time.
func (l *Live) remounts(c loader.Changes) bool {
	if s := l.settings.Load(); l.options.Follow != nil {
		return s.Config.DocsResources // a version may bring or take the folder
	} else if !s.docsMounted {
		return false
	}
	return len(c.Files) == 0 || slices.ContainsFunc(c.Files, func(file string) bool { return path.Base(file) == ".gitignore" })
}

// outdated reports whether the files of the settings have changed since they were read.
func (l *Live) outdated() bool {
	now, err := l.project.readSource()
	return err != nil || l.settings.Load().Source != now
}

// reload reads the settings if their files have changed, and reports whether the tree must be read
// with new settings. It reports a mistake once and keeps the last good settings, without documents that exclude names.
func (l *Live) reload(ctx context.Context, c loader.Changes) bool {
	if !l.outdated() && !l.remounts(c) {
		l.refused = ""
		return false
	}
	s, warnings, err := l.project.readSettings(ctx)
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		if reason := err.Error(); reason != l.refused {
			l.refused = reason
			first, more, _ := strings.Cut(reason, "\n")
			if more != "" {
				first += " (and more)"
			}
			l.report(Said{first + "; the last good settings stay in force"})
		}
		now := *l.settings.Load()
		fresh := without(s.misplaced, now.misplaced)
		if len(fresh) == 0 {
			return false
		}
		now.withhold(slices.Concat(now.misplaced, fresh)) // the user wants to hide these documents, whatever else is wrong
		l.project.remount(&now)
		l.settings.Store(&now)
		return true
	}
	l.refused = ""
	l.warn(warnings)
	if was := l.settings.Load().Config; s.Config.Name != was.Name || s.Config.Version != was.Version {
		l.report(Said{l.project.Show(l.project.ConfigFile) + ": clients see the new name or version after the next start"})
	}
	l.settings.Store(&s)
	l.server.SetLimits(s.limits())
	l.server.SetFeatures(l.features(&s))
	l.index.Set(l.indexSettings(&s.Config))
	l.index.ToolsChanged()
	return true
}
