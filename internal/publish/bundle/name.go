package bundle

import (
	"regexp"
	"strings"

	"golang.org/x/mod/semver"
)

var (
	// packageName is a name that npm took at any time. Capitals were allowed once. No shell takes it for anything but a word.
	packageName = regexp.MustCompile(`^(@[A-Za-z0-9_~][A-Za-z0-9._~-]*/)?[A-Za-z0-9_~][A-Za-z0-9._~-]*$`)
	// newPackageName is what npm takes for a new package (validate-npm-package-name).
	newPackageName = regexp.MustCompile(`^(@[a-z0-9][a-z0-9._~-]*/)?[a-z0-9][a-z0-9._~-]*$`)
)

// maxPackageName is the length in bytes that npm allows.
const maxPackageName = 214

// IsPackage reports whether an npm package can have this name.
func IsPackage(name string) bool { return packageName.MatchString(name) }

// IsNewPackage reports whether a package of this name can be published with npm.
func IsNewPackage(name string) bool {
	return len(name) <= maxPackageName && newPackageName.MatchString(name) && name != "node_modules" && name != "favicon.ico"
}

// IsVersion reports whether a text is an exact version of semantic versioning (semver.org, 2.0.0), such as 1.2.3 or 1.2.3-beta.1,
// without build metadata: npm drops them, and a version that was published as another one is not found.
func IsVersion(version string) bool {
	v := "v" + version
	return semver.IsValid(v) && semver.Canonical(v) == v
}

// Slug returns a name as one word that is good for file and command names everywhere, and that clients take for the name of a
// server: lower case letters, digits, and hyphens between them. @acme/docs is acme-docs. It is empty for a name without
// letters and digits of ASCII.
func Slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9') })
	return strings.Join(words, "-")
}

// Slug returns the package name as one word; see the function [Slug].
func (i Info) Slug() string { return Slug(i.Package) }
