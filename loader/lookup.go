package loader

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// A Folder is a folder of a catalog.
type Folder struct {
	catalog *Catalog
	dir     *Dir
}

// Root returns the folder that holds a folder for each scheme, and no resources. It has no URI.
func (c *Catalog) Root() Folder { return Folder{c, c.root} }

// Folder returns the folder of the resource.
func (r Resource) Folder() Folder { return Folder{r.catalog, r.dir} }

// All yields the resources in the folder and below it, in canonical order.
func (f Folder) All() iter.Seq[Resource] { return f.catalog.below(f.dir) }

// Files returns the resources directly in the folder, by name.
func (f Folder) Files() []Resource {
	out := make([]Resource, len(f.dir.files))
	for i := range out {
		out[i] = f.catalog.at(f.dir, i)
	}
	return out
}

// URI returns the canonical URI of the folder, with a slash at its end.
func (f Folder) URI() string { return f.dir.uri }

// Len returns the number of resources directly in the folder.
func (f Folder) Len() int { return len(f.dir.files) }

// Total returns the number of resources in the folder and below it.
func (f Folder) Total() int { return f.dir.count }

// Name returns the folder's name, which may be any bytes except "/" and NUL. For the folder of a
// scheme it is in lower case, for the root it is "".
func (f Folder) Name() string { return f.dir.name }

// Folders returns the folders directly in the folder that have resources in them or below, by name.
func (f Folder) Folders() []Folder {
	return slices.DeleteFunc(f.Everywhere(), func(f Folder) bool { return f.Total() == 0 })
}

// Everywhere returns all folders directly in the folder, by name, including folders without any
// resources in them or below. Lookups find those too.
func (f Folder) Everywhere() []Folder {
	out := make([]Folder, len(f.dir.dirs))
	for i, d := range f.dir.dirs {
		out[i] = Folder{f.catalog, d}
	}
	return out
}

// Lookup finds the file that a URI names, in any spelling that [uri.Readings] and [uri.Mangled]
// accept.
func (c *Catalog) Lookup(s string) (Resource, bool) {
	for decoded := range uri.Readings(s) {
		if r, ok := c.file(decoded); ok {
			return r, true
		}
	}
	if len(s) > uri.MaxLength {
		return Resource{}, false
	}
	segments := segmentsOf(s)
	if segments == nil {
		return Resource{}, false
	}
	m := mangled{catalog: c, budget: maxMangled}
	return m.find(c.root, segments)
}

// Exact returns the file with this canonical URI. It accepts no other spelling.
func (c *Catalog) Exact(canonical string) (Resource, bool) {
	r, ok := c.file(uri.Decode(canonical))
	return r, ok && r.URI() == canonical
}

// LookupFolder finds the folder that a URI names, with or without a slash at its end.
func (c *Catalog) LookupFolder(s string) (Folder, bool) {
	for decoded := range uri.Readings(s) {
		if d, name, ok := c.parent(decoded); ok {
			if i, ok := d.pickDir(name); ok {
				return Folder{c, d.dirs[i]}, true
			}
		}
	}
	return Folder{}, false
}

// segmentsOf returns the scheme and the raw names of a decoded URI, or nil if it is not a URI.
func segmentsOf(decoded string) []string {
	scheme, path, ok := uri.Split(decoded)
	if !ok {
		return nil
	}
	if path == "" {
		return []string{scheme}
	}
	return append([]string{scheme}, strings.Split(path, "/")...)
}

func (c *Catalog) file(decoded string) (Resource, bool) {
	if d, name, ok := c.parent(decoded); ok {
		if i, ok := d.pickFile(name); ok {
			return c.at(d, i), true
		}
	}
	return Resource{}, false
}

// parent returns the folder that contains a decoded URI, and the last name of the URI. For the URI
// of a scheme alone, the folder is the root.
func (c *Catalog) parent(decoded string) (*Dir, string, bool) {
	segments := segmentsOf(decoded)
	if segments == nil {
		return nil, "", false
	}
	d := c.root
	for _, name := range segments[:len(segments)-1] {
		i, ok := d.pickDir(name)
		if !ok {
			return nil, "", false
		}
		d = d.dirs[i]
	}
	return d, segments[len(segments)-1], true
}

// pickFile and pickDir find a name in a folder. If no host has the exact spelling, they ignore
// case: hosts are case-insensitive (RFC 3986 section 3.2.2), and URL libraries write them in lower
// case for the schemes they know.
func (d *Dir) pickFile(name string) (int, bool) {
	i, ok := d.searchFile(name)
	if !ok && d.isScheme() {
		i = slices.IndexFunc(d.files, func(f file) bool { return strings.EqualFold(f.name, name) })
	}
	return i, ok || i >= 0 && d.isScheme()
}

func (d *Dir) pickDir(name string) (int, bool) {
	i, ok := d.searchDir(name)
	if !ok && d.isScheme() {
		i = slices.IndexFunc(d.dirs, func(d *Dir) bool { return strings.EqualFold(d.name, name) })
	}
	return i, ok || i >= 0 && d.isScheme()
}

// maxMangled bounds how many names and folders one search for a mangled spelling compares: the
// search is linear in the names, and any client can ask for a name that does not exist.
const maxMangled = 1000

// maxSpelled is the length of the longest mangled spelling of a file name, which has at most 255
// bytes.
const maxSpelled = 255 * 6

// mangled is a search for a URI that a client has changed in transit: see [uri.Mangled]. It runs
// after all other lookups have failed.
type mangled struct {
	catalog *Catalog
	budget  int
}

// find looks for the file of segments below d. The segments are spelled as the client sent them,
// and each may match several names.
func (m *mangled) find(d *Dir, segments []string) (Resource, bool) {
	segment := segments[0]
	if m.budget--; m.budget < 0 || len(segment) > maxSpelled {
		return Resource{}, false
	}
	decoded := uri.Decode(segment)
	names := []string{decoded}
	if segment != decoded {
		names = append(names, segment)
	}
	if len(segments) == 1 {
		for _, name := range names {
			if i, ok := d.pickFile(name); ok {
				return m.catalog.at(d, i), true
			}
		}
		for i := range d.files {
			if m.same(d.files[i].name, decoded) {
				return m.catalog.at(d, i), true
			}
		}
		return Resource{}, false
	}
	for _, name := range names {
		if i, ok := d.pickDir(name); ok {
			if r, ok := m.find(d.dirs[i], segments[1:]); ok {
				return r, true
			}
		}
	}
	for _, sub := range d.dirs {
		if m.same(sub.name, decoded) {
			if r, ok := m.find(sub, segments[1:]); ok {
				return r, true
			}
		}
	}
	return Resource{}, false
}

// same reports whether decoded is a mangled spelling of name. It spends the budget only on names
// that a client can mangle.
func (m *mangled) same(name, decoded string) bool {
	if m.budget <= 0 || !uri.Fragile(name) {
		return false
	}
	m.budget--
	return uri.Mangled(name, decoded)
}

// maxCompared is the maximum number of names that Close compares.
const maxCompared = 1000

// Close returns suggestions for a URI that does not exist: up to limit canonical URIs of files and
// folders with similar names, the most similar first. It compares the first 1,000 names of the
// deepest existing folder on the path.
func (c *Catalog) Close(s string, limit int) []string {
	if len(s) > uri.MaxLength {
		return nil
	}
	segments := segmentsOf(uri.Decode(s))
	if segments == nil {
		return nil
	}
	d := c.root
	for len(segments) > 1 {
		i, ok := d.pickDir(segments[0])
		if !ok {
			break
		}
		d, segments = d.dirs[i], segments[1:]
	}
	names := make([]string, 0, min(len(d.files)+len(d.dirs), maxCompared))
	spelled := make(map[string]string, cap(names))
	for i := 0; i < len(d.files) && len(names) < maxCompared; i++ {
		r := c.at(d, i)
		if len(segments) == 1 && r.Name() == segments[0] {
			continue // removed after the scan
		}
		names = append(names, r.Name())
		spelled[r.Name()] = r.URI()
	}
	for i := 0; i < len(d.dirs) && len(names) < maxCompared; i++ {
		if sub := d.dirs[i]; spelled[sub.name] == "" {
			names = append(names, sub.name)
			spelled[sub.name] = sub.uri
		}
	}
	out := nearest.Of(segments[0], names, limit)
	for i, name := range out {
		out[i] = spelled[name]
	}
	return out
}

// isScheme reports whether the folder is a scheme, so that the names in it are URI hosts.
func (d *Dir) isScheme() bool { return strings.HasSuffix(d.uri, "://") }

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
	scheme, path, ok := strings.Cut(start, "://")
	if !ok {
		return c.root
	}
	for d := c.root.dir(scheme); d != nil; {
		name, rest, more := strings.Cut(path, "/")
		if !more {
			return d
		}
		d, path = d.dir(name), rest
	}
	return &Dir{}
}
