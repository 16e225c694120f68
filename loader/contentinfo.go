package loader

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// A contentInfo is what the server reads from the bytes of a file and of its sidecar. It is read on the
// first request and kept while the file stays the same.
type contentInfo struct {
	mime     string // for lists; set if neither the template nor the name gives it
	origin   media.Origin
	about    Metadata
	problems problems.List // of the sidecar
	racy     bool          // read so soon after the file's last change that a later change may not alter its time
}

// Metadata returns the description of a resource. Each field comes from the sidecar, else from the
// file itself, else from the template.
func (c *Catalog) Metadata(r Resource) Metadata {
	if c.describes(r.dir, r.file) {
		return c.about(r, c.contentInfo(r))
	}
	return c.about(r, nil)
}

// Known returns the same values as [Catalog.Metadata] and [Catalog.MIME]. It returns false if they
// would have to read the file or its sidecar.
func (c *Catalog) Known(r Resource) (a Metadata, mime string, ok bool) {
	mime, _ = media.Listed(r.Name(), c.declared(r), nil)
	f := r.dir.infos.known(r.index)
	if f == nil && (mime == "" || c.describes(r.dir, r.file)) {
		return Metadata{}, "", false
	}
	if mime == "" {
		mime = f.mime
	}
	return c.about(r, f), mime, true
}

// about is Metadata. f is the information about a file that describes itself, or nil for other files.
func (c *Catalog) about(r Resource, f *contentInfo) Metadata {
	var a Metadata
	if f != nil {
		a = f.about
	}
	if entry, ok := r.Template(); ok {
		d := &c.options.Templates.Entries()[entry]
		ofTemplate := Metadata{Description: d.Description, Icons: d.Icons}
		if d.Annotations != nil {
			ofTemplate.Audience, ofTemplate.Priority = d.Annotations.Audience, d.Annotations.Priority
		}
		a = a.over(ofTemplate)
	}
	return a
}

// Learn reads the information in all files that describe themselves, so that lists need not wait for
// these reads. It returns the problems of sidecars that old, which may be nil, does not have. It
// skips folders that both catalogs share.
func (c *Catalog) Learn(ctx context.Context, old *Catalog) problems.List {
	var found problems.List
	if old == nil {
		old = new(Catalog)
	}
	c.since(old, func(d, was *Dir) {
		reported := make(map[problems.Problem]bool)
		for i := 0; was != nil && i < len(was.files); i++ {
			if f := was.infos.known(i); f != nil {
				for _, p := range f.problems {
					reported[p] = true
				}
			}
		}
		for i := range d.files {
			if ctx.Err() == nil && c.describes(d, &d.files[i]) {
				for _, p := range c.contentInfo(c.at(d, i)).problems {
					if !reported[p] {
						found = append(found, p)
					}
				}
			}
		}
	})
	return found
}

// describes reports whether the title and description of a file are read from the file.
func (c *Catalog) describes(d *Dir, f *file) bool {
	return d.isSkillFile(f) || c.options.describes(f.template)
}

// describes is [Catalog.describes] for the files of a template; -1 stands for files without a
// template.
func (o *Options) describes(template int32) bool {
	if template >= 0 {
		if d := o.Templates.Entries()[template].Describe; d != nil {
			return *d
		}
	}
	return o.Describe
}

// contentInfo returns the information of a file and reads it if necessary.
func (c *Catalog) contentInfo(r Resource) *contentInfo {
	slot := r.dir.infos.at(r.index, len(r.dir.files))
	if f := slot.Load(); f != nil {
		return f
	}
	f := c.learn(r)
	slot.Store(f)
	return f
}

func (c *Catalog) learn(r Resource) *contentInfo {
	f := &contentInfo{racy: recent(r.file)}
	mime := c.declared(r)
	if mime == "" {
		mime, _ = media.ByName(r.Name())
	}
	if mime == "" {
		head := c.head(r, media.SniffLen)
		mime, f.origin = media.Listed(r.Name(), "", func() []byte { return head })
		f.mime = mime
	}
	if c.describes(r.dir, r.file) {
		f.about, f.problems = c.describe(r, mime)
		side := r.dir.sidecar(r.Name())
		f.racy = f.racy || side != nil && recent(side)
	}
	return f
}

// describe reads a file of a MIME type, and its sidecar, which takes precedence and may have problems.
func (c *Catalog) describe(r Resource, mime string) (a Metadata, found problems.List) {
	if n := metadataLen(mime); n > 0 && (r.Size() <= int64(n) || n != maxSchema) {
		head := c.head(r, n)
		a = ReadMetadata(mime, text(r.Name(), head, len(head) == n))
	}
	if side := r.dir.sidecar(r.Name()); side != nil {
		var above Metadata
		above, found = c.readSidecar(r.dir, side)
		a = above.over(a)
	}
	return a, found
}

func recent(f *file) bool { return walk.Recent(time.Unix(0, f.modTime)) }

// text returns the start of a file as text, or "" if it is not text.
func text(name string, head []byte, partial bool) string {
	for back := 0; partial && back < utf8.UTFMax && len(head) > 0 && !utf8.Valid(head); back++ {
		head = head[:len(head)-1] // drop an incomplete character
	}
	return media.Classify(name, "", head).Text
}

// head returns the first n bytes of a file, or nil if it cannot be read: a full read reports the
// reason.
func (c *Catalog) head(r Resource, n int) []byte {
	f, err := r.Open()
	if err != nil {
		return nil
	}
	defer f.Close()
	head, _, err := rootfs.ReadOpen(c.fsys, r.Path(), f, int64(n))
	if errors.Is(err, rootfs.ErrBlocked) {
		return nil
	}
	return head
}

// sidecar returns the sidecar of a file of the folder, or nil.
func (d *Dir) sidecar(name string) *file {
	if len(d.sidecars) == 0 {
		return nil
	}
	i, ok := slices.BinarySearchFunc(d.sidecars, name+sidecarSuffix, func(f file, name string) int { return cmp.Compare(f.name, name) })
	if !ok {
		return nil
	}
	return &d.sidecars[i]
}

func (c *Catalog) readSidecar(d *Dir, f *file) (Metadata, problems.List) {
	sidecar := File{c, d, f}
	path := sidecar.Path()
	var data []byte
	opened, err := sidecar.Open()
	if err == nil {
		defer opened.Close()
		data, _, err = rootfs.ReadOpen(c.fsys, path, opened, maxSidecar)
	}
	if errors.Is(err, rootfs.ErrTooLarge) {
		err = &TooLargeError{maxSidecar + 1, maxSidecar}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Metadata{}, nil // the sidecar was removed in the meantime
	} else if err != nil {
		return Metadata{}, problems.List{{File: path, Reason: Reason(err)}}
	}
	s, found := templates.DecodeSidecar(path, data)
	return Metadata(s).bounded(), found
}

// takeSidecar adds f to the sidecars of d if f describes one of the files in before, which is
// sorted. It returns the name of the described file.
func (s *scanner) takeSidecar(d *Dir, before []file, f file) (described string, ok bool) {
	name, ok := strings.CutSuffix(f.name, sidecarSuffix)
	if !ok || name == "" || d.skills {
		return "", false
	}
	i, ok := slices.BinarySearchFunc(before, name, func(f file, name string) int { return cmp.Compare(f.name, name) })
	if !ok || !s.opts.describes(before[i].template) {
		return "", false
	}
	d.sidecars = append(d.sidecars, f)
	return name, true
}
