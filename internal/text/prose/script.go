package prose

import (
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

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
