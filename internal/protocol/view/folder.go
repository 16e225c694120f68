package view

import (
	"iter"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// A Folder is the part of the URI that several resources have in common.
type Folder struct {
	URI  string // canonical, without a slash at its end, except for a scheme: x://
	base string // prefix of the URIs of everything in the folder
}

// Folder finds the folder that a URI names, in any spelling, with or without a slash at its end.
func (v View) Folder(s string) (Folder, bool) {
	if f, ok := v.Files.LookupFolder(s); ok {
		return folderAt(f.URI()), true
	}
	if len(v.others) == 0 {
		return Folder{}, false
	}
	for decoded := range uri.Readings(s) {
		scheme, path, ok := uri.Split(decoded)
		if !ok || path != "" && slices.Contains(strings.Split(path, "/"), "") {
			continue // folder names are not empty
		}
		f := folderAt(scheme + "://")
		for name := range strings.SplitSeq(path, "/") {
			if name != "" {
				f = folderAt(f.child(name) + "/")
			}
		}
		for first := range v.After(f.base + least) {
			if strings.HasPrefix(first.URI(), f.base) {
				return f, true
			}
			break
		}
	}
	return Folder{}, false
}

func folderAt(base string) Folder {
	if strings.HasSuffix(base, "://") {
		return Folder{base, base}
	}
	return Folder{strings.TrimSuffix(base, "/"), base}
}

// A Child is something directly in a folder.
type Child struct {
	Folder bool
	Name   string // last segment of the URI: raw
	URI    string // canonical; a folder's URI has no slash at its end
	Item   Item   // unset for a folder
}

// Children yields the children of a folder that come after a given child, which need not exist; the
// zero Child comes before all. Resources come before folders, each sorted by name. A folder costs
// one lookup, however much is in it.
func (v View) Children(f Folder, after Child) iter.Seq[Child] {
	return func(yield func(Child) bool) {
		start := f.base + least
		if after.Name != "" {
			start = f.child(after.Name)
			if after.Folder {
				start = behind(start)
			}
		}
		for start != "" {
			from := start
			start = ""
			for item := range v.After(from) {
				canonical := item.URI()
				rest, inside := strings.CutPrefix(canonical, f.base)
				if !inside {
					return
				}
				name, _, below := strings.Cut(rest, "/")
				if !below {
					if !yield(Child{Name: uri.Decode(name), URI: canonical, Item: item}) {
						return
					}
					continue
				}
				if !yield(Child{Folder: true, Name: uri.Decode(name), URI: f.base + name}) {
					return
				}
				start = behind(f.base + name)
				break
			}
		}
	}
}

// child returns the canonical URI of a name in the folder.
func (f Folder) child(name string) string {
	if strings.HasSuffix(f.base, "://") {
		return string(uri.AppendHost([]byte(f.base), name))
	}
	return string(uri.AppendSegment([]byte(f.base), name))
}

// least sorts before every existing name, because no name has a NUL.
const least = "%00"

// behind returns a URI that sorts after everything in a folder: a URI in the next possible folder.
func behind(folder string) string { return folder + least + "/" + least }
