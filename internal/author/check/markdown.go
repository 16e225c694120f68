package check

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/step"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// maxMarkdown is the size in bytes of the largest Markdown file whose links are checked.
const maxMarkdown = 16 << 20

// markdown checks the front matter and the links of Markdown files, and then the headings of the files
// to which links with anchors lead.
func (c *checker) markdown(ctx context.Context) error {
	l := &linked{checker: c, served: make(map[string]*bundle.File), folders: make(map[string]bool), anchors: make(map[string][]anchored), schemes: make(map[string]bool)}
	for i, f := range c.contents.Files {
		l.served[f.Name] = &c.contents.Files[i]
		for dir := path.Dir(f.Name); dir != "." && !l.folders[dir]; dir = path.Dir(dir) {
			l.folders[dir] = true
		}
	}
	for r := range c.contents.Catalog.All() {
		scheme, _, _ := strings.Cut(r.URI(), "://")
		l.schemes[scheme] = true
	}
	checked := step.Begin(ctx, "checking", "files", len(c.contents.Files))
	defer checked.End()
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range c.contents.Files {
		if groupCtx.Err() != nil {
			break
		}
		f := &c.contents.Files[i]
		if page := c.contents.Library.Sites().Page(f.Name); page != nil {
			group.Go(func() error {
				if text, ok := readText(f); ok {
					c.page(page, text)
				}
				checked.Add(1)
				return groupCtx.Err()
			})
			continue
		}
		if !docs.IsDocument(f.Name) || walk.Holds(prompts.Folder, f.Name) || f.Size > maxMarkdown {
			checked.Add(1)
			continue
		}
		group.Go(func() error {
			if text, ok := readText(f); ok {
				l.text(f.Name, text)
			}
			checked.Add(1)
			return groupCtx.Err()
		})
	}
	for _, p := range c.contents.Prompts {
		for _, link := range p.Links() {
			l.resource(p.File, link.URI, place{link.Line, 0}, true)
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	group, groupCtx = errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for name, links := range l.anchors {
		if groupCtx.Err() != nil {
			break
		}
		group.Go(func() error {
			l.headings(name, links)
			return groupCtx.Err()
		})
	}
	return cmp.Or(group.Wait(), ctx.Err())
}

// readText returns a file as text. It returns false for a file that is not text: clients get such a
// file as a blob, without links.
func readText(f *bundle.File) (string, bool) {
	r, err := f.Open()
	if err != nil {
		return "", false
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxMarkdown+1))
	if err != nil || len(data) > maxMarkdown {
		return "", false
	}
	content := media.Classify("a.md", "", data)
	return strings.TrimPrefix(content.Text, "\ufeff"), content.IsText
}

// linked holds the possible targets of links.
type linked struct {
	*checker
	served  map[string]*bundle.File // by path relative to the project folder
	folders map[string]bool         // with served files
	schemes map[string]bool         // of resources

	mu      sync.Mutex // guards the fields below
	anchors map[string][]anchored
	names   map[string][]string // paths of served files by base name; base names by folder and a slash; nil until first used
}

// A place is the position of a link.
type place struct{ line, column int }

// An anchored link leads to a part of a file.
type anchored struct {
	file, target, anchor string
	place
}

// text checks one Markdown file.
func (l *linked) text(name, text string) {
	front, began := frontmatter.Find(text)
	if began {
		l.front(name, text, front)
	}
	excerpt.Links(text[front.End:], front.Line, func(found excerpt.Link) {
		l.link(name, found.Target, place{found.Line, found.Column})
	})
}

// key matches a line of YAML, as opposed to text after a horizontal rule.
var key = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_-]*:( |$)`)

// front checks the front matter at the beginning of a file.
func (l *linked) front(name, text string, front frontmatter.Block) {
	if walk.Holds(skills.Folder, name) && path.Base(name) == loader.SkillFile {
		return // checker.skills checks it
	}
	if front.End == 0 {
		_, rest, _ := strings.Cut(text, "\n")
		if first, _, _ := strings.Cut(rest, "\n"); key().MatchString(strings.TrimRight(first, " \r")) {
			l.add(FrontMatter, Finding{File: name, Line: 1, Message: "the front matter that begins here has no closing line ---, so clients see it as text"})
		}
		return
	}
	if line, reason := front.Mistake(); reason != "" {
		l.add(FrontMatter, Finding{File: name, Line: line, Message: "the front matter is not valid YAML, so title and description in it are lost: " + reason})
	}
}

// absolute matches the start of a URI.
var absolute = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// link checks one link of a file.
func (l *linked) link(file, target string, from place) {
	switch {
	case target == "", strings.HasPrefix(target, "//"), strings.Contains(target, "{{"), strings.Contains(target, "{%"):
		return
	case strings.Contains(target, "://"):
		l.resource(file, target, from, false)
		return
	case absolute().MatchString(target):
		return
	}
	dest, anchor, _ := strings.Cut(target, "#")
	dest, _, _ = strings.Cut(dest, "?")
	if decoded, err := url.PathUnescape(dest); err == nil {
		dest = decoded
	}
	if a, err := url.PathUnescape(anchor); err == nil {
		anchor = a
	}
	found, ok := l.find(file, dest)
	if !ok {
		l.broken(file, target, dest, from)
		return
	}
	if !l.together(file, found) {
		l.add(OutsideLink, Finding{File: file, Line: from.line, Column: from.column, Message: fmt.Sprintf("the link %q leads to %s: a client that reads %s by its path or URI cannot follow it there", target, found, path.Base(file))})
	}
	if anchor != "" && docs.IsDocument(found) && l.served[found] != nil {
		l.mu.Lock()
		l.anchors[found] = append(l.anchors[found], anchored{file, target, anchor, from})
		l.mu.Unlock()
	}
}

// find returns the served file or folder that a path in a file leads to.
func (l *linked) find(file, dest string) (found string, ok bool) {
	if dest == "" {
		return file, true
	}
	name := path.Join(path.Dir(file), dest)
	if strings.HasPrefix(dest, "/") { // in a site, whose root is the folder of the documents
		name = path.Join(l.Config.Docs, dest)
	}
	if l.served[name] != nil || l.folders[name] || name == "." {
		return name, true
	}
	// The tool for documents also finds documents without their extension.
	if document, ok := strings.CutPrefix(name, l.Config.Docs+"/"); ok {
		if found, section, ok := l.contents.Library.Lookup(document); ok && section == "" && (found == document || strings.HasPrefix(found, document+".")) {
			return path.Join(l.Config.Docs, found), true
		}
	}
	return name, false
}

// together reports whether clients reach two files in the same way: both as documents, or both as
// resources.
func (l *linked) together(file, other string) bool {
	for _, folder := range []string{l.Config.Docs, loader.Resources} {
		if walk.Holds(folder, file) {
			return walk.Holds(folder, other)
		}
	}
	return true
}

// broken reports a link to a file that is not served or does not exist.
func (l *linked) broken(file, target, dest string, from place) {
	to, _ := l.find(file, dest)
	f := Finding{File: file, Line: from.line, Column: from.column}
	if to == ".." || strings.HasPrefix(to, "../") {
		f.Message = fmt.Sprintf("the link %q leads out of the project", target)
		l.add(OutsideLink, f)
		return
	}
	real, err := walk.Resolve(l.Files, to)
	if err == nil {
		_, err = fs.Stat(l.Files, real)
	}
	inside := walk.Holds(l.Config.Docs, to) || walk.Holds(loader.Resources, to) || walk.Holds(prompts.Folder, to) || walk.Holds(skills.Folder, to)
	switch {
	case err == nil && inside:
		f.Message = fmt.Sprintf("the link %q leads to %s, which is not served", target, to)
		l.add(HiddenLink, f)
	case err == nil:
		f.Message = fmt.Sprintf("the link %q leads to %s, which clients cannot read", target, to)
		l.add(OutsideLink, f)
	default:
		f.Message = fmt.Sprintf("the link %q leads nowhere: %s does not exist", target, to)
		if like := l.similar(to); like != "" {
			f.Message += "; did you mean " + like + "?"
		}
		if strings.HasPrefix(dest, "/") { // the site may have it
			f.Severity = Warning
		}
		l.add(BrokenLink, f)
	}
}

// similar returns a served file with the same or a similar name as a missing file, or "".
func (l *linked) similar(name string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.names == nil {
		l.names = make(map[string][]string)
		for served := range l.served {
			l.names[path.Base(served)] = append(l.names[path.Base(served)], served)
			l.names[path.Dir(served)+"/"] = append(l.names[path.Dir(served)+"/"], path.Base(served))
		}
	}
	if same := l.names[path.Base(name)]; len(same) > 0 {
		return slices.Min(same)
	}
	const most = 1000 // names that are compared
	siblings := l.names[path.Dir(name)+"/"]
	if near := nearest.Of(path.Base(name), siblings[:min(len(siblings), most)], 1); len(near) > 0 {
		return path.Join(path.Dir(name), near[0])
	}
	return ""
}

// resource checks a link to a URI. URIs with schemes that no resource of the project has are ignored,
// except in a prompt, where such a line must name a resource.
func (l *linked) resource(file, target string, from place, prompt bool) {
	scheme, _, _ := strings.Cut(target, "://")
	scheme, ok := uri.Scheme(scheme)
	if !ok || !l.schemes[scheme] && !prompt || slices.Contains(special, scheme) {
		return
	}
	if _, ok := l.contents.Catalog.Lookup(target); ok {
		return
	}
	if _, ok := l.contents.Catalog.LookupFolder(target); ok {
		return
	}
	f := Finding{File: file, Line: from.line, Column: from.column, URI: target, Message: fmt.Sprintf("there is no resource %s", target)}
	if near := l.contents.Catalog.Close(target, 1); len(near) > 0 {
		f.Message += "; did you mean " + near[0] + "?"
	}
	l.add(BrokenLink, f)
}

// identifier matches an HTML anchor in Markdown.
var identifier = lazyregexp.New(`<[A-Za-z][^<>]{0,500}?\s(?:id|name)\s*=\s*["']?([^"'\s<>]{1,200})`)

// headings checks the anchors of links to one file.
func (l *linked) headings(name string, links []anchored) {
	text, ok := readText(l.served[name])
	if !ok {
		return
	}
	anchors := make(map[string]bool)
	var slugs []string
	for _, h := range excerpt.Headings(text) {
		anchors[h.Slug] = true
		slugs = append(slugs, h.Slug)
	}
	for _, found := range identifier().FindAllStringSubmatch(text, -1) {
		anchors[found[1]] = true
	}
	for _, a := range links {
		if anchors[a.anchor] || anchors[strings.ToLower(a.anchor)] || a.anchor == "top" {
			continue
		}
		f := Finding{File: a.file, Line: a.line, Column: a.column, Message: fmt.Sprintf("the link %q leads to no heading of %s", a.target, name)}
		if near := nearest.Of(a.anchor, slugs[:min(len(slugs), 1000)], 1); len(near) > 0 {
			f.Message += "; did you mean #" + near[0] + "?"
		}
		l.add(BrokenPart, f)
	}
}
