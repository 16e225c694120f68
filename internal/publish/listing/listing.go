// Package listing writes the files by which others than npm list and install a server. It connects to nothing, reads only its
// input, and the same input always gives the same bytes.
//
// A desktop bundle is an .mcpb file, a zip archive that Claude Desktop and others install by a double click. It holds
// manifest.json (version 0.3, see [Schema]), and in project/ the files of the project with a server that Node runs, which the
// programs have:
//
//	manifest.json
//	project/mcp-docs-server.json, project/docs/…
//	project/bin/stdio.js, …
//
// The MCP registry lists a server by its server.json, see [Server].
//
// [Schema]: https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md
package listing

import (
	"archive/zip"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

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
	// with a [Placeholder] for each argument
	Text string `json:"text"`
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

// WriteZip writes the files of a desktop bundle to w, as [Desktop.Files] returns them.
func WriteZip(w io.Writer, files []bundle.File) error {
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
	files := []bundle.File{bundle.Bytes(manifestFile, manifest)}
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

// A manifest is manifest.json. Its keys are in the customary order; keys of the objects in it are sorted.
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

// A Server holds the contents of server.json, by which the MCP registry lists a server: its name, and how clients get it. There
// must be at least one way to get it. The registry has more rules than its schema, version 2025-12-11; mcp-publisher reports them
// before it uploads the file.
type Server struct {
	Info bundle.Info // ServerName, Description and Version are required
	NPM  bool        // the server is on npm as Info.Package at Info.Version
	// reference of a container image, such as ghcr.io/acme/docs:1.2.3; may be empty
	Image string
	// DesktopURL is the URL of a published desktop bundle, a release asset such as
	// https://github.com/acme/docs/releases/download/v1.2.3/acme-docs.mcpb; may be empty. DesktopSum is the SHA-256 sum of
	// the file, in hexadecimal.
	DesktopURL, DesktopSum string

	// URL of the server over streamable HTTP, such as https://docs.acme.example/mcp; may be empty
	Remote string
}

const schemaURL = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// A document is server.json. The keys are in the customary order.
type document struct {
	Schema      string      `json:"$schema"`
	Name        string      `json:"name"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description"`
	Version     string      `json:"version"`
	WebsiteURL  string      `json:"websiteUrl,omitempty"`
	Repository  *repository `json:"repository,omitempty"`
	Packages    []pkg       `json:"packages,omitempty"`
	Remotes     []transport `json:"remotes,omitempty"`
}

type repository struct {
	URL    string `json:"url"`
	Source string `json:"source"`
}

// A pkg has no registryBaseUrl: for npm the default is right, and the other types must not have
// one.
type pkg struct {
	RegistryType string    `json:"registryType"`
	Identifier   string    `json:"identifier"`
	Version      string    `json:"version,omitempty"`
	FileSHA256   string    `json:"fileSha256,omitempty"`
	RuntimeHint  string    `json:"runtimeHint,omitempty"`
	Transport    transport `json:"transport"`
}

type transport struct {
	Type string `json:"type"`
	URL  string `json:"url,omitempty"`
}

// check returns an error for everything that is missing, and for a password that everybody could read.
func (s Server) check() error {
	var errs []error
	if s.Info.ServerName == "" {
		errs = append(errs, errors.New(`the server has no name in the registry; write "mcpName" into package.json, such as io.github.acme/docs`))
	}
	if strings.TrimSpace(s.Info.Description) == "" {
		errs = append(errs, errors.New(`the registry needs a description of the server; write "description" into package.json`))
	}
	if !s.NPM && s.Image == "" && s.DesktopURL == "" && s.Remote == "" {
		errs = append(errs, errors.New("server.json must say how clients get the server: from npm, as an image (--image), as a desktop bundle (--mcpb-url) or by its URL (--remote)"))
	}
	if u, err := url.Parse(s.Remote); err != nil || u.User != nil {
		errs = append(errs, errors.New("--remote must be a URL without a user or password, which everybody could read"))
	}
	return errors.Join(errs...)
}

// repositoryOf returns the repository of a page, or nil if the registry does not support its host.
func repositoryOf(page string) *repository {
	for _, host := range []string{"github", "gitlab"} {
		if strings.HasPrefix(page, "https://"+host+".com/") {
			return &repository{page, host}
		}
	}
	return nil
}

// JSON returns server.json. The error lists everything that is missing, or says what goes against the schema.
func (s Server) JSON() ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	d := document{
		Schema:      schemaURL,
		Name:        s.Info.ServerName,
		Title:       strings.TrimSpace(s.Info.Title),
		Description: strings.TrimSpace(s.Info.Description),
		Version:     s.Info.Version,
		WebsiteURL:  s.Info.Homepage,
		Repository:  repositoryOf(s.Info.RepositoryPage()),
	}
	stdio := transport{Type: "stdio"}
	if s.NPM {
		d.Packages = append(d.Packages, pkg{
			RegistryType: "npm", Identifier: s.Info.Package, Version: s.Info.Version, RuntimeHint: "npx", Transport: stdio,
		})
	}
	if s.Image != "" {
		d.Packages = append(d.Packages, pkg{RegistryType: "oci", Identifier: s.Image, RuntimeHint: "docker", Transport: stdio})
	}
	if s.DesktopURL != "" {
		d.Packages = append(d.Packages, pkg{
			RegistryType: "mcpb", Identifier: s.DesktopURL, FileSHA256: s.DesktopSum, Transport: stdio,
		})
	}
	if s.Remote != "" {
		d.Remotes = []transport{{"streamable-http", s.Remote}}
	}
	text, err := jsonwire.EncodeFile(d)
	if err != nil {
		return nil, err
	}
	if err := Validate(text); err != nil {
		return nil, err
	}
	return text, nil
}

//go:embed schema/server-2025-12-11.json
var schemaFile []byte

var serverSchema = sync.OnceValues(func() (*jsonschema.Resolved, error) { return resolve(schemaFile) })

// resolve parses a JSON Schema.
func resolve(data []byte) (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

// Validate checks a server.json against the schema alone. It does not check formats, such as the
// format of a URL.
func Validate(data []byte) error {
	s, err := serverSchema()
	if err != nil {
		return fmt.Errorf("the schema of server.json: %w", err)
	}
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		return fmt.Errorf("server.json: %w", err)
	}
	if v["$schema"] != schemaURL {
		return errors.New(`server.json: $schema must be "` + schemaURL + `"`)
	}
	if err := s.Validate(v); err != nil {
		return fmt.Errorf("server.json does not follow its schema: %w", err)
	}
	return nil
}
