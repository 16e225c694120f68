package mcpb

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A manifest is manifest.json. The keys are in the customary order.
type manifest struct {
	ManifestVersion string        `json:"manifest_version"`
	Name            string        `json:"name"`
	DisplayName     string        `json:"display_name,omitempty"`
	Version         string        `json:"version"`
	Description     string        `json:"description"`
	Author          author        `json:"author"`
	Repository      *repository   `json:"repository,omitempty"`
	Homepage        string        `json:"homepage,omitempty"`
	License         string        `json:"license,omitempty"`
	Keywords        []string      `json:"keywords,omitempty"`
	Server          server        `json:"server"`
	Tools           []Tool        `json:"tools,omitempty"`
	Prompts         []Prompt      `json:"prompts,omitempty"`
	Compatibility   compatibility `json:"compatibility"`
}

type author struct {
	Name string `json:"name"`
}

type repository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

type server struct {
	Type       string `json:"type"`
	EntryPoint string `json:"entry_point"`
	Config     config `json:"mcp_config"`
}

type config struct {
	launch
	Overrides map[string]launch `json:"platform_overrides"`
}

// A launch is a command line. Hosts replace ${__dirname} by the folder of the unpacked bundle.
type launch struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

type compatibility struct {
	Platforms []string `json:"platforms"`
}

func launchOn(system string) launch {
	return launch{"${__dirname}/" + serverFile(system), []string{"serve", "${__dirname}/" + projectDir}}
}

// manifest returns manifest.json.
func (d Desktop) manifest() ([]byte, error) {
	m := manifest{
		ManifestVersion: "0.3",
		Name:            d.Info.Slug(),
		DisplayName:     d.Info.Title,
		Version:         d.Info.Version,
		Description:     d.Info.Description,
		Author:          author{d.Info.Author},
		Homepage:        d.Info.Homepage,
		License:         d.Info.License,
		Keywords:        d.Info.Keywords,
		Server: server{"binary", serverFile("darwin"), config{
			launchOn("darwin"),
			map[string]launch{"linux": launchOn("linux"), "win32": launchOn("win32")},
		}},
		Tools:         d.Tools,
		Prompts:       d.Prompts,
		Compatibility: compatibility{[]string{"darwin", "win32", "linux"}},
	}
	if page := d.Info.RepositoryPage(); page != "" {
		m.Repository = &repository{"git", page}
	}
	return jsonwire.EncodeFile(m)
}

// check returns errors for values that a manifest requires and the project lacks, and for values
// that a manifest does not allow.
func (d Desktop) check() error {
	var errs []error
	for _, required := range []struct{ key, value, example string }{
		{"package", d.Info.Slug(), "@acme/docs"},
		{"version", d.Info.Version, "1.0.0"},
		{"description", d.Info.Description, "The documents of Acme"},
		{"author", d.Info.Author, "Acme"},
	} {
		if strings.TrimSpace(required.value) == "" {
			file := "package.json"
			if required.key == "package" || required.key == "version" {
				file = "mcp-docs-server.json"
			}
			errs = append(errs, fmt.Errorf("a desktop bundle needs the key %q, which the project does not have; write it into %s, such as %q: %q",
				required.key, file, required.key, required.example))
		}
	}
	if d.Info.Homepage != "" {
		if u, err := url.Parse(d.Info.Homepage); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			errs = append(errs, fmt.Errorf("homepage is %q, must be a URL that begins with https://; change it in package.json", d.Info.Homepage))
		}
	}
	return errors.Join(errs...)
}
