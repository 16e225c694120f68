package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/walk"
)

// A kind is what an entry of a folder is to us.
type kind uint8

const (
	isNothing kind = iota
	isFile
	isFolder
)

// An entry is a name in a folder, with links followed and the rules of what is served applied.
type entry struct {
	kind   kind
	file   file   // of a file
	anew   bool   // what a link to a file leads to may have other bytes, of the same size and time
	source source // of a folder
}

// classify decides what the entry e of the folder src is, and leaves a notice in d where a user would wonder.
func (s *scanner) classify(d *Dir, l *listing, src source, e fs.DirEntry) entry {
	name, mode := e.Name(), e.Type()
	filter := &s.opts.filter
	if !filter.patterns() {
		if l.hidden || Hidden(name) {
			if s.opts.Omitted != nil {
				s.omit(src, name, hiddenOn(src.loc+"/"+name))
			}
			return entry{}
		} else if mode.IsRegular() {
			return regular(e, nil, false)
		}
	}
	omit := func(cause Cause, detail string) entry {
		s.omit(src, name, ruling{cause, detail})
		return entry{}
	}
	place := src.below(name)
	real := place.path
	var info fs.FileInfo
	if mode&fs.ModeSymlink != 0 {
		if r := filter.file(place.loc, name, l.hidden); !r.served() && !filter.dir(place.loc, name, l.hidden).served() {
			return omit(r.cause, r.detail)
		}
		d.linked = true // whatever becomes of it: what it leads to may change
		var err error
		if real, err = walk.Follow(s.fsys, place.path); err == nil {
			s.visit(path.Dir(real))
			info, err = fs.Stat(s.fsys, real)
		}
		if err != nil {
			d.notice(place.path, "is not served: "+Reason(err))
			return omit(LinkRefused, Reason(err))
		}
		mode = info.Mode().Type()
	}
	linked := real != place.path
	if mode.IsDir() {
		if r := filter.dir(place.loc, name, l.hidden); !r.served() {
			return omit(r.cause, r.detail)
		}
		if linked {
			switch {
			case walk.Holds(real, src.path) || walk.AnyBelow(real, l.chain):
				d.notice(place.path, "is not served: "+walk.ErrAncestor.Error())
				return omit(LinkRefused, walk.ErrAncestor.Error())
			case l.hops >= maxHops:
				reason := fmt.Sprintf("more than %d links to folders lead to it", maxHops)
				d.notice(place.path, "is not served: "+reason)
				return omit(TooManyLinks, reason)
			}
		}
		return entry{kind: isFolder, source: source{path: real, loc: place.loc, linked: linked, mount: src.mount}}
	}
	if r := filter.file(place.loc, name, l.hidden); !r.served() {
		return omit(r.cause, r.detail)
	}
	if mode != 0 {
		d.notice(place.path, "is not served: "+irregular(mode))
		return omit(Irregular, irregular(mode))
	}
	out := regular(e, info, linked)
	out.anew = linked && s.changed.file(path.Dir(real), path.Base(real))
	return out
}

// regular is a file. info is nil where the entry's own is meant.
func regular(e fs.DirEntry, info fs.FileInfo, linked bool) entry {
	if info == nil {
		var err error
		if info, err = e.Info(); err != nil {
			return entry{} // it is gone again
		}
	}
	return entry{kind: isFile, file: file{name: e.Name(), size: info.Size(), modTime: info.ModTime().UnixNano(), link: linked}}
}

// below returns the place of a name in the folder. The two paths share their bytes where they can: there is one of each
// for every folder.
func (src source) below(name string) source {
	place := source{path: src.path + "/" + name, loc: name, mount: src.mount}
	if src.loc != "" {
		place.loc = src.loc + "/" + name
	}
	if strings.HasSuffix(place.path, place.loc) {
		place.loc = place.path[len(place.path)-len(place.loc):]
	}
	return place
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

// Reason is what an error of a file says, without the path that it repeats.
func Reason(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "may not be read (permission denied)"
	}
	return fserr.Reason(err)
}

// maxNotices bounds what one folder reports: ten thousand pipes say no more than a hundred.
const maxNotices = 100

func (d *Dir) notice(path, reason string) {
	switch len(d.notices) {
	case maxNotices:
		d.notices = append(d.notices, Notice{path, "and more here are not served as they stand"})
	default:
		if len(d.notices) < maxNotices {
			d.notices = append(d.notices, Notice{path, reason})
		}
	}
}
