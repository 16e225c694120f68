package loader

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// Complete returns, sorted, the distinct values that a variable of a template has in the catalog
// and that start with prefix, ignoring case. given holds the values already chosen for other
// variables. The client can pass the values to its URI template expansion. Values of variables that
// span segments ({+x}) come with those characters encoded that the expansion would not encode; in
// values of other variables, only characters that a JSON string cannot carry are encoded.
func (c *Catalog) Complete(ctx context.Context, entry int, name, prefix string, given map[string]string) []string {
	p := c.options.Templates.Pattern(entry)
	if p == nil {
		return nil
	}
	prefix = strings.ToLower(prefix)
	seen := make(map[string]bool)
	visited := 0
	for r := range c.below(c.deepest(p.Literal())) {
		if visited++; visited%1024 == 0 && ctx.Err() != nil {
			return nil
		}
		vars, ok := p.Match(uri.Decode(r.dir.uri) + r.file.name)
		if !ok {
			continue
		}
		value, fits := "", true
		for _, v := range vars {
			offered := v.Offered()
			if v.Name == name {
				value = offered
			} else if chosen, ok := given[v.Name]; ok && chosen != offered && chosen != v.Value {
				fits = false
				break
			}
		}
		if fits && value != "" && strings.HasPrefix(strings.ToLower(value), prefix) {
			seen[value] = true
		}
	}
	values := slices.AppendSeq(make([]string, 0, len(seen)), maps.Keys(seen))
	slices.Sort(values)
	return values
}

// deepest returns the deepest folder that contains every decoded URI with this start.
func (c *Catalog) deepest(start string) *Dir {
	d := c.root
	scheme, path, ok := strings.Cut(start, "://")
	if !ok {
		return d
	}
	i, ok := d.searchDir(scheme)
	if !ok {
		return &Dir{}
	}
	d = d.dirs[i]
	for {
		name, rest, more := strings.Cut(path, "/")
		if !more {
			return d
		}
		if i, ok = d.searchDir(name); !ok {
			return &Dir{}
		}
		d, path = d.dirs[i], rest
	}
}
