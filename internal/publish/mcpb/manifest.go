package mcpb

import (
	"cmp"
	"fmt"
	"net/url"
	"path"

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
	Config     launch `json:"mcp_config"`
}

// A launch is a command line. Hosts replace ${__dirname} by the folder of the unpacked bundle.
type launch struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

type compatibility struct {
	Platforms []string          `json:"platforms"`
	Runtimes  map[string]string `json:"runtimes"`
}

// manifest returns manifest.json.
func (d Desktop) manifest() ([]byte, error) {
	m := manifest{
		ManifestVersion: "0.3",
		Name:            d.Info.Slug(),
		DisplayName:     d.Info.Title,
		Version:         d.Info.Version,
		Description:     cmp.Or(d.Info.Description, DefaultDescription(d.Info.Title)),
		Author:          author{cmp.Or(d.Info.Author, d.Info.Title)},
		Homepage:        d.Info.Homepage,
		License:         d.Info.License,
		Keywords:        d.Info.Keywords,
		Server:          server{"node", path.Join(projectDir, d.Entry), launch{"node", []string{"${__dirname}/" + path.Join(projectDir, d.Entry)}}},
		Tools:           d.Tools,
		Prompts:         d.Prompts,
		Compatibility:   compatibility{[]string{"darwin", "win32", "linux"}, map[string]string{"node": ">=18.0.0"}},
	}
	if page := d.Info.RepositoryPage(); page != "" {
		m.Repository = &repository{"git", page}
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
