// Package walk knows by which rules the folders of a project are read: which names are hidden, where
// links lead, which folders are left out because they hold themselves.
//
// A name is hidden if it starts with a dot, if it is what an editor leaves behind, or node_modules. A
// link is followed if it stays in the project folder and leads to nothing hidden, but not to a folder
// that it lies in. [Folder] reads folders by these rules for whoever wants all of what is below one.
package walk

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
)

// An Entry is a file or folder that a walk has come to.
type Entry struct {
	Loc  string // below the folder where the walk began, as its folders are called on the way; "" is that folder
	Real string // below the project folder, links followed
	// Info is that of what a link leads to. Of other entries it is nil if the walk does not need it:
	// see [Visitor.Infos].
	Info fs.FileInfo
	Type fs.FileMode // the type of what a link leads to
}

// A Visitor hears what a walk comes to. Functions that are nil are not called.
type Visitor struct {
	// Watch is called with each folder whose changes concern the walk, links followed, before it is
	// read: whoever watches it from then on misses nothing.
	Watch func(real string)
	// Enter is called with a folder before it is read. It returns [fs.SkipDir] to leave it out, and
	// [fs.SkipAll] to end the walk.
	Enter func(Entry) error
	// Leave is called with a folder when all of it was walked.
	Leave func(Entry)
	// File is called with what is no folder. It returns [fs.SkipAll] to end the walk.
	File func(Entry) error
	// Problem is called with what cannot be read or is not followed.
	Problem func(loc string, err error)
	// Infos has Entry.Info set for each entry.
	Infos bool
}

// Folder walks a folder, in the order of names. real is its path with links followed. The error is that of
// ctx, or of the folder itself.
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

// folder walks a folder. above are the folders on the way to it, links followed.
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

// entry walks what a folder has under a name.
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
		if linked || !errors.Is(err, fs.ErrNotExist) { // else it is gone again
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
