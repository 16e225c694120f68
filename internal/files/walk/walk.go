// Package walk implements the rules for the folders of a project: which names are hidden, which
// links are followed, which folders are skipped because they contain themselves, and which
// modification times prove that a file has not changed.
//
// A name is hidden if it starts with a dot, if it is that of an editor's temporary file, or
// node_modules. A link is followed if it stays in the project folder and leads to nothing hidden,
// but not if it leads to a folder above itself. [Folder] walks everything below a folder by these
// rules.
package walk

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
)

// An Entry is a file or folder that a walk has reached.
type Entry struct {
	Loc  string // path below the start of the walk, links not resolved; "" is the start itself
	Real string // path below the project folder, links resolved
	// Info is the information of the file; for a link, that of its target. For other entries it may
	// be nil: see [Visitor.Infos].
	Info fs.FileInfo
	Type fs.FileMode // for a link, the type of its target
}

// A Visitor holds the callbacks of a walk. Functions that are nil are not called.
type Visitor struct {
	// Watch is called with each folder whose changes affect the walk, links resolved, before the
	// folder is read. A watch that starts in the call misses no change.
	Watch func(real string)
	// Enter is called with a folder before it is read. It returns [fs.SkipDir] to skip the folder,
	// and [fs.SkipAll] to end the walk.
	Enter func(Entry) error
	// Leave is called with a folder after everything in it.
	Leave func(Entry)
	// File is called with each entry that is not a folder. It returns [fs.SkipAll] to end the walk.
	File func(Entry) error
	// Problem is called with each entry that cannot be read or is a link that is not followed.
	Problem func(loc string, err error)
	// Infos requests Entry.Info for each entry.
	Infos bool
}

// Folder walks a folder, in the order of names. real is its path with links resolved. The error is
// that of ctx, or of the folder itself.
func Folder(ctx context.Context, fsys fs.FS, real string, v Visitor) error {
	w := &walker{ctx: ctx, fsys: fsys, Visitor: v}
	err := w.folder(Entry{Real: real, Type: fs.ModeDir}, nil)
	if errors.Is(err, fs.SkipAll) || errors.Is(err, fs.SkipDir) {
		err = nil
	}
	return err
}

type walker struct {
	Visitor
	ctx  context.Context
	fsys fs.FS
}

// folder walks a folder. above holds the folders above it, links resolved.
func (w *walker) folder(at Entry, above []string) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.Enter != nil {
		if err := w.Enter(at); err != nil {
			return err
		}
	}
	w.watch(at.Real)
	entries, err := fs.ReadDir(w.fsys, at.Real)
	if err != nil {
		return err
	}
	above = append(slices.Clip(above), at.Real)
	for _, e := range entries {
		if Hidden(e.Name()) {
			continue
		}
		if err := w.entry(at, e, above); err != nil {
			return err
		}
	}
	if w.Leave != nil {
		w.Leave(at)
	}
	return nil
}

// entry walks one entry of a folder.
func (w *walker) entry(in Entry, e fs.DirEntry, above []string) error {
	at := Entry{Loc: path.Join(in.Loc, e.Name()), Real: path.Join(in.Real, e.Name()), Type: e.Type()}
	linked := at.Type&fs.ModeSymlink != 0
	var err error
	switch {
	case linked:
		if at.Real, err = Follow(w.fsys, at.Real); err == nil {
			w.watch(path.Dir(at.Real))
			at.Info, err = fs.Stat(w.fsys, at.Real)
		}
	case w.Infos:
		at.Info, err = e.Info()
	}
	if err != nil {
		if linked || !errors.Is(err, fs.ErrNotExist) { // otherwise it has been removed
			w.problem(at.Loc, err)
		}
		return nil
	}
	if at.Info != nil {
		at.Type = at.Info.Mode().Type()
	}
	if !at.Type.IsDir() {
		if w.File == nil {
			return nil
		}
		return w.File(at)
	}
	if linked && slices.ContainsFunc(above, func(dir string) bool { return Holds(at.Real, dir) }) {
		w.problem(at.Loc, ErrAncestor)
		return nil
	}
	err = w.folder(at, above)
	switch {
	case errors.Is(err, fs.SkipDir):
	case err == nil, errors.Is(err, fs.SkipAll), w.ctx.Err() != nil:
		return err
	default:
		w.problem(at.Loc, err)
	}
	return nil
}

func (w *walker) watch(real string) {
	if w.Watch != nil {
		w.Watch(real)
	}
}

func (w *walker) problem(loc string, err error) {
	if w.Problem != nil {
		w.Problem(loc, err)
	}
}
