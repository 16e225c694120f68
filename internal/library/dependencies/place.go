package dependencies

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

const (
	maxFoldersAbove = 16 // above the project folder
	maxNotices      = 50
)

// A Place is where a [Finder] reads: the project folder, or a folder above it that holds the rest of the project.
type Place struct {
	Options
	Base    *rootfs.FS // all paths are below it
	Here    string     // the project folder
	Notices []loader.Warning
}

// NewPlace returns the project folder. Its options have a cache.
func NewPlace(o Options) *Place {
	if o.Cache == nil {
		o.Cache = MemoryCache()
	}
	return &Place{Options: o, Base: o.Files, Here: "."}
}

// Climb moves Base to the last folder that choose takes, or leaves it. It calls choose with Base at the project folder and then at the
// folders above it, until stop.
func (p *Place) Climb(choose func() (take, stop bool)) {
	best, here := p.Base, p.Here
	for dir, above := p.Dir, 0; ; above++ {
		take, stop := choose()
		if take {
			best, here, p.Base = p.Base, p.Here, best
		}
		if p.Base != best {
			p.Close()
		}
		up := filepath.Dir(dir)
		if stop || up == dir || above == maxFoldersAbove {
			break
		}
		var err error
		if p.Base, err = rootfs.Open(up); err != nil {
			break
		}
		p.Here, dir = path.Join(filepath.Base(dir), p.Here), up
	}
	p.Base, p.Here = best, here
}

// Close frees the folder above the project folder.
func (p *Place) Close() {
	if p.Base != p.Files {
		p.Base.Close()
	}
}

// Exists reports whether there is a file or folder.
func (p *Place) Exists(name string) bool {
	_, err := p.Base.Lstat(name)
	return err == nil
}

// Notice reports something about a file, once.
func (p *Place) Notice(name, format string, args ...any) {
	if below, err := filepath.Rel(filepath.FromSlash(p.Here), filepath.FromSlash(name)); err == nil {
		name = filepath.ToSlash(below)
	}
	n := loader.Warning{Path: name, Reason: fmt.Sprintf(format, args...)}
	if len(p.Notices) < maxNotices && !slices.Contains(p.Notices, n) {
		p.Notices = append(p.Notices, n)
	}
}

// Stamp returns the sizes and times of the files that exist.
func (p *Place) Stamp(names []string) string {
	var b strings.Builder
	for _, name := range names {
		if info, err := p.Base.Stat(name); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}
