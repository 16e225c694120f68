package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

// A kind says how the catalog treats an entry of a folder.
type kind uint8

const (
	isNothing kind = iota
	isFile
	isFolder
)

// An entry describes a name in a folder, after links were followed and the rules for what is served were applied.
type entry struct {
	kind   kind
	file   file   // for a file
	fresh  bool   // the bytes of the target of a link may have changed, though its size and time have not
	source source // for a folder
}

// classify decides whether and how the entry e of the folder src is served. It adds a warning to d
// if the user might expect another result.
func (s *scanner) classify(d *Dir, l *listing, src source, e fs.DirEntry) entry {
	name, mode := e.Name(), e.Type()
	omit := func(cause Cause, detail string) entry {
		s.omit(src, name, ruling{cause, detail})
		return entry{}
	}
	mount := s.opts.mountOf(src)
	omits := mount != nil && mount.Omit != nil
	filter := &s.opts.filter
	if src.skills {
		filter = &s.skillFilter
	}
	if !filter.patterns() && !omits {
		if l.hidden || Hidden(name) {
			r := hiddenOn(src.loc + "/" + name)
			return omit(r.cause, r.detail)
		} else if mode.IsRegular() {
			return regular(e, nil, false)
		}
	}
	child := src.below(name)
	refuse := func(cause Cause, reason string) entry {
		d.warn(child.path, "is not served: "+reason)
		return omit(cause, reason)
	}
	real := child.path
	var info fs.FileInfo
	if mode&fs.ModeSymlink != 0 {
		if r := filter.file(child.loc, name, l.hidden); !r.served() && !filter.dir(child.loc, name, l.hidden).served() {
			return omit(r.cause, r.detail)
		}
		d.linked = true // even if it is not served: its target may change
		var err error
		if real, err = walk.Follow(s.fsys, child.path); err == nil {
			s.visit(path.Dir(real))
			info, err = fs.Stat(s.fsys, real)
		}
		if err != nil {
			return refuse(LinkRefused, Reason(err))
		}
		mode = info.Mode().Type()
	}
	if omits {
		if cause, detail := mount.Omit(src.logical(name), real, mode.IsDir()); cause != Served {
			return omit(cause, detail)
		}
	}
	linked := real != child.path
	if mode.IsDir() {
		if r := filter.dir(child.loc, name, l.hidden); !r.served() {
			return omit(r.cause, r.detail)
		}
		if linked {
			switch {
			case walk.Holds(real, src.path) || walk.AnyBelow(real, l.chain):
				return refuse(LinkRefused, walk.ErrAncestor.Error())
			case l.hops >= maxHops:
				return refuse(TooManyLinks, fmt.Sprintf("more than %d links to folders lead to it", maxHops))
			}
		}
		return entry{kind: isFolder, source: source{path: real, loc: child.loc, linked: linked, mount: src.mount, skills: src.skills}}
	}
	if r := filter.file(child.loc, name, l.hidden); !r.served() {
		return omit(r.cause, r.detail)
	}
	if mode != 0 {
		return refuse(Irregular, irregular(mode))
	}
	out := regular(e, info, linked)
	out.fresh = linked && s.changed.file(path.Dir(real), path.Base(real))
	return out
}

// regular returns the entry of a file. If info is nil, regular uses the information of e.
func regular(e fs.DirEntry, info fs.FileInfo, linked bool) entry {
	if info == nil {
		var err error
		if info, err = e.Info(); err != nil {
			return entry{} // the file was removed during the scan
		}
	}
	return entry{kind: isFile, file: file{name: e.Name(), size: info.Size(), modTime: nanoseconds(info.ModTime()), link: linked}}
}

// below returns the source of an entry of the folder. Its two paths share their bytes if possible,
// which saves memory in large catalogs.
func (src source) below(name string) source {
	child := source{path: src.path + "/" + name, loc: name, mount: src.mount, skills: src.skills}
	if src.loc != "" {
		child.loc = src.loc + "/" + name
	}
	if strings.HasSuffix(child.path, child.loc) {
		child.loc = child.path[len(child.path)-len(child.loc):]
	}
	return child
}

func irregular(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "is a named pipe"
	case mode&fs.ModeSocket != 0:
		return "is a socket"
	case mode&fs.ModeDevice != 0:
		return "is a device"
	}
	return "is not a regular file"
}

// Reason returns the text of a file error without the path.
func Reason(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "may not be read (permission denied)"
	}
	return fserr.Reason(err)
}

// maxWarnings bounds the warnings of one folder.
const maxWarnings = 100

func (d *Dir) warn(path, reason string) {
	switch len(d.warnings) {
	case maxWarnings:
		d.warnings = append(d.warnings, Warning{Path: path, Reason: "and more here are not served as they stand"})
	default:
		if len(d.warnings) < maxWarnings {
			d.warnings = append(d.warnings, Warning{Path: path, Reason: reason})
		}
	}
}

// nanoseconds returns a time as it is kept: the latest possible one for times after 2262.
func nanoseconds(t time.Time) int64 {
	if latest := time.Unix(0, math.MaxInt64); t.After(latest) {
		return math.MaxInt64
	}
	return t.UnixNano()
}
