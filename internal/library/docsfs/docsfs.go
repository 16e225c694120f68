// Package docsfs opens files of a project for its documents. All that is made of documents (lists, the search index,
// answers, resources, images, packages) reads files here, so the same rules apply to each document, whether its folder
// was named or a site was found:
//
//   - A file that git ignores cannot be opened, and no file in a folder that git ignores. If the configuration names a
//     folder that git ignores, everything in it can be opened. Git's index is not read, so a pattern applies to tracked files too.
//   - A link is followed if its target is in the project folder and not hidden. These rules apply to its target. The file
//     that was checked is opened: no link is followed again.
//   - In text, notes replace what looks like a secret, see [secret.Mask]. If a secret remains, or a file that is not text has
//     one, the file cannot be opened.
//   - A file that is too large cannot be opened, see [FS.Bound].
//   - A file that a document or a configuration names has no hidden name, see [FS.Named].
//
// Walks list the files of the project itself, and ask [FS.Ignored] which names to leave out.
package docsfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/gitignore"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/secret"
)

// FS is the files of a project at one moment. It is safe for concurrent use.
type FS struct {
	project fs.FS
	ignored *gitignore.Tree
	named   []string // folders that git ignores, and that the configuration names
	largest int64    // see [FS.Bound]
}

// maxSize is the size in bytes of the largest file that can be opened, unless [FS.Bound] allows more. Each open searches the
// whole file for secrets: 64 MiB take less than a second, and no answer shows a larger document.
const maxSize = 64 << 20

// Of returns the files of a project folder. named are the folders that its configuration names. If project is an FS, it
// is returned as it is.
func Of(project fs.FS, named ...string) *FS {
	if f, ok := project.(*FS); ok {
		return f
	}
	f := &FS{project: project, ignored: gitignore.New(project), largest: maxSize}
	for _, dir := range named {
		if fs.ValidPath(dir) && f.ignored.Has(dir, true) {
			f.named = append(f.named, dir)
		}
	}
	return f
}

// Bound allows files of at most size bytes, or of 64 MiB if that is more. Nothing must use f yet.
func (f *FS) Bound(size int64) { f.largest = max(size, maxSize) }

// Project returns the project folder, for walks and configuration.
func (f *FS) Project() fs.FS { return f.project }

// Ignored reports whether git ignores a file or folder, or a folder above it.
func (f *FS) Ignored(name string, folder bool) bool {
	return f.ignored.Has(name, folder) && !slices.ContainsFunc(f.named, func(dir string) bool { return walk.Holds(dir, name) })
}

// Listed says which entries a folder has, so that nothing that it has not is looked for.
func (f *FS) Listed(dir string, entries []fs.DirEntry) {
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.EqualFold(e.Name(), ".gitignore") }) {
		f.ignored.None(dir)
	}
}

// ErrIgnored is the error for a file that git ignores.
var ErrIgnored = errors.New("is named by .gitignore")

// Left returns why a walk of the folder dir leaves out a file or folder, or nil. A link to a file outside the folder, which
// its author may not know to be a document, must be one that can be opened. real is name with links resolved, as is dir.
func (f *FS) Left(dir, name, real string, folder bool) error {
	if f.Ignored(name, folder) || real != name && f.Ignored(real, folder) {
		return ErrIgnored
	}
	if folder || walk.Holds(dir, real) {
		return nil
	}
	opened, err := f.Open(name)
	if err == nil {
		opened.Close()
	}
	return err
}

// A SecretError is the error for a file with something that looks like a secret.
type SecretError struct {
	Line int // from 1; 0: the name of the file says so
	What string
}

func (e *SecretError) Error() string {
	if e.Line == 0 {
		return e.What
	}
	return fmt.Sprintf("%s in line %d", e.What, e.Line)
}

// A SizeError is the error for a file that is too large, see [FS.Bound].
type SizeError struct {
	Most int64 // bytes
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("is larger than %.4g MiB, which is the limit for documents", float64(e.Most)/(1<<20))
}

// A File is a file of a project without secrets. If it had secrets, it has their places.
type File struct {
	fs.File
	*bytes.Reader                  // the bytes of File without secrets
	info          fs.FileInfo      // of File when it was opened
	Removed       []secret.Finding // what notes replace
}

// Open opens a regular file or a folder.
func (f *FS) Open(name string) (fs.File, error) {
	opened, _, err := f.open(name)
	return opened, err
}

// OpenNamed is [FS.Open] for a file that a document or a configuration names. It returns the path with links resolved. The error is
// [fs.ErrNotExist] for a file that [FS.Named] does not return.
func (f *FS) OpenNamed(folder, name string) (fs.File, string, error) {
	if !fs.ValidPath(name) {
		return nil, "", fs.ErrNotExist
	}
	opened, real, err := f.open(name)
	if err == nil && !shows(folder, name, real) {
		opened.Close()
		err = fs.ErrNotExist
	}
	return opened, real, err
}

// open opens a file, and returns its path with links resolved.
func (f *FS) open(name string) (fs.File, string, error) {
	real := name
	opened, info, err := f.openPlain(name) // nearly no path has a link: one call opens it
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		if real, err = walk.Resolve(f.project, name); err == nil {
			opened, info, err = f.openPlain(real)
		}
		if errors.Is(err, errors.ErrUnsupported) { // the project folder has no links
			if opened, err = f.project.Open(real); err == nil {
				info, err = opened.Stat()
			}
		}
	}
	if err == nil && (f.Ignored(name, false) || real != name && f.Ignored(real, false)) {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrIgnored}
	}
	if err != nil {
		if opened != nil {
			opened.Close()
		}
		return nil, "", err
	}
	opened, err = f.checked(opened, info, name, real)
	return opened, real, err
}

// openPlain opens a path without links. If a link has replaced a part of it since it was resolved, that is an error: the
// link may lead to a file that these rules hide.
func (f *FS) openPlain(real string) (fs.File, fs.FileInfo, error) {
	plain, ok := f.project.(interface {
		OpenPlain(name string) (fs.File, fs.FileInfo, error)
	})
	if !ok {
		return nil, nil, errors.ErrUnsupported
	}
	return plain.OpenPlain(real)
}

// Named returns the file below the project folder that a document or a configuration names, links resolved. Git does not
// ignore it, and no part of its name is hidden. Below the folder of the documents, names may begin with a dot: sites keep
// parts of pages there. If that is the project folder, or "", it has no such files.
func (f *FS) Named(folder, name string) (real string, ok bool) {
	if !fs.ValidPath(name) {
		return "", false
	}
	real, err := walk.Resolve(f.project, name)
	if err != nil || !fs.ValidPath(real) || f.Ignored(name, false) || f.Ignored(real, false) || !shows(folder, name, real) {
		return "", false
	}
	return real, true
}

// shows reports whether no part of a name is hidden, as [FS.Named] says.
func shows(folder, name, real string) bool {
	for part := range strings.SplitSeq(name+"/"+real, "/") {
		switch {
		case !walk.Hidden(part):
		case part[0] != '.', folder == "." || folder == "", !walk.Holds(folder, real), part == ".git":
			return false
		}
	}
	return true
}

// OpenPlain opens a file that a walk has just found, if no link is on its path and the project folder can tell. It is
// faster than Open, and does not ask which files git ignores.
func (f *FS) OpenPlain(name string) (fs.File, fs.FileInfo, error) {
	opened, info, err := f.openPlain(name)
	if err != nil {
		return nil, nil, err
	}
	checked, err := f.checked(opened, info, name, name)
	if err != nil {
		return nil, nil, err
	}
	info, err = checked.Stat()
	return checked, info, err
}

// maxHeld is the size in bytes up to which a file is held in memory, so that callers read exactly the bytes that were
// checked. Secrets are removed from such files only.
const maxHeld = 4 << 20

// checked returns a file without secrets. It closes a file that it does not return.
func (f *FS) checked(opened fs.File, info fs.FileInfo, name, real string) (fs.File, error) {
	if !info.Mode().IsRegular() {
		return opened, nil
	}
	file, err := f.check(opened, info, name, real)
	if err != nil {
		opened.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return file, nil
}

func (f *FS) check(opened fs.File, info fs.FileInfo, name, real string) (fs.File, error) {
	if what := secret.OfName(path.Base(real)); what != "" {
		return nil, &SecretError{What: what}
	}
	if info.Size() > f.largest {
		return nil, &SizeError{f.largest}
	}
	// the file may grow
	reader := io.LimitReader(rootfs.Reader(f.project, real, opened), f.largest)
	seeker, ok := opened.(io.Seeker)
	if info.Size() > maxHeld && ok {
		found, err := secret.Scan(context.Background(), reader)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			return nil, &SecretError{found[0].Line, found[0].What}
		}
		_, err = seeker.Seek(0, io.SeekStart)
		return opened, err
	}
	data := bytes.NewBuffer(make([]byte, 0, min(info.Size(), maxHeld)+bytes.MinRead))
	if _, err := data.ReadFrom(reader); err != nil {
		return nil, err
	}
	masked, found, ok := secret.Mask(data.Bytes())
	if len(found) > 0 && (!ok || bytes.IndexByte(masked, 0) >= 0 || !maskable(name) || !maskable(real)) {
		return nil, &SecretError{found[0].Line, found[0].What}
	}
	return &File{opened, bytes.NewReader(masked), info, found}, nil
}

// maskable reports whether a file of this name is text, in which a note may replace a secret.
func maskable(name string) bool {
	mime, known := media.ByName(name)
	return !known || !media.Binary(mime)
}

// Read implements [io.Reader].
func (f *File) Read(p []byte) (int, error) { return f.Reader.Read(p) }

// Stat implements [fs.File]. It describes the file as it is now. If secrets were removed, and the file is unchanged, the
// size counts the text without the secrets.
func (f *File) Stat() (fs.FileInfo, error) {
	now, err := f.File.Stat()
	if err == nil && len(f.Removed) > 0 && now.Size() == f.info.Size() && now.ModTime().Equal(f.info.ModTime()) {
		now = sizedInfo{now, f.Reader.Size()}
	}
	return now, err
}

// A sizedInfo describes a file whose bytes were replaced.
type sizedInfo struct {
	fs.FileInfo
	size int64
}

func (i sizedInfo) Size() int64 { return i.size }

// OnDisk returns the description of a file of an [FS] as it is on the disk.
func OnDisk(info fs.FileInfo) fs.FileInfo {
	if sized, ok := info.(sizedInfo); ok {
		return sized.FileInfo
	}
	return info
}
