package dependencies

import (
	"cmp"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Bounds of a search for documents in one package.
const (
	// folders between the package's folder and a folder of documentation, as in dist/docs
	maxAbove   = 2
	maxBelow   = 8      // folders below a folder of documentation
	maxEntries = 20_000 // files and folders that are looked at
)

var (
	docFolders  = lazyregexp.New(`(?i)^(docs?|documentation|guides?|manual|handbook|recipes|tutorials?)$`)
	skipFolders = lazyregexp.New(`(?i)^(node_modules|vendor|testdata|tests?|__tests__|specs?|fixtures?|coverage|bench(marks?)?|third[_-]?party)$`)
	markdown    = lazyregexp.New(`(?i)\.(md|mdx|markdown)$`)
	readme      = lazyregexp.New(`(?i)^readme(\.(md|mdx|markdown|txt|rst))?$`)
	changelog   = lazyregexp.New(`(?i)^(change[_-]?log|changes|history|news|releases?([_-]?notes)?)(\.(md|mdx|markdown|txt))?$`)

	// A translation of a README, such as README.zh-CN.md or README_ja.md.
	translated = lazyregexp.New(`(?i)^readme[._-][a-z]{2,3}([_-][a-z]{2,4})?\.`)

	// Files in a package's folder that are not documents about how to use it.
	notDocuments = lazyregexp.New(`(?i)^(licen[cs]es?|copying|copyright|warnings?|third[_-]?party.*|(code[_-]of[_-])?conduct|contributing|contributors?|authors|maintainers|governance|security|funding|backers|sponsors|patents|pull_request_template|issue_template)([._-].*)?$`)

	// Files that address agents. A page about agents may be called agents.md.
	forAgents = lazyregexp.New(`^(AGENTS?(\..*)?|(?i:(claude|gemini|skill|copilot-instructions|cursor-?rules)(\.local)?\.(md|mdx|markdown)))$`)
)

// IsChangelog reports whether the file at a path lists the changes of the versions of a package.
func IsChangelog(name string) bool { return changelog().MatchString(path.Base(name)) }

// isDocument reports whether a file is a document; inDocs says that it is in a folder of documentation.
func isDocument(name string, inDocs bool) bool {
	switch {
	case forAgents().MatchString(name) || translated().MatchString(name):
		return false
	case inDocs:
		return markdown().MatchString(name)
	}
	return !notDocuments().MatchString(name) && (markdown().MatchString(name) || readme().MatchString(name) || changelog().MatchString(name))
}

// documentPath returns the path of a document in a [Set]: with the extension .md unless it has .md or .mdx.
func documentPath(name string) string {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".md", ".mdx":
		return name
	case ".markdown", ".txt", ".rst":
		return strings.TrimSuffix(name, path.Ext(name)) + ".md"
	}
	return name + ".md"
}

// Files lists the documents in the folder dir of base, which holds a package, by path. Everything is read through a root
// of the package's own: no link is followed. whole says that the package is a repository, in which documents are in all
// folders. leftOut are the links.
func Files(base *rootfs.FS, dir string, whole bool) (documents []Document, leftOut []string, err error) {
	root, err := base.OpenFolder(dir, false)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	l := lister{base: base, dir: dir, root: root, whole: whole, taken: make(map[string]bool)}
	l.folder(".", 0, -1)
	slices.SortFunc(l.documents, func(a, b Document) int { return cmp.Compare(a.Path, b.Path) })
	return l.documents, l.leftOut, nil
}

type lister struct {
	base      *rootfs.FS
	dir       string
	root      *rootfs.FS
	whole     bool
	documents []Document
	leftOut   []string
	taken     map[string]bool // paths of documents
	seen      int             // entries
}

// folder lists a folder. above is the number of folders above it; below is the number of folders between it and a folder
// of documentation, or -1.
func (l *lister) folder(dir string, above, below int) {
	entries, err := l.root.ReadDir(dir)
	if err != nil {
		return // nothing of a folder that cannot be read is served
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		name := e.Name()
		if l.seen++; l.seen > maxEntries || len(l.documents) == MaxDocuments {
			return
		}
		if walk.Hidden(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }) {
			continue
		}
		loc := path.Join(dir, name)
		inDocs := below >= 0 || docFolders().MatchString(name)
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			if (inDocs || isDocument(name, false)) && len(l.leftOut) < 10 {
				l.leftOut = append(l.leftOut, loc)
			}
		case e.IsDir() && (skipFolders().MatchString(name) || l.whole && name == "internal"):
		case e.IsDir() && inDocs && below < maxBelow:
			l.folder(loc, above+1, below+1)
		case e.IsDir() && !inDocs && (above < maxAbove-1 || l.whole && above < maxBelow):
			l.folder(loc, above+1, -1)
		case e.Type().IsRegular() && (below >= 0 || above == 0 || l.whole) && isDocument(name, below >= 0):
			l.add(loc, e)
		}
	}
}

// add adds a document, unless there is one with its path.
func (l *lister) add(loc string, e fs.DirEntry) {
	info, err := e.Info()
	if err != nil || l.taken[documentPath(loc)] || info.Size() == 0 {
		return
	}
	l.taken[documentPath(loc)] = true
	most := int64(MaxFile)
	if IsChangelog(loc) {
		most = MaxChangelog
	}
	base, dir := l.base, l.dir
	l.documents = append(l.documents, Document{
		Path: documentPath(loc), Size: min(info.Size(), most), ModTime: info.ModTime(),
		Read: func() ([]byte, error) { return ReadFile(base, dir, loc, most) },
	})
}

// ReadFile reads the first most bytes of a file of the package in the folder dir of base. It follows no link in the
// package.
func ReadFile(base *rootfs.FS, dir, name string, most int64) ([]byte, error) {
	root, err := base.OpenFolder(dir, false)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return Read(root, name, most)
}

// Read reads the first most bytes of a file. It follows no link.
func Read(files *rootfs.FS, name string, most int64) ([]byte, error) {
	f, info, err := files.OpenPlain(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// Clean removes from Markdown what people do not see on a page but a model reads: HTML comments outside of code, tag
// characters, and controls of the direction of text. Joiners and variation selectors stay: scripts and emoji need them.
// Line ends stay, so lines keep their numbers. Bytes that are not UTF-8 become U+FFFD.
func Clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if r >= 0xe0000 && r <= 0xe007f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 ||
			r == 0x200e || r == 0x200f || r == 0x061c {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
	if !strings.Contains(text, "<!--") {
		return text
	}
	var out strings.Builder
	pos := 0
	copyTo := func(end int) {
		out.WriteString(text[pos:end])
		pos = end
	}
	for line := range directive.Lines(text) {
		for line.Code == directive.Prose && pos < line.End {
			i := strings.IndexAny(text[pos:line.End], "`<")
			if i < 0 {
				break
			}
			copyTo(pos + i)
			switch rest := text[pos:]; {
			case rest[0] == '`':
				run := len(rest) - len(strings.TrimLeft(rest, "`"))
				paragraph := rest[run:min(len(rest), run+maxSpan)]
				for _, blank := range []string{"\n\n", "\n\r\n"} {
					paragraph, _, _ = strings.Cut(paragraph, blank)
				}
				copyTo(pos + run)
				if n := excerpt.ClosingRun(paragraph, run); n >= 0 {
					copyTo(pos + n + run)
				}
			case strings.HasPrefix(rest, "<!--"):
				stop := len(rest)
				if n := strings.Index(rest[2:], "-->"); n >= 0 { // "<!-->" is a whole comment
					stop = 2 + n + len("-->")
				}
				out.WriteString(strings.Repeat("\n", strings.Count(rest[:stop], "\n")))
				pos += stop
			default:
				copyTo(pos + 1)
			}
		}
		copyTo(max(pos, line.End))
	}
	return out.String()
}

// maxSpan bounds the code in a line of text, so that a text of backticks costs little.
const maxSpan = 64 << 10
