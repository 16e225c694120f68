package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// patterns reports include and exclude patterns without effect.
func (c *checker) patterns() {
	var served []string
	for r := range c.contents.Catalog.All() {
		served = append(served, r.LogicalPath())
	}
	include, exclude := c.Options.Unused(served, c.left)
	settings, _ := jsondoc.Parse(c.ConfigFile, []byte(c.ConfigText))
	report := func(key string, patterns []string, unused []int, f Finding) {
		for _, i := range unused {
			f.File, f.Line, f.Column = c.ConfigFile, 0, 0
			if settings != nil {
				if v := settings.Member(key); v != nil && i < len(v.Items) {
					f.Line, f.Column = v.Items[i].Line, v.Items[i].Column
				}
			}
			message := f
			message.Message = fmt.Sprintf("the pattern %q of %q %s", patterns[i], key, f.Message)
			c.add(PatternUnused, message)
		}
	}
	report("include", c.Options.Include, include, Finding{Severity: Warning, Message: "matches no file below resources/ that is not left out by another rule"})
	report("docsExclude", c.Config.DocsExclude, c.unusedOfDocuments(), Finding{Severity: Warning, Message: "matches no file or folder of the documents"})
	report("exclude", c.Options.Exclude, exclude, Finding{Message: "matches no file or folder below resources/ that is not left out already"})
}

// unusedOfDocuments returns the indexes of the patterns of docsExclude that match no file in the folders of
// the documents.
func (c *checker) unusedOfDocuments() (unused []int) {
	var names []string
	for _, o := range c.contents.Omitted {
		names = append(names, strings.TrimSuffix(o.Path, "/"))
	}
	for _, p := range c.contents.Library.Sites().Hidden() {
		names = append(names, p.File)
	}
	for i := range c.Config.DocsExclude {
		set, err := glob.ParseSet(c.Config.DocsExclude[i : i+1])
		if err == nil && !slices.ContainsFunc(names, func(name string) bool { _, ok := set.Covers(name); return ok }) {
			unused = append(unused, i)
		}
	}
	return unused
}
