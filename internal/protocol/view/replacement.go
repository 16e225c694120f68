package view

import "github.com/mcp-docs-server/mcp-docs-server/loader"

// A Replacement is a file that has the URI of a resource of a source.
type Replacement struct {
	File   loader.Resource
	Source string // its name
}

// Replaced returns the files that clients get instead of resources that everybody could see.
func (vs *Views) Replaced(files *loader.Catalog) []Replacement {
	var out []Replacement
	for _, s := range vs.sources {
		snapshot := s.Snapshot(files, "")
		if snapshot == nil {
			continue
		}
		for other := range snapshot.After("") {
			if file, replaced := files.Exact(other.URI); replaced && other.Owner == "" {
				out = append(out, Replacement{file, s.Name()})
			}
		}
	}
	return out
}
