package page

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"
)

// sanitize removes everything but harmless HTML: its input is rendered Markdown, with raw HTML. It keeps the elements and attributes that are listed here. Other text
// is escaped; other tags are dropped. It closes exactly the elements that the text opens, so the
// result cannot break out of its place on the page.
//
// It follows the rules of bluemonday, and the tests compare both. The program does not link
// bluemonday, whose regular expressions for CSS are compiled at each start, which took 4 ms.
func sanitize(source []byte) []byte {
	var b bytes.Buffer
	b.Grow(len(source) + len(source)/8)
	var open []string           // open elements, the outermost first
	count := map[string]int{}   // by name, the elements in open
	ignored := map[string]int{} // by name, open elements whose tags were dropped because an attribute was missing
	ids := map[string]bool{}    // that elements have
	tokens := html.NewTokenizer(bytes.NewReader(source))
	for {
		switch tokens.Next() {
		case html.ErrorToken: // the end of the input
			for _, name := range slices.Backward(open) {
				b.WriteString("</" + name + ">")
			}
			return b.Bytes()
		case html.TextToken:
			b.WriteString(tokens.Token().String())
		case html.StartTagToken, html.SelfClosingTagToken:
			t := tokens.Token()
			if !allowed(t.Data) {
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
			if !void { // a browser ignores the slash of <p/>
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

// allowed reports whether an element is allowed.
func allowed(name string) bool {
	switch name {
	case "p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "strong", "em", "del", "code", "pre",
		"table", "thead", "tbody", "tfoot", "caption", "tr", "th", "td", "sup", "sub", "section", "div", "span", "a", "img", "details", "summary",
		"b", "i", "u", "s", "kbd", "mark", "small", "ins", "abbr", "dfn", "cite", "q", "samp", "var", "dl", "dt", "dd", "figure", "figcaption":
		return true
	}
	return false
}

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

// forms are the allowed forms of attribute values.
var forms = sync.OnceValue(func() (f struct{ class, id, name, align, number *regexp.Regexp }) {
	f.class = regexp.MustCompile(`^([a-z0-9]{1,4}|code|footnotes?|footnote-(ref|backref)|label|fold|tab( first)?|notice (note|tip|important|warning|caution))$`)
	f.id = regexp.MustCompile(`^[^"'<>\s]+$`)
	f.name = regexp.MustCompile(`^t[0-9]+$`)
	f.align = regexp.MustCompile(`^(left|right|center)$`)
	f.number = regexp.MustCompile(`^[0-9]+$`)
	return f
})

// attribute returns the allowed value of an attribute.
func attribute(element string, a html.Attribute) (value string, ok bool) {
	if a.Namespace != "" {
		return "", false
	}
	switch a.Key {
	case "class":
		switch element {
		case "pre", "code", "span", "div", "section", "a", "p", "details":
			return a.Val, forms().class.MatchString(a.Val)
		}
	case "id":
		return a.Val, element != "img" && forms().id.MatchString(a.Val) && anchor(a.Val) == a.Val
	case "name":
		return a.Val, element == "details" && forms().name.MatchString(a.Val)
	case "open":
		return "", element == "details"
	case "align":
		switch element {
		case "th", "td", "p", "div", "h1", "h2", "h3":
			return a.Val, forms().align.MatchString(a.Val)
		}
	case "colspan", "rowspan":
		return a.Val, (element == "th" || element == "td") && forms().number.MatchString(a.Val)
	case "width", "height":
		return a.Val, element == "img" && forms().number.MatchString(a.Val)
	case "start":
		return a.Val, element == "ol" && forms().number.MatchString(a.Val)
	case "title":
		return a.Val, element == "a" || element == "img" || element == "abbr" || element == "dfn"
	case "alt":
		return a.Val, element == "img"
	case "href":
		if element == "a" {
			return address(a.Val)
		}
	case "src":
		if element == "img" {
			return address(a.Val)
		}
	}
	return "", false
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
	switch u.Scheme { // Parse makes it lower case
	case "", "http", "https", "mailto":
		raw = u.String()
		return raw, raw != ""
	}
	return "", false
}
