package docs

import (
	"slices"
	"strings"
)

// An Entry is a name in a folder of documents.
type Entry struct {
	Name   string
	Folder bool
	Count  int   // documents: in a folder and below it, or one
	Size   int64 // bytes, of a document
}

// Entries returns the folders with documents in a folder, and then its documents, each in byte order.
// The folder is "" for the root of all documents, or a path below it with a slash at the end. Its time
// grows with the size of the result, not with the number of all documents.
func (l *Library) Entries(folder string) []Entry {
	if l == nil {
		return nil
	}
	var folders, documents []Entry
	for i := l.from(folder); i < len(l.docs); {
		d := l.docs[i]
		rest, ok := strings.CutPrefix(d.path, folder)
		if !ok {
			break
		}
		name, _, below := strings.Cut(rest, "/")
		if !below {
			documents = append(documents, Entry{Name: name, Count: 1, Size: d.size})
			i++
			continue
		}
		end := l.from(folder + name + "0") // the byte behind "/"
		folders = append(folders, Entry{Name: name, Folder: true, Count: end - i})
		i = end
	}
	return append(folders, documents...)
}

// from returns the index of the first document whose path is not before another path.
func (l *Library) from(path string) int {
	i, _ := slices.BinarySearchFunc(l.docs, path, func(d *document, path string) int { return strings.Compare(d.path, path) })
	return i
}

// HasFile reports whether there is a readable file with exactly this path, a document or not.
func (l *Library) HasFile(path string) bool { return l != nil && l.files[path] != nil }

// HasFolder reports whether there are documents below a path, which ends in a slash.
func (l *Library) HasFolder(path string) bool {
	if l == nil {
		return false
	}
	i := l.from(path)
	return i < len(l.docs) && strings.HasPrefix(l.docs[i].path, path)
}
