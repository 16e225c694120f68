package bundle

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

var (
	// packageName matches every name that npm has ever accepted. Capitals were allowed once. For
	// every shell such a name is a plain word.
	packageName = lazyregexp.New(`^(@[A-Za-z0-9_~][A-Za-z0-9._~-]*/)?[A-Za-z0-9_~][A-Za-z0-9._~-]*$`)
	// newPackageName matches the names that npm accepts for a new package
	// (validate-npm-package-name).
	newPackageName = lazyregexp.New(`^(@[a-z0-9][a-z0-9._~-]*/)?[a-z0-9][a-z0-9._~-]*$`)
)

// maxPackageName is the maximum length in bytes that npm allows.
const maxPackageName = 214

// IsPackage reports whether an npm package can have this name.
func IsPackage(name string) bool { return packageName().MatchString(name) }

// IsNewPackage reports whether a package of this name can be published with npm.
func IsNewPackage(name string) bool {
	return len(name) <= maxPackageName && newPackageName().MatchString(name) && name != "node_modules" && name != "favicon.ico"
}

// IsVersion reports whether a text is an exact version of semantic versioning (semver.org, 2.0.0),
// such as 1.2.3 or 1.2.3-beta.1, without build metadata: npm drops it, so that the published
// version would have another name.
func IsVersion(version string) bool {
	v := "v" + version
	return semver.IsValid(v) && semver.Canonical(v) == v
}

// Slug returns a name as one word that is valid as a file name and command on every system, and as
// a server name in clients: lower-case letters, digits, and hyphens between them. @acme/docs
// becomes acme-docs. The result is empty for a name without ASCII letters and digits.
func Slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9') })
	return strings.Join(words, "-")
}

// Slug returns the package name as one word; see the function [Slug].
func (i Info) Slug() string { return Slug(i.Package) }

// Info describes a project. Each field comes from mcp-docs-server.json or else from a package.json
// next to it, and is empty if neither has it.
type Info struct {
	Title       string // for people, such as Acme
	Package     string // the npm name, such as @acme/docs
	Version     string // exact, by semantic versioning
	Description string // one line
	Author      string // a person or organisation, without address
	License     string // an SPDX expression
	Homepage    string // a URL
	// a URL that git can clone, such as git+https://github.com/acme/docs.git
	Repository string
	Keywords   []string
	ServerName string // in the MCP registry, such as io.github.acme/docs
}

// RepositoryPage returns the page of the repository on the web, such as
// https://github.com/acme/docs for git+ssh://git@github.com/acme/docs.git, without any user or
// password; and "" if Repository has no such page.
func (i Info) RepositoryPage() string {
	u, err := url.Parse(strings.TrimPrefix(i.Repository, "git+"))
	if err != nil || u.Hostname() == "" {
		return ""
	}
	host := u.Host
	switch u.Scheme {
	case "https":
	case "http", "git", "ssh":
		host = u.Hostname() // the port belongs to the git server, not to the web page
	default:
		return ""
	}
	page := url.URL{Scheme: "https", Host: host, Path: strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), ".git")}
	return page.String()
}

// reserved are the names of devices, which no file on Windows can have, with any extension
// (Microsoft, "Naming Files, Paths, and Namespaces").
var reserved = lazyregexp.New(`(?i)^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)`)

// Unportable returns a notice for each file that some computers cannot store under its name:
// because Windows does not allow the name, or because the disk treats names as equal that differ
// only in case or in the composition of accents, as most disks of Windows and macOS do.
func Unportable(files []File) (warnings []loader.Warning) {
	reasons := make(map[string]string)
	spelled := make(map[string]string) // folded path → path
	for _, f := range files {
		name := ""
		for part := range strings.SplitSeq(f.Name, "/") {
			name = path.Join(name, part)
			if other := cmp.Or(spelled[Fold(name)], name); other != name {
				reasons[name] = fmt.Sprintf("is the same name as %q to most disks of Windows and macOS", other)
				break // all names in this folder conflict too
			}
			spelled[Fold(name)], reasons[name] = name, unportable(part)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(reasons)) {
		if reasons[name] != "" {
			warnings = append(warnings, loader.Warning{Path: name, Reason: reasons[name]})
		}
	}
	return warnings
}

// unportable returns why Windows cannot store a file of this name, or "".
func unportable(name string) string {
	switch {
	case reserved().MatchString(name):
		return "has a name that Windows reserves for a device"
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return "has a name that ends in a dot or a space, which Windows drops"
	}
	for _, r := range name {
		if r < ' ' || strings.ContainsRune(`<>:"|?*\`, r) {
			return fmt.Sprintf("has %q in its name, which Windows does not allow", r)
		}
	}
	return ""
}

// Fold returns the same text for names that most disks of Windows and macOS treat as equal: those
// that differ only in case or in the composition of accents.
func Fold(name string) string {
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(name))))
}
