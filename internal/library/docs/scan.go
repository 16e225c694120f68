package docs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/secret"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// maxFiles bounds a scan: links between sibling folders can make a small tree endless.
const maxFiles = 200_000

// Scan reads the folder dir of fsys, which is the project folder. A project without that folder has
// an empty library. The library omits folders that contain no file at any depth, as packages of the
// project do, and what git ignores. fsys may be a [docsfs.FS]. old, if not nil, is a library of the same folder, whose index is reused. visit, if
// not nil, is called with each folder, links resolved, before it is read, so that a watch that
// starts in the call misses no change. changed, if not nil, reports whether the bytes of a file,
// links resolved, may have changed since old although its size and time have not. The error is the
// error of ctx or of reading dir itself.
func Scan(ctx context.Context, fsys fs.FS, dir string, old *Library, visit func(dir string), changed func(file string) bool) (*Library, error) {
	return ScanFolder(ctx, fsys, dir, Reading{Sites: site.Options{Visit: visit}, Old: old, Changed: changed})
}

// A Reading says how documents are read.
type Reading struct {
	Sites   site.Options           // Exclude and Visit are for documents in a folder too
	Old     *Library               // the documents before a change, see [Scan]
	Changed func(file string) bool // see [Scan]
}

// ScanFolder is [Scan] without the files and folders that r.Sites.Exclude covers. A link counts by its own path.
func ScanFolder(ctx context.Context, fsys fs.FS, dir string, r Reading) (*Library, error) {
	exclude, old, visit, changed := r.Sites.Exclude, r.Old, r.Sites.Visit, r.Changed
	dir = path.Clean(strings.ReplaceAll(dir, `\`, "/"))
	if !fs.ValidPath(dir) {
		return nil, fmt.Errorf("docs folder %q is not below the project folder", dir)
	}
	files := docsfs.Of(fsys)
	if visit == nil {
		visit = func(string) {}
	}
	if changed == nil {
		changed = func(string) bool { return false }
	}
	s := &scanner{old: old, changed: changed, library: &Library{
		fsys: files, dir: dir, exclude: exclude, files: make(map[string]*document),
	}}
	l := s.library
	if old != nil && old.builder != nil && old.dir == dir && !old.Closed() {
		l.builder = old.builder
	} else {
		s.old, l.builder = nil, newBuilder()
	}
	for above := path.Dir(dir); ; above = path.Dir(above) {
		visit(above)
		if above == "." {
			break
		}
	}
	real, err := walk.Resolve(files.Project(), dir)
	if err == nil {
		s.root = real
		err = walk.Folder(ctx, files.Project(), real, walk.Visitor{
			Watch: visit, Enter: s.enter, File: s.file, Infos: true,
			Problem: func(loc string, err error) { s.notice(loc, fmt.Errorf("is not served: %w", err)) },
		})
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	l.sort()
	return l, nil
}

// HasDocuments reports whether the folder dir has documents that exclude does not cover. It stops at the
// first one that it finds.
func HasDocuments(ctx context.Context, fsys fs.FS, dir string, exclude glob.Set) bool {
	files, found := docsfs.Of(fsys), false
	s := &scanner{library: &Library{fsys: files, dir: dir, exclude: exclude}}
	if real, err := walk.Resolve(files.Project(), path.Clean(dir)); err == nil {
		_ = walk.Folder(ctx, files.Project(), real, walk.Visitor{File: func(entry walk.Entry) error {
			if found = entry.Type.IsRegular() && IsDocument(entry.Loc) && !s.excludes(entry); found {
				return fs.SkipAll
			}
			return nil
		}})
	}
	return found
}

type scanner struct {
	old     *Library
	library *Library
	changed func(file string) bool
	root    string // the folder, links resolved
	walked  int    // folders, including empty ones
	full    bool
}

// enter counts a folder.
func (s *scanner) enter(entry walk.Entry) error {
	if s.excludes(entry) || s.limit(entry.Loc) {
		return fs.SkipDir
	}
	s.walked++
	return nil
}

// file adds a file.
func (s *scanner) file(entry walk.Entry) error {
	if s.excludes(entry) || s.limit(entry.Loc) || !entry.Type.IsRegular() {
		return nil
	}
	l := s.library
	if err := l.fsys.Left(s.root, path.Join(l.dir, entry.Loc), entry.Real, false); err != nil {
		s.notice(entry.Loc, fmt.Errorf("is not served: %w", err))
		return nil
	}
	d := s.document(entry.Loc, entry.Real, entry.Info)
	l.files[entry.Loc] = d
	if IsDocument(entry.Loc) {
		l.docs = append(l.docs, d)
	}
	return nil
}

// excludes reports whether a file or folder is left out because of a pattern, or because git ignores it or the target of a link.
func (s *scanner) excludes(entry walk.Entry) bool {
	l, name := s.library, path.Join(s.library.dir, entry.Loc)
	_, excluded := l.Excluded(name)
	return excluded || l.fsys.Ignored(name, entry.Type.IsDir()) || entry.Real != name && l.fsys.Ignored(entry.Real, entry.Type.IsDir())
}

// Excluded reports whether a file or folder, given by its path below the project folder, is left out
// because of a pattern, and returns the pattern.
func (l *Library) Excluded(name string) (pattern string, ok bool) {
	return l.known().exclude.Covers(name)
}

// limit reports whether the number of files and folders has reached the bound.
func (s *scanner) limit(loc string) bool {
	if len(s.library.files)+s.walked < maxFiles {
		return false
	}
	if !s.full {
		s.full = true
		s.notice(loc, fmt.Errorf("and the files after it are not served: there are more than %d files", maxFiles))
	}
	return true
}

// parent returns the folder of a path below the documents' folder.
func parent(loc string) string {
	if dir := path.Dir(loc); dir != "." {
		return dir
	}
	return ""
}

// document returns the document of the old library if the file is unchanged.
func (s *scanner) document(loc, real string, info fs.FileInfo) *document {
	size, modTime := info.Size(), info.ModTime().UnixNano()
	if s.old != nil {
		if d := s.old.files[loc]; d != nil && d.size == size && d.modTime == modTime && !s.changed(real) {
			return d
		}
	}
	return &document{path: loc, lower: strings.ToLower(norm.NFC.String(loc)), size: size, modTime: modTime}
}

func (s *scanner) notice(loc string, err error) { s.library.notice(path.Join(s.library.dir, loc), err) }

// notice adds a notice about a file below the project folder.
func (l *Library) notice(file string, err error) {
	const most = 100 // more notices do not help the user
	if len(l.notices) < most {
		l.notices = append(l.notices, loader.Notice{Path: file, Reason: fserr.Reason(err)})
	}
}

// Note adds a notice about a file below the project folder. The library must not be in use yet.
func (l *Library) Note(file, reason string) { l.notice(file, errors.New(reason)) }

// Ignored reports whether git ignores a file or folder, given by its path below the project folder.
func (l *Library) Ignored(name string, folder bool) bool {
	return l.known().fsys != nil && l.fsys.Ignored(name, folder)
}

// Check opens a file below the project folder as documents are opened. It returns the secrets in it that notes replace,
// or why it cannot be opened.
func (l *Library) Check(file string) (removed []secret.Finding, err error) {
	f, err := l.openFile(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if opened, ok := f.(*docsfs.File); ok {
		removed = opened.Removed
	}
	return removed, nil
}
