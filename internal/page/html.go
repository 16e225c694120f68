package page

import (
	"bytes"
	"cmp"
	"html/template"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// componentTag matches a tag of MDX or Vue, whose name is not one of HTML in capital letters.
var componentTag = lazyregexp.New(`^</?[A-Z]\w*[a-z]`)

// html writes raw HTML: its text and the elements that [sanitize] allows. Links and images are resolved as in Markdown.
func (c *codeRenderer) html(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	var raw []byte
	switch n := n.(type) {
	case *ast.RawHTML:
		raw = n.Segments.Value(source)
	case *ast.HTMLBlock:
		if raw = n.Lines().Value(source); n.HasClosure() {
			raw = append(raw, n.ClosureLine.Value(source)...)
		}
	}
	code := false // the text belongs to a program
	for tokens := html.NewTokenizer(bytes.NewReader(raw)); ; {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken:
			return ast.WalkSkipChildren, nil
		case html.TextToken:
			if !code {
				_, _ = w.WriteString(tokens.Token().String())
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			component := componentTag().Match(tokens.Raw())
			t := tokens.Token()
			code = kind == html.StartTagToken && (t.Data == "script" || t.Data == "style" || t.Data == "iframe")
			_, _ = w.WriteString(c.element(t, component))
		}
	}
}

// link writes a link of Markdown. One without a target becomes its text.
func (c *codeRenderer) link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	l, t := n.(*ast.Link), html.Token{Type: html.EndTagToken, Data: "a"}
	if entering {
		t.Type, t.Attr = html.StartTagToken, []html.Attribute{{Key: "href", Val: string(l.Destination)}, {Key: "title", Val: string(l.Title)}}
	}
	_, _ = w.WriteString(c.element(t, false))
	return ast.WalkContinue, nil
}

// image writes an image of Markdown. One of another site, or one that does not exist, becomes a link or a text.
func (c *codeRenderer) image(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	i := n.(*ast.Image)
	if entering {
		_, _ = w.WriteString(c.element(html.Token{Type: html.SelfClosingTagToken, Data: "img", Attr: []html.Attribute{
			{Key: "src", Val: string(i.Destination)}, {Key: "alt", Val: plain(i, source)}, {Key: "title", Val: string(i.Title)},
		}}, false))
	}
	return ast.WalkSkipChildren, nil
}

// element returns a tag in its original form. A component has its text in attributes.
func (c *codeRenderer) element(t html.Token, component bool) string {
	given := make(map[string]string)
	for _, a := range t.Attr {
		if given[a.Key] = a.Val; strings.HasPrefix(a.Val, "{") { // as in MDX
			given[a.Key] = strings.Trim(a.Val, "{}`\"'")
		}
	}
	to := func(key string, image bool) string {
		if given[key] == "" {
			return ""
		}
		return string(util.URLEscape([]byte(c.links.to(given[key], image)), true))
	}
	written := html.Token{Type: t.Type, Data: t.Data}
	keep := func(key, value string) {
		if value != "" {
			written.Attr = append(written.Attr, html.Attribute{Key: key, Val: value})
		}
	}
	switch {
	case t.Data == "details" || t.Data == "summary" || t.Data == "script" || t.Data == "section": // frames have the first two
		return ""
	case t.Type == html.EndTagToken:
		c.linked = c.linked && t.Data != "a"
		return written.String()
	case component:
		text := given["text"]
		if t.Type == html.SelfClosingTagToken {
			text = cmp.Or(text, given["label"], given["title"])
		}
		return template.HTMLEscapeString(text)
	case given["src"] != "":
		if image := to("src", true); t.Data == "img" && image != "" {
			written.Attr = []html.Attribute{{Key: "src", Val: image}, {Key: "alt", Val: given["alt"]}}
			for _, key := range []string{"title", "width", "height"} {
				keep(key, given[key])
			}
			return written.String()
		}
		return c.unshown(t.Data, given, to("src", false))
	}
	if href := to("href", false); t.Data == "a" && href != "" {
		keep("href", href)
		c.linked = true
	}
	if id := cmp.Or(given["id"], given["name"]); id != "" {
		keep("id", anchor(strings.ToLower(id)))
	}
	for _, key := range []string{"align", "colspan", "rowspan", "start", "title"} {
		keep(key, given[key])
	}
	return written.String()
}

// unshown returns a link or a text for an image or another thing with a source, which the page does not show.
func (c *codeRenderer) unshown(element string, given map[string]string, href string) string {
	name := given["src"]
	if element == "img" {
		name = "image"
	}
	text := cmp.Or(given["alt"], given["title"], name)
	if element == "img" && href == "" && !strings.HasPrefix(given["src"], "data:") {
		text += " (missing: " + shown(given["src"]) + ")"
	}
	text = template.HTMLEscapeString(text)
	if href != "" && !c.linked {
		return `<a href="` + template.HTMLEscapeString(href) + `">` + text + "</a>"
	}
	return text
}
