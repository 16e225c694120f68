package command

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Name is the name of this program when it is installed.
const Name = "mcp-docs-server"

// An Origin says how a client can start this program later, when the current file may not exist any
// more: "go run" deletes it, and npx and similar programs keep it in a cache.
type Origin struct {
	Server  clients.Server
	Install string // command that must be run first, or ""
}

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

// OriginOf returns how clients start self, with these arguments, as the server of a folder.
func OriginOf(name, self, dir string, serve []string) Origin {
	if pkg, ok := packageOf(dir); ok {
		return Origin{Server: clients.Package(name, pkg)} // the package serves its own folder
	}
	if _, ok := packageOf(self); ok {
		return Origin{Server: clients.Through(name, npm.CLI, serve...)}
	}
	if self == "" || built().MatchString(filepath.ToSlash(self)) {
		return Origin{Server: clients.Local(name, Name, serve...), Install: goInstall(debug.ReadBuildInfo())}
	}
	return Origin{Server: clients.Local(name, self, serve...)}
}

// Self returns the file of this program, or "" if it is not known.
func Self() string {
	file, err := os.Executable()
	if err != nil {
		return ""
	}
	return file
}

// goInstall returns the command that installs the program of "go run": a version of a module, or
// the code in the current folder.
func goInstall(info *debug.BuildInfo, ok bool) string {
	if ok && info.Main.Version != "" && info.Main.Version != "(devel)" && info.Path != "" {
		local := false
		for _, s := range info.Settings {
			local = local || strings.HasPrefix(s.Key, "vcs")
		}
		if !local {
			return "go install " + info.Path + "@" + info.Main.Version
		}
	}
	return "go install ./cmd/" + Name
}

// OnPath returns the name of the command if PATH finds this file, else the path of the file.
func OnPath(file string, lookPath func(string) (string, error)) string {
	if found, err := lookPath(Name); err == nil && SameFile(found, file) {
		return Name
	}
	return file
}

// SameFile reports whether two names lead to the same file.
func SameFile(a, b string) bool {
	infoA, err := os.Stat(a)
	if err != nil {
		return false
	}
	infoB, err := os.Stat(b)
	return err == nil && os.SameFile(infoA, infoB)
}

// Lister returns the command that lists the clients; a package of documents has none.
func (o Origin) Lister(goos string) (string, bool) { return o.Line(goos, "config") }

// Line returns a command line that runs a command of this program; a package of documents has none.
func (o Origin) Line(goos string, words ...string) (string, bool) {
	s := o.Server
	switch {
	case !s.Script:
		return clients.Line(goos, append([]string{s.Command}, words...)...)
	case len(s.Args) > 2: // npx with the package of this program
		return clients.Line(goos, append([]string{s.Command, s.Args[0], s.Args[1]}, words...)...)
	}
	return "", false
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
