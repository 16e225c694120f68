package prose

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// inline are the elements that do not part words.
const inline = " a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike strong sub sup tt u var wbr "

// known are the other elements of HTML. A name in angle brackets that is not among them, and has no attributes, is a placeholder.
const known = " address article aside audio base basefont blockquote body br button canvas caption center col colgroup dd details dialog dir div dl dt embed fieldset figcaption figure footer form frame" +
	" h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input legend li link main map menu meta nav noscript object ol optgroup option output p param picture pre progress script search section" +
	" select slot source style summary svg table tbody td template textarea tfoot th thead time title tr track ul video path g circle rect line polyline polygon defs use "

func in(names, name string) bool { return strings.Contains(names, " "+name+" ") }

// angle returns the mark that begins with "<": a comment or a tag. What is shown for a tag is one list of cases.
func (c *converter) angle(i int, line string) (n int, shown string) {
	if strings.HasPrefix(line, "<!--") {
		end := c.find(i+4, "-->", maxComment)
		if end < 0 || c.elements {
			return 0, ""
		}
		return end - i, ""
	}
	name := ""
	if m := tagName().FindStringSubmatch(line); m != nil {
		name = m[1]
	}
	lower := strings.ToLower(name)
	closing := strings.HasPrefix(line, "</")
	html, component := in(inline, lower) || in(known, lower), name != "" && name[0] >= 'A' && name[0] <= 'Z'
	switch {
	case name == "", c.pre && !html:
		return 0, ""
	case component && !html && !closing && i > 0 && isName(c.text[i-1]): // Vec<T>
		return 0, ""
	}
	t, ok := c.tag(i, len(name))
	switch {
	case !ok, !html && !component && !closing && t.attributes == "" && !t.alone:
		return 0, ""
	case c.pre && lower == "pre":
		c.pre = !closing
	case lower == "pre":
		c.pre = !closing && !t.alone
	}
	if c.elements && t.kept == c.text[i:t.end] {
		return 0, ""
	} else if c.elements {
		return t.end - i, strings.ReplaceAll(t.kept, "\n", " ")
	}
	if c.heading && lower == "a" && !closing {
		c.name(t.value("id", "name"))
	}
	if (lower == "script" || lower == "style") && !closing && !t.alone {
		if end := c.find(t.end, "</"+name, maxComment); end > 0 {
			return end - len(name) - 2 - i, ""
		}
	}
	shown = " "
	switch {
	case lower == "pre" && c.pre && strings.Trim(c.text[max(0, i-20):i], " \t") == "" || lower == "pre" && c.pre && i > 0 && c.text[i-1] == '\n':
		shown = "    "
	case in(inline, lower), c.pre:
		shown = ""
	case lower == "img":
		shown = t.value("alt")
	case lower == "meta" && t.value("name") == "description":
		shown = t.value("content")
	case len(lower) == 2 && lower[0] == 'h' && '1' <= lower[1] && lower[1] <= '6' && !closing && len(bytes.TrimSpace(c.out[c.begin:])) == 0 && strings.Contains(line, "</"+name+">"):
		c.out, c.heading, shown = c.out[:c.begin], true, strings.Repeat("#", int(lower[1]-'0'))+" "
		c.name(t.value("id"))
	case component && !c.titled && !closing:
		if title := t.value("title", "label", "summary", "header", "heading"); title != "" {
			shown = " " + title + " "
		}
	}
	if n := len(c.out); shown != "    " && (n == 0 || c.out[n-1] == ' ' || c.out[n-1] == '\n') {
		shown = strings.TrimPrefix(shown, " ") // it stands apart already
	}
	return t.end - i, shown
}

// tagName finds the name in the tag that a line begins with.
var tagName = lazyregexp.New(`^</?([A-Za-z][\w.-]*)(?:[ \t\r/>]|$)`)

// A tag is a tag of HTML or MDX.
type tag struct {
	end        int    // offset
	attributes string // as written
	kept       string // the tag without attributes in braces
	alone      bool   // it ends itself: <x/>
}

// tag reads the tag at an offset, of which the name is known. It has no blank line outside of braces.
func (c *converter) tag(i, name int) (t tag, ok bool) {
	last := min(len(c.text), i+maxMark)
	j := i + 1 + name
	if c.text[i+1] == '/' {
		j++
	}
	begin := j
	defer func() { c.left -= j - i }()
	if c.left <= 0 {
		return t, false
	}
	var kept strings.Builder
	from := i
	for ; j < last; j++ {
		switch c.text[j] {
		case '>':
			t.attributes, t.end = c.text[begin:j], j+1
			if t.alone = strings.HasSuffix(t.attributes, "/"); t.alone {
				t.attributes = t.attributes[:len(t.attributes)-1]
			}
			t.attributes = strings.TrimSpace(t.attributes)
			kept.WriteString(c.text[from:t.end])
			t.kept = kept.String()
			return t, true
		case '<':
			return t, false
		case '"', '\'':
			if end := strings.IndexByte(c.text[j+1:last], c.text[j]); end >= 0 && c.text[j-1] == '=' {
				j += 1 + end
			}
		case '{':
			end := c.balanced(j, maxMark)
			if end < 0 {
				return t, false
			}
			c.data(j, end)
			key := strings.LastIndexAny(c.text[begin:j], " \t\n") + begin
			if c.text[j-1] == '=' && key >= from {
				kept.WriteString(c.text[from:key])
				from = end
			}
			j = end - 1
		case '\n':
			if strings.HasPrefix(strings.TrimLeft(c.text[j+1:last], " \t\r"), "\n") {
				return t, false
			}
		}
	}
	return t, false
}

// value returns the value of the first attribute with one of the names, or "".
func (t tag) value(names ...string) string {
	return strings.Join(strings.Fields(directive.Attribute(t.attributes, names...)), " ")
}

// sentence matches a string of three words. An array with one is what a page shows, such as a table of properties.
var sentence = lazyregexp.New("[\"'`][^\"'`\n]{0,200}[^\"'`\n ] [^\"'`\n ]{1,100} [^\"'`\n ]")

// data notes that the strings in an array of JSX are shown.
func (c *converter) data(from, end int) {
	if strings.HasPrefix(strings.TrimLeft(c.text[from+1:end], " \t\r\n"), "[") && sentence().MatchString(c.text[from:end]) {
		c.content = max(c.content, end)
	}
}

// literals returns the strings in a line of JavaScript.
func literals(line string) string {
	var all []string
	for i := 0; i < len(line); i++ {
		if strings.IndexByte("\"'`", line[i]) < 0 {
			continue
		}
		if end := quoted(line, i); end > i {
			all = append(all, line[i+1:end])
			i = end
		}
	}
	return strings.Join(all, " ")
}

// module leaves the statement of MDX out that begins at an offset, and reports whether one does.
func (c *converter) module(from int) bool {
	rest := c.text[from:]
	line, _, _ := strings.Cut(rest[:min(len(rest), MaxLine)], "\n")
	word, after, _ := strings.Cut(line, " ")
	after = strings.TrimLeft(after, " \t")
	switch {
	case word == "import" && (after != "" && strings.IndexByte("{\"'*", after[0]) >= 0 || strings.Contains(line, " from '") || strings.Contains(line, ` from "`) || strings.HasPrefix(after, "type ")):
	case word == "export" && slices.ContainsFunc(exported, func(p string) bool { return strings.HasPrefix(after, p) }):
	default:
		return false
	}
	end := c.balanced(from, maxModule)
	if end < 0 {
		end = from + len(line)
	}
	c.skip = end
	return true
}

// exported are what follows "export" in a statement.
var exported = []string{"const ", "let ", "var ", "default ", "function ", "async ", "class ", "type ", "interface ", "enum ", "{", "*"}

// balanced returns the end of a text of JavaScript that begins at an offset: of the braces that it begins with, or of the
// statement, which ends with a line in which no brackets are open. It is -1 without such an end.
func (c *converter) balanced(from, most int) (end int) {
	depth, braces := 0, c.text[from] == '{'
	last := min(len(c.text), from+most)
	i := from
	defer func() { c.left -= i - from }()
	if c.left <= 0 {
		return -1
	}
	for ; i < last; i++ {
		switch b := c.text[i]; b {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			if depth--; depth == 0 && braces {
				return i + 1
			}
		case '\\':
			i++
		case '"', '\'', '`':
			i = quoted(c.text[:last], i)
		case '/':
			if i+1 < last && c.text[i+1] == '/' && (i == 0 || c.text[i-1] != ':') {
				i += max(0, strings.IndexByte(c.text[i:last], '\n')-1)
			} else if i+1 < last && c.text[i+1] == '*' {
				i += max(1, strings.Index(c.text[i:last], "*/")+1)
			}
		case '\n':
			if depth <= 0 && !braces {
				return i
			}
		}
	}
	if i >= len(c.text) && depth <= 0 && !braces {
		return len(c.text)
	}
	return -1
}

// quoted returns the offset of the end of a string that begins at an offset. A string in ' or " that does not end in its line is an
// apostrophe.
func quoted(text string, i int) int {
	quote := text[i]
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case quote:
			return j
		case '\\':
			j++
		case '\n':
			if quote != '`' {
				return i
			}
		}
	}
	return i
}
