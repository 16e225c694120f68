// Package quality compares the search for documents with other engines. The queries are the texts
// of the links that authors wrote to other pages of their project. The expected answer is the page
// that the link leads to. No engine may use the text of a link as a part of its target.
//
// Each text is one query of a project. A text is left out if it leads to several pages, if it says
// nothing about the page ("here"), if it is a path or an address, or if it has no letter.
package quality

import (
	"cmp"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// A Page is a document.
type Page struct {
	Path  string `json:"path"`
	Title string `json:"title"` // of its front matter, or its first heading
	Text  string `json:"text"`
}

// A Query is the text of a link, with the path of the page that it leads to, or a question.
type Query struct {
	Text   string `json:"text"`
	Answer string `json:"answer"`

	Also         []string `json:"-"` // further pages that answer a question
	Alternatives []string `json:"-"` // other wordings
}

// A Collection holds the pages of one project and the queries about them.
type Collection struct {
	Source  Source  `json:"-"`
	Dir     string  `json:"-"` // of the pages on the disk
	Pages   []Page  `json:"pages"`
	Queries []Query `json:"queries"`
}

// Read makes the collection of a folder.
func Read(s Source, dir string) (*Collection, error) {
	c := &Collection{Source: s, Dir: dir}
	err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case file != dir && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || !isMarkdown(d.Name()):
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		c.Pages = append(c.Pages, Page{Path: filepath.ToSlash(name), Text: string(data)})
		return err
	})
	if err != nil {
		return nil, err
	}
	c.ask()
	return c, nil
}

// ask finds the queries, and the titles of the pages.
func (c *Collection) ask() {
	places := make(map[string]string) // where links may lead → path
	for _, p := range c.Pages {
		place := strings.TrimSuffix(plainPath(p.Path), path.Ext(p.Path))
		places[place] = p.Path
		if dir, name := path.Split(place); strings.EqualFold(name, "index") || strings.EqualFold(name, "readme") {
			if _, ok := places[path.Clean(dir)]; !ok {
				places[path.Clean(dir)] = p.Path
			}
		}
	}
	answers := make(map[string]map[string]bool)
	for i := range c.Pages {
		p := &c.Pages[i]
		parse(p, func(words, target string) {
			answer := places[c.Source.place(p.Path, target)]
			if answer == "" || answer == p.Path || !says(words) {
				return
			}
			words = strings.ToLower(words)
			if answers[words] == nil {
				answers[words] = make(map[string]bool)
			}
			answers[words][answer] = true
		})
	}
	for words, pages := range answers {
		if len(pages) == 1 {
			for page := range maps.Keys(pages) {
				c.Queries = append(c.Queries, Query{Text: words, Answer: page})
			}
		}
	}
	slices.SortFunc(c.Queries, func(a, b Query) int { return cmp.Compare(a.Text, b.Text) })
}

// order matches the numbers by which some projects sort their files. Links to the files omit the
// numbers.
var order = regexp.MustCompile(`(^|/)\d+-`)

// plainPath returns a path as links spell it.
func plainPath(p string) string { return order.ReplaceAllString(p, "$1") }

// place returns the place that a link on a page leads to, or "" for one that is not in the project.
func (s Source) place(page, target string) string {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" {
		return ""
	}
	p := u.Path
	if isMarkdown(p) {
		p = strings.TrimSuffix(p, path.Ext(p))
	}
	if rest, ok := strings.CutPrefix(p, s.Root+"/"); ok && strings.HasPrefix(p, "/") {
		p = rest
	} else {
		p = path.Join(path.Dir(page), p)
	}
	return plainPath(path.Clean(p))
}

// nothing holds texts of links that say nothing about their target.
var nothing = strings.Fields("here this link docs documentation page guide see more details above below example examples documents following")

// says reports whether a text says something about a page.
func says(words string) bool {
	rest := slices.DeleteFunc(strings.Fields(strings.ToLower(words)), func(w string) bool {
		return slices.Contains(nothing, strings.Trim(w, ".,:;()"))
	})
	return len(rest) > 0 && strings.IndexFunc(words, unicode.IsLetter) >= 0 && !strings.Contains(words, "/") && !isMarkdown(words)
}

// front matches front matter, title the title in it.
var (
	front = regexp.MustCompile(`(?s)\A---\r?\n(.*?\n)---\r?\n`)
	title = regexp.MustCompile(`(?m)^title:[ \t]*["']?(.*?)["']?[ \t\r]*$`)
)

// parse finds the title of a page, and calls link with the text and target of each link.
func parse(p *Page, link func(words, target string)) {
	source := []byte(p.Text)
	if m := front.FindSubmatch(source); m != nil {
		if t := title.FindSubmatch(m[1]); t != nil {
			p.Title = string(t[1])
		}
		source = source[len(m[0]):]
	}
	root := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(source))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if p.Title == "" {
				p.Title = plain(n, source)
			}
		case *ast.Link:
			link(plain(n, source), string(n.Destination))
		}
		return ast.WalkContinue, nil
	})
}

// plain returns the text below a node, in one line.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Image:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(source))
				if n.SoftLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}
