package site

import (
	"cmp"
	stdhtml "html"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// A Certainty says what is known of the target of a link.
type Certainty uint8

const (
	Found     Certainty = iota
	Absent              // it is not in the project, and nothing makes it
	Undecided           // several files match
	Elsewhere           // a URL, or a file that is not served
	Unknown             // the published site may have it
)

func (c Certainty) String() string {
	return [...]string{"found", "absent", "undecided", "elsewhere", "unknown"}[c]
}

// A Target is where a link leads.
type Target struct {
	Certainty  Certainty
	File       string // below the project folder; of a folder, its index if it has one
	ID         string // as linked, decoded
	Page       *Page  // nil: File is not a document
	Lacks      bool   // no heading or id has the letters and digits of ID
	Candidates []string
}

const (
	maxLink       = 2 << 10 // longer ones lead nowhere
	maxCandidates = 10
)

// String returns FILE or FILE#id, or "" if no file was found.
func (t Target) String() string {
	if t.File == "" || t.ID == "" {
		return t.File
	}
	return t.File + "#" + t.ID
}

// Resolve says where a link leads, as a page has it. One rule holds for all links:
//
//  1. A relative path leads to the file with this path. An extension, "index" and "README" of a folder, ".html", case, and
//     numbers before names make no difference.
//  2. Any other path leads to the one file whose path ends with it. If there is none, leading parts are left out while two remain;
//     then an absolute path leads to the only document of its name, if that lies in a folder that the path names too.
//  3. Of several files, documents come first, then those with exactly this spelling, then the same language and version, then the nearest folder, then the
//     class. If that does not decide, the link is undecided.
//
// Links of wikis are read as Obsidian reads them, see [Set.wiki].
func (s *Set) Resolve(p *Page, link string) Target {
	s = s.known()
	if len(link) > maxLink {
		return Target{Certainty: Unknown}
	}
	if name, ok := strings.CutPrefix(link, "[["); ok {
		return s.resolveWiki(p, strings.TrimSuffix(name, "]]"))
	}
	switch formatOf(p.File) {
	case rst:
		if role, name := readRole(link); role != "" {
			return s.leadRole(p, role, name)
		}
	case asciidoc:
		var known bool
		if link, known = s.xref(p, link); !known {
			return Target{Certainty: Unknown}
		}
	}
	if file := clean(path.Dir(p.File), uri.Decode(link)); file != "" && s.has(file) {
		return s.withID(p, Target{File: file}, "")
	}
	plain, known := untagged(strings.TrimPrefix(stdhtml.UnescapeString(link), "pathname://"))
	switch {
	case !known:
		return Target{Certainty: Unknown}
	case External(plain):
		return Target{Certainty: Elsewhere}
	}
	target, id := cutLink(plain)
	if target == "" {
		return s.withID(p, Target{File: p.File}, id)
	}
	t := s.lead(p, target, id)
	if t.Certainty == Absent && strings.ContainsAny(link, "{}<>$*|`\"\n") {
		t.Certainty = Unknown // it is filled in when the site is built
	}
	return t
}

// siteFolder matches what stands for the folder of the site before a path.
const siteFolder = `^(?:@site|@|~@?|\{[\w-]+\})/`

// cutLink returns the decoded path of a link and its decoded fragment.
func cutLink(link string) (target, id string) {
	if rest, ok := strings.CutPrefix(strings.TrimPrefix(link, "/"), "#/"); ok { // as in Docsify
		link = "/" + strings.Replace(rest, "?id=", "#", 1)
	}
	target, id, _ = strings.Cut(link, "#")
	target, _, _ = strings.Cut(target, "?")
	target = compile(siteFolder).ReplaceAllString(target, "/")
	return uri.Decode(target), uri.Decode(id)
}

// Seek says where a path of a client leads that no file has: a link as a document has it, or a URL whose path has two parts, or one if its
// host has a word of the name of the site.
func (s *Set) Seek(asked string) Target {
	if len(asked) > maxLink {
		return Target{Certainty: Unknown}
	}
	if name, ok := strings.CutPrefix(strings.TrimPrefix(asked, "!"), "[["); ok {
		name, _, _ = strings.Cut(strings.TrimSuffix(name, "]]"), "|")
		return s.resolveWiki(nil, name)
	}
	if role, name := readRole(asked); role != "" {
		return s.leadRole(nil, role, name)
	}
	if External(asked) {
		u, err := url.Parse(asked)
		if err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
			return Target{Certainty: Elsewhere}
		}
		ours := slices.ContainsFunc(strings.Fields(s.Names().Title), func(word string) bool { // "Redux" for redux.js.org
			return len(squeezed(word)) > 3 && strings.Contains(squeezed(u.Host), squeezed(word))
		})
		if parts := strings.Count(strings.Trim(u.Path, "/"), "/"); u.Path == "" || parts < 1 && !ours {
			return Target{Certainty: Elsewhere}
		}
		asked = u.EscapedPath() + "#" + u.EscapedFragment()
	}
	target, id := cutLink(asked)
	return s.lead(nil, strings.TrimSpace(target), id)
}

// leadRole says where a role of RST leads.
func (s *Set) leadRole(p *Page, role, name string) Target {
	switch {
	case strings.HasSuffix(role, "ref"):
		return s.labelled(p, name)
	case strings.Contains(name, ":") && name[0] != '/':
		return Target{Certainty: Elsewhere}
	}
	return s.lead(p, name, "")
}

// lead says where a decoded path leads. p is nil if a client asks.
func (s *Set) lead(p *Page, target, id string) Target {
	base, here := "", Unknown
	if p != nil && !strings.HasPrefix(target, "/") {
		base = clean(path.Dir(p.File), target)
		if file := s.whole(base); file != "" {
			return s.withID(p, Target{File: file}, id)
		}
		if here = s.onDisk(base); here == Found || s.isFolder(base) {
			return Target{File: base}
		}
	}
	name := strings.Trim(path.Clean("/"+target), "/")
	if name == "" {
		return s.start(p)
	}
	parts := strings.Split(name, "/")
	for parts = parts[max(0, len(parts)-maxEnd):]; ; parts = parts[1:] {
		files, more := s.documentsEnding(strings.Join(parts, "/"))
		if p == nil { // it is left out
			files = slices.DeleteFunc(files, func(a alike) bool { return s.files[a.file] != nil && s.files[a.file].Hidden != "" })
		}
		if len(files) > 0 {
			return s.withID(p, s.choose(files, more, func(a alike) rank { return s.rank(p, a) }), id)
		}
		if dirs, _ := s.byFolder.find(strings.Join(parts, "/")); len(dirs) == 1 {
			return Target{File: dirs[0].file}
		}
		if len(parts) <= 2 {
			break
		}
	}
	if strings.HasPrefix(target, "/") && s.isFolder(name) {
		return Target{File: name}
	}
	if p != nil && strings.HasPrefix(target, "/") {
		if file := s.amid(name); file != "" {
			return s.withID(p, Target{File: file}, id)
		}
	}
	if here == Absent && s.mayBeMade(base) {
		here = Unknown
	}
	return Target{Certainty: here}
}

// amid returns the only document with the last part of a path as its name, if it lies in a folder that the path names too: of
// "/docs/lang/if", "docs/03-syntax/if.md".
func (s *Set) amid(name string) string {
	files, more := s.documentsEnding(path.Base(name))
	if len(files) == 1 && !more && s.isPage(files[0].file) && slices.ContainsFunc(strings.Split(path.Dir(files[0].file), "/"), func(folder string) bool {
		return slices.Contains(strings.Split(path.Dir(name), "/"), folder)
	}) {
		return files[0].file
	}
	return ""
}

// start returns the page at which the documents of a page begin: the index of the topmost folder around it that has one, or else the
// index or the README of the project.
func (s *Set) start(p *Page) Target {
	file := cmp.Or(s.whole("index"), s.whole("README"))
	if p != nil {
		for dir := path.Dir(p.File); dir != "."; dir = path.Dir(dir) {
			if index := s.whole(dir + "/index"); s.isPage(index) {
				file = index
			}
		}
	}
	if file == "" {
		return Target{Certainty: Unknown}
	}
	return s.withID(p, Target{File: file}, "")
}

// whole returns the file with a path below the project folder, in any spelling, or "".
func (s *Set) whole(base string) string {
	switch {
	case base == "" || s.has(base):
		return base
	case base == ".":
		return s.start(nil).File
	}
	above := strings.Count(base, "/") - maxEnd
	files, _ := s.ending(base)
	files = slices.DeleteFunc(files, func(a alike) bool {
		return !a.whole || a.likeness == otherFile || above >= 0 && common(path.Dir(base), path.Dir(a.file)) <= above
	})
	if len(files) == 0 {
		return ""
	}
	return slices.MinFunc(files, alike.compare).file
}

// documentsEnding is [Set.ending] for links: documents come first, and a file that is not a document must have its extension.
func (s *Set) documentsEnding(name string) (files []alike, more bool) {
	files, more = s.ending(name)
	pages := slices.ContainsFunc(files, func(a alike) bool { return s.isPage(a.file) && a.likeness < otherFile })
	return slices.DeleteFunc(files, func(a alike) bool { return a.likeness == otherFile || pages && !s.isPage(a.file) }), more
}

// isPage reports whether a file is a document.
func (s *Set) isPage(file string) bool {
	if p := s.files[file]; p != nil {
		return p.Hidden == ""
	}
	return len(s.pages) == 0 && isDocument(file)
}

// withID completes the target of a link with an id. from is the page with the link, or nil.
func (s *Set) withID(from *Page, t Target, id string) Target {
	if t.ID = id; s.isPage(t.File) {
		t.Page = s.files[t.File]
	}
	if from != nil && t.Page != nil && !IsPDF(t.File) && id != "" && id[0] != '^' { // else a block of Obsidian
		ids, want := s.ids(t.Page), squeezed(id)
		t.Lacks = want != "" && !ids[want] && !ids[strings.TrimRight(want, "0123456789")] // duplicate headings get numbers
	}
	return t
}

// Like returns the file of the project whose name is most like that in a link, or "". A file next to the page comes first.
func (s *Set) Like(p *Page, link string) string {
	target, _ := cutLink(link)
	base := clean(path.Dir(p.File), target)
	files := s.Files()
	first, _ := slices.BinarySearch(files, path.Dir(base)+"/")
	var names []string
	for _, file := range files[first:min(len(files), first+1000)] {
		if path.Dir(file) == path.Dir(base) {
			names = append(names, path.Base(file))
		}
	}
	if near := nearest.Of(path.Base(base), names, 1); len(near) > 0 {
		return join(path.Dir(base), near[0])
	}
	return ""
}

// mayBeMade reports whether the published site may have a path that is absent: it is not the path of a file, or a file has its name.
func (s *Set) mayBeMade(base string) bool {
	ext := strings.TrimPrefix(path.Ext(base), ".")
	if len(ext) > 10 || strings.Trim(ext, "0123456789") == "" || isHTML(base) {
		return true
	}
	files, more := s.ending(path.Base(base))
	return more || slices.ContainsFunc(files, func(a alike) bool { return folded(path.Base(a.file)) == folded(path.Base(base)) })
}

// has reports whether the project has a file of this name that may be served.
func (s *Set) has(file string) bool {
	if s.files[file] != nil {
		return true
	}
	_, ok := slices.BinarySearch(s.Files(), file)
	return ok
}

// onDisk says whether there is a file or folder that [Set.Files] does not list, such as a resource, and that may be served. It is unknown
// for "", which leaves the project.
func (s *Set) onDisk(name string) Certainty {
	if name == "" || s.fsys == nil {
		return Unknown
	}
	_, err := fs.Stat(s.fsys, name)
	switch {
	case s.docs.Ignored(name, false), s.docs.Ignored(name, true), err == nil && hiddenPath(name):
		return Elsewhere
	case err == nil:
		return Found
	}
	return Absent
}

// isFolder reports whether the project has files in a folder.
func (s *Set) isFolder(dir string) bool {
	if dir == "" || dir == "." {
		return dir == "."
	}
	files := s.Files()
	at, _ := slices.BinarySearch(files, dir+"/")
	return at < len(files) && strings.HasPrefix(files[at], dir+"/")
}

// clean joins a folder and a relative target, and returns "" for one that leaves the project.
func clean(dir, target string) string {
	if j := join(dir, target); !strings.HasPrefix(j+"/", "../") {
		return j
	}
	return ""
}

// External reports whether a link is a URL.
func External(link string) bool { return compile(`^(?:[A-Za-z][A-Za-z0-9+.-]*:|//)`).MatchString(link) }
