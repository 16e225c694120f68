package loader

import (
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/uri"
)

// A Folder is a folder of a catalog.
type Folder struct {
	catalog *Catalog
	dir     *Dir
}

// Files returns the resources directly in the folder, by name.
func (f Folder) Files() []Resource {
	out := make([]Resource, len(f.dir.files))
	for i := range out {
		out[i] = Resource{f.catalog, f.dir, i}
	}
	return out
}

// URI returns the canonical URI of the folder, with the slash that the names in it follow.
func (f Folder) URI() string { return f.dir.uri }

// Len returns the number of resources directly in the folder.
func (f Folder) Len() int { return len(f.dir.files) }

// Lookup finds the file that a URI names, however the client spells it: see [uri.Readings].
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

// segmentsOf returns the scheme and the raw names of a decoded URI, or nil if it is none.
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
	d, name, ok := c.parent(decoded)
	if !ok {
		return Resource{}, false
	}
	i, ok := d.pickFile(name)
	return Resource{c, d, i}, ok
}

// parent walks to the folder of a decoded URI and returns it with the last name. For the URI of a scheme alone that is
// the root.
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

// pickFile and pickDir find a name in a folder. A host that is not there as spelled is looked for without regard to case:
// a host has none (RFC 3986 section 3.2.2), and URL libraries lower it for the schemes they know.
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

// maxMangled bounds how many names and folders are looked at in one search for a mangled spelling: the comparison is linear
// in the names, and anyone may ask for a name that is not there.
const maxMangled = 1000

// maxSpelled is the longest segment that can be a mangled spelling of a file name, which has 255 bytes at the most.
const maxSpelled = 255 * 6

// mangled is a search for a URI that a client has mangled on the way: see [uri.Mangled]. It is the last resort.
type mangled struct {
	catalog *Catalog
	budget  int
}

// find looks for the file of segments, as the client spelled them, below d: each segment may stand for several names.
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
				return Resource{m.catalog, d, i}, true
			}
		}
		for i := range d.files {
			if m.same(d.files[i].name, decoded) {
				return Resource{m.catalog, d, i}, true
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

// same spends some of the budget on a name that can be mangled at all.
func (m *mangled) same(name, decoded string) bool {
	if m.budget <= 0 || !uri.Fragile(name) {
		return false
	}
	m.budget--
	return uri.Mangled(name, decoded)
}

// maxCompared is how many names of a folder are compared with one that is not there.
const maxCompared = 1000

// Close returns up to limit canonical URIs of files and folders that a URI which names nothing may have meant: those of
// the deepest folder on its way that exists, among its first 1,000 names, the most similar first.
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
		r := Resource{c, d, i}
		if len(segments) == 1 && r.Name() == segments[0] {
			continue // it is gone
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

// isScheme reports whether the names below the folder stand in the host's place.
func (d *Dir) isScheme() bool { return strings.HasSuffix(d.uri, "://") }
