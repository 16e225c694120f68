package npm

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// CLI is the package that starts the program. Packages with the program for a platform begin with this name too.
const CLI = "@mcp-docs-server/cli"

// distTag matches a word that npm accepts as a tag and that is plain for every shell.
var distTag = lazyregexp.New(`^[A-Za-z][A-Za-z0-9._-]*$`)

// CheckPackage returns an error if npm does not accept the name of a package.
func CheckPackage(name string) error {
	if !bundle.IsNewPackage(name) {
		return fmt.Errorf("package is %q, must be a name that npm takes, in lower case, such as \"@acme/docs\" or \"acme-docs\"", name)
	}
	if name == CLI || strings.HasPrefix(name, CLI+"-") {
		return fmt.Errorf("package is %q, which is a package of mcp-docs-server itself; must be a name of your own, such as \"@acme/docs\"", name)
	}
	return nil
}

// CheckVersion returns an error if a version cannot be published.
func CheckVersion(version string) error {
	if !bundle.IsVersion(version) {
		return fmt.Errorf("version is %q, must be an exact version such as \"1.0.0\" or \"1.0.0-beta.1\" (semver.org)", version)
	}
	return nil
}

// headerName is the maximum length in bytes of a name in a tar header; a longer name is in a record
// before the header.
const headerName = 100

// checkFiles returns an error for names that npm would change.
func checkFiles(files []bundle.File) error {
	var errs []error
	for _, f := range files {
		if reason := spoiled(f.Name); reason != "" {
			errs = append(errs, fmt.Errorf("%q cannot be published with npm: %s; rename it", f.Name, reason))
		}
	}
	return errors.Join(errs...)
}

// spoiled returns why a file would not keep its name, or "". The rules come from tests with npm 11,
// pnpm 10 and 12, Yarn 4 and Bun 1.
func spoiled(name string) string {
	ascii := strings.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
	top, _, _ := strings.Cut(name, "/")
	switch {
	case !utf8.ValidString(name):
		return "its name is not UTF-8, and npm would put U+FFFD into it"
	case strings.Contains(name, "\n") && (!ascii || len("package/")+len(name) > headerName):
		return "its path has a line break and is long or not ASCII, which npm cannot read"
	case strings.Contains(name, `\`):
		return "its name has a back-slash, which pnpm and Windows treat as a slash"
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' }):
		return "its name has a control character, which Yarn replaces by another one"
	case path.Base(name) == ".gitignore":
		return "npm renames a .gitignore when it installs a package"
	case top == "node_modules":
		return "npm treats files in node_modules as other packages"
	}
	return ""
}
