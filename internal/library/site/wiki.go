package site

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// Links of wikis, as Obsidian has them: [[page]], [[folder/page#heading|text]]. ![[page]] puts the page into the document, and
// ![[image.png]] shows it. Where a generator makes the site, brackets are what it says, for example tables of TOML.
const wikiTarget = `\[\[([^\[\]\n|]*[^\[\]\n|\s\\]\\?)(?:\|([^\[\]\n]*))?\]\]`

// eachWiki replaces the links of a wiki in a Markdown text, outside of code in a line, by what rewrite returns, unless that is "".
func eachWiki(text string, rewrite func(embed bool, target, title string) string) string {
	if !strings.Contains(text, "[[") {
		return text
	}
	link := compile("^(!?)" + wikiTarget + "$")
	return compile("`+[^`\n]+`+|!?"+wikiTarget+`\(?`).ReplaceAllStringFunc(text, func(found string) string {
		m := link.FindStringSubmatch(found)
		if m == nil || compile(`^[\d.,\s-]*,[\d.,\s-]*$|^\^`).MatchString(m[2]) { // code, a link in brackets, a list of lists, a footnote
			return found
		}
		return cmp.Or(rewrite(m[1] != "", strings.TrimSpace(strings.TrimSuffix(m[2], `\`)), m[3]), found)
	})
}

// linked returns a line in which the links of a wiki that lead to files are those of Markdown, with titles.
func (s *Set) linked(p *Page, line string) string {
	return eachWiki(line, func(embed bool, target, title string) string {
		name, id, _ := strings.Cut(target, "#")
		to := s.wikiFile(p, name)
		file, err := filepath.Rel(path.Dir(p.File), to)
		if to == "" || err != nil {
			return ""
		}
		file = strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29").Replace(filepath.ToSlash(file))
		if embed && compile(`^`+imageName+`$`).MatchString(path.Base(file)) {
			return "![" + path.Base(to) + "](" + file + ")"
		}
		if id = lastHeading(id); id != "" {
			file += "#" + excerpt.Slug(id)
		} else if page := s.files[to]; page != nil {
			title = cmp.Or(title, page.Title)
		}
		return "[" + cmp.Or(title, target) + "](" + file + ")"
	})
}

// lastHeading returns the last of the headings that a link of a wiki names, or "" for a block.
func lastHeading(id string) string {
	id = id[strings.LastIndexByte(id, '#')+1:]
	if strings.HasPrefix(id, "^") {
		return ""
	}
	return id
}

// resolveWiki resolves a link of a wiki.
func (s *Set) resolveWiki(p *Page, link string) Target {
	name, id, _ := strings.Cut(link, "#")
	file := s.wikiFile(p, name)
	if base := clean(p.Tree.Root, name); file == "" && base != "" {
		file = s.spelled(p, base)
	}
	if file == "" {
		return Target{Certainty: Absent}
	}
	return s.withID(s.files[file], file, lastHeading(id))
}

// wikiFile returns the document, image or other medium that a link of a wiki names, or "", without reading a folder. A page is
// found by the end of its path, or by an alias in its front matter; of several, the one in the folder of p, or else the one
// with the shortest path.
func (s *Set) wikiFile(p *Page, name string) string {
	if name == "" {
		return p.File
	}
	for _, dir := range []string{path.Dir(p.File), p.Tree.Root} {
		for _, ext := range []string{"", ".md"} {
			if file := clean(dir, name+ext); s.files[file] != nil {
				return file
			}
		}
	}
	name = strings.ToLower(name)
	near := func(o *Page) bool { return path.Dir(o.File) == path.Dir(p.File) }
	for _, pages := range [][]*Page{s.ends[strings.TrimSuffix(name, ".md")], s.places[routeKey(name)]} {
		if len(pages) > 0 {
			return slices.MinFunc(pages, func(a, b *Page) int {
				return cmp.Or(compareBool(b.Tree == p.Tree, a.Tree == p.Tree), compareBool(near(b), near(a)), cmp.Compare(len(a.File), len(b.File)), cmp.Compare(a.File, b.File))
			}).File
		}
	}
	return s.attachments[path.Base(name)]
}
