package loader

import (
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

// Len returns the number of resources directly in the folder.
func (f Folder) Len() int { return len(f.dir.files) }

// Lookup finds the file that a URI names, however the client spells it: see [uri.Readings].
func (c *Catalog) Lookup(s string) (Resource, bool) {
	for spelling := range uri.Readings(s) {
		if r, ok := c.file(spelling, decoded); ok {
			return r, true
		}
	}
	if len(s) > uri.MaxLength {
		return Resource{}, false
	}
	// The last resort is for clients that mangle names; it looks at the raw spelling.
	return c.file(s, mangled)
}

// LookupFolder finds the folder that a URI names, with or without a slash at its end.
func (c *Catalog) LookupFolder(s string) (Folder, bool) {
	for spelling := range uri.Readings(s) {
		if d, name, ok := c.parent(spelling, decoded); ok {
			if i, ok := d.pickDir(name, decoded); ok {
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

// maxMangled bounds how many names of a folder are compared with a mangled spelling: the comparison is linear in them,
// and anyone may ask for a name that is not there.
const maxMangled = 1000

// A reading says how a segment of a URI stands for a name: decoded, it is the name; or it is as the client wrote it, and
// may have been mangled on the way (see [uri.Mangled]).
type reading bool

const (
	decoded reading = false
	mangled reading = true
)

func (c *Catalog) file(s string, as reading) (Resource, bool) {
	d, name, ok := c.parent(s, as)
	if !ok {
		return Resource{}, false
	}
	i, ok := pick(name, as, d.isScheme(), d.searchFile, len(d.files), func(i int) string { return d.files[i].name })
	return Resource{c, d, i}, ok
}

// parent walks to the folder of a URI and returns it with the last name. For the URI of a scheme alone that is the root.
func (c *Catalog) parent(s string, as reading) (*Dir, string, bool) {
	segments := segmentsOf(s)
	if segments == nil {
		return nil, "", false
	}
	d := c.root
	for _, name := range segments[:len(segments)-1] {
		i, ok := d.pickDir(name, as)
		if !ok {
			return nil, "", false
		}
		d = d.dirs[i]
	}
	return d, segments[len(segments)-1], true
}

func (d *Dir) pickDir(name string, as reading) (int, bool) {
	return pick(name, as, d.isScheme(), d.searchDir, len(d.dirs), func(i int) string { return d.dirs[i].name })
}

// pick returns which of the n sorted names at(0), at(1), … a segment stands for. A host that is not there as spelled is
// looked for without regard to case: a host has none (RFC 3986 section 3.2.2), and URL libraries lower it for the schemes
// they know.
func pick(segment string, as reading, host bool, search func(string) (int, bool), n int, at func(int) string) (int, bool) {
	name := segment
	if as == mangled {
		name = uri.Decode(segment)
	}
	if i, ok := search(name); ok {
		return i, true
	}
	if host {
		for i := range n {
			if strings.EqualFold(at(i), name) {
				return i, true
			}
		}
	}
	if as == mangled {
		compared := 0
		for i := 0; i < n && compared < maxMangled; i++ {
			if uri.Fragile(at(i)) {
				compared++
				if uri.Mangled(at(i), segment) {
					return i, true
				}
			}
		}
		return search(segment)
	}
	return 0, false
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
		i, ok := d.pickDir(segments[0], decoded)
		if !ok {
			break
		}
		d, segments = d.dirs[i], segments[1:]
	}
	names := make([]string, 0, min(len(d.files)+len(d.dirs), maxCompared))
	spelled := make(map[string]string, cap(names))
	for i := 0; i < len(d.files) && len(names) < maxCompared; i++ {
		r := Resource{c, d, i}
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
