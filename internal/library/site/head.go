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
	apidoc "github.com/mcp-docs-server/mcp-docs-server/internal/text/openapi"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// format is how a document is written.
type format uint8

const (
	markdown format = iota
	rst
	asciidoc
	notebook
	html
	org
	openapi
)

// formats has the formats of files by their extensions. All others are Markdown.
var formats = map[string]format{
	".rst": rst, ".rest": rst, ".txt": rst, ".adoc": asciidoc, ".asciidoc": asciidoc, ".asc": asciidoc, ".ipynb": notebook, ".html": html, ".htm": html,
	".org": org, ".yaml": openapi, ".yml": openapi, ".json": openapi,
}

func formatOf(name string) format { return formats[strings.ToLower(path.Ext(name))] }

// splitFront returns the front matter of a text, the offset of the text after it, the line of that text, from 1, and where it
// is not well-formed. It may be YAML or TOML, and follow empty lines.
func splitFront(text string) (v values, end, line int, err error) {
	trimmed := strings.TrimLeft(text, " \t\r\n\ufeff")
	skipped := len(text) - len(trimmed)
	first := 1 + strings.Count(text[:skipped], "\n")
	if b, _ := frontmatter.Find(trimmed); b.End > 0 {
		v, err = settings.Parse(".yml", strings.Repeat("\n", first)+b.YAML)
		return v, skipped + b.End, first + b.Line - 1, err
	}
	body, _, ok := strings.Cut(strings.TrimPrefix(trimmed, "+++"), "\n+++")
	if !ok || !strings.HasPrefix(trimmed, "+++") || len(body) > frontmatter.MaxSize {
		return nil, 0, 1, nil
	}
	v, err = settings.Parse(".toml", strings.Repeat("\n", first-1)+body)
	end = skipped + 3 + len(body) + 4
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 && strings.TrimSpace(text[end:end+i]) == "" {
		end += i + 1
	}
	return v, end, 1 + strings.Count(text[:end], "\n"), err
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
	var end int
	switch formatOf(p.File) {
	case rst:
		p.front = markup.RSTFields(text)
		p.ownTitle = firstTitle(markup.RST(text))
	case asciidoc:
		lines, own := markup.AsciiDoc(text, p.Tree.site.attributes())
		p.front, p.ownTitle = own, firstTitle(lines)
	case org:
		lines := markup.Org(text)
		p.front, p.ownTitle = markup.OrgFields(text), firstTitle(lines)
		p.ownTitle = cmp.Or(p.front.Str("title"), p.ownTitle)
	case openapi:
		p.front, p.ownTitle = nil, apidoc.Title(text)
	case notebook:
		text = markup.Notebook(text)
		fallthrough
	default:
		var err error
		p.front, end, _, err = splitFront(text)
		p.Wrong, _ = errors.AsType[*settings.SyntaxError](err)
		p.ownTitle = p.front.Str("title")
		if p.ownTitle == "" || p.ownTitle == "false" {
			p.ownTitle, p.lastTitle = firstHeading(text[end:])
		}
	}
	p.ownTitle, p.lastTitle = excerpt.OneLine(plainTitle(p.ownTitle)), excerpt.OneLine(plainTitle(p.lastTitle))
	p.Summary = excerpt.OneLine(frontmatter.Described(p.front.Str("description"), p.front.Str("incomplete")))
	if n, ok := p.front.Number("weight|order|sidebar_position|nav_order|sidebar order"); ok {
		p.weight = weight(n, p.front.Get("weight") != nil) // only a weight of 0 is none
	}
	p.Aliases = nil
	for _, key := range otherNames {
		for _, names := range p.front.List(key) {
			for name := range strings.SplitSeq(names, ",") {
				if name = strings.TrimSpace(name); name != "" && !External(name) {
					p.Aliases = append(p.Aliases, name)
				}
			}
		}
	}
	empty := strings.TrimSpace(text[end:]) == ""
	p.empty = empty && p.Summary == "" && p.front.Get("openapi") == nil
	switch {
	case p.front.Is("draft"):
		p.Hidden = draft
	case p.front.Str("published") == "false", p.front.Str("permalink") == "false", p.front.Is("headless"):
		p.Hidden = unpublished
	case strings.HasPrefix(text, "-----BEGIN "): // a signature is called .asc, too
		p.Hidden = "holds a signature or a key"
	case p.wholly: // a named folder is served whatever it has
	case p.front.Str(leadKeys) != "", empty && p.ownTitle == "" && p.front.Str(redirectKeys) != "":
		p.Hidden = redirects
	case p.empty && p.ownTitle == "":
		p.Hidden = folderTitle
	}
}

// firstTitle returns the first heading of a document in RST or AsciiDoc.
func firstTitle(lines []markup.Line) string {
	if i := slices.IndexFunc(lines, func(l markup.Line) bool { return l.Level > 0 }); i >= 0 {
		return lines[i].Text
	}
	return ""
}

// firstHeading returns the first heading of the first level, or else, as last, the first heading if no other has its level or a
// higher one.
func firstHeading(text string) (first, last string) {
	var all []excerpt.Heading
	for _, n := range []int{4 << 10, len(text)} { // nearly always, the first lines are enough
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
	for i, h := range all {
		if i > 0 && h.Level <= all[0].Level {
			return "", ""
		}
	}
	if len(all) == 0 {
		return "", ""
	}
	return "", all[0].Text
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
