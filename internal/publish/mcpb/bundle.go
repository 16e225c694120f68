// Package mcpb writes desktop bundles: an .mcpb file is a zip archive that Claude Desktop and
// others install by a double click. It holds manifest.json (version 0.3, see [Schema]), the server
// for each system in server/, and the project in project/:
//
//	manifest.json
//	project/mcp-docs-server.json, project/docs/…
//	server/LICENSE, …                  the licences of the server
//	server/mcp-docs-server-darwin      for both processors of macOS
//	server/mcp-docs-server-linux       for x64
//	server/mcp-docs-server-win32.exe   for x64, which Windows on ARM runs too
//
// A manifest distinguishes systems but not processors, so macOS has one program for both.
//
// The same input always gives the same bytes. The package reads only its input.
//
// [Schema]: https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md
package mcpb

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/executable"
)

// A Desktop holds the contents of a desktop bundle.
type Desktop struct {
	Info     bundle.Info // Package, Version, Description and Author are required
	Project  []bundle.File
	Binaries map[string]bundle.File // the server, by platform; all of [Platforms] are required
	Licences []bundle.File          // of the server
	Tools    []Tool
	Prompts  []Prompt
}

// A Tool is a tool of the server.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// A Prompt is a prompt of the server.
type Prompt struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Arguments   []string `json:"arguments,omitempty"` // names
	Text        string   `json:"text"`                // with a [Placeholder] for each argument
}

// Placeholder returns the placeholder of an argument in the text of a prompt.
func Placeholder(argument string) string { return "${arguments." + argument + "}" }

// Platforms are the platforms of the programs in a bundle, as [executable.Platform] names them.
var Platforms = []string{"darwin-arm64", "darwin-x64", "linux-x64", "win32-x64"}

// Paths in the archive.
const (
	manifestFile = "manifest.json"
	projectDir   = "project"
	serverDir    = "server"
)

// changed is the time of each file of a bundle: the earliest time that a zip archive can store.
var changed = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Write writes the bundle to w. Before it writes, it checks the project; the error lists everything
// that is missing.
func Write(w io.Writer, d Desktop) error {
	files, err := d.Files()
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: changed}
		h.SetMode(fs.FileMode(f.Mode))
		entry, err := z.CreateHeader(h)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := f.Copy(entry); err != nil {
			return err
		}
	}
	return z.Close()
}

// Check returns an error that lists everything that the project lacks. It does not check the
// binaries, which may not exist yet.
func (d Desktop) Check() error {
	names := bundle.Check(d.Project)
	if names == nil {
		names = checkNames(d.Project)
	}
	return errors.Join(d.check(), names)
}

// Files returns the files of the archive, in order, or the same errors as [Write].
func (d Desktop) Files() ([]bundle.File, error) {
	errs := []error{d.Check()}
	for _, platform := range Platforms {
		errs = append(errs, executable.Expect(platform, d.Binaries[platform]))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	manifest, err := d.manifest()
	if err != nil {
		return nil, err
	}
	darwin, err := executable.Universal(serverFile("darwin"), d.Binaries["darwin-x64"], d.Binaries["darwin-arm64"])
	if err != nil {
		return nil, err
	}
	files := []bundle.File{bundle.Bytes(manifestFile, bundle.ModePlain, manifest), darwin}
	for platform, system := range map[string]string{"linux-x64": "linux", "win32-x64": "win32"} {
		f := d.Binaries[platform]
		f.Name, f.Mode = serverFile(system), bundle.ModeExecutable
		files = append(files, f)
	}
	for _, f := range d.Licences {
		f.Name = path.Join(serverDir, f.Name)
		files = append(files, f)
	}
	for _, f := range d.Project {
		f.Name = path.Join(projectDir, f.Name)
		files = append(files, f)
	}
	bundle.Sort(files, manifestFile)
	return files, nil
}

// serverFile is the name of the server for a system.
func serverFile(system string) string {
	name := path.Join(serverDir, "mcp-docs-server-"+system)
	if system == "win32" {
		name += ".exe"
	}
	return name
}
