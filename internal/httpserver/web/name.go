package web

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// reserved are names that are, or may become, paths of the server itself.
var reserved = []string{
	"mcp", "health", "metrics", "raw", "docs", "assets", "static", "api", "llms.txt", "llms-full.txt", "favicon.ico", "robots.txt",
	"register", "authorize", "token", "login", "logout", ".well-known", "sse",
}

var names = lazyregexp.New(`^[a-z0-9_-][a-z0-9._-]*$`)

// SiteName returns the name of a site for its npm package: without "@", and with "-" for "/".
func SiteName(pkg string) string {
	return strings.ReplaceAll(strings.TrimPrefix(pkg, "@"), "/", "-")
}

// checkNames returns an error if the names of sites are invalid or not unique.
func checkNames(sites []Site) error {
	if len(sites) < 2 {
		return nil
	}
	seen := make(map[string]bool)
	for _, site := range sites {
		switch {
		case !names().MatchString(site.Name):
			return fmt.Errorf("a project has the package name %q, which cannot be a path: "+
				`give it a "package" of lower-case letters, digits, "-", "_" and "." in mcp-docs-server.json`, site.Name)
		case slices.Contains(reserved, site.Name):
			return fmt.Errorf("a project has the package name %q, which is a path of the server itself: "+
				`give it another "package" in mcp-docs-server.json`, site.Name)
		case seen[site.Name]:
			return fmt.Errorf("two projects have the package name %q: "+
				`give one another "package" in mcp-docs-server.json`, site.Name)
		}
		seen[site.Name] = true
	}
	return nil
}
