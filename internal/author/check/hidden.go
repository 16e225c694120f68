package check

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/pack"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Hidden returns the files and folders of a project that are not served, sorted by path, each with
// the rule that hides it. It reads only the files that a scan reads. The error comes from ctx, or
// from a folder that cannot be read.
func Hidden(ctx context.Context, p Project) ([]explain.Hidden, error) {
	var w withheld
	contents, err := p.gather(ctx, w.omitted)
	if err != nil {
		return nil, err
	}
	return w.all(contents, p.Config.Docs), nil
}

// withheld collects the files that are not served.
type withheld struct {
	mu     sync.Mutex // guards hidden
	hidden []explain.Hidden
}

// omitted adds a file that the scan of the resources leaves out.
func (w *withheld) omitted(o loader.Skipped) {
	if o.Path == loader.TemplatesFile {
		return // the server uses it, although it is not a resource
	}
	w.mu.Lock()
	w.hidden = append(w.hidden, explain.HiddenOf(o))
	w.mu.Unlock()
}

// all returns these files and the files that are left out of documents and prompts.
func (w *withheld) all(contents *pack.Contents, docs string) []explain.Hidden {
	reported := explain.Reported(contents.Notices, contents.Problems, docs)
	hidden := slices.Clone(w.hidden)
	pages := contents.Library.Left()
	if contents.Library.Closed() {
		pages = contents.Library.Sites().Hidden()
	}
	for _, p := range pages {
		hidden = append(hidden, explain.Unpublished(contents.Library.Sites(), p))
	}
	for i, h := range hidden { // in the folder of the documents, which may be resources too
		if _, _, ok := contents.Library.Lookup(strings.TrimPrefix(h.Path, docs+"/")); ok && h.Path != docs && walk.Holds(docs, h.Path) {
			hidden[i].Reason = "a document, but not a resource: " + h.Reason
		}
	}
	for _, left := range contents.Omitted {
		name := strings.TrimSuffix(left.Path, "/")
		if walk.Holds(loader.Resources, name) && !walk.Holds(docs, name) {
			continue // the scan of the resources has reported it
		}
		for _, h := range explain.Withheld(name, contents.Library, reported) {
			if !contents.Library.Closed() || !h.Unexplained() || walk.Holds(prompts.Folder, name) { // otherwise the file is not a document, or the site has reported it
				hidden = append(hidden, h)
			}
		}
	}
	slices.SortStableFunc(hidden, func(a, b explain.Hidden) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(hidden, func(a, b explain.Hidden) bool { return a.Path == b.Path })
}
