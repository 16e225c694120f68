package site

import (
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// A Link is a reference in a document, as it is written.
type Link struct {
	Line int    // in the file, from 1
	Link string // target of Markdown, role of RST, macro of AsciiDoc without its text
}

// Links returns the references of a document's own text, in order.
func (s *Set) Links(p *Page, text string) (links []Link) {
	f := formatOf(p.File)
	if f != rst && f != asciidoc {
		_, end, line, _ := splitFront(text)
		return p.Tree.site.markdownLinks(text[end:], line)
	}
	n := 0
	for l := range p.lines(text) {
		n++
		for _, m := range compile(references).FindAllStringSubmatch(l.raw, 100) {
			if !l.code && m[0][0] != '\\' {
				links = append(links, Link{n, strings.Join(m[1:], "")})
			}
		}
	}
	return links
}

// references are the roles of RST that lead to documents, labels and files, and the references of AsciiDoc.
const references = "\\\\?(?:((?::[\\w+]+)?:(?:doc|ref|numref|any|download):`[^`]+`)" + `|(xref:[^\s\[]+)\[|(<<[\w#/.][^>,]*)(?:,|>>))`

// noBreak stands for a space in a target while links are read.
const noBreak = "\u00a0"

// markdownLinks returns the links of a Markdown text that begins in a line of its file.
func (site *Site) markdownLinks(text string, line int) (links []Link) {
	text = compile(`\{\{.*?\}\}|\{%.*?%\}`).ReplaceAllStringFunc(text, func(tag string) string { return strings.ReplaceAll(tag, " ", noBreak) })
	if site.is(plain) {
		text = eachWiki(text, func(_ bool, target, _ string) string { return "[](<[[" + target + "]]>)" })
	}
	text = compile(`\]\([^)\s]+\)\{[^}\n]*\.external\b`).ReplaceAllString(text, "]") // links of MyST that are URLs
	excerpt.Links(text, line, func(l excerpt.Link) { links = append(links, Link{l.Line, strings.ReplaceAll(l.Target, noBreak, " ")}) })
	return links
}

// tags are template tags of Liquid and Hugo that only spell a path, and that path.
var tags = [][2]string{
	{`\{\{-?\s*["']([^"'{}]+)["']\s*\|\s*(?:relative_url|absolute_url|url)\s*-?\}\}`, "$1"},
	{`^\{%-?\s*link\s+([^\s{}]+)\s*-?%\}`, "/$1"},
	{`^(?:\{\{-?\s*site\.(?:base)?url\s*-?\}\})+/?`, "/"},
	{"^\\{\\{[<%]\\s*(?:rel)?ref\\s+(?:path=)?[\"`]([^\"`]+)[\"`]\\s*[>%]\\}\\}", "$1"},
}

// untagged returns a link without [tags].
func (s *Set) untagged(p *Page, link string) string {
	spelled := link
	for i := 0; i < len(tags) && strings.Contains(spelled, "{"); i++ {
		spelled = compile(tags[i][0]).ReplaceAllString(spelled, tags[i][1])
	}
	if target, _, _ := strings.Cut(spelled, "#"); spelled != link && !strings.HasPrefix(spelled, "/") && s.file(p, target) == "" {
		return "/" + spelled // below the root of the documents
	}
	return spelled
}

// redirects adds the redirects of a configuration, or of the front matter of a page with a route: of routes, or of files.
func (site *Site) redirects(v values, route string) {
	for _, keys := range [][3]string{{"redirects", "source", "destination"}, {"redirects", "from", "to"}, {"redirections", "source_path", "redirect_url"}} {
		for _, e := range v.Subs(keys[0]) {
			from, to := relative(site.Trees[0].Root, e.Str(keys[1])), e.Str(keys[2])
			if from == "" {
				continue
			}
			if !strings.HasPrefix(from, "/") {
				from = route + from
			}
			if !strings.HasPrefix(to, "/") && !External(to) {
				to = route + to
			}
			from = compile(`/:\w+(?:\([^)]*\))?\*?$`).ReplaceAllString(join("/", from), "/*")
			site.Redirects[routeKey(from)] = compile(`/:\w+\*?$`).ReplaceAllString(to, "/*")
		}
	}
}

// redirected returns where the site leads a path that a page names.
func (p *Page) redirected(target string) (to string, ok bool) {
	if !strings.HasPrefix(target, "/") {
		target = path.Join("/", path.Dir(strings.TrimSuffix(p.Route, "/")), target)
	}
	if to, ok := p.Tree.site.Redirects[routeKey(target)]; ok {
		to, _, _ = strings.Cut(to, "#")
		return to, true
	}
	for dir := path.Dir(target); dir != "/" && dir != "."; dir = path.Dir(dir) {
		if to, ok := p.Tree.site.Redirects[routeKey(dir)+"/*"]; ok {
			if rest, splat := strings.CutSuffix(to, "/*"); splat {
				to = rest + target[len(dir):]
			}
			return to, true
		}
	}
	return "", false
}
