package docs

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
)

// A Node is an entry of a table of contents: a document, or a section, which is a group in the navigation of a site or a
// folder.
type Node struct {
	Title string
	// Path is the document's. For a section it is its page: the document that is its index, or else the folder, with a
	// slash at the end, or else the first document of the group.
	Path    string
	Section bool
	Own     bool    // Path is the page of the section itself
	Count   int     // documents in a section
	Open    bool    // the section is on the way to the document
	Inside  []*Node // of an open section

	index *document // of a section; nil: it has none
}

// An Outline is a table of contents, seen from one document.
type Outline struct {
	Nodes         []*Node
	Before, After string // the documents before and after the document, in reading order; "": there are none
}

// MaxTitled is how many entries of a level have titles in an outline. Further ones have the names of files, except the
// document itself.
const MaxTitled = 100

// Outline returns the table of contents in which the sections on the way to a document, or to a folder with a slash at its
// end, are open. It reads no files. Its time grows with the number of all documents.
func (l *Library) Outline(open string) Outline {
	var out Outline
	if l == nil {
		return out
	}
	way := folders(open)
	if d := l.files[open]; d != nil {
		way = trail(d)
	}
	type place struct {
		parent *Node
		name   string
	}
	root, sections := &Node{Open: true}, make(map[place]*Node)
	last, found := "", false
	for _, d := range l.order {
		switch {
		case d.path == open:
			out.Before, found = last, true
		case found:
			out.After, found = d.path, false
		}
		last = d.path
		at, names := root, trail(d)
		for i, name := range names {
			section := sections[place{at, name}]
			if section == nil {
				section = &Node{Title: strings.TrimSuffix(name, "/"), Path: d.path, Section: true, Open: at.Open && i < len(way) && way[i] == name}
				if strings.HasSuffix(name, "/") {
					section.Path, section.Own = strings.Join(names[:i+1], ""), true
					section.index = l.indexOf(section.Path)
				} else if i == len(names)-1 && (isIndex(d.path) || d.shortTitle() == name) {
					section.index = d
				}
				sections[place{at, name}] = section
				at.Inside = append(at.Inside, section)
			}
			section.Count++
			if at = section; !at.Open {
				break
			}
		}
		if at.Open {
			at.Inside = append(at.Inside, &Node{Path: d.path})
		}
	}
	l.visit(root, open)
	out.Nodes = root.Inside
	return out
}

// visit gives the entries of open sections their titles, and sections the pages of their indexes, which are not repeated in
// their sections.
func (l *Library) visit(at *Node, open string) {
	for i, n := range at.Inside {
		d := l.files[n.Path]
		if n.Section {
			folder := strings.HasSuffix(n.Path, "/")
			if d = n.index; d != nil {
				n.Path, n.Own = d.path, true
				n.Inside = slices.DeleteFunc(n.Inside, func(in *Node) bool { return !in.Section && in.Path == d.path })
			}
			if !folder {
				d = nil // the title is the group's
			}
			l.visit(n, open)
		}
		switch {
		case d != nil && (i < MaxTitled || n.Open || n.Path == open):
			n.Title = cmp.Or(d.shortTitle(), strings.TrimSuffix(path.Base(d.path), ".md"))
		case n.Title == "":
			n.Title = path.Base(n.Path)
		}
	}
}

// indexOf returns the document that stands for a folder, or nil if it has none, or a group of the navigation has it.
func (l *Library) indexOf(folder string) *document {
	for _, name := range site.StartNames {
		if d := l.files[folder+name]; d != nil && d.isMarkdown() && (d.page() == nil || d.page().Groups == nil) {
			return d
		}
	}
	return nil
}

func isIndex(name string) bool {
	name = path.Base(name)
	return slices.Contains([]string{"index", "readme", "_index"}, strings.ToLower(strings.TrimSuffix(name, path.Ext(name))))
}

// folders returns the names of the folders of a path, each with a slash at its end.
func folders(name string) []string {
	names := strings.SplitAfter(name, "/")
	return names[:len(names)-1]
}

// trail returns the sections that hold a document, the outermost first.
func trail(d *document) []string {
	if p := d.page(); p != nil && p.Groups != nil {
		return p.Groups
	}
	return folders(d.path)
}

// shortTitle returns the title of a document in the navigation, or "" if it has none.
func (d *document) shortTitle() string {
	if p := d.page(); p != nil {
		return cmp.Or(p.Short, p.Title)
	}
	return ""
}
