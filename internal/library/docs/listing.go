package docs

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
)

// maxListed is the maximum number of names in a list that was not requested itself.
const maxListed = 100

const relevant = "Here are some paths that might be relevant based on your query:\n\n"

// list writes names as Markdown, one per line, without a line end behind the last.
func list(names []string, most int) string {
	var lines []string
	for _, n := range names[:min(len(names), most)] {
		lines = append(lines, "- "+excerpt.OneLine(n))
	}
	if more := len(names) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// index answers the path of a folder with its index, and then its listing. It returns false if the folder has no index, or is the folder
// of the library.
func (a *reply) index(ctx context.Context, t *item, asked string, p target, room int) (bool, error) {
	i := slices.IndexFunc(site.StartNames, func(name string) bool { return a.library.Has(path.Join(p.path, name)) })
	if i < 0 || p.path == "" {
		return false, nil
	}
	listing := new(item)
	if a.request.Offset <= 1 {
		if err := a.folder(ctx, listing, asked, p, room/4); err != nil {
			return false, err
		}
		room -= tokens.Estimate(listing.body) + 1
	}
	a.file(ctx, t, a.library.files[path.Join(p.path, site.StartNames[i])], cmp.Or(a.request.Section, p.section), room)
	if listing.body != "" {
		t.body = strings.TrimRight(t.body, "\n") + "\n\n" + listing.body
	}
	return true, nil
}

// folder answers the path of a folder.
func (a *reply) folder(ctx context.Context, t *item, asked string, p target, room int) error {
	suggestions, err := a.library.suggest(ctx, a.words)
	if err != nil {
		return err
	}
	if p.deps != nil { // requests need the folder in front of it
		for i, s := range suggestions {
			suggestions[i] = dependencies.Folder + "/" + s
		}
	}
	paragraphs := []string{"# Directory: " + shown(excerpt.OneLine(asked))}
	if listing := a.library.Listing(p.path); listing != "" {
		paragraphs = append(paragraphs, listing)
	}
	if p.path == "" && a.library.deps.Len() > 0 {
		paragraphs = append(paragraphs, "## Dependencies", list([]string{dependencies.Folder + "/"}, 1))
	}
	if len(suggestions) > 0 {
		paragraphs = append(paragraphs, relevant+list(suggestions, maxSuggestions))
		t.list("suggestions", suggestions, maxSuggestions)
	}
	text := strings.Join(paragraphs, "\n\n") + "\n"
	t.show(text, excerpt.Section{Text: text, Heading: excerpt.Heading{Line: 1}}, a.request.Offset, a.request.Limit, excerpt.MaxText, room)
	return nil
}

// Listing returns the folders and documents in a folder, "" for the folder of the library, as an answer lists them.
func (l *Library) Listing(folder string) string {
	prefix := strings.TrimPrefix(path.Join(l.Dir(), folder)+"/", "./")
	var paragraphs []string
	folders, documents := l.in(folder)
	for i, name := range folders {
		folders[i] = readable(prefix+name) + "/"
	}
	if len(folders) > 0 {
		paragraphs = append(paragraphs, "## Subdirectories", list(folders, len(folders)))
	}
	var files []string
	for i, d := range documents {
		files = append(files, readable(prefix+path.Base(d.path)))
		if title, _ := l.titles(d); i < MaxTitled && title != "" {
			files[i] += ": " + title
		}
	}
	if len(files) > 0 {
		paragraphs = append(paragraphs, "## Files", list(files, len(files)))
	}
	return strings.Join(paragraphs, "\n\n")
}

// unknown answers a path that does not exist.
func (a *reply) unknown(ctx context.Context, t *item, asked string, room int) error {
	if reason := a.library.deps.explain(asked); reason != "" {
		t.fail("%s", excerpt.Ellipsis(excerpt.OneLine(strings.ToValidUTF8(reason, "\ufffd")), maxListed*10))
		return nil
	}
	t.fail("Path \"%s\" not found.", shown(excerpt.OneLine(asked)))
	suggestions, err := a.library.suggest(ctx, baseOf(asked)+" "+a.words)
	if err != nil {
		return err
	}
	top, _ := a.library.Top()
	paragraphs := []string{t.body, top}
	if len(suggestions) > 0 {
		paragraphs = append(paragraphs, relevant+list(suggestions, maxSuggestions))
	}
	body := strings.Join(paragraphs, "\n\n") + "\n"
	if tokens.Estimate(body+t.header.String()) < room {
		t.body = body
	}
	return nil
}

// Top lists the folders and documents in the folder of all main documents, for the answer to an unknown path, and returns a sentence
// that names the folders, or "".
func (l *Library) Top() (listed, folders string) {
	label := l.Dir()
	if label == "." {
		label = "documentation root"
	}
	var dirs, files []string
	base := l.Base()
	names, documents := l.in(strings.TrimSuffix(base, "/"))
	for _, name := range names {
		dirs = append(dirs, base+name+"/")
	}
	for _, d := range documents {
		files = append(files, d.path)
	}
	if len(dirs) > 0 {
		folders = " Folders at the top: " + joined(dirs) + "."
	}
	return fmt.Sprintf("Available top-level paths under \"%s\":\n\nDirectories:\n%s\n\nFiles:\n%s", label, list(orNone(dirs), maxListed), list(orNone(files), maxListed)), folders
}

func orNone(names []string) []string {
	if len(names) == 0 {
		return []string{"(none)"}
	}
	return names
}

// in returns the names of the folders in a folder that have readable files at any depth, and the documents in it.
func (l *Library) in(folder string) (folders []string, documents []*document) {
	if folder != "" {
		folder += "/"
	}
	for _, e := range entries(l.known().listed, folder) {
		if e.Folder {
			folders = append(folders, e.Name)
		} else if d := l.files[folder+e.Name]; d.isMarkdown() {
			documents = append(documents, d)
		}
	}
	slices.Sort(folders)
	return folders, documents
}

// Base returns the folder of all main documents below the folder of the library, with a slash, or "" if that is it.
func (l *Library) Base() string {
	base := l.known().Sites().Base()
	if l = l.known(); l.dir != "." && l.dir != "" {
		base = strings.TrimPrefix(strings.TrimPrefix(base, l.dir), "/")
	}
	if base == "." || base == "" {
		return ""
	}
	return base + "/"
}

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
	Nodes []*Node
	// the documents before and after the document, in reading order; "": there are none
	Before, After string
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
