package webpage

import (
	"html"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// Bounds of [ReadLeads].
const (
	maxLeads    = 10_000
	maxLooked   = 10 * maxLeads // repeated links included
	maxLeadText = 200
	// fewLetters are about 20 words.
	fewLetters = 100
	// maxToken is the maximum size of an element or text of a page that is read.
	maxToken = 1 << 20
)

// Leads are the parts of a page that are for crawlers, wherever on the page they are.
type Leads struct {
	Links []Lead
	// Canonical is the URL that the page gives as its preferred URL; nil if it gives none.
	Canonical *url.URL
	// Refresh is the URL to which the page redirects a browser at once; nil: there is none.
	Refresh *url.URL
	// NoIndex and NoFollow say that crawlers must not keep the page, and must not follow its links.
	NoIndex, NoFollow bool
	Title             string
	// Shell reports that scripts make the text of the page: it has a script and fewer than [fewLetters] letters.
	Shell  bool
	Images []string // distinct, at most maxLeads
}

// A Lead is a link to follow.
type Lead struct {
	URL  *url.URL // absolute, http or https, without a fragment
	Text string
}

// ReadLeads reads the leads of HTML and Markdown, and those in the header of any response. agent is
// the name of the program in rules for robots. A source that cannot be read has no leads.
func ReadLeads(s Source, header http.Header, agent string) *Leads {
	r := &leadReader{base: s.URL, agent: agent, seen: make(map[string]bool)}
	for _, value := range header.Values("X-Robots-Tag") {
		r.robotsTag(value)
	}
	switch kind, _, _ := classify(s); kind {
	case HTML:
		r.readHTML(decodeMarkup(s))
	case Markdown:
		r.readMarkdown(clean(decodeText(s.Body, "", "")))
	}
	return &r.Leads
}

type leadReader struct {
	Leads
	base   *url.URL
	based  bool
	agent  string
	seen   map[string]bool
	looked int
	text   strings.Builder
	linked string
}

// robotsTag reads a value of X-Robots-Tag, which may begin with the name of a crawler.
func (r *leadReader) robotsTag(value string) {
	if name, rest, found := strings.Cut(value, ":"); found && !strings.ContainsAny(name, ", ") && !strings.EqualFold(name, "unavailable_after") {
		if !strings.EqualFold(strings.TrimSpace(name), r.agent) {
			return
		}
		value = rest
	}
	r.robots(value)
}

func (r *leadReader) robots(value string) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(value), func(c rune) bool { return c == ',' || c <= ' ' }) {
		r.NoIndex = r.NoIndex || word == "noindex" || word == "none"
		r.NoFollow = r.NoFollow || word == "nofollow" || word == "none"
	}
}

// lead returns the URL of a link that a crawler can follow, or nil.
func (r *leadReader) lead(href string) *url.URL {
	u := resolve(r.base, href)
	if u == nil || u.Scheme == "mailto" {
		return nil
	}
	u.Fragment, u.RawFragment = "", ""
	return u
}

func (r *leadReader) add(href string) {
	r.linked = ""
	if r.looked++; r.looked > maxLooked {
		return
	}
	u := r.lead(href)
	if u == nil || strings.HasPrefix(strings.TrimSpace(href), "#") {
		return
	}
	address := u.String()
	if r.linked = address; r.seen[address] || len(r.Links) == maxLeads {
		return
	}
	r.seen[address] = true
	r.Links = append(r.Links, Lead{URL: u})
}

// endLink ends the current link: its text is the text that was read since it began.
func (r *leadReader) endLink() {
	if n := len(r.Links); n > 0 && r.linked != "" && r.Links[n-1].Text == "" && r.Links[n-1].URL.String() == r.linked {
		r.Links[n-1].Text = title(r.text.String())
	}
	r.text.Reset()
	r.linked = ""
}

func (r *leadReader) readHTML(text string) {
	z := nethtml.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(maxToken)
	var hidden atom.Atom // the outermost hidden element
	shown, scripts, frames := 0, false, false
	for {
		switch z.Next() {
		case nethtml.ErrorToken:
			if r.Shell = scripts && !frames && shown < fewLetters; z.Err() == io.EOF {
				r.endLink()
			}
			return
		case nethtml.TextToken:
			content := html.UnescapeString(string(z.Raw()))
			switch {
			case hidden == atom.Title && r.Title == "":
				r.Title = title(content)
			case r.linked != "" && r.text.Len() < 4*maxLeadText:
				r.text.WriteString(content)
			}
			if hidden == 0 && shown < fewLetters {
				shown += letters(content)
			}
		case nethtml.EndTagToken:
			name, _ := z.TagName()
			ended := atom.Lookup(name)
			if ended == hidden {
				hidden = 0
			}
			if ended == atom.A {
				r.endLink()
			}
		case nethtml.StartTagToken, nethtml.SelfClosingTagToken:
			t := z.Token()
			if unshown[t.DataAtom] && (hidden == 0 || t.DataAtom == atom.Title) {
				hidden = t.DataAtom
			}
			switch t.DataAtom {
			case atom.Script:
				scripts = true
			case atom.Frameset:
				frames = true
			case atom.Noscript:
				z.NextIsNotRawText()
			case atom.A, atom.Area, atom.Link, atom.Meta, atom.Base, atom.Frame, atom.Img:
				r.element(t.Data, &nethtml.Node{Attr: t.Attr})
			}
		}
	}
}

// unshown are the elements whose text is not shown.
var unshown = elementSet("script style template noscript title textarea select")

func (r *leadReader) element(tag string, n *nethtml.Node) {
	rel := strings.Fields(strings.ToLower(attribute(n, "rel")))
	is := func(word string) bool { return slices.Contains(rel, word) }
	switch tag {
	case "a", "area":
		r.endLink()
		if has(n, "href") && !is("nofollow") {
			r.add(attribute(n, "href"))
		}
	case "frame":
		r.add(attribute(n, "src"))
		r.linked = ""
	case "img":
		if u := resolve(r.base, imageSource(n)); u != nil && u.Scheme != "mailto" && len(r.Images) < maxLeads && !r.seen["image "+u.String()] {
			r.seen["image "+u.String()] = true
			r.Images = append(r.Images, u.String())
		}
	case "link":
		switch {
		case is("canonical") && !is("alternate") && r.Canonical == nil:
			r.Canonical = r.lead(attribute(n, "href"))
		case is("next"), is("prev"), is("previous"):
			r.add(attribute(n, "href"))
			r.linked = ""
		}
	case "base":
		if u := r.lead(attribute(n, "href")); u != nil && !r.based {
			r.base, r.based = u, true
		}
	case "meta":
		switch name := strings.ToLower(strings.TrimSpace(attribute(n, "name"))); {
		case name == "robots", name == strings.ToLower(r.agent):
			r.robots(attribute(n, "content"))
		case strings.EqualFold(strings.TrimSpace(attribute(n, "http-equiv")), "refresh"):
			r.refresh(attribute(n, "content"))
		}
	}
}

// refreshes finds the parts of the content of a meta refresh: "0; url=/other".
var refreshes = pattern(`(?is)^\s*([0-9.]+)\s*[;,]\s*url\s*=\s*(.*)$`)

// refresh reads the content of a meta refresh. A page that redirects after more than ten seconds is meant to be read.
func (r *leadReader) refresh(content string) {
	m := refreshes().FindStringSubmatch(content)
	if m == nil || r.Refresh != nil {
		return
	}
	if seconds, err := strconv.ParseFloat(m[1], 64); err == nil && seconds <= 10 {
		r.Refresh = r.lead(strings.Trim(strings.TrimSpace(m[2]), `"'`))
	}
}

func (r *leadReader) readMarkdown(text string) {
	r.Title = firstHeading(text)
	excerpt.Targets(text, func(target string, start, _ int) {
		r.add(html.UnescapeString(target))
		before := strings.TrimRight(text[max(0, start-4*maxLeadText):start], "< \t")
		if name, ok := strings.CutSuffix(before, "]("); ok {
			r.text.WriteString(name[strings.LastIndexByte(name, '[')+1:])
		}
		r.endLink()
	})
}
