package site

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
)

// DescriptionFile is the file of a package that describes the sites of its project. [Find] reads it instead of looking
// for configuration, which a package does not have.
const DescriptionFile = "mcp-docs-sites.json"

// maxDescription is the number of bytes of a description that are read: 200 for each of [maxPages].
const maxDescription = 200 * maxPages

// A description is the content of a description file.
type description struct {
	Sites []describedSite `json:"sites"`
}

type describedSite struct {
	*Site
	Pages []describedPage `json:"pages"` // in order
}

type describedPage struct {
	*Page
	Tree int `json:"tree,omitempty"` // in trees
}

// Describe returns the content of a [DescriptionFile] for the documents of the set: a set that is found in a folder with
// this file, the documents and what they include has the same pages.
func (s *Set) Describe() ([]byte, error) {
	var d description
	for _, site := range s.Sites {
		out := describedSite{Site: site}
		for _, p := range s.pages {
			if p.Tree.site == site && p.Hidden == "" && p.Class == Main {
				out.Pages = append(out.Pages, describedPage{p, slices.Index(site.Trees, p.Tree)})
			}
		}
		if len(out.Pages) > 0 {
			d.Sites = append(d.Sites, out)
		}
	}
	return json.MarshalIndent(d, "", " ")
}

// readDescription returns the description of the project, or nil if it has none.
func readDescription(fsys fs.FS) (*description, error) {
	data, err := readAtMost(fsys, DescriptionFile, maxDescription)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, rootfs.ErrTooLarge) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	d := new(description)
	if json.Unmarshal(data, d) != nil {
		return nil, nil // a file of another program
	}
	return d, nil
}

// described fills in the sites and pages of a description. Pages whose files are missing, hidden, refused or named by
// .gitignore are left out.
func (s *Set) described(ctx context.Context, d *description) error {
	for _, from := range d.Sites {
		site := from.Site
		if site == nil {
			continue
		}
		site.Trees = slices.DeleteFunc(site.Trees, func(t *Tree) bool { return t == nil || !fs.ValidPath(t.Root) })
		for _, t := range site.Trees {
			t.site = site
		}
		for _, p := range from.Pages {
			if err := ctx.Err(); err != nil {
				return err
			}
			if p.Page == nil || p.Tree < 0 || p.Tree >= len(site.Trees) || !fs.ValidPath(p.File) || !isDocument(p.File) && formatOf(p.File) != openapi || len(s.pages) >= maxPages {
				continue
			}
			s.visit(path.Dir(p.File))
			info, ok := s.served(p.File)
			if !ok || s.excludes(p.File) {
				continue
			}
			page := p.Page
			page.ownTitle, page.Size, page.ModTime = p.Title, info.Size(), info.ModTime().UnixNano()
			page.Tree, page.Folder = site.Trees[p.Tree], cmp.Or(p.Folder, ".")
			s.pages = append(s.pages, page)
		}
		if len(site.Trees) > 0 {
			s.Sites = append(s.Sites, site)
		}
	}
	return nil
}

// served returns what is known of a regular file of the project that may be in an answer: no part of its name is hidden,
// and it can be opened. Links are followed.
func (s *Set) served(file string) (fs.FileInfo, bool) {
	if _, ok := s.docs.Named("", file); !ok {
		return nil, false
	}
	info, err := fs.Stat(s.docs, file)
	if err != nil {
		return nil, false
	}
	info = docsfs.OnDisk(info)
	return info, info.Mode().IsRegular()
}

// Configures reports whether a file is the configuration of a site.
func (s *Set) Configures(file string) bool {
	return s != nil && slices.ContainsFunc(s.Sites, func(site *Site) bool { return site.Config == file })
}
