package docs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/secret"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Scan reads the folder dir of fsys, which is the project folder, as if its configuration named the folder: all documents in it
// are served, and its other files can be read. A project without that folder has an empty library. fsys may be a [docsfs.FS]. old, if
// not nil, is a library of the same folder, whose index is reused. visit, if not nil, is called with each folder, links resolved,
// before it is read, so that a watch that starts in the call misses no change. changed, if not nil, reports whether the bytes of a
// file, links resolved, may have changed since old although its size and time have not. The error is the error of ctx or of
// reading the project folder.
func Scan(ctx context.Context, fsys fs.FS, dir string, old *Library, visit func(dir string), changed func(file string) bool) (*Library, error) {
	dir = path.Clean(strings.ReplaceAll(dir, `\`, "/"))
	if !fs.ValidPath(dir) {
		return nil, fmt.Errorf("docs folder %q is not below the project folder", dir)
	}
	return Detect(ctx, fsys, Reading{Sites: site.Options{Chosen: dir, Visit: visit}, Old: old, Changed: changed})
}

// A Reading says how documents are read.
type Reading struct {
	Sites   site.Options
	Old     *Library               // the documents before a change, see [Scan]
	Changed func(file string) bool // see [Scan]
	PDFs    PDFs                   // nil: PDF files have no text
}

// Excluded reports whether a file or folder, given by its path below the project folder, is left out
// because of a pattern, and returns the pattern.
func (l *Library) Excluded(name string) (pattern string, ok bool) {
	return l.known().exclude.Covers(name)
}

// notice adds a notice about a file below the project folder.
func (l *Library) notice(file string, err error) {
	const most = 100 // more warnings do not help the user
	if len(l.warnings) < most {
		l.warnings = append(l.warnings, loader.Warning{Path: file, Reason: fserr.Reason(err)})
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
