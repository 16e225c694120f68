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
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// ManifestFile is the file that makes a folder a package.
const ManifestFile = "package.json"

// A Manifest is package.json (npm docs, "package.json"). Raw values are as the author wrote them.
type Manifest struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description,omitempty"`
	Keywords             []string          `json:"keywords,omitempty"`
	MCPName              string            `json:"mcpName,omitempty"` // the MCP registry compares it with the server's name
	Homepage             string            `json:"homepage,omitempty"`
	Bugs                 json.RawMessage   `json:"bugs,omitempty"`
	License              json.RawMessage   `json:"license,omitempty"`
	Author               json.RawMessage   `json:"author,omitempty"`
	Repository           json.RawMessage   `json:"repository,omitempty"`
	Main                 string            `json:"main,omitempty"`
	Bin                  map[string]string `json:"bin,omitempty"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	Dependencies         map[string]string `json:"dependencies,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
	Engines              map[string]string `json:"engines,omitempty"`
	PreferUnplugged      bool              `json:"preferUnplugged,omitempty"` // Yarn keeps other packages in zip files
	PublishConfig        map[string]any    `json:"publishConfig,omitempty"`
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
	files := append([]bundle.File{bundle.Bytes(ManifestFile, bundle.ModePlain, text)}, p.Files...)
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
	return errors.Join(bundle.WriteTar(z, "package", changed, files), z.Close())
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
