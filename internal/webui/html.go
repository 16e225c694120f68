package webui

import (
	"bytes"
	"cmp"
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

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
	code := false
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
	case t.Data == "details" || t.Data == "summary" || t.Data == "script" || t.Data == "section":
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

// sanitize removes everything but harmless HTML: its input is rendered Markdown, with raw HTML. It keeps the elements and attributes that are listed here. Other text
// is escaped; other tags are dropped. It closes exactly the elements that the text opens, so the
// result cannot break out of its place on the page.
//
// It follows the rules of bluemonday, and the tests compare both. The program does not link
// bluemonday, whose regular expressions for CSS are compiled at each start, which took 4 ms.
func sanitize(source []byte) []byte {
	var b bytes.Buffer
	b.Grow(len(source) + len(source)/8)
	var open []string           // the outermost first
	count := map[string]int{}   // open elements, by name
	ignored := map[string]int{} // open elements without a tag, since an attribute was missing
	ids := map[string]bool{}
	tokens := html.NewTokenizer(bytes.NewReader(source))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			for _, name := range slices.Backward(open) {
				b.WriteString("</" + name + ">")
			}
			return b.Bytes()
		case html.TextToken:
			b.WriteString(tokens.Token().String())
		case html.StartTagToken, html.SelfClosingTagToken:
			t := tokens.Token()
			if !elements()[t.Data] {
				continue
			}
			t.Attr = slices.DeleteFunc(attributes(t.Data, t.Attr), func(a html.Attribute) bool {
				again := a.Key == "id" && ids[a.Val]
				ids[a.Val] = ids[a.Val] || a.Key == "id"
				return again
			})
			void := t.Data == "br" || t.Data == "hr" || t.Data == "img"
			if len(t.Attr) == 0 && (t.Data == "a" || t.Data == "img") {
				if !void && t.Type == html.StartTagToken {
					ignored[t.Data]++
				}
				continue
			}
			b.WriteString(t.String())
			if !void { // browsers ignore the slash of <p/>
				open = append(open, t.Data)
				count[t.Data]++
			}
		case html.EndTagToken:
			name := tokens.Token().Data
			if ignored[name] > 0 {
				ignored[name]--
				continue
			}
			for count[name] > 0 {
				last := open[len(open)-1]
				open = open[:len(open)-1]
				count[last]--
				b.WriteString("</" + last + ">")
				if last == name {
					break
				}
			}
		}
	}
}

// setOf returns a set of words.
func setOf(text string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := make(map[string]bool)
		for word := range strings.FieldsSeq(text) {
			set[word] = true
		}
		return set
	})
}

// elements are the allowed elements.
var elements = setOf(`p br hr h1 h2 h3 h4 h5 h6 blockquote ul ol li strong em del code pre table thead tbody tfoot caption tr th td sup sub section
	div span a img details summary b i u s kbd mark small ins abbr dfn cite q samp var dl dt dd figure figcaption`)

// attributes returns the allowed attributes of an element. A link to another site gets a rel that
// hides the referrer.
func attributes(element string, all []html.Attribute) []html.Attribute {
	var kept []html.Attribute
	for _, a := range all {
		value, ok := attribute(element, a)
		if ok {
			kept = append(kept, html.Attribute{Key: a.Key, Val: value})
		}
	}
	for _, a := range kept {
		if u, err := url.Parse(a.Val); element == "a" && a.Key == "href" && err == nil && u.Host != "" {
			return append(kept, html.Attribute{Key: "rel", Val: "nofollow noreferrer"})
		}
	}
	return kept
}

// A rule says which elements may have an attribute, and the form of its values.
type rule struct {
	on   string // elements, each with a space after it; "": all
	form *regexp.Regexp
}

// rules are the rules of the attributes that are not links.
var rules = sync.OnceValue(func() map[string]rule {
	number := regexp.MustCompile(`^[0-9]+$`)
	return map[string]rule{
		"class":   {"pre code span div section a p details ", regexp.MustCompile(`^([a-z0-9]{1,4}|code|footnotes?|footnote-(ref|backref)|label|fold|tab( first)?|notice (note|tip|important|warning|caution))$`)},
		"id":      {"", regexp.MustCompile(`^[^"'<>\s]+$`)},
		"name":    {"details ", regexp.MustCompile(`^t[0-9]+$`)},
		"open":    {"details ", nil},
		"align":   {"th td p div h1 h2 h3 ", regexp.MustCompile(`^(left|right|center)$`)},
		"colspan": {"th td ", number}, "rowspan": {"th td ", number}, "width": {"img ", number}, "height": {"img ", number}, "start": {"ol ", number},
		"title": {"a img abbr dfn ", nil}, "alt": {"img ", nil},
	}
})

// attribute returns the allowed value of an attribute.
func attribute(element string, a html.Attribute) (value string, ok bool) {
	switch {
	case a.Namespace != "":
		return "", false
	case a.Key == "href" && element == "a", a.Key == "src" && element == "img":
		return address(a.Val)
	case a.Key == "id" && (element == "img" || anchor(a.Val) != a.Val):
		return "", false
	case a.Key == "open":
		a.Val = ""
	}
	r, known := rules()[a.Key]
	return a.Val, known && (r.on == "" || strings.Contains(" "+r.on, " "+element+" ")) && (r.form == nil || r.form.MatchString(a.Val))
}

// address returns a URL in the form that is allowed in a page.
func address(raw string) (string, bool) {
	raw = strings.TrimSpace(raw)
	if raw == "" || strings.ContainsAny(raw, " \t\n") {
		return "", false
	}
	u, err := url.Parse(raw)
	if err != nil {
		return "", false
	}
	switch u.Scheme {
	case "", "http", "https", "mailto":
		raw = u.String()
		return raw, raw != ""
	}
	return "", false
}
