// Package walk implements the rules for the folders of a project: which names are hidden, which
// links are followed, which folders are skipped because they contain themselves, and which
// modification times prove that a file has not changed.
//
// A name is hidden if it starts with a dot, if it is the name of an editor's temporary file, or if
// it is node_modules. A link is followed if its target is in the project folder, not hidden, and
// not a folder above the link. [Folder] walks everything below a folder by these rules.
package walk

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
)

// MaxDepth is how many folders a walk enters, one in another. Some tools create endless trees, and each folder is opened from the root.
const MaxDepth = 250

// An Entry is a file or folder that a walk has reached.
type Entry struct {
	Loc  string      // path below the start of the walk, links not resolved; "" is the start itself
	Real string      // path below the project folder, links resolved
	Info fs.FileInfo // of the target of a link; nil for other entries
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
	// File is called with each entry that is not a folder. It returns [fs.SkipAll] to end the walk.
	File func(Entry) error
	// Listed is called with the entries of a folder, hidden ones too, before any of them is visited. It returns [fs.SkipDir] to
	// leave the folder.
	Listed func(dir Entry, entries []fs.DirEntry) error
	// Problem is called with each entry that cannot be read or is a link that is not followed.
	Problem func(loc string, err error)
}

// Folder walks a folder in the order of names. real is the path of the folder with links resolved.
// The error is the error of ctx, or the error of reading the folder itself.
func Folder(ctx context.Context, fsys fs.FS, real string, v Visitor) error {
	w := &walker{ctx: ctx, fsys: fsys, Visitor: v, folders: progress.Begin(ctx, "reading", "folders", 0)}
	defer w.folders.End()
	err := w.folder(Entry{Real: real, Type: fs.ModeDir}, nil)
	if errors.Is(err, fs.SkipAll) || errors.Is(err, fs.SkipDir) {
		err = nil
	}
	return err
}

type walker struct {
	Visitor
	ctx     context.Context
	fsys    fs.FS
	folders *progress.Step
}

// folder walks a folder. above holds the folders above it, links resolved.
func (w *walker) folder(dir Entry, above []string) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.Enter != nil {
		if err := w.Enter(dir); err != nil {
			return err
		}
	}
	w.watch(dir.Real)
	w.folders.Add(1)
	entries, err := w.entries(dir.Real)
	if err == nil && w.Listed != nil {
		err = w.Listed(dir, entries)
	}
	if err != nil {
		return err
	}
	above = append(slices.Clip(above), dir.Real)
	for _, e := range entries {
		if Hidden(e.Name()) {
			continue
		}
		if err := w.entry(dir, e, above); err != nil {
			return err
		}
	}
	return nil
}

// entries returns the entries of a folder in the order of names.
func (w *walker) entries(dir string) (entries []fs.DirEntry, err error) {
	for e, err := range Entries(w.fsys, dir) {
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// Entries yields the entries of a folder in any order, while it reads them if the file system can. An error is the last element.
func Entries(fsys fs.FS, dir string) iter.Seq2[fs.DirEntry, error] {
	if fast, ok := fsys.(interface {
		Entries(name string) iter.Seq2[fs.DirEntry, error]
	}); ok {
		return fast.Entries(dir)
	}
	return func(yield func(fs.DirEntry, error) bool) {
		entries, err := fs.ReadDir(fsys, dir)
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// entry walks one entry of a folder.
func (w *walker) entry(parent Entry, e fs.DirEntry, above []string) error {
	entry := Entry{Loc: path.Join(parent.Loc, e.Name()), Real: path.Join(parent.Real, e.Name()), Type: e.Type()}
	linked := entry.Type&fs.ModeSymlink != 0
	if linked {
		var err error
		if entry.Real, err = Follow(w.fsys, entry.Real); err == nil {
			w.watch(path.Dir(entry.Real))
			entry.Info, err = fs.Stat(w.fsys, entry.Real)
		}
		if err != nil {
			w.problem(entry.Loc, err)
			return nil
		}
		entry.Type = entry.Info.Mode().Type()
	}
	if !entry.Type.IsDir() {
		if w.File == nil {
			return nil
		}
		return w.File(entry)
	}
	if linked && slices.ContainsFunc(above, func(dir string) bool { return Holds(entry.Real, dir) }) {
		w.problem(entry.Loc, ErrAncestor)
		return nil
	}
	if len(above) > MaxDepth {
		w.problem(entry.Loc, ErrTooDeep)
		return nil
	}
	err := w.folder(entry, above)
	switch {
	case errors.Is(err, fs.SkipDir):
	case err == nil, errors.Is(err, fs.SkipAll), w.ctx.Err() != nil:
		return err
	default:
		w.problem(entry.Loc, err)
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

// A Hiding is the rule by which a name is hidden.
type Hiding uint8

const (
	NotHidden    Hiding = iota
	DotName             // it starts with a dot
	BackupName          // it ends in "~", like the backup copies of editors
	SwapName            // it ends in ".swp", like the temporary files of editors
	PackagesName        // node_modules
)

// HidingOf returns the rule by which a file or folder of this name is hidden.
func HidingOf(name string) Hiding {
	switch {
	case strings.HasPrefix(name, "."):
		return DotName
	case strings.HasSuffix(name, "~"):
		return BackupName
	case strings.HasSuffix(name, ".swp"):
		return SwapName
	case name == "node_modules":
		return PackagesName
	}
	return NotHidden
}

// Hidden reports whether a file or folder of this name is hidden.
func Hidden(name string) bool { return HidingOf(name) != NotHidden }

const (
	// Grain is the minimum age of a change after which a further change always alters the file's
	// time, on any file system. The coarsest times in use are 2 s apart, on FAT; the clock of a
	// server may run a little behind.
	Grain = 3 * time.Second
	// Skew is how far the clock of a file system may be ahead of ours. A later time was set by hand
	// and proves nothing.
	Skew = time.Minute
)

// Recent reports whether a further change may leave this modification time the same. A file with the
// same size and time as before has the same bytes, unless it changed twice within one tick of the
// file system's clock: a time that is not older than [Grain] proves nothing yet.
func Recent(t time.Time) bool { return RecentAt(t, time.Now()) }

// RecentAt is [Recent] for a given current time.
func RecentAt(t, now time.Time) bool { return t.After(now.Add(-Grain)) && t.Before(now.Add(Skew)) }
