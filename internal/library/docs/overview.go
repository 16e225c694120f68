package docs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

const (
	maxTopics   = 10
	maxVariants = 12  // languages, or versions, that are named
	maxListing  = 250 // bytes of the topics together
)

// Name returns the name of what the documents describe, as their site, their first document or else [NameIn] the project says, or "".
func (l *Library) Name() string {
	l = l.known()
	name := titleOf(l.sites)
	if start := l.Start(); name == "" && l.Has(start) {
		title, _ := l.about(l.files[start])
		name = subject(title)
	}
	if name == "" && l.fsys != nil {
		name = NameIn(l.fsys)
	}
	return name
}

// titleOf returns the name in the title of a site, or "".
func titleOf(sites *site.Set) string {
	if tree := sites.Default(); tree != nil {
		return subject(tree.Site().Title)
	}
	return ""
}

// NameIn returns the name of a project as the title of its README.md says, or else the name of its package for npm, unless that is private; or "".
func NameIn(files *docsfs.FS) string {
	head := func(name string) (data []byte) {
		if f, err := (&Library{fsys: files}).openFile(name); err == nil {
			defer f.Close()
			data, _ = io.ReadAll(io.LimitReader(f, loader.AboutLen))
		}
		return data
	}
	var p struct {
		Name    string `json:"name"`
		Private bool   `json:"private"`
	}
	if all := excerpt.Headings(string(head("README.md"))); len(all) > 0 && all[0].Level == 1 {
		if name := subject(all[0].Text); name != "" {
			return name
		}
	}
	if json.Unmarshal(head("package.json"), &p) != nil || p.Private {
		return ""
	}
	return subject(p.Name[strings.LastIndexByte(p.Name, '/')+1:])
}

// framing matches what the title of a site or of its first page has around the name of its subject, and unnamed a title
// without a name.
var (
	framing = lazyregexp.New(`(?i)^welcome to (?:the )?|[\s:|-]*\b(?:official )?(?:developer )?(?:documentation|docs)(?: site)?[.!]?$|!$`)
	unnamed = lazyregexp.New(`(?i)^(?:the |an? |site |my |official )*(?:introduction|intro|overview|home|homepage|index|readme|(?:getting )?started|(?:quick ?)?start|welcome|about|contents|guides?|website|site|install(?:ation)?|usage|examples?:?)?$`)
)

// subject returns the name in a title, or "" if it has none.
func subject(title string) string {
	name := strings.TrimSpace(framing().ReplaceAllString(excerpt.OneLine(strings.ToValidUTF8(title, "\ufffd")), ""))
	if unnamed().MatchString(name) {
		return ""
	}
	return excerpt.Ellipsis(name, maxName)
}

// Overview returns sentences about what the documents have, for a model that has not asked yet: the largest topics, and
// the languages and versions. It is "" for no documents. Its time grows with the number of all documents.
func (l *Library) Overview() string {
	var b strings.Builder
	topics := l.topics()
	for len(topics) > 1 && len(strings.Join(topics, ", ")) > maxListing {
		topics = topics[:len(topics)-1]
	}
	if len(topics) > 0 {
		fmt.Fprintf(&b, "Documents: %d. Topics: %s.", l.Len(), strings.Join(topics, ", "))
	}
	languages, versions := l.Sites().Variants()
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
	return strings.TrimSpace(excerpt.OneLine(strings.ToValidUTF8(b.String(), "\ufffd")))
}

// topics returns the titles of the largest groups of the navigation, or the paths of the largest folders, each with the
// number of its documents, and the titles of the largest documents outside of them. A group that has nearly all documents is no topic: the
// groups in it are.
func (l *Library) topics() []string {
	type topic struct {
		name  string // of the group, or of the folder with a slash
		in    string // path of the folder
		docs  []*document
		bytes int64
	}
	docs := l.known().reading()
	for depth := 0; ; depth++ {
		var topics []*topic
		groups := make(map[string]*topic)
		for _, d := range docs {
			t, names := new(topic), trail(d)
			if len(names) > depth {
				if t.name, t.in = names[depth], strings.Join(names[:depth+1], ""); groups[t.name] != nil {
					t = groups[t.name]
				}
				groups[t.name] = t
			}
			if len(t.docs) == 0 {
				topics = append(topics, t)
			}
			t.docs, t.bytes = append(t.docs, d), t.bytes+d.size
		}
		slices.SortStableFunc(topics, func(a, b *topic) int {
			return cmp.Or(cmp.Compare(len(b.docs), len(a.docs)), cmp.Compare(a.name, b.name), cmp.Compare(b.bytes, a.bytes))
		})
		if len(topics) > 0 && len(docs) > maxTopics && len(topics[0].docs)*5 > len(docs)*4 {
			docs = topics[0].docs
			continue
		}
		var titles []string
		for _, t := range topics[:min(len(topics), maxTopics)] {
			title, count := t.name, fmt.Sprintf(" (%d)", len(t.docs))
			switch {
			case title == "":
				title, _ = l.about(t.docs[0])
				title, count = cmp.Or(title, path.Base(t.docs[0].path)), ""
			case strings.HasSuffix(title, "/"):
				title = t.in
			}
			if title = excerpt.Quote(title); title != "" {
				titles = append(titles, title+count)
			}
		}
		return titles
	}
}
