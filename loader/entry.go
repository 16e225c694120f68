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
	filter, mount := &s.opts.filter, s.opts.mountOf(src)
	omits := mount != nil && mount.Omit != nil
	if src.skills {
		filter = &s.skillFilter
	}
	if !filter.patterns() && !omits {
		if l.hidden || Hidden(name) {
			return s.skip(src, name, hiddenOn(src.loc+"/"+name))
		} else if mode.IsRegular() {
			return regular(e, nil, false)
		}
	}
	child := src.below(name)
	real := child.path
	var info fs.FileInfo
	if mode&fs.ModeSymlink != 0 {
		if r := filter.file(child.loc, name, l.hidden); !r.served() && !filter.dir(child.loc, name, l.hidden).served() {
			return s.skip(src, name, r)
		}
		d.linked = true // even if it is not served: its target may change
		var err error
		if real, err = walk.Follow(s.fsys, child.path); err == nil {
			s.visit(path.Dir(real))
			info, err = fs.Stat(s.fsys, real)
		}
		if err != nil {
			return s.refuse(d, src, name, ruling{LinkRefused, Reason(err)})
		}
		mode = info.Mode().Type()
	}
	if omits {
		if cause, detail := mount.Omit(src.logical(name), real, mode.IsDir()); cause != Served {
			return s.skip(src, name, ruling{cause, detail})
		}
	}
	linked := real != child.path
	if mode.IsDir() {
		switch r := filter.dir(child.loc, name, l.hidden); {
		case !r.served():
			return s.skip(src, name, r)
		case linked && (walk.Holds(real, src.path) || walk.AnyBelow(real, l.chain)):
			return s.refuse(d, src, name, ruling{LinkRefused, walk.ErrAncestor.Error()})
		case linked && l.hops >= maxHops:
			return s.refuse(d, src, name, ruling{TooManyLinks, fmt.Sprintf("more than %d links to folders lead to it", maxHops)})
		}
		child.path, child.linked = real, linked
		return entry{kind: isFolder, source: child}
	}
	switch r := filter.file(child.loc, name, l.hidden); {
	case !r.served():
		return s.skip(src, name, r)
	case mode != 0:
		return s.refuse(d, src, name, ruling{Irregular, irregular(mode)})
	}
	out := regular(e, info, linked)
	out.fresh = linked && s.changed.file(path.Dir(real), path.Base(real))
	return out
}

// skip reports that a name in a folder is not served.
func (s *scanner) skip(src source, name string, r ruling) entry {
	s.omit(src, name, r)
	return entry{}
}

// refuse is skip with a warning.
func (s *scanner) refuse(d *Dir, src source, name string, r ruling) entry {
	d.warn(src.path+"/"+name, "is not served: "+r.detail)
	return s.skip(src, name, r)
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
