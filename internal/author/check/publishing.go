package check

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/guard"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/pack"
)

// chunk is how many files one goroutine looks through at a time.
const chunk = 500

// publishing finds what publish would stop.
func (c *checker) publishing(ctx context.Context) error {
	if c.Configured {
		for _, err := range []error{npm.CheckPackage(c.Config.Package), npm.CheckVersion(c.Config.Version)} {
			if err != nil {
				c.add(Publish, Finding{File: c.ConfigFile, Message: err.Error()})
			}
		}
	}
	files := slices.Clone(c.contents.Files) // the guard writes into them
	if extra, _, err := pack.Root(c.Files, npm.IsExtra); err == nil {
		files = append(files, extra...)
	}
	if manifest, ok := c.file(npm.ManifestFile); ok {
		_, list := npm.ReadOrigin(npm.ManifestFile, manifest)
		for _, p := range list {
			p.Warning = true // it stops publish only
			c.problem(Publish, p)
		}
		files = append(files, bundle.Bytes(npm.ManifestFile, bundle.ModePlain, manifest))
	}
	for _, n := range bundle.Unportable(files) {
		c.add(Unportable, Finding{File: n.Path, Message: n.Reason})
	}
	limits := guard.Limits{File: guard.MaxFile, Total: guard.MaxTotal}
	if bundle.Total(files) > limits.Total {
		// It compares sizes only, since they are too much.
		found, err := guard.Check(ctx, files, limits)
		if err != nil {
			return err
		}
		c.guarded(found, true)
		limits = guard.Limits{File: limits.File}
	}
	group, below := errgroup.WithContext(ctx)
	group.SetLimit(c.workers())
	for from := 0; from < len(files); from += chunk {
		some := files[from:min(from+chunk, len(files))]
		group.Go(func() error { return c.guard(below, some, guard.Limits{File: limits.File}) })
	}
	return group.Wait()
}

// guard looks through some files. One that is gone or cannot be read is a finding of its own.
func (c *checker) guard(ctx context.Context, files []bundle.File, limits guard.Limits) error {
	found, err := guard.Check(ctx, files, limits)
	if err == nil {
		c.guarded(found, false)
		return nil
	}
	for i := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		found, err := guard.Check(ctx, files[i:i+1], limits)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
			c.add(NotServed, Finding{Severity: Error, File: files[i].Name, Message: "cannot be read", Fix: "allow this user to read it"})
		}
		c.guarded(found, false)
	}
	return ctx.Err()
}

// guarded takes what the guard found. Sizes of single files are found again when the files are
// read.
func (c *checker) guarded(found []guard.Finding, totals bool) {
	for _, f := range found {
		switch {
		case totals && f.File != "":
		case f.File == "":
			c.add(PublishSize, Finding{Message: f.What})
		case f.Size:
			c.add(PublishSize, Finding{File: f.File, Message: f.What})
		default:
			c.add(Secret, Finding{File: f.File, Line: f.Line, Message: f.What})
		}
	}
}

// maxManifest is how much is read of a file that describes the project.
const maxManifest = 1 << 20

// file returns a small file of the project folder, and false if there is none.
func (c *checker) file(name string) ([]byte, bool) {
	real, err := walk.Resolve(c.Files, name)
	if err != nil {
		return nil, false
	}
	info, err := fs.Stat(c.Files, real)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxManifest {
		return nil, false
	}
	data, err := fs.ReadFile(c.Files, real)
	return data, err == nil
}
