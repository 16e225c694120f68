package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
)

// command is what this program is called when it is installed.
const command = "mcp-docs-server"

// An origin is how a client starts this program in a year, when the file that runs now may be gone: "go run" deletes it, and
// npx and its like keep it in a cache.
type origin struct {
	server  clients.Server
	install string // what has to be run first; "": nothing
}

var (
	// built matches programs that go run and go test make: in a folder that they delete, or in their cache.
	built = regexp.MustCompile(`/go-build([0-9]+/b[0-9]+)?/`)
	// fetched matches files in the folders where npx, pnpm dlx, bunx and yarn dlx keep packages, and finds the package.
	fetched = regexp.MustCompile(`/(?:_npx|pnpm/dlx|dlx-[^/]+|bunx-[^/]+)/(?:.*/)?node_modules/((?:@[^/]+/)?[^/]+)(?:/|$)`)
)

// packageOf returns the npm package that a file is in, if it lies in a cache of packages.
func packageOf(file string) (string, bool) {
	found := fetched.FindStringSubmatch(strings.ReplaceAll(file, `\`, "/"))
	if found == nil {
		return "", false
	}
	return found[1], true
}

// originOf says how clients start self, with these arguments, as the server of a folder.
func originOf(name, self, dir string, serve []string) origin {
	if pkg, ok := packageOf(dir); ok {
		return origin{server: clients.Package(name, pkg)} // it serves itself
	}
	if _, ok := packageOf(self); ok {
		return origin{server: clients.Through(name, npm.CLI, serve...)}
	}
	if self == "" || built.MatchString(filepath.ToSlash(self)) {
		return origin{server: clients.Local(name, command, serve...), install: goInstall(debug.ReadBuildInfo())}
	}
	return origin{server: clients.Local(name, self, serve...)}
}

// self is the file of this program, or "" if the system does not say.
func self() string {
	file, err := os.Executable()
	if err != nil {
		return ""
	}
	return file
}

// goInstall is the command that installs what "go run" runs: a version of a module, or the source in the current folder.
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
	return "go install ./cmd/" + command
}

// onPath is the name of the command if the PATH leads to this file, else the file.
func onPath(file string, lookPath func(string) (string, error)) string {
	if found, err := lookPath(command); err == nil && sameFile(found, file) {
		return command
	}
	return file
}

func sameFile(a, b string) bool {
	of, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(of, other)
}
