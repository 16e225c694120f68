package check

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/pack"
)

// publishing finds problems that would stop publish.
func (c *checker) publishing(ctx context.Context) error {
	if err := npm.CheckPackage(c.Config.Package); err != nil && c.Config.Package != "" {
		c.add(Publish, Finding{File: c.ConfigFile, Message: err.Error()})
	}
	if err := npm.CheckVersion(c.Config.Version); err != nil {
		c.add(Publish, Finding{File: c.ConfigFile, Message: err.Error()})
	}
	for _, f := range c.contents.Removed {
		c.add(Secret, Finding{Severity: Warning, File: f.File, Line: f.Line, Message: f.What})
	}
	files := slices.Clone(c.contents.Files) // the guard sets their sums
	if extra, _, err := pack.Root(c.Files, npm.IsExtra); err == nil {
		files = append(files, extra...)
	}
	if manifest, ok := c.file(npm.ManifestFile); ok {
		_, list := npm.ReadOrigin(npm.ManifestFile, manifest)
		for _, p := range list {
			p.Warning = true // only publish stops
			c.problem(Publish, p)
		}
		files = append(files, bundle.Bytes(npm.ManifestFile, manifest))
	}
	for _, n := range bundle.Unportable(files) {
		c.add(Unportable, Finding{File: n.Path, Message: n.Reason})
	}
	if bundle.Total(files) > pack.MaxTotal {
		found, err := pack.Inspect(ctx, files, pack.MaxTotal) // reads no file
		if err != nil {
			return err
		}
		c.inspected(found)
		files = slices.DeleteFunc(files, func(f bundle.File) bool { return f.Size > pack.MaxTotal })
	}
	looked := progress.Begin(ctx, "looking for secrets", "files", len(files))
	defer looked.End()
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range files {
		group.Go(func() error {
			defer looked.Add(1)
			return c.inspect(groupCtx, files[i:i+1])
		})
	}
	return group.Wait()
}

// inspect checks one file. If it cannot be read, that is a finding, unless it has been removed.
func (c *checker) inspect(ctx context.Context, file []bundle.File) error {
	f := &file[0]
	var data bytes.Buffer
	if f.Size < media.MaxPointer && f.Copy(&data) == nil && media.Pointer(data.Bytes()) {
		c.add(Pointer, Finding{File: f.Name, Message: media.NotFetched})
	}
	found, err := pack.Inspect(ctx, file, 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
		c.add(NotServed, Finding{Severity: Error, File: f.Name, Message: "cannot be read", Fix: "allow this user to read it"})
	}
	c.inspected(found)
	return ctx.Err()
}

// inspected adds the findings of an inspection. A finding without a file is about the size of all files.
func (c *checker) inspected(found []pack.Finding) {
	for _, f := range found {
		rule := Secret
		if f.File == "" {
			rule = PublishSize
		}
		c.add(rule, Finding{File: f.File, Line: f.Line, Message: f.What})
	}
}

// maxManifest is the maximum size in bytes of a package.json.
const maxManifest = 1 << 20

// file returns a small file of the project folder, and false if the folder has no such file.
func (c *checker) file(name string) ([]byte, bool) {
	real, err := walk.Resolve(c.Files, name)
	if err != nil {
		return nil, false
	}
	data, err := rootfs.ReadFile(c.Files, real, maxManifest)
	return data, err == nil
}

// dependencies finds direct dependencies without documents, and what else is left out of the dependencies.
// It returns the number of documents.
func (c *checker) dependencies() (documents int) {
	for _, p := range c.Packages {
		documents += len(p.Documents)
		switch {
		case !p.Direct:
		case p.Missing != "":
			f := Finding{Message: p.String() + " " + p.Missing}
			if p.Hint != "" {
				f.Fix = "run " + p.Hint
			}
			c.add(Dependencies, f)
		case len(p.Documents) == 0:
			c.add(Dependencies, Finding{Message: p.String() + " has no documents"})
		case p.Locked != "":
			c.add(Dependencies, Finding{Message: p.String() + " is installed; the lock file has " + p.Locked, Fix: "run " + p.Hint})
		}
	}
	for _, n := range c.PackageNotices {
		c.add(Dependencies, Finding{File: n.Path, Message: n.Reason})
	}
	return documents
}
