package site

import (
	"cmp"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

const (
	maxEnd     = 8       // parts of a path that are compared: a folder above them makes no difference
	maxAlike   = 64      // files that [ends.find] returns for one path
	maxEnds    = 400_000 // names in the list
	maxAliases = 100     // names that the front matter of a page may give it
)

// ends finds files by the ends of their paths. It is a list of their names, each from its last part to its first one, in order:
// all files whose paths end in the same way stand next to each other. It needs about 100 bytes for a name, and a look takes as
// long as a binary search, however many files have the same name.
//
// Names are compared without case, in form NFC. An extension, "index" and "README" behind a folder, and a number of one to three
// digits before a part, and "_" before a folder, make no difference: "Guide/01-setup/README.md" ends with "guide/setup".
type ends struct{ names []end }

// An end is the name of a file.
type end struct {
	key  string // see [endKey]
	file string // below the project folder
}

// add adds a file by its path, or by another name that its front matter gives. [ends.sort] must follow.
func (e *ends) add(name, file string) {
	key, _ := endKey(name, name == file || isDocument(name) || isHTML(name))
	if key != "" && len(e.names) < maxEnds {
		e.names = append(e.names, end{key, file})
	}
}

// sort makes the names ready for [ends.find].
func (e *ends) sort() {
	slices.SortFunc(e.names, func(a, b end) int { return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.file, b.file)) })
	e.names = slices.Compact(e.names)
}

// find returns the files whose paths end with a path, each once, those that are found without its extension last. The path is
// decoded. more reports that there are more than [maxAlike] of them.
func (e *ends) find(name string) (files []alike, more bool) {
	for _, cut := range []bool{false, true} { // "v1.2" may be the file "v1.2.md" and the file "v1.2"
		key, cutAny := endKey(name, cut)
		if key == "" || cut && !cutAny {
			continue
		}
		first, _ := slices.BinarySearchFunc(e.names, key, func(n end, key string) int { return strings.Compare(n.key, key) })
		for _, n := range e.names[first:] {
			if rest, ok := strings.CutPrefix(n.key, key); !ok || rest != "" && rest[0] != 0 {
				break
			}
			if slices.ContainsFunc(files, func(a alike) bool { return a.file == n.file }) {
				continue
			}
			if len(files) == maxAlike {
				return files, true
			}
			files = append(files, alike{n.file, like(n.file, name, cut), n.key == key})
		}
	}
	return files, false
}

// An alike is a file whose path ends with another path.
type alike struct {
	file string
	likeness
	whole bool // the other path is all of it, or its last [maxEnd] parts
}

// endKey returns the last parts of a path as ends compare them, the last part first, with NUL between them. cut says to cut an
// extension off, and whether there was one is returned.
func endKey(name string, cut bool) (key string, hasExtension bool) {
	var b strings.Builder
	rest, parts := strings.Trim(name, "/"), 0
	for rest != "" && parts < maxEnd {
		at := strings.LastIndexByte(rest, '/')
		part := folded(rest[at+1:])
		rest = strings.TrimRight(rest[:max(at, 0)], "/")
		base := part
		if parts == 0 {
			if ext := path.Ext(part); len(ext) > 1 && len(ext) < len(part) {
				base, hasExtension = strings.TrimSuffix(part, ext), true
			}
			if rest != "" && parts == 0 && isIndexName(base) {
				parts++ // the folder's name stands for it
				continue
			}
		}
		if b.Len() > 0 {
			b.WriteByte(0)
		}
		switch {
		case base == part:
			part = strings.TrimPrefix(part, "_") // a collection of Jekyll
		case cut:
			part = base
		}
		b.WriteString(unnumbered(part))
		parts++
	}
	return b.String(), hasExtension
}

// isIndexName reports whether a name without extension, in lower case, stands for its folder.
func isIndexName(base string) bool { return base == "index" || base == "readme" || base == "_index" }

// folded returns a name as names are compared: without case, composed, and with "-" for a space, as in URLs.
func folded(name string) string {
	for i := range len(name) {
		if c := name[i]; c >= 0x80 || c >= 'A' && c <= 'Z' || c == ' ' {
			return strings.ReplaceAll(strings.ToLower(norm.NFC.String(name)), " ", "-")
		}
	}
	return name
}

// unnumbered returns a name without the number of one to three digits before it. The number of a version or a date stays.
func unnumbered(name string) string {
	digits := 0
	for digits < len(name) && name[digits] >= '0' && name[digits] <= '9' {
		digits++
	}
	rest := strings.TrimLeft(name[digits:], "-_.")
	if digits == 0 || digits > 3 || rest == "" || len(rest) == len(name)-digits || rest[0] >= '0' && rest[0] <= '9' {
		return name
	}
	return rest
}

// A likeness says how exactly the path of a file ends with another path. Less is more exact.
type likeness uint8

const (
	sameSpelling  likeness = iota // letter by letter
	sameStem                      // except for the extension
	sameFolder                    // it is the index of the folder
	otherSpelling                 // except for case, numbers, or a name in front matter
	otherFile                     // it has another extension, and is not a document
)

// like compares the path of a file with a path. cut says that they are alike without the extension of the path.
func like(file, name string, cut bool) likeness {
	name = strings.Trim(name, "/")
	ends := func(file, name string) bool {
		above, ok := strings.CutSuffix(file, name)
		return ok && (above == "" || above[len(above)-1] == '/')
	}
	short := name
	if isDocument(name) || isHTML(name) {
		short = strings.TrimSuffix(name, path.Ext(name))
	}
	switch {
	case ends(file, name):
		return sameSpelling
	case !strings.EqualFold(path.Ext(file), path.Ext(name)) && (!isDocument(file) || cut && short == name):
		return otherFile
	case ends(stem(file), short):
		return sameStem
	case isIndexName(strings.ToLower(path.Base(stem(file)))) && (ends(path.Dir(file), name) || ends(path.Dir(file), path.Dir(short))):
		return sameFolder
	}
	return otherSpelling
}

// orderedExtensions are the extensions of documents. Of files that differ in nothing else, the first one is meant.
var orderedExtensions = []string{".md", ".mdx", ".markdown", ".mkd", ".mdoc", ".qmd", ".rmd", ".rst", ".rest", ".adoc", ".asciidoc", ".asc", ".ipynb", ".org", ".txt"}

// extensionOrder returns the place of the extension of a file in [orderedExtensions].
func extensionOrder(file string) int {
	if i := slices.Index(orderedExtensions, strings.ToLower(path.Ext(file))); i >= 0 {
		return i
	}
	return len(orderedExtensions)
}

// isDocument reports whether the name of a file is one of a document.
func isDocument(file string) bool { return extensionOrder(file) < len(orderedExtensions) }

func isHTML(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".html" || ext == ".htm"
}

// ending returns the files of the project whose paths end with a decoded path, see [ends.find].
func (s *Set) ending(name string) (files []alike, more bool) {
	s.endsOnce.Do(func() {
		s.byEnd, s.byFolder = new(ends), new(ends)
		folders := make(map[string]bool)
		for _, file := range s.Files() {
			s.byEnd.add(file, file)
		}
		for _, p := range s.pages {
			if p.Hidden != "" {
				continue
			}
			s.byEnd.add(p.File, p.File)
			for dir := path.Dir(p.File); dir != "." && !folders[dir]; dir = path.Dir(dir) {
				folders[dir] = true
				s.byFolder.add(dir+"/index", dir)
			}
			for _, name := range p.names() {
				s.byEnd.add(name, p.File)
			}
		}
		s.byEnd.sort()
		s.byFolder.sort()
	})
	return s.byEnd.find(name)
}

// names returns the paths that a page has besides the one of its file: those that its front matter gives it, the parts of a date before
// its name as folders, and in AsciiDoc the one without the folder "pages", which no reference has.
func (p *Page) names() (names []string) {
	for _, name := range p.Aliases[:min(len(p.Aliases), maxAliases)] {
		if !strings.HasPrefix(name, "/") {
			name = path.Join(path.Dir(p.File), name)
		}
		names = append(names, name)
	}
	if m := compile(`^(\d{4})-(\d\d?)-(\d\d?)-(.+)$`).FindStringSubmatch(stem(path.Base(p.File))); m != nil { // of a blog
		names = append(names, path.Join(m[1], ("0" + m[2])[len(m[2])-1:], ("0" + m[3])[len(m[3])-1:], m[4]))
	}
	if module, rest, ok := strings.Cut(p.File, "/pages/"); ok && formatOf(p.File) == asciidoc {
		names = append(names, module+"/"+rest)
	}
	return names
}

// Ends yields the ends of paths of documents, as [endKey] has them, in byte order, with the file of the document, the candidates of an
// undecided one, or a folder with a slash: for programs that find documents as [Set.Seek] does.
func (s *Set) Ends() iter.Seq2[string, []string] {
	groups := make(map[string][]alike)
	if s != nil {
		s.ending("")
		for _, n := range s.byEnd.names {
			for i := 0; i <= len(n.key) && s.isPage(n.file); i++ {
				if i < len(n.key) && n.key[i] != 0 {
					continue
				}
				group := groups[n.key[:i]]
				if len(group) <= maxAlike && !slices.ContainsFunc(group, func(a alike) bool { return a.file == n.file }) {
					groups[n.key[:i]] = append(group, alike{file: n.file})
				}
			}
		}
	}
	unique := make(map[string][]string)
	for key, group := range groups {
		t := s.choose(nil, group, len(group) > maxAlike, nil)
		unique[key] = with(t.Candidates, t.File)
		extensions := make(map[string][]alike)
		for _, a := range group {
			extensions[path.Ext(a.file)] = append(extensions[path.Ext(a.file)], a)
		}
		for ext, group := range extensions { // the end with the extension tells files apart
			first, above, _ := strings.Cut(key, "\x00")
			if t := s.choose(nil, group, false, nil); len(extensions) > 1 && t.Certainty == Found && !isIndexName(stem(strings.ToLower(path.Base(t.File)))) {
				unique[strings.TrimSuffix(first+strings.ToLower(ext)+"\x00"+above, "\x00")] = []string{t.File}
			}
		}
	}
	if s != nil {
		folders := make(map[string][]string)
		for _, n := range s.byFolder.names {
			for i := 0; i <= len(n.key); i++ {
				if (i == len(n.key) || n.key[i] == 0) && len(folders[n.key[:i]]) < 2 {
					folders[n.key[:i]] = with(folders[n.key[:i]], n.file+"/")
				}
			}
		}
		for key, of := range folders {
			if unique[key] == nil && len(of) == 1 {
				unique[key] = of
			}
		}
	}
	return func(yield func(string, []string) bool) {
		for _, key := range slices.Sorted(maps.Keys(unique)) {
			if !yield(key, unique[key]) {
				return
			}
		}
	}
}
