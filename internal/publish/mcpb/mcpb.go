// Package mcpb writes desktop bundles: an .mcpb file is a zip archive that Claude Desktop and
// others install by a double click. It holds manifest.json (version 0.3, see [Schema]), and in project/ the files
// of the project with a server that Node runs, which the programs have:
//
//	manifest.json
//	project/mcp-docs-server.json, project/docs/…
//	project/bin/stdio.js, …
//
// The same input always gives the same bytes. The package reads only its input.
//
// [Schema]: https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md
package mcpb

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"time"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A Desktop holds the contents of a desktop bundle.
type Desktop struct {
	Info    bundle.Info   // Package and Version are required
	Project []bundle.File // with the server
	Entry   string        // the program in Project
	Tools   []Tool
	Prompts []Prompt
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

// Paths in the archive.
const (
	manifestFile = "manifest.json"
	projectDir   = "project"
)

// changed is the time of each file of a bundle: the earliest time that a zip archive can store.
var changed = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Write writes the files of a bundle to w, as [Desktop.Files] returns them.
func Write(w io.Writer, files []bundle.File) error {
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

// Files returns the files of the archive, in order. It checks the project first; the error lists everything that is
// missing.
func (d Desktop) Files() ([]bundle.File, error) {
	if err := errors.Join(d.check(), checkNames(d.Project)); err != nil {
		return nil, err
	}
	manifest, err := d.manifest()
	if err != nil {
		return nil, err
	}
	files := []bundle.File{bundle.Bytes(manifestFile, bundle.ModePlain, manifest)}
	for _, f := range d.Project {
		f.Name = path.Join(projectDir, f.Name)
		files = append(files, f)
	}
	bundle.Sort(files, manifestFile)
	return files, nil
}

// checkNames returns an error for every file that Windows or macOS could not unpack under its name.
// A bundle is for all systems, and nobody would notice that such a system has lost or overwritten a
// file.
func checkNames(files []bundle.File) error {
	var errs []error
	for _, f := range files {
		if !utf8.ValidString(f.Name) {
			errs = append(errs, fmt.Errorf("%q cannot be unpacked on every system: has a name that is not UTF-8; rename it", f.Name))
		}
	}
	for _, n := range bundle.Unportable(files) {
		errs = append(errs, fmt.Errorf("%q cannot be unpacked on every system: %s; rename it", n.Path, n.Reason))
	}
	return errors.Join(errs...)
}

// A manifest is manifest.json. Its keys are in the customary order, those of the objects in it sorted.
type manifest struct {
	ManifestVersion string   `json:"manifest_version"`
	Name            string   `json:"name"`
	DisplayName     string   `json:"display_name,omitempty"`
	Version         string   `json:"version"`
	Description     string   `json:"description"`
	Author          object   `json:"author"`
	Repository      object   `json:"repository,omitempty"`
	Homepage        string   `json:"homepage,omitempty"`
	License         string   `json:"license,omitempty"`
	Keywords        []string `json:"keywords,omitempty"`
	Server          object   `json:"server"`
	Tools           []Tool   `json:"tools,omitempty"`
	Prompts         []Prompt `json:"prompts,omitempty"`
	Compatibility   object   `json:"compatibility"`
}

type object map[string]any

// manifest returns manifest.json.
func (d Desktop) manifest() ([]byte, error) {
	entry := path.Join(projectDir, d.Entry)
	m := manifest{
		ManifestVersion: "0.3",
		Name:            d.Info.Slug(),
		DisplayName:     d.Info.Title,
		Version:         d.Info.Version,
		Description:     cmp.Or(d.Info.Description, DefaultDescription(d.Info.Title)),
		Author:          object{"name": cmp.Or(d.Info.Author, d.Info.Title)},
		Homepage:        d.Info.Homepage,
		License:         d.Info.License,
		Keywords:        d.Info.Keywords,
		// Hosts replace ${__dirname} by the folder of the unpacked bundle.
		Server:        object{"type": "node", "entry_point": entry, "mcp_config": object{"command": "node", "args": []string{"${__dirname}/" + entry}}},
		Tools:         d.Tools,
		Prompts:       d.Prompts,
		Compatibility: object{"platforms": []string{"darwin", "win32", "linux"}, "runtimes": object{"node": ">=18.0.0"}},
	}
	if page := d.Info.RepositoryPage(); page != "" {
		m.Repository = object{"type": "git", "url": page}
	}
	return jsonwire.EncodeFile(m)
}

// DefaultDescription describes a project that does not describe itself.
func DefaultDescription(title string) string { return "Documents of " + title }

// check returns an error for a value that a manifest does not allow.
func (d Desktop) check() error {
	if u, err := url.Parse(d.Info.Homepage); d.Info.Homepage != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "") {
		return fmt.Errorf("homepage is %q, must be a URL that begins with https://; change it in package.json", d.Info.Homepage)
	}
	return nil
}
