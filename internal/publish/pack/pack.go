// Package pack collects the files of a project that a server serves, for a release.
//
// It packs the files that are served, by the same scans: the configuration, the resources of the
// catalog with templates.json, the sidecars in use and the skills, all files that the documents'
// tool can read, and the prompts without errors. A link is packed as its target. So a server of the
// packed files serves the same URIs, documents and prompts as a server of the project, and no other
// file of the project is published. [Contents.Omitted] lists the other files in the folders of the
// project.
//
// For the documents of sites, it also packs the files that they show or include, and one file that
// describes the sites. It does not pack the configuration of their generators.
//
// [Inspect] looks for secrets and for files that are too large before files are published.
package pack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/secret"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A Project is the project to pack.
type Project struct {
	Files     fs.FS // the project folder, as for [loader.Scan]
	Config    string
	Templates string // the text of templates.json; "" if there is none
	Options   loader.Options
	Library   *docs.Library
	// Release says that the files will be served elsewhere, so the files that documents of sites show or
	// include are packed too, and a file that describes the sites.
	Release bool
}

// Contents holds the files of a release of a project.
type Contents struct {
	Files   []bundle.File // sorted by name; all plain
	Omitted []Unpacked    // sorted by path
	Removed []Finding     // secrets in documents, which are packed without them
	// sorted names of files that documents show, outside of their folders or hidden
	Outside []string

	Notices  []loader.Warning // problems of resources and documents
	Problems jsondoc.Problems // problems of prompts and sidecars

	// What a server serves.
	Resources int
	Catalog   *loader.Catalog
	Library   *docs.Library
	Prompts   []*prompts.Prompt
}

// Gather reads a project. The error comes from ctx, from a folder that cannot be read, or from two
// files with the same name.
func Gather(ctx context.Context, p Project) (*Contents, error) {
	g := &gathering{project: p, files: make(map[string]bundle.File)}
	if p.Config != "" {
		g.addText(config.File, p.Config)
	}
	if p.Templates != "" {
		g.addText(loader.TemplatesFile, p.Templates)
	}
	for _, read := range []func(context.Context) error{g.resources, g.documents, g.prompts} {
		if err := read(ctx); err != nil {
			return nil, err
		}
	}
	g.contents.Files = slices.AppendSeq(g.contents.Files, maps.Values(g.files))
	bundle.Sort(g.contents.Files)
	g.contents.Omitted = g.omitted(ctx)
	if p.Release {
		g.warnIgnored()
	}
	return &g.contents, ctx.Err()
}

// A gathering is the state of Gather.
type gathering struct {
	project Project
	// by name; folders may be nested, so that two scans may find the same file
	files    map[string]bundle.File
	contents Contents
}

func (g *gathering) add(f bundle.File) { g.files[f.Name] = f }

// addText adds a file whose text has been read.
func (g *gathering) addText(name, text string) {
	f := bundle.Bytes(name, []byte(text))
	if info, err := fs.Stat(g.project.Files, name); err == nil {
		f.ModTime = info.ModTime()
	}
	g.add(f)
}

// linked returns a file, which may be a link that the scans follow too, and the mode of its target.
func linked(fsys fs.FS, name string) (f bundle.File, mode fs.FileMode, err error) {
	real, err := walk.Resolve(fsys, name)
	if err != nil {
		return f, 0, err
	}
	info, err := fs.Stat(fsys, real)
	if err != nil {
		return f, 0, err
	}
	open := func() (io.ReadCloser, error) { return fsys.Open(real) }
	return bundle.File{Name: name, Mode: bundle.ModePlain, Size: info.Size(), ModTime: info.ModTime(), Open: open}, info.Mode(), nil
}

func (g *gathering) resources(ctx context.Context) error {
	catalog, err := loader.Scan(ctx, g.project.Files, g.project.Options)
	if err != nil {
		return err
	}
	g.contents.Resources, g.contents.Catalog = catalog.Len(), catalog
	g.contents.Notices = append(g.contents.Notices, catalog.Warnings()...)
	g.contents.Problems = append(g.contents.Problems, catalog.Learn(ctx, nil)...)
	for f := range catalog.Files() {
		g.add(bundle.File{Name: f.LogicalPath(), Mode: bundle.ModePlain, Size: f.Size(), ModTime: f.ModTime(), Open: g.document(f.LogicalPath(), f.Open)})
	}
	return ctx.Err()
}

func (g *gathering) documents(ctx context.Context) error {
	library, sites := g.project.Library, g.project.Library.Sites()
	g.contents.Library = library
	g.contents.Notices = append(g.contents.Notices, library.Warnings()...)
	measured := progress.Begin(ctx, "measuring", "files", len(maps.Collect(library.Files())))
	defer measured.End()
	for name, size := range library.Files() {
		measured.Add(1)
		f := bundle.File{Name: library.FileOf(name), Mode: bundle.ModePlain, Size: size, ModTime: library.ModTime(name)}
		if sites.Configures(f.Name) {
			continue
		}
		f.Open = g.document(f.Name, func() (fs.File, error) { return library.Open(name) })
		g.add(g.measured(f))
	}
	if sites == nil || !g.project.Release {
		return nil
	}
	files, err := library.Published(ctx)
	if err != nil {
		return err
	}
	for _, f := range files {
		// A known file is a document, or a resource, which is exact.
		if _, known := g.files[f.Name]; !known {
			g.add(g.measured(bundle.File{Name: f.Name, Mode: bundle.ModePlain, Size: f.Size, ModTime: f.ModTime, Open: g.document(f.Name, f.Open)}))
		}
		hidden := f.Page == nil && strings.Contains("/"+f.Name, "/.")
		if hidden || !slices.ContainsFunc(g.folders(), func(dir string) bool { return walk.Holds(dir, f.Name) }) {
			g.contents.Outside = append(g.contents.Outside, f.Name)
		}
	}
	description, err := sites.Describe()
	if err != nil {
		return err
	}
	g.add(bundle.Bytes(site.DescriptionFile, description))
	return nil
}

// document returns a function that opens a document. If it has a secret that cannot be taken out, the file on the disk is opened: the
// check before publishing reports it, and the user decides.
func (g *gathering) document(name string, opener func() (fs.File, error)) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		f, err := opener()
		if _, ok := errors.AsType[*docsfs.SecretError](err); !ok {
			return f, err
		}
		real, err := walk.Resolve(g.project.Files, name)
		if err != nil {
			return nil, err
		}
		return g.project.Files.Open(real)
	}
}

// measured returns a document with its packed size: a notebook is packed without its outputs, and text without secrets. A
// notice says where they are.
func (g *gathering) measured(f bundle.File) bundle.File {
	isNotebook := strings.EqualFold(path.Ext(f.Name), ".ipynb")
	if mime, _ := media.ByName(f.Name); media.Binary(mime) {
		return f
	}
	r, err := f.Open()
	if err != nil { // packing the file reports it
		return f
	}
	defer r.Close()
	var removed []secret.Finding
	if isNotebook {
		f.Size, _ = io.Copy(io.Discard, r)
		removed, _ = g.project.Library.Check(f.Name)
	} else if opened, ok := r.(*docsfs.File); ok && len(opened.Removed) > 0 {
		f.Size, removed = opened.Reader.Size(), opened.Removed
	}
	for _, found := range removed {
		g.contents.Removed = append(g.contents.Removed, Finding{File: f.Name, Line: found.Line, What: found.What + "; in its place, clients get a note"})
	}
	return f
}

// folders returns the folders of the documents.
func (g *gathering) folders() []string {
	if g.project.Library.Closed() {
		return g.project.Library.Sites().Roots()
	}
	return []string{g.project.Library.Dir()}
}

func (g *gathering) prompts(ctx context.Context) error {
	set, err := prompts.Scan(ctx, g.project.Files, prompts.Folder, nil)
	if err != nil {
		return err
	}
	g.contents.Prompts = set.Prompts()
	g.contents.Problems = append(g.contents.Problems, set.Problems()...)
	for _, prompt := range set.Prompts() {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, _, err := linked(g.project.Files, prompt.File)
		if err != nil {
			return fmt.Errorf("%s: %w", prompt.File, err)
		}
		g.add(f)
	}
	return nil
}

// warnIgnored adds a notice for each packed file, or folder of packed files, that git ignores: its author may not mean to publish it.
func (g *gathering) warnIgnored() {
	files := docsfs.Of(g.project.Files, g.folders()...)
	last := ""
	for _, f := range g.contents.Files {
		if !files.Ignored(f.Name, false) {
			continue
		}
		name := f.Name
		for dir := path.Dir(f.Name); dir != "."; dir = path.Dir(dir) {
			if files.Ignored(dir, true) {
				name = dir + "/"
			}
		}
		if name != last {
			g.contents.Notices = append(g.contents.Notices, loader.Warning{Path: name, Reason: "is published, although git ignores it"})
			last = name
		}
	}
}

// An Unpacked is a file, or a hidden folder with everything in it, that is not packed.
type Unpacked struct {
	// relative to the project folder; the path of a folder ends in a slash
	Path string `json:"path"`
	// hidden by its name; otherwise it is not served for another reason
	Hidden bool `json:"hidden"`
}

// omitted lists the files in the folders of the project that are not packed.
func (g *gathering) omitted(ctx context.Context) []Unpacked {
	kept := make(map[string]bool) // folders with packed files
	for name := range g.files {
		for dir := path.Dir(name); dir != "." && !kept[dir]; dir = path.Dir(dir) {
			kept[dir] = true
		}
	}
	var left []Unpacked
	var look func(loc string)
	look = func(loc string) {
		real, err := walk.Resolve(g.project.Files, loc)
		var entries []fs.DirEntry
		if err == nil {
			entries, err = fs.ReadDir(g.project.Files, real)
		}
		if err != nil || ctx.Err() != nil {
			return // the scans have reported it
		}
		for _, e := range entries {
			name := path.Join(loc, e.Name())
			_, packed := g.files[name]
			switch {
			case packed:
			case kept[name], e.IsDir() && !walk.Hidden(e.Name()):
				look(name)
			case e.IsDir():
				left = append(left, Unpacked{name + "/", true})
			default:
				left = append(left, Unpacked{name, walk.Hidden(e.Name())})
			}
		}
	}
	for _, folder := range append(g.folders(), prompts.Folder, skills.Folder, loader.Resources) {
		if folder != "." { // the rest of a repository is not meant to be published
			look(folder)
		}
	}
	slices.SortFunc(left, func(a, b Unpacked) int { return cmp.Compare(a.Path, b.Path) })
	return slices.Compact(left)
}

// Root returns the files of the project folder itself that keep accepts, by name, and warnings about
// files that cannot be packed. It follows links as the scans do, and does not call keep for hidden
// names.
func Root(fsys fs.FS, keep func(name string) bool) ([]bundle.File, []loader.Warning, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, nil, err
	}
	var files []bundle.File
	var warnings []loader.Warning
	for _, e := range entries {
		name := e.Name()
		if walk.Hidden(name) || !keep(name) {
			continue
		}
		f, mode, err := linked(fsys, name)
		switch {
		case err != nil:
			warnings = append(warnings, loader.Warning{Path: name, Reason: "is not packed: " + err.Error()})
		case mode.IsRegular():
			files = append(files, f)
		}
	}
	bundle.Sort(files)
	return files, warnings, nil
}
