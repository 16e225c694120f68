package project

import (
	"context"
	"io"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A source is what sources of resources of documents have in common: a snapshot, which is replaced as a whole.
type source struct {
	mu       sync.Mutex // guards the fields below
	snapshot view.Snapshot
	changed  func(view.Change)
}

// Snapshot implements [view.Source].
func (s *source) Snapshot(*loader.Catalog, string) view.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snapshot
}

// Notify implements [view.Source].
func (s *source) Notify(changed func(view.Change)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = changed
}

// replace sets the snapshot, which is nil without resources. It returns the last one, and a function that notifies clients.
func (s *source) replace(next view.Snapshot) (last view.Snapshot, notify func(view.Change)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, s.snapshot = s.snapshot, next
	if s.changed == nil {
		return last, func(view.Change) {}
	}
	return last, s.changed
}

// documentFiles is the [view.Source] of documents that are resources, where sites chose the documents: these, their
// images and what they include. No other file in their folders is one. In a folder that somebody chose, the loader
// makes resources of all files instead.
type documentFiles struct {
	source
	has   func() bool   // reports whether there are any, once the templates are compiled
	known chan struct{} // closed when they are known
}

// Wait implements [view.Waiter].
func (s *documentFiles) Wait(ctx context.Context) {
	if !s.has() {
		return
	}
	select {
	case <-s.known:
	case <-ctx.Done():
	case <-time.After(mostWaited):
	}
}

// mostWaited is how long a request for resources waits for the first documents that are resources.
const mostWaited = 20 * time.Second

// Name implements [view.Source].
func (s *documentFiles) Name() string { return "the documents" }

// set makes resources of files, and notifies clients of the differences. name is the name of the project. Only one goroutine calls it.
func (s *documentFiles) set(name string, files []docs.File) {
	var all []*view.Resource
	for _, f := range files {
		all = append(all, resourceOf(name, f))
	}
	var next view.Snapshot
	if all != nil {
		next = view.NewList(all)
	}
	old, notify := s.replace(next)
	select {
	case <-s.known:
	default:
		close(s.known)
	}
	before := make(map[string]*view.Resource)
	if old != nil {
		for r := range old.After("") {
			before[r.URI] = r
		}
	}
	c := view.Change{}
	for _, r := range all {
		was := before[r.URI]
		delete(before, r.URI)
		if was == nil || was.Size != r.Size || !was.Modified.Equal(r.Modified) {
			c.Updated = append(c.Updated, r.URI)
		}
		c.List = c.List || was == nil || was.Title != r.Title || was.Description != r.Description
	}
	for uri := range before {
		c.Updated, c.List = append(c.Updated, uri), true
	}
	if c.List || len(c.Updated) > 0 {
		notify(c)
	}
}

// resourceOf returns a file of the documents as a resource.
func resourceOf(name string, f docs.File) *view.Resource {
	r := &view.Resource{URI: docs.URI(name, f.Path), Name: f.Path, Size: f.Size, Modified: f.ModTime, MIMEType: "application/octet-stream"}
	if p := f.Page; p != nil {
		r.MIMEType, r.Document = "text/markdown", f.Path
		r.Title, r.Description = p.Title, p.Summary
	}
	if mime, ok := media.ByName(f.Name); ok {
		r.MIMEType = mime
	}
	r.Read = func(_ context.Context, alloc func(int) []byte) ([]byte, error) {
		opened, err := f.Open()
		if err != nil {
			return nil, err
		}
		defer opened.Close()
		info, err := opened.Stat()
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fs.ErrNotExist
		}
		data := alloc(int(info.Size()))
		if data == nil {
			return nil, loader.ErrNoRoom
		}
		n, err := io.ReadFull(opened, data[:info.Size()])
		if err == io.ErrUnexpectedEOF || err == io.EOF { // it has become shorter
			err = nil
		}
		return data[:n], err
	}
	return r
}

// MadeOfDocuments reports whether documents are resources that the loader does not make. It is known once the templates are
// compiled.
func (s *Settings) MadeOfDocuments() bool { return s.Config.DocsResources && !s.docsMounted }

// publishDocuments makes resources of the documents of sites, if the settings say so and the loader does not.
func (l *Live) publishDocuments(ctx context.Context, library *docs.Library) error {
	select {
	case <-l.compiled: // only then are the settings of the loader known
	case <-ctx.Done():
		return ctx.Err()
	}
	s := l.settings.Load()
	if !s.MadeOfDocuments() {
		l.documentFiles.set(s.Config.Name, nil)
		return nil
	}
	files, err := library.Published(ctx)
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(f docs.File) bool { _, excluded := library.Excluded(f.Name); return excluded }) // a document may include it
	l.documentFiles.set(s.Config.Name, files)
	return nil
}
