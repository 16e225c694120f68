// Package npm writes packages for npm and publishes them.
//
// There are three kinds. A docs package holds the files of a project and depends on @mcp-docs-server/cli. That one holds the
// launcher, a script that finds the program for the computer it runs on and becomes it; the program lies in one of six
// platform packages, which are optional dependencies of it, told apart by their keys os and cpu (npm docs, "package.json").
// Nothing runs when any of them is installed. A self-contained docs package holds the launcher and programs itself.
//
// A tarball is the same, byte for byte, whenever and wherever it is made of the same files: package.json first and the
// others by name, all of them plain files that changed at the time that npm itself writes, modes 644 and 755, and nothing
// in the header of gzip. A tarball that is given to npm is uploaded as it is, so what is not to be in it must be left out
// here.
package npm

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// ManifestFile is the file that makes a folder a package.
const ManifestFile = "package.json"

// A Manifest is what package.json says (npm docs, "package.json"). Raw values are as an author wrote them.
type Manifest struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description,omitempty"`
	Keywords             []string          `json:"keywords,omitempty"`
	MCPName              string            `json:"mcpName,omitempty"` // what the MCP registry compares with its own name
	Homepage             string            `json:"homepage,omitempty"`
	Bugs                 json.RawMessage   `json:"bugs,omitempty"`
	License              json.RawMessage   `json:"license,omitempty"`
	Author               json.RawMessage   `json:"author,omitempty"`
	Repository           json.RawMessage   `json:"repository,omitempty"`
	Main                 string            `json:"main,omitempty"`
	Bin                  map[string]string `json:"bin,omitempty"`
	Files                []string          `json:"files,omitempty"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	Dependencies         map[string]string `json:"dependencies,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
	Engines              map[string]string `json:"engines,omitempty"`
	PreferUnplugged      bool              `json:"preferUnplugged,omitempty"` // Yarn keeps other packages in zip files
	PublishConfig        map[string]any    `json:"publishConfig,omitempty"`
}

// A Package is what one tarball holds.
type Package struct {
	Manifest Manifest
	Files    []bundle.File // all but package.json
}

// JSON returns the text of package.json.
func (m *Manifest) JSON() ([]byte, error) { return jsonwire.EncodeFile(m) }

// All returns the files of the package in the order of its tarball. Two files of one name are an error.
func (p *Package) All() ([]bundle.File, error) {
	text, err := p.Manifest.JSON()
	if err != nil {
		return nil, err
	}
	files := append([]bundle.File{bundle.Bytes(ManifestFile, bundle.ModePlain, text)}, p.Files...)
	bundle.Sort(files, ManifestFile)
	for i, f := range files[1:] {
		if f.Name == files[i].Name {
			return nil, fmt.Errorf("the package would hold %q twice: once of the project, once as a part of every package; rename the folder or file", f.Name)
		}
	}
	return files, checkFiles(files)
}

// FileName returns the name that npm gives the tarball: acme-docs-1.2.3.tgz.
func (p *Package) FileName() string {
	return strings.ReplaceAll(strings.TrimPrefix(p.Manifest.Name, "@"), "/", "-") + "-" + p.Manifest.Version + ".tgz"
}
