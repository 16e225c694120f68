package npm

import (
	"cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Docs returns the package of a project with these files, one of which is the program at entry.
func Docs(info bundle.Info, origin Origin, files []bundle.File, entry string) *Package {
	m := Manifest{
		Name:          info.Package,
		Version:       info.Version,
		Description:   cmp.Or(info.Description, info.Title+" documentation over MCP"),
		Keywords:      info.Keywords,
		MCPName:       info.ServerName,
		Homepage:      info.Homepage,
		Bugs:          origin.bugs,
		License:       origin.license,
		Author:        origin.author,
		Repository:    origin.repository,
		Bin:           map[string]string{info.Slug(): entry},
		Engines:       map[string]string{"node": ">=18"},
		PublishConfig: origin.publishConfig,
	}
	if m.Keywords == nil {
		m.Keywords = []string{"mcp", "mcp-server", "docs"}
	}
	return &Package{m, files}
}

// extra matches files that npm puts into every package, listed or not (npm docs, "package.json",
// files).
var extra = lazyregexp.New(`(?i)^(readme|copying|licen[sc]e)(\..*)?$`)

// IsExtra reports whether a file of this name next to package.json goes into every package.
func IsExtra(name string) bool { return extra().MatchString(name) }
