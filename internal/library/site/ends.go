package site

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

const (
	maxEnd     = 8  // parts of a path that are compared
	maxAlike   = 64 // results of [ends.find]
	maxEnds    = 400_000
	maxAliases = 100 // in the front matter of a page
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
	file string
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
	for _, cut := range []bool{false, true} { // "v1.2" may be "v1.2.md" and "v1.2"
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
			files = append(files, alike{file: n.file, likeness: like(n.file, name, cut), whole: n.key == key})
		}
	}
	return files, false
}

// An alike is a file whose path ends with another path.
type alike struct {
	file string
	likeness
	whole bool // equal, or the last [maxEnd] parts
	rank  rank
}

// compare compares how exactly the paths of two files end with another path.
func (a alike) compare(b alike) int {
	return cmp.Or(cmp.Compare(a.likeness, b.likeness), cmp.Compare(extensionOrder(a.file), extensionOrder(b.file)), strings.Compare(a.file, b.file))
}

// endKey returns the last parts of a path as ends compare them, the last part first, with NUL between them. cut says to cut an
// extension off, and whether there was one is returned.
func endKey(name string, cut bool) (key string, hasExtension bool) {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
	parts = parts[max(0, len(parts)-maxEnd):]
	slices.Reverse(parts)
	for i, part := range parts {
		part = folded(part)
		base := part
		if ext := path.Ext(part); i == 0 && len(ext) > 1 && len(ext) < len(part) {
			base, hasExtension = strings.TrimSuffix(part, ext), true
		}
		switch {
		case i == 0 && len(parts) > 1 && isIndexName(base):
			part = ""
		case base == part:
			part = strings.TrimPrefix(part, "_") // of Jekyll
		case cut:
			part = base
		}
		parts[i] = unnumbered(part)
	}
	return strings.TrimPrefix(strings.Join(parts, "\x00"), "\x00"), hasExtension
}

// isIndexName reports whether a name without extension, in lower case, stands for its folder.
func isIndexName(base string) bool { return base == "index" || base == "readme" || base == "_index" }

// folded returns a name as names are compared: without case, composed, and with "-" for a space, as in URLs.
func folded(name string) string {
	return strings.ReplaceAll(strings.ToLower(norm.NFC.String(name)), " ", "-")
}

// unnumbered returns a name without the number of one to three digits before it. The number of a version or a date stays.
func unnumbered(name string) string {
	if name == "" || name[0] > '9' {
		return name
	}
	if m := compile(`(?s)^\d{1,3}[-_.]+([^-_.\d].*)$`).FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return name
}

// A likeness says how exactly the path of a file ends with another path. Less is more exact.
type likeness uint8

const (
	sameSpelling likeness = iota
	sameStem
	sameFolder    // its index
	otherSpelling // differs in case, numbers, or a name in front matter
	otherFile     // another extension, and not a document
)

// like compares the path of a file with a path. cut says that they are alike without the extension of the path.
func like(file, name string, cut bool) likeness {
	name = strings.Trim(name, "/")
	ends := func(file, name string) bool { return strings.HasSuffix("/"+file, "/"+name) }
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

// extensionOrder returns the place of the extension of a file in [documentExtensions].
func extensionOrder(file string) int {
	if i := slices.Index(documentExtensions, strings.ToLower(path.Ext(file))); i >= 0 {
		return i
	}
	return len(documentExtensions)
}

// isDocument reports whether the name of a file is one of a document.
func isDocument(file string) bool { return extensionOrder(file) < len(documentExtensions) }

func isHTML(name string) bool { return compile(`(?i)\.html?$`).MatchString(name) }

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
	if m := compile(`^(\d{4})-(\d\d?)-(\d\d?)-(.+)$`).FindStringSubmatch(stem(path.Base(p.File))); m != nil {
		// a post of a blog
		names = append(names, path.Join(m[1], ("0" + m[2])[len(m[2])-1:], ("0" + m[3])[len(m[3])-1:], m[4]))
	}
	if module, rest, ok := strings.Cut(p.File, "/pages/"); ok && formatOf(p.File) == asciidoc {
		names = append(names, module+"/"+rest)
	}
	return names
}

// Ends returns the ends of paths of documents, as [endKey] has them, with the file of the document, the candidates of an undecided one,
// or a folder with a slash: for programs that find documents as [Set.Seek] does.
func (s *Set) Ends() map[string][]string {
	found := make(map[string][]string)
	if s == nil {
		return found
	}
	s.ending("")
	choose := func(files []alike) Target {
		return s.choose(files, len(files) > maxAlike, func(a alike) rank { return s.rank(nil, a) })
	}
	pages := slices.DeleteFunc(slices.Clone(s.byEnd.names), func(n end) bool { return !s.isPage(n.file) })
	for key, files := range groupEnds(pages, maxAlike+1) {
		extensions := make(map[string][]alike)
		for _, a := range files {
			extensions[path.Ext(a.file)] = append(extensions[path.Ext(a.file)], a)
		}
		t := choose(files)
		found[key] = with(t.Candidates, t.File)
		for ext, files := range extensions {
			first, above, _ := strings.Cut(key, "\x00")
			if t := choose(files); len(extensions) > 1 && t.Certainty == Found && !isIndexName(stem(strings.ToLower(path.Base(t.File)))) {
				found[strings.TrimSuffix(first+strings.ToLower(ext)+"\x00"+above, "\x00")] = []string{t.File}
			}
		}
	}
	for key, folders := range groupEnds(s.byFolder.names, 2) {
		if found[key] == nil && len(folders) == 1 {
			found[key] = []string{folders[0].file + "/"}
		}
	}
	return found
}

// groupEnds returns the files, at most so many, for each end of a name.
func groupEnds(names []end, most int) map[string][]alike {
	groups := make(map[string][]alike)
	for _, n := range names {
		for i := range len(n.key) + 1 {
			if i < len(n.key) && n.key[i] != 0 {
				continue
			}
			group := groups[n.key[:i]]
			if len(group) < most && !slices.ContainsFunc(group, func(a alike) bool { return a.file == n.file }) {
				groups[n.key[:i]] = append(group, alike{file: n.file})
			}
		}
	}
	return groups
}

// endingExactly returns the files of the project whose paths end with a name, letter by letter. The name may lack the
// extension of files that are not documents.
func (s *Set) endingExactly(name string) (files []string) {
	found, _ := s.ending(name)
	for _, f := range found {
		if f.likeness == sameSpelling || !isDocument(f.file) && strings.HasSuffix("/"+stem(f.file), "/"+name) {
			files = append(files, f.file)
		}
	}
	return files
}

// A rank compares files that a link may mean: the least is meant.
type rank [6]int

// choose returns the best of some files whose paths end with a path, or those that are equally good. more says that there are others.
func (s *Set) choose(files []alike, more bool, rankOf func(a alike) rank) Target {
	for i := range files {
		files[i].rank = rankOf(files[i])
	}
	slices.SortFunc(files, func(a, b alike) int { return cmp.Or(slices.Compare(a.rank[:], b.rank[:]), a.compare(b)) })
	t := Target{Certainty: Undecided}
	for _, a := range files[:min(len(files), maxCandidates)] {
		if a.rank == files[0].rank && (t.Candidates == nil || sibling(a.file) != sibling(files[0].file)) {
			t.Candidates = append(t.Candidates, a.file)
		}
	}
	switch {
	case len(files) == 0:
		return Target{Certainty: Unknown}
	case len(t.Candidates) == 1 && (!more || files[0].rank[0] == 0 && files[0].likeness == sameSpelling):
		return Target{File: files[0].file}
	}
	return t
}

// rank ranks a file for a page, or for a client: the whole path, its spelling, the language and version, the folder, the class.
func (s *Set) rank(p *Page, a alike) rank {
	r := rank{number(!a.whole), number(a.likeness != sameSpelling), 0, 0, 0, number(a.likeness == otherSpelling)}
	if o := s.files[a.file]; o != nil && o.Tree != nil {
		r[2] = number(p == nil && o.Tree.Other || p != nil && p.Tree != nil && (o.Language() != p.Language() || o.Version() != p.Version()))
		r[4] = int(o.Class)
	}
	if p != nil {
		r[3] = -common(path.Dir(p.File), path.Dir(a.file))
	}
	return r
}

// number returns 1 for true.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sibling returns what a page, the same page in another format, and the index of a folder with its name have in common.
func sibling(file string) string {
	name := stem(file)
	if isIndexName(strings.ToLower(path.Base(name))) {
		name = path.Dir(name)
	}
	return folded(name)
}

// common returns how many folders two folders have in common.
func common(a, b string) (n int) {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	for n < min(len(as), len(bs)) && as[n] == bs[n] {
		n++
	}
	return n
}
