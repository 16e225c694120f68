package examples

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

var (
	jsonBlock = regexp.MustCompile("(?s)\n```json\n(.*?)\n```\n")
	link      = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]+))?\)`)
)

// pagesOf returns the pages of the manual.
func pagesOf(t *testing.T) []string {
	t.Helper()
	var pages []string
	for _, pattern := range []string{"../docs/*.md", "../docs/*/*.md", "../docs/*/*/*.md"} {
		found := must.Get(filepath.Glob(pattern))(t)
		pages = append(pages, found...)
	}
	return pages
}

// TestPages checks the JSON and the links in the user documentation.
func TestPages(t *testing.T) {
	pages := pagesOf(t)
	more := must.Get(filepath.Glob("*/docs/*.md"))(t)
	texts := make(map[string]string)
	for _, page := range slices.Concat(pages, []string{"../README.md"}, more) {
		data := must.Get(os.ReadFile(page))(t)
		texts[page] = string(data)
	}
	for page, text := range texts {
		for _, block := range jsonBlock.FindAllStringSubmatch(text, -1) {
			document := []byte(block[1])
			switch {
			case strings.Contains(block[1], `"uriTemplate"`):
				if _, problems := templates.Decode(page, document); len(problems) > 0 {
					t.Error(problems)
				}
			case strings.Contains(block[1], `"package"`):
				if _, problems := config.Decode(page, "", document); len(problems) > 0 {
					t.Error(problems)
				}
			case !json.Valid(document):
				t.Errorf("%s: this is not JSON:\n%s", page, document)
			}
		}
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			target := page
			if found[1] != "" {
				target = filepath.Join(filepath.Dir(page), found[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, found[0])
			} else if found[2] != "" && !hasHeading(texts[target], found[2]) {
				t.Errorf("%s: the link %s leads to no heading", page, found[0])
			}
		}
	}
}

// TestNavigation checks that each page of the manual has a place in mkdocs.yml, except the design, which is not for users.
func TestNavigation(t *testing.T) {
	navigation := must.Get(os.ReadFile("../mkdocs.yml"))(t)
	for _, page := range pagesOf(t) {
		name := filepath.ToSlash(strings.TrimPrefix(page, filepath.FromSlash("../docs/")))
		if name != "design.md" && !strings.Contains(string(navigation), "- "+name+"\n") {
			t.Errorf("mkdocs.yml lacks %s", name)
		}
	}
}

// hasHeading reports whether a page has a heading with this anchor.
func hasHeading(text, anchor string) bool {
	return slices.ContainsFunc(excerpt.Headings(text), func(h excerpt.Heading) bool { return h.Slug == anchor })
}
