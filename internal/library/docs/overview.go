package docs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const (
	maxTops     = 10 // folders and documents that are named
	maxVariants = 12 // languages, or versions, that are named
	maxSubject  = 60 // bytes of a name
)

// Title returns the name of what the documents describe, as the configuration of their site says, or "".
func (l *Library) Title() string {
	return subject(l.Sites().Title())
}

// framing matches what the title of a site or of its first page has around the name of its subject, and unnamed a title
// whose words name nothing.
var (
	framing = lazyregexp.New(`(?i)^welcome to (?:the )?|[\s:|-]*\b(?:official )?(?:developer )?(?:documentation|docs)(?: site)?[.!]?$|!$`)
	unnamed = lazyregexp.New(`(?i)^(?:(?:the|an?|my|your|our|new|official|awesome|site|website|project|product|app|book|blog|wiki|handbook|title|name|untitled|template|preview|documentation|docs|` +
		`introduction|intro|overview|home|homepage|page|index|readme|getting|started|quick|start|welcome|about|contents|guides?|install(?:ation)?|usage|examples?)\b[\s:|.,!-]*)*$`)
)

// subject returns the name in a title, or "" if it has none.
func subject(title string) string {
	name := strings.TrimSpace(framing().ReplaceAllString(excerpt.OneLine(strings.ToValidUTF8(title, "\ufffd")), ""))
	if unnamed().MatchString(name) {
		return ""
	}
	return excerpt.Ellipsis(name, maxSubject)
}

// Overview returns sentences about what the documents have, or "" if there are none.
func (l *Library) Overview() string {
	if l.Len() == 0 {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("Documents: %d. At the top: %s. %s", l.Len(), strings.Join(l.tops(), ", "), l.languages()))
}

// languages returns sentences about the languages and versions of the documents, unless they are in English alone.
func (l *Library) languages() string {
	var b strings.Builder
	languages, versions := l.Sites().Variants()
	if len(languages) == 1 && !strings.HasPrefix(languages[0], "en") {
		fmt.Fprintf(&b, " The documents have the language %q.", languages[0])
	}
	for _, of := range []struct {
		name   string
		values []string
	}{{"language", languages}, {"version", versions}} {
		if n := len(of.values); n > 1 {
			others := of.values[1:]
			if len(others) > maxVariants {
				others = append(slices.Clone(others[:maxVariants]), fmt.Sprintf("%d more", len(others)-maxVariants))
			}
			fmt.Fprintf(&b, " A query searches the %s %s only: add %[1]s:%[3]s to it for another one (%[4]s).", of.name, of.values[0], others[0], strings.Join(others, ", "))
		}
	}
	return excerpt.OneLine(strings.ToValidUTF8(b.String(), "\ufffd"))
}

// tops returns the names in the deepest folder that holds all main documents: folders first, then documents, each in quotation marks.
func (l *Library) tops() (names []string) {
	var main []*document
	for _, d := range l.known().docs {
		if p := d.page(); p == nil || p.Class == site.Main {
			main = append(main, d)
		}
	}
	if len(main) == 0 {
		return nil
	}
	dir, last := parent(main[0].path), main[len(main)-1].path // they are in order
	for dir != "" && !strings.HasPrefix(last, dir+"/") {
		dir = parent(dir)
	}
	if dir != "" {
		dir += "/"
	}
	found := entries(main, dir)
	for _, e := range found[:min(len(found), maxTops)] {
		name := dir + e.Name
		if e.Folder {
			name += "/"
		}
		names = append(names, excerpt.Quote(name))
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}
