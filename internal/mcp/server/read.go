package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// readResource returns a resource, or the files directly in a folder.
func (s *Server) readResource(ctx context.Context, req request, p *uriParams) (*reply, error) {
	requested := p.URI
	if requested == "" {
		return nil, protocol.InvalidParams("uri is missing")
	}
	if early, err := s.readEarly(ctx, requested); err != nil {
		return nil, err
	} else if early != nil {
		return &reply{body: early, ttl: readTTL}, nil
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
	return &reply{body: read, ttl: readTTL}, nil
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
		// One search at a time, because searches slow down the scan of the tree.
		case s.finding <- struct{}{}:
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

// The Skills extension of MCP (SEP-2640): skills/list and skills/get. The files of skills are ordinary resources.
const (
	// skillsExtension names the extension among the capabilities.
	skillsExtension = "io.modelcontextprotocol/skills"
	// maxSkillBytes is how many bytes of files are read for a page of skills. Further skills are on
	// the next page.
	maxSkillBytes = 64 << 20
	// maxDigesting is how many answers about skills are made at a time: each may read many files.
	maxDigesting = 2
)

// listSkills answers skills/list.
func (s *Server) listSkills(ctx context.Context, r request, p *pageParams) (*reply, error) {
	after, err := p.key(protocol.SkillCursor)
	if err != nil {
		return nil, err
	}
	limit := s.bounds.Load().PageItems
	page, err := digesting(ctx, s, func(ctx context.Context) (*encodedBody, error) {
		return s.newSkillsPage(ctx, r.Files, after, limit)
	})
	if err != nil {
		return nil, err
	}
	// The digests change with the bytes of files, and no list_changed reports that.
	return &reply{body: page, ttl: func() time.Duration { return s.ttl(false, listTTL) }}, nil
}

// digesting runs work that reads the files of skills for a page.
func digesting(ctx context.Context, s *Server, work func(context.Context) (*encodedBody, error)) (*encodedBody, error) {
	if err := s.digesting.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer s.digesting.Release(1)
	return s.page(ctx, "skills", 2*pageBytes, nil, work)
}

// newSkillsPage returns the skills after one URI. It omits skills that cannot be read or break the
// rules.
func (s *Server) newSkillsPage(ctx context.Context, catalog *loader.Catalog, after string, limit int) (*encodedBody, error) {
	page, b := newBody(pageBytes/16, `"skills":[`)
	items, last, bytes, next := 0, after, int64(0), ""
	for r := range catalog.Skills(after) {
		if items == limit || len(b) > pageBytes || bytes > maxSkillBytes {
			next = protocol.NewCursor(protocol.SkillCursor, last)
			break
		}
		last = r.URI()
		skill, read, err := s.skills.Read(ctx, catalog, r)
		bytes += read
		switch {
		case ctx.Err() != nil:
			page.Release()
			return nil, context.Cause(ctx)
		case err != nil:
			if _, invalid := errors.AsType[*skills.InvalidError](err); !invalid && !errors.Is(err, fs.ErrNotExist) {
				s.options.Logger.Warn("a skill cannot be read", "uri", last, "error", err)
			}
			continue
		}
		if items++; items > 1 {
			b = append(b, ',')
		}
		b = skill.AppendJSON(b)
	}
	page.finish(b, next)
	return page, nil
}

// getSkill answers skills/get.
func (s *Server) getSkill(ctx context.Context, r request, p *uriParams) (*reply, error) {
	requested := p.URI
	found, ok := r.Lookup(requested)
	if !ok || found.Other != nil || !found.File.IsSkill() {
		return nil, noSkill(requested, "it names no "+loader.SkillFile+" of a skill; skills/list lists them")
	}
	page, err := digesting(ctx, s, func(ctx context.Context) (*encodedBody, error) {
		skill, _, err := s.skills.Read(ctx, r.Files, found.File)
		if err != nil {
			return nil, err
		}
		page, b := newBody(1<<10, `"skill":`)
		page.members = skill.AppendJSON(b)
		return page, nil
	})
	invalid, isInvalid := errors.AsType[*skills.InvalidError](err)
	switch {
	case isInvalid:
		return nil, noSkill(requested, invalid.Error())
	case errors.Is(err, fs.ErrNotExist):
		return nil, noSkill(requested, "it has gone")
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, contents.ErrSlow), errors.Is(err, contents.ErrHanging):
		return nil, err
	case err != nil:
		s.options.Logger.Warn("a skill cannot be read", "uri", found.URI(), "error", err)
		return nil, &contents.Error{URI: requested, Err: err}
	}
	return &reply{body: page, ttl: readTTL}, nil
}

// noSkill returns the error for a URI that names no skill.
func noSkill(requested, why string) error {
	return resourceError(protocol.CodeInvalidParams, fmt.Sprintf("there is no skill %s: %s", protocol.Shown(requested), why), errorData{URI: requested})
}
