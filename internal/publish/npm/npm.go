// Package npm writes packages for npm and publishes them.
//
// The package of a project holds its files and a server that Node runs. It depends on nothing, and runs
// no script at installation.
//
// The same files always give the same tarball, byte for byte: package.json first and the others by
// name, all of them plain files with the time that npm itself writes, modes 644 and 755, and an
// empty gzip header. npm uploads a given tarball unchanged, so this package must exclude unwanted
// files itself.
package npm

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// ManifestFile is the file that makes a folder a package.
const ManifestFile = "package.json"

// A Manifest is package.json (npm docs, "package.json"). Raw values are as the author wrote them.
type Manifest struct {
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Description string   `json:"description,omitempty"`
	Keywords    []string `json:"keywords,omitempty"`
	// the MCP registry compares it with the server's name
	MCPName              string            `json:"mcpName,omitempty"`
	Homepage             string            `json:"homepage,omitempty"`
	Bugs                 json.RawMessage   `json:"bugs,omitempty"`
	License              json.RawMessage   `json:"license,omitempty"`
	Author               json.RawMessage   `json:"author,omitempty"`
	Repository           json.RawMessage   `json:"repository,omitempty"`
	Main                 string            `json:"main,omitempty"`
	Bin                  map[string]string `json:"bin,omitempty"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
	Engines              map[string]string `json:"engines,omitempty"`
	// Yarn keeps other packages in zip files
	PreferUnplugged bool           `json:"preferUnplugged,omitempty"`
	PublishConfig   map[string]any `json:"publishConfig,omitempty"`
}

// A Package holds the contents of one tarball.
type Package struct {
	Manifest Manifest
	Files    []bundle.File // all but package.json
}

// JSON returns the text of package.json.
func (m *Manifest) JSON() ([]byte, error) { return jsonwire.EncodeFile(m) }

// All returns the files of the package in the order of its tarball. Two files with the same name
// are an error.
func (p *Package) All() ([]bundle.File, error) {
	text, err := p.Manifest.JSON()
	if err != nil {
		return nil, err
	}
	files := append([]bundle.File{bundle.Bytes(ManifestFile, text)}, p.Files...)
	bundle.Sort(files, ManifestFile)
	for i, f := range files[1:] {
		if f.Name == files[i].Name {
			return nil, fmt.Errorf("the package would contain %q twice: from the project, and as a part of every package; rename the folder or file", f.Name)
		}
	}
	return files, checkFiles(files)
}

// FileName returns the name that npm gives the tarball: acme-docs-1.2.3.tgz.
func (p *Package) FileName() string {
	return strings.ReplaceAll(strings.TrimPrefix(p.Manifest.Name, "@"), "/", "-") + "-" + p.Manifest.Version + ".tgz"
}

// changed is the time that npm gives every file of a package.
var changed = time.Date(1985, time.October, 26, 8, 15, 0, 0, time.UTC)

// WriteTarball writes the package to w.
func (p *Package) WriteTarball(w io.Writer) error {
	files, err := p.All()
	if err != nil {
		return err
	}
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: path.Join("package", f.Name), Size: f.Size, Mode: f.Mode, ModTime: changed}
		if err := t.WriteHeader(h); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := f.Copy(t); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

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
	switch {
	case !utf8.ValidString(name):
		return "its name is not UTF-8, and npm would put U+FFFD into it"
	case strings.Contains(name, `\`):
		return "its name has a back-slash, which pnpm and Windows treat as a slash"
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' }):
		return "its name has a control character, which Yarn replaces, or a line break, which npm may not read"
	case path.Base(name) == ".gitignore":
		return "npm renames a .gitignore when it installs a package"
	case strings.HasPrefix(name, "node_modules/"):
		return "npm treats files in node_modules as other packages"
	}
	return ""
}

// An Origin is the package.json of a project. The name, the version and the technical keys of a
// package do not come from it: they follow from the project.
type Origin struct {
	info bundle.Info // the fields that every kind of release needs

	bugs, license, author, repository json.RawMessage // as the author wrote them
	publishConfig                     map[string]any
}

// publishKeys are the keys of publishConfig that go into a package, because the author decides how
// to publish. Keys for the registry of a scope, "@acme:registry", are copied too.
var publishKeys = []string{"access", "registry", "tag", "provenance"}

// ReadOrigin reads a package.json. file is its name in the problems. A required value of the wrong
// type is an error.
func ReadOrigin(file string, data []byte) (Origin, jsondoc.Problems) {
	v, problems := jsondoc.Parse(file, data)
	if problems.Err() != nil {
		return Origin{}, problems
	}
	o, ok := jsondoc.NewObject(file, "", v, &problems)
	if !ok {
		return Origin{}, problems
	}
	var origin Origin
	info := &origin.info
	o.String("description", &info.Description)
	o.String("homepage", &info.Homepage)
	o.String("mcpName", &info.ServerName)
	o.Strings("keywords", &info.Keywords)
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &raw); err != nil {
		problems = append(problems, jsondoc.Problem{File: file, Reason: err.Error()})
		return Origin{}, problems
	}
	maps.DeleteFunc(raw, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	origin.bugs, origin.license, origin.author, origin.repository = raw["bugs"], raw["license"], raw["author"], raw["repository"]
	info.License = word(raw["license"], "type")
	info.Author = strings.TrimSpace(address().ReplaceAllString(word(raw["author"], "name"), ""))
	info.Repository = gitURL(word(raw["repository"], "url"))
	info.Description = strings.Join(strings.Fields(info.Description), " ")
	if field := o.Field("publishConfig"); field != nil {
		if err := json.Unmarshal(raw["publishConfig"], &origin.publishConfig); err != nil {
			o.Errorf(field, "publishConfig must be an object")
		}
		maps.DeleteFunc(origin.publishConfig, func(key string, _ any) bool {
			return !slices.Contains(publishKeys, key) && !strings.HasSuffix(key, ":registry")
		})
	}
	return origin, problems
}

// Tag returns the tag that publishConfig sets, or "".
func (o Origin) Tag() string {
	tag, _ := o.publishConfig["tag"].(string)
	return tag
}

// Info returns the description of a project. The title, the package and the version come from the
// configuration.
func (o Origin) Info(title, name, version string) bundle.Info {
	info := o.info
	info.Title, info.Package, info.Version = title, name, version
	return info
}

// address matches the text that may follow the name of a person (npm docs, "package.json", people
// fields).
var address = lazyregexp.New(`\s*(<[^>]*>|\([^)]*\))`)

// word returns a value that is a string, or an object with the string under a key.
func word(raw json.RawMessage, key string) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil {
		return ""
	}
	s, _ = fields[key].(string)
	return s
}

// shorthand matches the short form of a repository on a hosting service.
var shorthand = lazyregexp.New(`^(?:(github|gitlab|bitbucket):)?([A-Za-z0-9_-][A-Za-z0-9._-]*/[A-Za-z0-9._-]+)$`)

// gitURL returns the URL of a repository, with short forms expanded.
func gitURL(s string) string {
	m := shorthand().FindStringSubmatch(s)
	if m == nil {
		return s
	}
	host := map[string]string{"": "github.com", "github": "github.com", "gitlab": "gitlab.com", "bitbucket": "bitbucket.org"}[m[1]]
	return "git+https://" + host + "/" + strings.TrimSuffix(m[2], ".git") + ".git"
}
