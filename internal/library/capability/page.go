package capability

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// The URIs of the documents.
const (
	Scheme     = "capability-index"
	SummaryURI = Scheme + "://summary"
	FullURI    = Scheme + "://full"
	StatsURI   = Scheme + "://stats"
	Template   = Scheme + "://elements/{type}{?q,limit,cursor}"

	elements = Scheme + "://elements/"
)

const (
	maxQuery = 256  // bytes of a query
	maxLimit = 1000 // elements of a page
)

// A Page has the parameters of a URI of capability-index://elements.
type Page struct {
	Type   Type
	Query  string // words in the name, title or description of an element; "": all elements
	Limit  int    // elements; 0: as many as fit
	Cursor string // from the previous page; "": the first page
}

// ElementsURI returns the canonical URI of a page.
func ElementsURI(t Type, query string, limit int, cursor string) string {
	s := elements + string(t)
	joint := "?"
	bound := ""
	if limit > 0 {
		bound = strconv.Itoa(limit)
	}
	for _, p := range [...][2]string{{"q", query}, {"limit", bound}, {"cursor", cursor}} {
		if p[1] != "" {
			s += joint + p[0] + "=" + strings.ReplaceAll(url.QueryEscape(p[1]), "+", "%20")
			joint = "&"
		}
	}
	return s
}

// URI returns the canonical URI of the page.
func (p Page) URI() string { return ElementsURI(p.Type, p.Query, p.Limit, p.Cursor) }

// errNotPage reports a URI that does not name a page.
var errNotPage = errors.New("it names no page of the capability index")

// ParsePage reads a URI of capability-index://elements. The error is [errNotPage] for another URI or an
// unknown type; other errors say what is wrong with the query.
func ParsePage(s string) (Page, error) {
	s, _, _ = strings.Cut(s, "#") // a fragment of the client; names and words encode "#"
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || !strings.EqualFold(scheme, Scheme) {
		return Page{}, errNotPage
	}
	path, query, _ := strings.Cut(rest, "?")
	name, ok := strings.CutPrefix(strings.TrimSuffix(uri.Decode(path), "/"), "elements/")
	if p := (Page{Type: Type(name)}); ok && slices.Contains(types, p.Type) {
		return p.with(query)
	}
	return Page{}, errNotPage
}

func (p Page) with(query string) (Page, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return p, errors.New("its query cannot be decoded")
	}
	for key, given := range values {
		if len(given) > 1 {
			return p, fmt.Errorf("%s is given more than once", protocol.Shown(key))
		}
		value := given[0]
		switch key {
		case "q":
			if p.Query = strings.Join(strings.Fields(line(value, maxWord(value))), " "); len(p.Query) > maxQuery {
				return p, fmt.Errorf("q has more than %d bytes", maxQuery)
			}
		case "limit":
			if value == "" {
				continue
			}
			if p.Limit, err = strconv.Atoi(value); err != nil || p.Limit < 1 || p.Limit > maxLimit {
				return p, fmt.Errorf("limit must be a number from 1 to %d", maxLimit)
			}
		case "cursor":
			if p.Cursor = value; value == "" {
				continue
			}
			if _, ok := p.after(); !ok {
				return p, errors.New("the cursor is not one of this list")
			}
		default:
			hint := ""
			if near, ok := nearest.One(key, []string{"q", "limit", "cursor"}); ok {
				hint = "; did you mean " + near + "?"
			}
			return p, fmt.Errorf("there is no parameter %s%s", protocol.Shown(key), hint)
		}
	}
	return p, nil
}

// after returns the key of the last element of the previous page.
func (p Page) after() (key string, ok bool) {
	if p.Cursor == "" {
		return "", true
	}
	key, ok = protocol.ParseCursor(protocol.ElementCursor, p.Cursor)
	if !ok {
		return "", false
	}
	t, key, ok := strings.Cut(key, " ")
	return key, ok && Type(t) == p.Type
}

func (p Page) cursor(last string) string {
	return protocol.NewCursor(protocol.ElementCursor, string(p.Type)+" "+last)
}

// page makes a page of elements.
func (x *Index) page(p Page) string {
	var body strings.Builder
	after, _ := p.after()
	words := strings.Fields(strings.ToLower(p.Query))
	head := x.head(string(p.Type)+"s", x.about(p))
	room := spendable(MaxPage) - tokens.Estimate(head)
	count, last, more, left := 0, "", false, 0
	for e := range x.each(p.Type, after, len(words) > 0) {
		if len(words) > 0 && !matches(e.text, words) {
			continue
		}
		if p.Limit > 0 && count == p.Limit {
			more = true
			break
		}
		entry := e.entry()
		cost := tokens.Estimate(entry)
		if cost > spendable(MaxPage)/2 { // one element must not fill a page
			left++
			last = e.key
			continue
		}
		// The next cursor names the last element.
		if cost+tokens.Estimate(ElementsURI(p.Type, p.Query, p.Limit, p.cursor(e.key)))+100 > room {
			more = true
			break
		}
		room -= cost
		count, last = count+1, e.key
		body.WriteString(entry)
	}
	switch {
	case count == 0 && left == 0 && p.Query != "":
		body.WriteString("Nothing matches.\n")
	case count == 0 && left == 0:
		body.WriteString("There are none.\n")
	}
	if left > 0 {
		fmt.Fprintf(&body, "\n%s with a very long name are left out.\n", plural(left, "element"))
	}
	if more {
		fmt.Fprintf(&body, "\nThere are more: `%s`\n", ElementsURI(p.Type, p.Query, p.Limit, p.cursor(last)))
	}
	return head + "\n" + body.String()
}

// about describes a page.
func (x *Index) about(p Page) string {
	verb := "are"
	if x.count(p.Type) == 1 {
		verb = "is"
	}
	s := fmt.Sprintf("There %s %s", verb, plural(x.count(p.Type), string(p.Type)))
	if p.Query != "" {
		s += "; those with " + code(p.Query) + " follow"
	}
	if p.Cursor != "" {
		s += "; this is not the first page"
	}
	return s + "."
}

// matches reports whether a text has all words, whatever their case.
func matches(text string, words []string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}
