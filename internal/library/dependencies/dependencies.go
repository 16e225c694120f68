// Package dependencies makes a tree of documents from the packages that a project depends on, as they are installed.
//
//  1. A [Finder] of each ecosystem, in a package of its own, reads lock files and manifests and finds the installed
//     packages. It runs no program and opens no connection.
//  2. [Files] lists the documents of an installed package: its README, its CHANGELOG, and Markdown in the folders for
//     documentation that it ships. A finder may add documents that it makes itself, such as the description of an API. [Set.Describe]
//     makes the documents that take long.
//  3. [New] makes a [Set] of the packages. A Set is an [fs.FS] in which the folder of a package is
//     <ecosystem>/<name>@<version>: npm/@scope/name@1.2.3 or go/github.com/x/y@v1.2.3. Two versions of a package are two
//     folders.
//
// Everything in an installed package was written by others:
//
//   - Each package is opened as a root of its own, so no link leads out of it. Links in it are not followed.
//   - At most [MaxFile] bytes of a file, [MaxDocuments] documents of a package and [MaxBytes] of all packages are used.
//   - A name or version becomes a path only if [ValidName] and [ValidVersion] accept it.
//   - [Clean] removes the parts of a text that people do not see: HTML comments outside of code, tag characters and
//     controls of the direction of text.
//   - Files that address agents, such as AGENTS.md and SKILL.md, are not documents.
package dependencies

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Bounds of the documents of packages.
const (
	MaxFile      = 1 << 20  // bytes of a document; the rest of a longer file is left out
	MaxChangelog = 64 << 10 // bytes of a CHANGELOG, which begins with the newest version
	MaxDocuments = 2000     // documents of a package
	// bytes of the documents of all packages; direct dependencies come first
	MaxBytes   = 48 << 20
	MaxSymbols = 16 << 20 // of these for declarations; small packages come first
)

// Folder is the folder of all packages, as clients see it, and the scheme of their URIs.
const Folder = "deps"

// A Package is one dependency of the project. It does not change.
type Package struct {
	Ecosystem string // "npm" or "go"
	Name      string // such as @scope/name or github.com/x/y
	// the installed version, or the version in the lock file if Missing is set; "": unknown
	Version string
	// the version in the lock file if it differs from the installed one, and the name of that file, such as "1.2.4 in package-lock.json"
	Locked string
	// the command that installs what the lock file names, such as "npm ci"
	Hint   string
	Direct bool // the project itself names it
	// why it has no folder here, such as "is not installed"; "": it is installed
	Missing   string
	Documents []Document
	LeftOut   []string // links that are not followed, below the package's folder

	// Describe returns documents about the API, which take long to make; nil: there are none, or Documents has them. With cached, it
	// returns [ErrNotDescribed] if it would have to make them.
	Describe func(ctx context.Context, cached bool) ([]Document, error)
}

// Indirect is the reason in [Package.Missing] of a package that the project does not name.
const Indirect = "is an indirect dependency, whose documents are served with --deps=all"

// ErrNotDescribed is the error if the API of a package is not described yet.
var ErrNotDescribed = errors.New("its API is not described yet")

// Path returns the folder of an installed package in a [Set].
func (p *Package) Path() string { return p.Ecosystem + "/" + p.Name + "@" + p.Version }

// Start returns the path of the document to begin with: the README, or the first one; "" if the package has none.
func (p *Package) Start() string {
	for _, d := range p.Documents {
		if readme().MatchString(d.Path) {
			return d.Path
		}
	}
	if len(p.Documents) > 0 && p.Missing == "" {
		return p.Documents[0].Path
	}
	return ""
}

// String returns the package as answers name it: "npm ai 5.0.1".
func (p *Package) String() string {
	return strings.TrimRight(p.Ecosystem+" "+p.Name+" "+p.Version, " ")
}

// A Document is a document of a package.
type Document struct {
	Path    string // below the package's folder; it ends in .md or .mdx
	Size    int64  // bytes; of a text that a finder makes, the length of the text
	ModTime time.Time
	Symbols bool // it describes declarations: guides that fit as well come first
	Unused  bool // it describes a part of the package that the project does not use yet
	// Read returns at most [MaxFile] bytes. The [Set] passes them through [Clean].
	Read func() ([]byte, error)
}

// Options say where a finder looks.
type Options struct {
	Files *rootfs.FS // the project folder
	Dir   string     // its absolute path
	// an operator allows to read folders above the project, and caches of modules
	Outside bool
	All     bool   // indirect dependencies too
	Cache   *Cache // keeps documents that take long to make; nil: nothing is kept
}

// Found is the result of a [Finder].
type Found struct {
	Packages []*Package
	// what is not understood or left out; the paths are below the project folder
	Notices []loader.Warning
	// Stamp returns a text that changes when the packages may have changed, in the time of some calls of stat. It may
	// be called until Close.
	Stamp func() string
	Close func() // frees the open folders; Documents cannot be read afterwards
}

// A Finder finds the packages of one ecosystem, which may be none. It returns an error only if ctx ends. It is called again
// after a change.
type Finder func(ctx context.Context, o Options) (*Found, error)

var (
	validPart    = lazyregexp.New(`^[A-Za-z0-9._~!+-]+$`)
	validVersion = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9.+_-]{0,127}$`)
)

// ValidName reports whether the name of a package can be a path: parts of ASCII letters, digits and . _ ~ ! + -, none of
// which begins with a dot. The first part may begin with "@".
func ValidName(name string) bool {
	if len(name) > 256 {
		return false
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(name, "@"), "/") {
		if !validPart().MatchString(part) || part[0] == '.' {
			return false
		}
	}
	return name == path.Clean(name)
}

// ValidVersion reports whether a version can be a part of a path.
func ValidVersion(version string) bool { return validVersion().MatchString(version) }

func compare(a, b *Package) int {
	return cmp.Or(cmp.Compare(a.Ecosystem, b.Ecosystem), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version))
}

const (
	maxFoldersAbove = 16 // above the project folder
	maxNotices      = 50
)

// A Place is where a [Finder] reads: the project folder, or a folder above it that holds the rest of the project.
type Place struct {
	Options
	Base    *rootfs.FS // all paths are below it
	Here    string     // the project folder
	Notices []loader.Warning
}

// NewPlace returns the project folder. Its options have a cache.
func NewPlace(o Options) *Place {
	o.Cache = cmp.Or(o.Cache, MemoryCache())
	return &Place{Options: o, Base: o.Files, Here: "."}
}

// Climb moves Base to the last folder that choose takes, or leaves it. It calls choose with Base at the project folder and then at the
// folders above it, until stop.
func (p *Place) Climb(choose func() (take, stop bool)) {
	best, here := p.Base, p.Here
	for dir, above := p.Dir, 0; ; above++ {
		take, stop := choose()
		if take {
			best, here, p.Base = p.Base, p.Here, best
		}
		if p.Base != best {
			p.Close()
		}
		up := filepath.Dir(dir)
		if stop || up == dir || above == maxFoldersAbove {
			break
		}
		var err error
		if p.Base, err = rootfs.Open(up); err != nil {
			break
		}
		p.Here, dir = path.Join(filepath.Base(dir), p.Here), up
	}
	p.Base, p.Here = best, here
}

// Close frees the folder above the project folder.
func (p *Place) Close() {
	if p.Base != p.Files {
		p.Base.Close()
	}
}

// Exists reports whether there is a file or folder.
func (p *Place) Exists(name string) bool {
	_, err := p.Base.Lstat(name)
	return err == nil
}

// Notice reports something about a file, once.
func (p *Place) Notice(name, format string, args ...any) {
	if below, err := filepath.Rel(filepath.FromSlash(p.Here), filepath.FromSlash(name)); err == nil {
		name = filepath.ToSlash(below)
	}
	n := loader.Warning{Path: name, Reason: fmt.Sprintf(format, args...)}
	if len(p.Notices) < maxNotices && !slices.Contains(p.Notices, n) {
		p.Notices = append(p.Notices, n)
	}
}

// Stamp returns the sizes and times of the files that exist.
func (p *Place) Stamp(names []string) string {
	var b strings.Builder
	for _, name := range names {
		if info, err := p.Base.Stat(name); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}
