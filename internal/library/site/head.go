package site

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/markup"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// format is how a document is written.
type format uint8

const (
	markdown format = iota
	rst
	asciidoc
	notebook
	org
	openapi
	pdf // see [IsPDF]
)

// documentExtensions are the extensions of documents. Of files that differ in nothing else, the first one is meant.
var documentExtensions = []string{".md", ".mdx", ".markdown", ".mkd", ".mdoc", ".qmd", ".rmd", ".rst", ".rest", ".adoc", ".asciidoc", ".asc", ".ipynb", ".org", ".txt"}

// formats has the formats of files by their extensions. All others are Markdown.
var formats = map[string]format{
	".rst": rst, ".rest": rst, ".txt": rst, ".adoc": asciidoc, ".asciidoc": asciidoc, ".asc": asciidoc, ".ipynb": notebook,
	".org": org, ".yaml": openapi, ".yml": openapi, ".json": openapi, ".pdf": pdf,
}

func formatOf(name string) format { return formats[strings.ToLower(path.Ext(name))] }

// IsPDF reports whether a file of this name is a PDF file. A program of its own makes the text of such a document.
func IsPDF(name string) bool { return formatOf(name) == pdf }

// findFront returns the front matter of a text. It may be YAML or TOML, and follow empty lines.
func findFront(text string) frontmatter.Block {
	trimmed := strings.TrimLeft(text, " \t\r\n\ufeff")
	b := frontmatter.After(trimmed)
	if skipped := text[:len(text)-len(trimmed)]; b.End > 0 {
		b.End += len(skipped)
		b.Line += strings.Count(skipped, "\n")
	}
	return b
}

// readFront returns the values of front matter, and where in the file it is not well-formed.
func readFront(b frontmatter.Block) (v values, err error) {
	before := strings.Repeat("\n", max(0, b.Line-2-strings.Count(b.YAML, "\n")))
	return settings.Parse(map[bool]string{true: ".toml", false: ".yml"}[b.TOML], before+b.YAML)
}

// otherNames are the keys in front matter of further routes of a page: those that it had, and the one that it is given.
var otherNames = []string{"aliases", "redirect_from", "oldUrl", "page-aliases", "url", "permalink", "slug", "id"}

// leadKeys are the keys in front matter that name the page to which generators lead readers, and redirectKeys those that say so
// of a page without title and text. A page with a title is an entry of the navigation, often for a page elsewhere.
const (
	leadKeys     = "redirect_url|redirect_to"
	redirectKeys = leadKeys + "|redirect|redirectTo|redirectUrl"
)

// readHead fills in what the beginning of a document says of it.
func (p *Page) readHead(text string) {
	front := frontmatter.Block{}
	switch f := formatOf(p.File); f {
	case rst, asciidoc, org:
		var lines []markup.Line
		lines, p.front = linesOf(f, p.Tree.site.attributes(), text)
		if i := slices.IndexFunc(lines, func(l markup.Line) bool { return l.Level > 0 }); i >= 0 {
			p.ownTitle = lines[i].Text
		}
		if f == org {
			p.ownTitle = cmp.Or(p.front.Str("title"), p.ownTitle)
		}
	case openapi:
		p.ownTitle = OpenAPITitle(text)
	case notebook:
		text = notebookText(text)
		fallthrough
	default:
		var err error
		front = findFront(text)
		p.front, err = readFront(front)
		p.Wrong, _ = errors.AsType[*settings.SyntaxError](err)
		p.ownTitle = p.front.Str("title")
		if p.ownTitle == "" || p.ownTitle == "false" {
			p.ownTitle, p.lastTitle = firstHeading(text[front.End:])
		}
	}
	p.ownTitle, p.lastTitle = masked(excerpt.OneLine(plainTitle(p.ownTitle))), masked(excerpt.OneLine(plainTitle(p.lastTitle)))
	p.Summary = excerpt.OneLine(frontmatter.Described(p.front.Str("description"), p.front.Str("incomplete")))
	// a weight of 0 is none
	if n, ok := p.front.Number("weight|order|sidebar_position|nav_order|sidebar order"); ok && (n != 0 || p.front.Get("weight") == nil) {
		p.weight = weight(n)
	}
	for _, key := range otherNames {
		for _, names := range p.front.List(key) {
			for name := range strings.SplitSeq(names, ",") {
				if name = strings.TrimSpace(name); name != "" && !External(name) {
					p.Aliases = append(p.Aliases, name)
				}
			}
		}
	}
	empty := strings.TrimSpace(text[front.End:]) == ""
	p.empty = empty && p.Summary == "" && p.front.Get("openapi") == nil
	switch {
	case p.front.Is("draft"):
		p.says = draft
	case p.front.Str("published") == "false", p.front.Str("permalink") == "false", p.front.Is("headless"):
		p.says = unpublished
	case strings.HasPrefix(text, "-----BEGIN "): // signatures are called .asc too
		p.says = "holds a signature or a key"
	case p.wholly: // named folders are served whole
	case p.front.Str(leadKeys) != "", empty && p.ownTitle == "" && p.front.Str(redirectKeys) != "":
		p.says = redirects
	case p.empty && p.ownTitle == "":
		p.says = folderTitle
	}
}

// firstHeading returns the first heading of the first level, or else, as last, the first heading if no other has its level or a
// higher one.
func firstHeading(text string) (first, last string) {
	var all []excerpt.Heading
	for _, n := range []int{4 << 10, len(text)} { // usually the first lines are enough
		if n < len(text) {
			n = 1 + strings.LastIndexByte(text[:n], '\n')
		}
		all = excerpt.Headings(text[:min(n, len(text))])
		for _, h := range all {
			if h.Level == 1 {
				return h.Text, ""
			}
		}
	}
	if len(all) > 0 && !slices.ContainsFunc(all[1:], func(h excerpt.Heading) bool { return h.Level <= all[0].Level }) {
		last = all[0].Text
	}
	return "", last
}

var (
	explicitID = `\s*(?:\{:?\s*#([^\s}]{1,200})[^}]{0,200}\}|\{/\*\s*#?([^\s*]{1,200})\s*\*/\}|\[#([^\]\s]{1,200})\]|<a [^>]{0,200}\b(?:id|name)="([^"]{1,200})"[^>]{0,200}>(?:</a>)?|:id=(\S+))\s*`
	attributes = `\s*\{:?\s*(?:[.#]|[\w-]+=["'])[^}]{0,200}\}\s*$|\{%.{0,200}?%\}`
)

// unmarked removes the markup that is left in a title. It is made at its first use.
var unmarked = strings.NewReplacer("`", "", "**", "", `\<`, "<", `\>`, ">", `\_`, "_", `\*`, "*", `\[`, "[", `\]`, "]", "&lt;", "<", "&gt;", ">", "&amp;", "&", "&shy;", "")

// plainTitle returns a heading without ids, attributes and markup.
func plainTitle(title string) string {
	title = compile(explicitID).ReplaceAllString(title, "")
	title = compile(attributes).ReplaceAllString(title, "")
	title = compile(`!?\[([^\]]{0,300})\]\([^)]{0,300}\)`).ReplaceAllString(title, "$1")
	title = unmarked.Replace(title)
	return strings.TrimSpace(title)
}
