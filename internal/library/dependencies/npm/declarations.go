package npm

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dtsapi"
)

// A reader reads declarations, and records what it finds. It implements [dtsapi.Files]. No link in a package is followed.
type reader struct {
	*finder
	dir     string // of the package that is described
	lookups []lookup
}

// record records a lookup. The answer is empty if nothing was found.
func (r *reader) record(kind, dir, name, answer string) {
	r.lookups = append(r.lookups, lookup{kind, r.below(dir), name, answer})
}

// below returns a folder relative to the package.
func (r *reader) below(dir string) string {
	if below, err := filepath.Rel(filepath.FromSlash(r.dir), filepath.FromSlash(dir)); err == nil {
		dir = filepath.ToSlash(below)
	}
	return dir
}

func digest(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// Read implements [dtsapi.Files].
func (r *reader) Read(dir, name string) ([]byte, error) {
	data, err := dependencies.ReadFile(r.Base, dir, name, dtsapi.MaxFile)
	answer := ""
	if err == nil {
		answer = digest(data)
	}
	r.record("file", dir, name, answer)
	return data, err
}

// List implements [dtsapi.Files].
func (r *reader) List(dir, name string) (names []string) {
	const maxDepth = 8
	if root, err := r.Base.OpenFolder(dir, false); err == nil {
		defer root.Close()
		_ = fs.WalkDir(root, name, func(file string, e fs.DirEntry, err error) error {
			switch {
			case err != nil: // of a folder that cannot be read
			case len(names) == dtsapi.MaxListed:
				return fs.SkipAll
			case e.Type().IsRegular():
				names = append(names, file)
			case e.IsDir() && (e.Name() == "node_modules" || strings.Count(file, "/")-strings.Count(name, "/") > maxDepth):
				return fs.SkipDir
			}
			return nil
		})
	}
	r.record("folder", dir, name, digest([]byte(strings.Join(names, "\n"))))
	return names
}

// Package implements [dtsapi.Files]. It finds a package as Node does.
func (r *reader) Package(from, name string) (dir string, ok bool) {
	answer := ""
	for place := range places(from, name) {
		if dir, _, _ = r.target(place); dir != "" {
			answer = r.below(dir)
			break
		}
	}
	r.record("package", from, name, answer)
	return dir, dir != ""
}

// changes when the texts of dtsapi or their form in the cache do
const typesFormat = "dtsapi 9"

// A lookup is something that the reader of declarations asked for, and a digest of the answer. Folders are relative to the package.
type lookup struct{ Kind, Dir, Name, Answer string }

// describe returns [dependencies.Package.Describe] of a package in a folder. Its pages hold for all projects in which the same packages have the
// same declarations.
func (f *finder) describe(p *dependencies.Package, dir string) func(context.Context, bool) ([]dependencies.Document, error) {
	pages := &dependencies.Pages{
		Cache: f.Cache,
		Key:   strings.Join([]string{typesFormat, p.Name, p.Version}, "\n"),
		Make:  func(ctx context.Context) ([]dependencies.Page, []byte, error) { return f.makePages(ctx, p.Name, dir) },
		Same:  func(from []byte) bool { return f.samePages(from, dir) },
		Time:  func() (fs.FileInfo, error) { return f.Base.Lstat(path.Join(dir, "package.json")) },
	}
	return func(ctx context.Context, cached bool) ([]dependencies.Document, error) {
		documents, err := pages.Documents(ctx, cached)
		for i := range documents {
			documents[i].Path, documents[i].Symbols = path.Join("api", documents[i].Path), true
		}
		return documents, err
	}
}

// makePages makes the pages of a package, and returns the lookups that they depend on as JSON. A package that takes too long has no pages.
func (f *finder) makePages(ctx context.Context, name, dir string) (pages []dependencies.Page, from []byte, err error) {
	r := &reader{finder: f, dir: dir}
	pages, _ = dtsapi.Render(ctx, r, dir, name)
	pages = slices.DeleteFunc(pages, func(page dependencies.Page) bool { return !dependencies.ValidName(page.Name) })
	from, err = json.Marshal(r.lookups)
	return pages, from, err
}

// samePages reports whether each lookup that from records still finds the same file, folder or package, so that the declarations
// have not changed.
func (f *finder) samePages(from []byte, dir string) bool {
	var lookups []lookup
	if json.Unmarshal(from, &lookups) != nil {
		return false
	}
	r := &reader{finder: f, dir: dir}
	for i, s := range lookups {
		dir := path.Join(r.dir, s.Dir)
		if !fs.ValidPath(dir) {
			return false
		}
		switch s.Kind {
		case "file":
			_, _ = r.Read(dir, s.Name)
		case "folder":
			r.List(dir, s.Name)
		default:
			r.Package(dir, s.Name)
		}
		if r.lookups[i] != s {
			return false
		}
	}
	return true
}
