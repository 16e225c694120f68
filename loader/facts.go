package loader

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// A fact is what the server reads from the bytes of a file and of its sidecar. It is read on the
// first request and kept while the file stays the same.
type fact struct {
	mime     string // for lists; set if neither the template nor the name gives it
	origin   media.Origin
	about    About
	problems problems.List // of the sidecar
	racy     bool          // read so soon after the file's last change that a later change may not alter its time
}

// facts holds the facts of the files of a folder, by index; nil before the first request.
type facts []atomic.Pointer[fact]

// About returns the description of a resource. Each field comes from the sidecar, else from the
// file itself, else from the template.
func (c *Catalog) About(r Resource) About {
	if c.describes(r.dir, r.file()) {
		return c.about(r, c.fact(r))
	}
	return c.about(r, nil)
}

// Known returns the same values as [Catalog.About] and [Catalog.MIME]. It returns false if they
// would have to read the file or its sidecar.
func (c *Catalog) Known(r Resource) (a About, mime string, ok bool) {
	mime, _ = media.Listed(r.Name(), c.declared(r), nil)
	describes := c.describes(r.dir, r.file())
	if mime != "" && !describes {
		return c.about(r, nil), mime, true
	}
	f := r.dir.known(r.index)
	if f == nil {
		return About{}, "", false
	}
	if mime == "" {
		mime = f.mime
	}
	if !describes {
		return c.about(r, nil), mime, true
	}
	return c.about(r, f), mime, true
}

// about is About. f is the fact of a file that describes itself, or nil for other files.
func (c *Catalog) about(r Resource, f *fact) About {
	var a About
	if f != nil {
		a = f.about
	}
	if entry, ok := r.Template(); ok {
		d := &c.options.Templates.Entries()[entry]
		ofTemplate := About{Description: d.Description, Icons: d.Icons}
		if d.Annotations != nil {
			ofTemplate.Audience, ofTemplate.Priority = d.Annotations.Audience, d.Annotations.Priority
		}
		a = a.over(ofTemplate)
	}
	return a
}

// Learn reads the facts of all files that describe themselves, so that lists need not wait for
// these reads. It returns the problems of sidecars that old, which may be nil, does not have. It
// skips folders that both catalogs share.
func (c *Catalog) Learn(ctx context.Context, old *Catalog) problems.List {
	var found, before problems.List
	var walk func(d, was *Dir)
	walk = func(d, was *Dir) {
		if d == was {
			return
		}
		if was != nil {
			for i := range was.files {
				if f := was.known(i); f != nil {
					before = append(before, f.problems...)
				}
			}
		}
		for i := range d.files {
			if ctx.Err() != nil {
				return
			}
			if c.describes(d, &d.files[i]) {
				found = append(found, c.fact(Resource{c, d, i}).problems...)
			}
		}
		for _, sub := range d.dirs {
			walk(sub, was.dir(sub.name))
		}
	}
	var was *Dir
	if old != nil {
		was = old.root
	}
	walk(c.root, was)
	reported := make(map[problems.Problem]bool, len(before))
	for _, p := range before {
		reported[p] = true
	}
	return slices.DeleteFunc(found, func(p problems.Problem) bool { return reported[p] })
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

// fact returns the fact of a file and reads it if necessary.
func (c *Catalog) fact(r Resource) *fact {
	known := r.dir.facts.Load()
	if known == nil {
		fresh := make(facts, len(r.dir.files))
		r.dir.facts.CompareAndSwap(nil, &fresh)
		known = r.dir.facts.Load()
	}
	slot := &(*known)[r.index]
	if f := slot.Load(); f != nil {
		return f
	}
	f := c.learn(r)
	slot.Store(f)
	return f
}

// known returns the fact of a file, or nil if it has not been read.
func (d *Dir) known(index int) *fact {
	if known := d.facts.Load(); known != nil {
		return (*known)[index].Load()
	}
	return nil
}

func (c *Catalog) learn(r Resource) *fact {
	f := &fact{racy: recent(r.file())}
	mime := c.declared(r)
	if mime == "" {
		mime, _ = media.ByName(r.Name())
	}
	if mime == "" {
		head := c.head(r, media.SniffLen)
		mime, f.origin = media.Listed(r.Name(), "", func() []byte { return head })
		f.mime = mime
	}
	if c.describes(r.dir, r.file()) {
		f.about, f.problems = c.describe(r, mime)
		side := r.dir.sidecar(r.Name())
		f.racy = f.racy || side != nil && recent(side)
	}
	return f
}

// describe reads a file of a MIME type, and its sidecar, which takes precedence and may have problems.
func (c *Catalog) describe(r Resource, mime string) (a About, found problems.List) {
	if n := aboutLen(mime); n > 0 && (r.Size() <= int64(n) || n != maxSchema) {
		head := c.head(r, n)
		a = ReadAbout(mime, text(r.Name(), head, len(head) == n))
	}
	if side := r.dir.sidecar(r.Name()); side != nil {
		var above About
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
	f, err := c.Open(r)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, min(int64(n), r.Size()+1))
	read := 0
	for read < n {
		if read == len(head) { // the file has grown
			head = append(head, make([]byte, n-read)...)
		}
		m, err := rootfs.Reader(c.fsys, r.Path(), f).Read(head[read:])
		if errors.Is(err, rootfs.ErrBlocked) {
			return nil
		}
		if read += m; err != nil {
			break
		}
	}
	return head[:read]
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

func (c *Catalog) readSidecar(d *Dir, f *file) (About, problems.List) {
	path := d.sources[f.source].path + "/" + f.name
	data, err := readSmall(File{c, d, f}, path)
	if errors.Is(err, fs.ErrNotExist) {
		return About{}, nil // the sidecar was removed in the meantime
	} else if err != nil {
		return About{}, problems.List{{File: path, Reason: Reason(err)}}
	}
	s, found := templates.DecodeSidecar(path, data)
	return About(s).bounded(), found
}

// readSmall reads a sidecar, which may not be larger than maxSidecar.
func readSmall(sidecar File, path string) ([]byte, error) {
	f, err := sidecar.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(rootfs.Reader(sidecar.catalog.fsys, path, f), maxSidecar+1))
	if err == nil && len(data) > maxSidecar {
		err = &TooLargeError{int64(len(data)), maxSidecar}
	}
	return data, err
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
