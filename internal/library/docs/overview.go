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
	maxVariants = 12 // languages, or versions, that are named
	maxSubject  = 60 // bytes of a name
)

// tagline matches what separates a name from a sentence about it, framing what the title of a site or of its first page has around the name of its
// subject, and unnamed a title whose words name nothing.
var (
	tagline = lazyregexp.New(`\s[-–—|·]\s|:\s`)
	framing = lazyregexp.New(`(?i)^welcome to (?:the )?|[\s:|-]*\b(?:official )?(?:developer )?(?:documentation|docs)(?: site)?[.!]?$|!$`)
	unnamed = lazyregexp.New(`(?i)^(?:(?:the|an?|my|your|our|new|official|awesome|site|website|project|product|app|book|blog|wiki|handbook|title|name|untitled|template|preview|documentation|docs|` +
		`introduction|intro|overview|home|homepage|page|index|readme|getting|started|quick|start|welcome|about|contents|guides?|install(?:ation)?|usage|examples?)\b[\s:|.,!-]*)*$`)
)

// Subject returns the name in the title of a site, or "" if it has none: of "Acme - The Best Tool", "Acme".
func Subject(title string) string {
	for _, part := range tagline().Split(excerpt.OneLine(strings.ToValidUTF8(title, "\ufffd")), 10) {
		if name := strings.TrimSpace(framing().ReplaceAllString(part, "")); !unnamed().MatchString(name) {
			return excerpt.Ellipsis(name, maxSubject)
		}
	}
	return ""
}

// Overview returns sentences about what the documents have, or "" if there are none.
func (l *Library) Overview() string {
	if l.Len() == 0 {
		return ""
	}
	names := l.Sites().Names()
	return strings.TrimSpace(fmt.Sprintf("Documents: %d. At the top: %s. %s", l.Len(), tops(names), languagesOf(names)))
}

// tops returns the names at the top, each in quotation marks.
func tops(n site.Names) string {
	var names []string
	for _, name := range n.Top {
		if name = excerpt.Quote(name); name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// languagesOf returns sentences about the languages and versions of the documents, unless they are in English alone.
func languagesOf(n site.Names) string {
	var b strings.Builder
	languages, versions := n.Languages, n.Versions
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
