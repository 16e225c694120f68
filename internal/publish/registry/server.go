// Package registry writes server.json, by which the MCP registry lists a server: its name, and how
// clients get it. A [Server] has the contents. The schema has the version 2025-12-11. The package does
// not connect to the registry.
//
// The file follows the schema of the registry. The registry has more rules; mcp-publisher reports them
// before it uploads the file.
package registry

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// Flags of the command line, for error messages.
const (
	FlagImage      = "--image"
	FlagDesktopURL = "--mcpb-url"
	FlagRemote     = "--remote"
)

// A Server holds the contents of server.json. There must be at least one way to get the server.
type Server struct {
	Info    bundle.Info // ServerName, Description and Version are required
	NPM     bool        // the server is on npm as Info.Package at Info.Version
	Image   string      // reference of a container image, such as ghcr.io/acme/docs:1.2.3; may be empty
	Desktop Desktop     // may be empty
	Remote  string      // URL of the server over streamable HTTP, such as https://docs.acme.example/mcp; may be empty
}

// A Desktop is a published desktop bundle.
type Desktop struct {
	URL    string // of a release asset, such as https://github.com/acme/docs/releases/download/v1.2.3/acme-docs.mcpb
	SHA256 string // of the file, in hexadecimal
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
	if !s.NPM && s.Image == "" && s.Desktop == (Desktop{}) && s.Remote == "" {
		errs = append(errs, fmt.Errorf("server.json must say how clients get the server: from npm, as an image (%s), as a desktop bundle (%s) or by its URL (%s)", FlagImage, FlagDesktopURL, FlagRemote))
	}
	if u, err := url.Parse(s.Remote); err != nil || u.User != nil {
		errs = append(errs, fmt.Errorf("%s must be a URL without a user or password, which everybody could read", FlagRemote))
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
	if s.Desktop != (Desktop{}) {
		d.Packages = append(d.Packages, pkg{
			RegistryType: "mcpb", Identifier: s.Desktop.URL, FileSHA256: s.Desktop.SHA256, Transport: stdio,
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

var schema = sync.OnceValues(func() (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(schemaFile, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
})

// Validate checks a server.json against the schema alone. It does not check formats, such as the
// format of a URL.
func Validate(data []byte) error {
	s, err := schema()
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
