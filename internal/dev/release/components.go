package main

import (
	"debug/buildinfo"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A bom is a list of components (CycloneDX 1.6). It has neither serial number nor time, which are
// optional, so that the same components always give the same list.
type bom struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"` // of the list itself
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// moduleOf returns the component of a Go module, with its checksum of go.sum, if any.
func moduleOf(kind, name, version, sum string) component {
	purl := "pkg:golang/" + name + "@" + url.QueryEscape(version) // github.com/package-url/purl-spec: + is %2B
	c := component{Type: kind, Ref: purl, Name: name, Version: version, PURL: purl}
	if sum != "" {
		c.Properties = []property{{"go:sum", sum}}
	}
	return c
}

// linked returns the modules that are linked into any of the binaries, by their package URLs. It reads
// them from the binaries, and counts the standard library as a module.
func (r *release) linked() (map[string]component, error) {
	linked := make(map[string]component)
	for _, f := range r.binaries {
		file, err := r.dist.path(f.Name)
		if err != nil {
			return nil, err
		}
		info, err := buildinfo.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		std := moduleOf("library", standard, strings.TrimPrefix(info.GoVersion, "go"), "")
		linked[std.Ref] = std
		for _, m := range info.Deps {
			if m.Replace != nil {
				return nil, fmt.Errorf("go.mod replaces %s, and a release must be made of published modules", m.Path)
			}
			c := moduleOf("library", m.Path, m.Version, m.Sum)
			linked[c.Ref] = c
		}
	}
	return linked, nil
}

// standard is the name of the standard library in package URLs.
const standard = "std"

// components makes the list of all modules that are linked into any of the binaries.
func components(r *release) ([]bundle.File, error) {
	linked, err := r.linked()
	if err != nil {
		return nil, err
	}
	data, err := list(moduleOf("application", module, "v"+r.version, ""), linked)
	if err != nil {
		return nil, err
	}
	return []bundle.File{bundle.Bytes("mcp-docs-server-"+r.version+".cdx.json", bundle.ModePlain, data)}, nil
}

// list returns the document.
func list(main component, linked map[string]component) ([]byte, error) {
	b := bom{"CycloneDX", "1.6", 1, metadata{main}, []component{}}
	for _, ref := range slices.Sorted(maps.Keys(linked)) {
		b.Components = append(b.Components, linked[ref])
	}
	return jsonwire.EncodeFile(b)
}
