package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// readResource returns a resource, or the files directly in a folder.
func (s *Server) readResource(ctx context.Context, req request, p *uriParams) (*reply, error) {
	requested := p.URI
	if requested == "" {
		return nil, protocol.InvalidParams("uri is missing")
	}
	outcome := cacheable(req.era, readTTL)
	if early, err := s.readEarly(ctx, requested); err != nil {
		return nil, err
	} else if early != nil {
		return &reply{Outcome: outcome, body: early}, nil
	}
	v, err := s.views.Load(ctx, req.Caller)
	if err != nil {
		return nil, err
	}
	var read *contents.Contents
	if found, ok := v.Lookup(requested); ok {
		if found.Other != nil {
			read, err = s.reader.ReadOther(ctx, requested, found.Other, false)
		} else {
			read, err = s.reader.Read(ctx, v.Files, requested, []loader.Resource{found.File})
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, notFound(v, requested, req.era)
		}
	} else if folder, ok := v.Files.LookupFolder(requested); ok {
		if folder.Len() > contents.MaxFolderFiles {
			return nil, resourceError(protocol.CodeInternalError,
				fmt.Sprintf("cannot read the folder %s: it has %d files, more than %d; read them one by one", protocol.Shown(requested), folder.Len(), contents.MaxFolderFiles),
				errorData{URI: requested, Size: int64(folder.Len()), Limit: contents.MaxFolderFiles})
		}
		read, err = s.reader.Read(ctx, v.Files, requested, folder.Files())
		if errors.Is(err, fs.ErrNotExist) { // the only file is gone
			read, err = &contents.Contents{}, nil
		}
	} else {
		return nil, notFound(v, requested, req.era)
	}
	if err != nil {
		return nil, err
	}
	return &reply{Outcome: outcome, body: read}, nil
}

// readEarly reads a file before the first catalog exists. It returns nil if the request must wait
// for the catalog.
func (s *Server) readEarly(ctx context.Context, requested string) (*contents.Contents, error) {
	if s.options.Find == nil || s.options.Catalog.Peek() != nil {
		return nil, nil
	}
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-s.options.Catalog.Ready():
			stop()
		case <-waiting.Done():
		}
	}()
	file, err := contents.OnDisk(waiting, s.reader, requested, nil, func(ctx context.Context) (*loader.Resource, error) {
		select {
		case s.finding <- struct{}{}: // one search at a time: searches slow down the scan of the tree
			defer func() { <-s.finding }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		file, ok, err := s.options.Find(ctx, requested)
		if err != nil || !ok {
			return nil, err
		}
		return &file, nil
	}, func(*loader.Resource) {})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || file == nil {
		return nil, nil
	}
	read, err := s.reader.Read(ctx, file.Catalog(), requested, []loader.Resource{*file})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return read, err
}
