package view

import "github.com/mcp-docs-server/mcp-docs-server/loader"

// A Replacement is a file with the same URI as a resource of a source.
type Replacement struct {
	File   loader.Resource
	Source string // name of the source
}

// Replaced returns the files that clients get instead of resources that all callers could see.
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
