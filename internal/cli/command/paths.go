package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// OutsideServed returns an error if an option names a file in a folder that one of some projects serves: clients would see the
// file, and each write would be a change of the project.
func OutsideServed(option, name string, served ...*project.Project) error {
	for _, p := range served {
		if err := Outside(p, option, name, p.Config.Docs); err != nil {
			return err
		}
	}
	return nil
}

// Outside returns an error if an option names a file in one of some folders of a project, or in one of those that have fixed names.
func Outside(p *project.Project, option, name string, folders ...string) error {
	relative, err := Below(p.Dir, name)
	if err != nil || relative == "" || name == "" {
		return err
	}
	for _, folder := range append(folders, prompts.Folder, skills.Folder, loader.Resources) {
		real, err := walk.Resolve(p.Files, folder)
		if err != nil {
			real = folder // it does not exist yet
		}
		if walk.Holds(real, relative) {
			return fmt.Errorf("%s %s: is in the folder %s, which is served; name a place outside of it", option, name, p.Show(folder))
		}
	}
	return nil
}

// Below returns a path of the user relative to a folder, links resolved, with slashes; "" if it is
// outside. The path need not exist.
func Below(folder, name string) (string, error) {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return "", project.PathError(folder, err)
	}
	file, err := filepath.Abs(name)
	if err != nil {
		return "", project.PathError(name, err)
	}
	rel, err := filepath.Rel(Existing(dir), Existing(file))
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return "", nil
	}
	return filepath.ToSlash(rel), nil
}

// Existing resolves the links of the existing part of an absolute path.
func Existing(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	parent := filepath.Dir(name)
	if _, err := os.Lstat(name); err == nil || parent == name {
		return name // a link without a target
	}
	return filepath.Join(Existing(parent), filepath.Base(name))
}

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
