package check

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// maxMarkdown is the size in bytes of the largest Markdown file whose links are checked.
const maxMarkdown = 16 << 20

// markdown checks the front matter and the links of documents and of other Markdown files, and the links of prompts.
func (c *checker) markdown(ctx context.Context) error {
	schemes := make(map[string]bool) // of resources
	for r := range c.contents.Catalog.All() {
		scheme, _, _ := strings.Cut(r.URI(), "://")
		schemes[scheme] = true
	}
	sites := c.contents.Library.Sites()
	checked := progress.Begin(ctx, "checking", "files", len(c.contents.Files))
	defer checked.End()
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range c.contents.Files {
		f := &c.contents.Files[i]
		page := sites.Page(f.Name)
		if page != nil && page.Class != site.Main || page == nil && (!docs.IsMarkdown(f.Name) || walk.Holds(prompts.Folder, f.Name)) || f.Size > maxMarkdown || groupCtx.Err() != nil {
			checked.Add(1)
			continue
		}
		group.Go(func() error {
			if text, ok := readText(f); ok {
				if page != nil {
					c.page(groupCtx, page, text)
				} else {
					page = &site.Page{File: f.Name}
				}
				c.front(page, text)
				c.links(page, text, schemes)
			}
			checked.Add(1)
			return groupCtx.Err()
		})
	}
	for _, p := range c.contents.Prompts {
		for _, link := range p.Links() {
			c.resource(Finding{File: p.File, Line: link.Line, URI: link.URI}, schemes, true)
		}
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

// key matches a line of YAML, as opposed to text after a horizontal rule.
var key = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_-]*:( |$)`)

// front checks the front matter at the beginning of a file.
func (c *checker) front(p *site.Page, text string) {
	name := p.File
	front, began := frontmatter.Find(text)
	if !began || walk.Holds(skills.Folder, name) && path.Base(name) == loader.SkillFile {
		return // checker.skills checks it
	}
	if front.End == 0 {
		_, rest, _ := strings.Cut(text, "\n")
		if first, _, _ := strings.Cut(rest, "\n"); key().MatchString(strings.TrimRight(first, " \r")) {
			c.add(FrontMatter, Finding{File: name, Line: 1, Message: "the front matter that begins here has no closing line ---, so clients see it as text"})
		}
		return
	}
	// the reader of documents has made out the front matter of a page
	if _, wrong := frontmatter.Load(front.YAML); wrong != nil && p.Tree == nil {
		c.add(FrontMatter, Finding{File: name, Line: max(1, wrong.Line), Message: "the front matter is not valid YAML, so title and description in it are lost: " + wrong.Reason})
	}
}

// maxIncluded is how many bytes of included files are read. Thousands of small documents may include the same large file.
const maxIncluded = 256 << 20

// page checks what a document includes, and its front matter.
func (c *checker) page(ctx context.Context, p *site.Page, text string) {
	if c.included.Load() >= maxIncluded { // a finding says so
	} else if content, err := c.contents.Library.Sites().Content(ctx, p, text); err == nil {
		more := int64(len(content.Text) - len(text))
		if now := c.included.Add(more); now >= maxIncluded && now-more < maxIncluded {
			c.add(BrokenLink, Finding{Severity: Note, File: p.File, Message: fmt.Sprintf("is one of the documents that include %d MiB together: included files of further ones are not looked for", maxIncluded>>20), Fix: "include smaller files"})
		}
		for _, part := range content.Parts {
			// a name without extension, or with @ or ~, may be an alias of a bundler
			if part.Missing && path.Ext(part.File) != "" && !site.External(part.File) && strings.IndexAny(part.File, "@~") != 0 {
				c.add(BrokenLink, Finding{File: p.File, Line: part.Line, Message: fmt.Sprintf("the included file %q is not found", part.File), Fix: "correct the name"})
			}
		}
	}
	if w := p.Wrong; w != nil {
		c.add(FrontMatter, Finding{File: p.File, Line: w.Line, Message: "the front matter is not well-formed, so what it says of the page may be lost: " + w.Reason})
	}
}

// links checks the links of a file. Those that may be right on the published site are one note, and those to headings that are not
// found are another one.
func (c *checker) links(p *site.Page, text string, schemes map[string]bool) {
	sites := c.contents.Library.Sites()
	var open, lacking []site.Link
	for _, link := range sites.Links(p, text) {
		if strings.Contains(link.Link, "://") {
			c.resource(Finding{File: p.File, Line: link.Line, Column: link.Column, URI: link.Link}, schemes, false)
			continue
		}
		switch to := sites.Resolve(p, link.Link); {
		case to.Certainty == site.Absent:
			f := Finding{File: p.File, Line: link.Line, Column: link.Column, Message: fmt.Sprintf("the link %q leads nowhere", link.Link)}
			if like := sites.Like(p, link.Link); like != "" {
				f.Message += "; did you mean " + like + "?"
			}
			c.add(BrokenLink, f)
		case to.Lacks:
			lacking = append(lacking, link)
		case to.Certainty != site.Found && !site.External(link.Link):
			open = append(open, link)
		}
	}
	note := func(rule Rule, links []site.Link, what string) {
		if len(links) == 0 {
			return
		}
		f := Finding{File: p.File, Line: links[0].Line, Column: links[0].Column, Message: fmt.Sprintf("the link %q leads to %s", links[0].Link, what)}
		if n := len(links); n > 1 {
			f.Message = fmt.Sprintf("%d links lead to %s; the first is %q", n, what, links[0].Link)
		}
		c.add(rule, f)
	}
	note(Elsewhere, open, "no file of the project, or to one of several")
	note(BrokenPart, lacking, "no heading that is in the project")
}

// resource checks a link to a URI. URIs with schemes that no resource of the project has are ignored,
// except in a prompt, where such a line must name a resource.
func (c *checker) resource(f Finding, schemes map[string]bool, prompt bool) {
	scheme, _, _ := strings.Cut(f.URI, "://")
	scheme, ok := uri.Scheme(scheme)
	if !ok || !schemes[scheme] && !prompt || slices.Contains(special, scheme) {
		return
	}
	if _, ok := c.contents.Catalog.Lookup(f.URI); ok {
		return
	}
	if _, ok := c.contents.Catalog.LookupFolder(f.URI); ok {
		return
	}
	f.Message = fmt.Sprintf("there is no resource %s", f.URI)
	if near := c.contents.Catalog.Close(f.URI, 1); len(near) > 0 {
		f.Message += "; did you mean " + near[0] + "?"
	}
	c.add(BrokenLink, f)
}
