package command

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Name is the name of this program when it is installed.
const Name = "mcp-docs-server"

var (
	// built matches programs that go run and go test build: in a temporary folder, or in the build cache, which may have
	// any name.
	built = lazyregexp.New(`/go-build([0-9]+/b[0-9]+)?/|/[0-9a-f]{2}/[0-9a-f]{64}-d/`)
	// fetched matches files in the caches of npx, pnpm dlx, bunx and yarn dlx, and captures the
	// package.
	fetched = lazyregexp.New(`/(?:_npx|pnpm/dlx|dlx-[^/]+|bunx-[^/]+)/(?:.*/)?node_modules/((?:@[^/]+/)?[^/]+)(?:/|$)`)
)

// packageOf returns the npm package of a file in a cache of packages.
func packageOf(file string) (string, bool) {
	found := fetched().FindStringSubmatch(strings.ReplaceAll(file, `\`, "/"))
	if found == nil {
		return "", false
	}
	return found[1], true
}

// ServerOf returns how clients can start self later, with these arguments, as the server of a folder. self may not exist
// any more then: npx and similar programs keep it in a cache, and "go run" deletes it.
func ServerOf(name, self, dir string, serve []string) clients.Server {
	if pkg, ok := packageOf(dir); ok {
		return clients.Package(name, pkg+"@latest") // the package serves its own folder
	}
	if _, ok := packageOf(self); ok {
		return clients.Through(name, npm.CLI, serve...)
	}
	if self == "" || Built(self) {
		return clients.Local(name, Name, serve...)
	}
	return clients.Local(name, self, serve...)
}

// Built reports whether "go run" has built a program, which it deletes when the program ends.
func Built(self string) bool { return built().MatchString(filepath.ToSlash(self)) }

// Self returns the file of this program, or "" if it is not known.
func Self() string {
	file, err := os.Executable()
	if err != nil {
		return ""
	}
	return file
}

// ServeArgs returns the arguments that serve this project from any folder.
func (a *App) ServeArgs(p *project.Project) ([]string, error) {
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return nil, project.PathError(p.Dir, err)
	}
	args := []string{"serve", dir}
	if p.ConfigFile != config.File {
		args = []string{"serve", "--config", filepath.Join(dir, p.ConfigFile)}
	}
	if p.Docs != "" {
		args = append(args, "--docs="+p.Docs)
	}
	return args, nil
}
