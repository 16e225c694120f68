package webpage

import (
	"bytes"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// noticeKind is the attribute of a quote that is a notice: one of the kinds that GitHub shows.
const noticeKind = "data-notice"

// kinds are the names that generators give to notices.
var kinds = map[string]string{
	"note": "NOTE", "info": "NOTE", "information": "NOTE", "seealso": "NOTE", "remark": "NOTE", "abstract": "NOTE", "example": "NOTE", "question": "NOTE", "todo": "NOTE",
	"primary": "NOTE", "secondary": "NOTE", "tip": "TIP", "hint": "TIP", "success": "TIP", "important": "IMPORTANT", "warning": "WARNING", "attention": "WARNING",
	"caution": "CAUTION", "danger": "CAUTION", "error": "CAUTION", "failure": "CAUTION", "bug": "CAUTION",
}

var (
	// noticeNames finds the classes of notices, and noticeTitles those of their titles.
	noticeNames = pattern(`(?i)admonition|callout|alert|hint|aside|custom-block|notice|blockquote-tag`)
	// writtenNotice finds the mark of a notice that is still text: a generator may not know it.
	writtenNotice = pattern(`^\s*\[!(\w+)\]\s*`)
	// noticeColours finds the colour of the background in the classes of Tailwind.
	noticeColours = pattern(`\bbg-(amber|yellow|orange|red|blue|green|purple)-\d`)
	noticeTitles  = pattern(`(?i)title|heading|caption`)
)

// colours are the kinds of notices that a page tells apart by their colour.
var colours = map[string]string{"orange": "warning", "yellow": "warning", "amber": "warning", "red": "caution", "blue": "note", "green": "tip", "purple": "important"}

// notice turns a note, a tip or a warning into a quote that GitHub shows as a notice, with the title in bold. Its class
// names the kind, and the class or a title says that it is a notice; or it begins with an icon and the kind.
func notice(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Div, atom.Aside, atom.Section, atom.Blockquote, atom.Dl, atom.Details:
	default:
		return false
	}
	name, heading := noticeName(n)
	if m := writtenNotice().FindStringSubmatch(text(n)); m != nil && n.DataAtom == atom.Blockquote {
		name = strings.ToLower(m[1])
		for c := range n.Descendants() {
			if c.Type == html.TextNode && strings.Contains(c.Data, "[!") {
				c.Data = writtenNotice().ReplaceAllString(c.Data, "")
				break
			}
		}
	}
	kind := kinds[name]
	if kind == "" || !hasText(n) {
		return false
	}
	words := strings.ToUpper(name[:1]) + name[1:]
	if heading != nil {
		words = strings.Join(strings.Fields(text(heading)), " ")
		remove(heading)
	}
	if table := descendant(n, func(c *html.Node) bool { return c.DataAtom == atom.Table }); table != nil && size(table) == size(n) { // an icon and the body, as Asciidoctor writes them
		unbox(table)
	}
	for c := range n.ChildNodes() {
		if c.DataAtom == atom.Dd {
			rename(c, atom.Div)
		}
	}
	if !strings.EqualFold(words, kind) {
		n.InsertBefore(label(words), n.FirstChild)
	}
	rename(n, atom.Blockquote)
	id := attribute(n, "id")
	n.Attr = []html.Attribute{{Key: noticeKind, Val: kind}}
	if id != "" {
		set(n, "id", id)
	}
	return true
}

// noticeName returns the name of the kind of a notice, and its title; "" if the element is not a notice.
func noticeName(n *html.Node) (name string, heading *html.Node) {
	class := strings.ToLower(attribute(n, "class"))
	marked := noticeNames().MatchString(class)
	for field := range strings.FieldsSeq(class) {
		word := field[strings.LastIndexAny(field, "-_")+1:]
		if kinds[word] != "" && (word == field || marked && noticeNames().MatchString(field)) && (name == "" || name == "hint") { // "hint warning" is a warning
			name = word
		}
	}
	icon := descendant(n, func(*html.Node) bool { return true })
	if colour := noticeColours().FindStringSubmatch(class); colour != nil && strings.Contains(class, "border-"+colour[1]) && icon != nil && size(icon) <= 2 {
		return colours[colour[1]], nil
	}
	bare := name // without a title
	if !marked && (n.DataAtom != atom.Div || kinds[name] != strings.ToUpper(name) || descendant(n, isHeading) != nil) {
		bare = ""
	}
	first := n
	for range 4 {
		outer := first
		for first = first.FirstChild; first != nil && !hasText(first); first = first.NextSibling {
		}
		switch {
		case first == nil || first.Type != html.ElementNode:
			return bare, nil
		case noticeTitles().MatchString(attribute(first, "class")), isHeading(first), first.DataAtom == atom.Summary, first.DataAtom == atom.Dt:
			return name, first
		case name == "" && outer != n:
			return "", nil
		case name == "" && descendant(first, func(c *html.Node) bool { return c.DataAtom == atom.Svg }) != nil && size(first) < 20:
			return strings.ToLower(strings.TrimSpace(text(first))), first
		}
	}
	return bare, nil
}

// hasText reports whether a node is a text or contains text.
func hasText(n *html.Node) bool {
	if n.Type == html.TextNode {
		return strings.TrimSpace(n.Data) != ""
	}
	for c := range n.Descendants() {
		if c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
			return true
		}
	}
	return false
}

// quote writes a quote. Unlike the library, it puts the mark of quotes before each line of code, too.
func quote(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	var b bytes.Buffer
	ctx.RenderChildNodes(ctx, &b, n)
	content := strings.TrimSpace(b.String())
	if content == "" {
		return converter.RenderSuccess
	}
	if kind := attribute(n, noticeKind); kind != "" {
		content = "[!" + kind + "]\n" + content
	}
	blank := false
	_, _ = w.WriteString("\n\n")
	for line := range strings.Lines(content) {
		line = strings.TrimRight(line, "\n")
		if line == "" && blank {
			continue
		}
		blank = line == ""
		_, _ = w.WriteString(strings.TrimRight("> "+strings.ReplaceAll(line, string(marker.MarkerCodeBlockNewline), string(marker.MarkerCodeBlockNewline)+"> "), " ") + "\n")
	}
	_, _ = w.WriteString("\n\n")
	return converter.RenderSuccess
}
