package npm

import (
	"context"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/apipages"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dtsapi"
)

const typesFormat = "dtsapi 5" // changes when the texts of dtsapi do

// A describer describes the API of a package. Its pages hold for all projects in which the same packages have the same declarations.
type describer struct {
	*finder
	pkg   *dependencies.Package
	dir   string // of the package, below base
	pages dependencies.Pages
}

// A step is something that the reader of declarations asked for, and a digest of the answer. Folders are relative to the package.
type step struct{ Kind, Dir, Name, Answer string }

// describer returns the describer of a package.
func (f *finder) describer(p *dependencies.Package, dir string) *describer {
	d := &describer{finder: f, pkg: p, dir: dir}
	d.pages = dependencies.Pages{Cache: f.options.Cache, Key: strings.Join([]string{typesFormat, p.Name, p.Version}, "\n"), Make: d.make, Same: d.same}
	return d
}

// describe implements [dependencies.Package.Describe].
func (d *describer) describe(ctx context.Context, cached bool) ([]dependencies.Document, error) {
	var modTime time.Time
	if info, err := d.base.Lstat(path.Join(d.dir, "package.json")); err == nil {
		modTime = info.ModTime()
	}
	documents, err := d.pages.Documents(ctx, cached, modTime)
	for i := range documents {
		documents[i].Path, documents[i].Symbols = path.Join("api", documents[i].Path), true
	}
	return documents, err
}

// make makes the pages. A package that takes too long has none.
func (d *describer) make(ctx context.Context) (pages []apipages.Page, from []byte, err error) {
	var steps []step
	files := d.reader(func(s step) { steps = append(steps, s) })
	pages, _ = dtsapi.Render(ctx, dtsapi.Source{Files: files, Dir: d.dir, Name: d.pkg.Name})
	if dir, ok := files.Package(d.dir, dtsapi.TypesOf(d.pkg.Name)); ok && len(pages) == 0 {
		pages, _ = dtsapi.Render(ctx, dtsapi.Source{Files: files, Dir: dir, Name: d.pkg.Name})
	}
	pages = slices.DeleteFunc(pages, func(page apipages.Page) bool { return !dependencies.ValidName(page.Name) })
	from, err = json.Marshal(steps)
	return pages, from, err
}

// same reports whether each step that from records still finds the same file, folder or package, so that the declarations
// have not changed.
func (d *describer) same(from []byte) bool {
	var steps []step
	if json.Unmarshal(from, &steps) != nil {
		return false
	}
	var last step
	files := d.reader(func(s step) { last = s })
	for _, s := range steps {
		dir := path.Join(d.dir, s.Dir)
		if !fs.ValidPath(dir) {
			return false
		}
		switch s.Kind {
		case "file":
			_, _ = files.Read(dir, s.Name)
		case "folder":
			files.List(dir, s.Name)
		default:
			files.Package(dir, s.Name)
		}
		if last != s {
			return false
		}
	}
	return true
}
