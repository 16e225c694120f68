// Package registry writes server.json, by which the MCP registry lists a server: its name, and how
// clients get it. The schema has the version 2025-12-11.
//
// If the registry would reject the server.json of a project, the errors say what to change and
// where. There are rules beyond the schema; they follow the checks of
// github.com/modelcontextprotocol/registry v1.8.7, internal/validators, as far as they need no
// network.
package registry

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
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

// JSON returns server.json. The error lists everything that the registry would refuse.
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
