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
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// MaxDepth is how many folders a walk enters, one in another. Some tools create endless trees, and each folder is opened from the root.
const MaxDepth = 250

// An Entry is a file or folder that a walk has reached.
type Entry struct {
	// path below the start of the walk, links not resolved; "" is the start itself
	Loc  string
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
	if v.Watch == nil {
		v.Watch = func(string) {}
	}
	if v.Problem == nil {
		v.Problem = func(string, error) {}
	}
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
	w.Watch(dir.Real)
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
			w.Watch(path.Dir(entry.Real))
			entry.Info, err = fs.Stat(w.fsys, entry.Real)
		}
		if err != nil {
			w.Problem(entry.Loc, err)
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
		w.Problem(entry.Loc, ErrAncestor)
		return nil
	}
	if len(above) > MaxDepth {
		w.Problem(entry.Loc, ErrTooDeep)
		return nil
	}
	err := w.folder(entry, above)
	switch {
	case errors.Is(err, fs.SkipDir):
	case err == nil, errors.Is(err, fs.SkipAll), w.ctx.Err() != nil:
		return err
	default:
		w.Problem(entry.Loc, err)
	}
	return nil
}

// Hidden reports whether a file or folder of this name is hidden: the name starts with a dot, is one of a backup or temporary file of
// an editor, or is node_modules.
func Hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasSuffix(name, ".swp") || name == "node_modules"
}

var device = lazyregexp.New(`^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9]) {0,300}(?:\.|$)`)

// Device reports whether a name in lower case means a device on Windows, with any extension.
func Device(name string) bool { return device().MatchString(name) }

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

// maxLinks is the maximum number of links on one path, as on most systems (ELOOP).
const maxLinks = 40

// dataLink is the name of a link in each volume of Kubernetes.
const dataLink = "..data"

// Reasons why a link is not followed, or a folder not entered.
var (
	ErrEscapes    = errors.New("is a link that leads out of the project folder")
	ErrHiddenLink = errors.New("is a link to something hidden")
	ErrLinkLoop   = errors.New("is a link that leads back to itself")
	ErrBroken     = errors.New("is a link to something that is not there")
	ErrUnreadable = errors.New("is a link that this file system cannot read")
	ErrAncestor   = errors.New("is a link to a folder that it lies in")
	ErrTooDeep    = errors.New("lies too deep")
)

// Resolve returns the path below the project folder that a name refers to, following the rules of
// this package. The error is [fs.ErrNotExist] if the name does not exist, and [ErrBroken] for a
// link without a target.
func Resolve(fsys fs.FS, name string) (string, error) {
	plain, ok := fsys.(interface {
		OpenPlain(name string) (fs.File, fs.FileInfo, error)
	})
	// However deep a path without links is, one call says whether it is there.
	if ok && fs.ValidPath(name) {
		switch f, _, err := plain.OpenPlain(name); {
		case err == nil:
			return name, f.Close()
		case errors.Is(err, fs.ErrNotExist):
			return "", fs.ErrNotExist
		}
	}
	real, err := Real(fsys, name)
	if errors.Is(err, ErrBroken) && !isLink(fsys, name) {
		return "", fs.ErrNotExist
	}
	return real, err
}

// Follow is [Resolve] for a link in a listing. On a file system that cannot read links, it does not
// follow any.
func Follow(fsys fs.FS, name string) (string, error) {
	if _, ok := fsys.(fs.ReadLinkFS); !ok {
		return "", ErrUnreadable
	}
	return Real(fsys, name)
}

// Real returns the path below the project folder that name refers to, with all links resolved. A
// link may not lead out of the project folder, even if it leads back in, and not through anything
// hidden, except the ..data of a volume of Kubernetes.
func Real(fsys fs.FS, name string) (string, error) { return real(fsys, name, Hidden) }

// RealHidden is [Real] for a path on which a link may lead through hidden names, such as node_modules.
func RealHidden(fsys fs.FS, name string) (string, error) {
	return real(fsys, name, func(string) bool { return false })
}

func real(fsys fs.FS, name string, hidden func(name string) bool) (string, error) {
	links, ok := fsys.(fs.ReadLinkFS)
	if !ok {
		return name, nil // see Follow: links of such a file system are not followed
	}
	if plain, ok := fsys.(interface{ Plain(name string) bool }); ok && plain.Plain(name) {
		return name, nil
	}
	var done []string
	volume := "" // a hidden path to which a volume leads
	todo := strings.Split(name, "/")
	for followed := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(done) == 0 {
				return "", ErrEscapes
			}
			done = done[:len(done)-1]
			continue
		}
		current := strings.Join(append(done, part), "/")
		info, err := links.Lstat(current)
		if errors.Is(err, fs.ErrNotExist) {
			return "", ErrBroken
		} else if err != nil {
			return "", err
		}
		if followed > 0 && hidden(part) && current != volume {
			return "", ErrHiddenLink
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = append(done, part)
			continue
		}
		if followed++; followed > maxLinks {
			return "", ErrLinkLoop
		}
		target, err := links.ReadLink(current)
		if err != nil {
			return "", err
		}
		if path.IsAbs(target) || len(target) > 1 && target[1] == ':' { // "C:" on Windows
			return "", ErrEscapes
		}
		parts := strings.Split(target, "/")
		// A volume of Kubernetes has links of its files to ..data next to them, a link to the folder with their current version.
		if volume = ""; parts[0] == dataLink || part == dataLink && len(parts) == 1 && strings.HasPrefix(target, "..") {
			volume = strings.Join(append(done, parts[0]), "/")
		}
		todo = append(parts, todo...)
	}
	if len(done) == 0 {
		return ".", nil
	}
	return strings.Join(done, "/"), nil
}

// ValidPath is [fs.ValidPath] for names of any bytes: they need not be UTF-8.
func ValidPath(name string) bool { return fs.ValidPath(strings.ToValidUTF8(name, "x")) }

// Holds reports whether dir is path or a folder above it.
func Holds(dir, path string) bool {
	below, ok := strings.CutPrefix(path, dir)
	return dir == "." || ok && (below == "" || below[0] == '/')
}

// isLink reports whether a name is a link, on a file system that can read links.
func isLink(fsys fs.FS, name string) bool {
	links, ok := fsys.(fs.ReadLinkFS)
	if !ok {
		return false
	}
	info, err := links.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
