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
	on   string         // elements, each with a space behind it; "": all
	form *regexp.Regexp // nil: any
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
	switch u.Scheme { // Parse makes it lower case
	case "", "http", "https", "mailto":
		raw = u.String()
		return raw, raw != ""
	}
	return "", false
}
