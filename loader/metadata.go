package loader

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// Metadata is what clients learn about a resource in addition to its name (MCP, "Resources", data type
// Resource). The zero value is empty.
type Metadata struct {
	Title       string // one line
	Description string
	Audience    []string
	Priority    *float64 // from 0 to 1
	Icons       []templates.Icon
}

// over returns a copy of a in which each empty field has the value from b.
func (a Metadata) over(b Metadata) Metadata {
	a.Title = cmp.Or(a.Title, b.Title)
	a.Description = cmp.Or(a.Description, b.Description)
	if a.Audience == nil {
		a.Audience = b.Audience
	}
	a.Priority = cmp.Or(a.Priority, b.Priority)
	if a.Icons == nil {
		a.Icons = b.Icons
	}
	return a
}

// Sizes in bytes.
const (
	maxTitle       = 300
	maxDescription = 2000
	// MetadataLen is the size of the part at the start of a Markdown file that [ReadMetadata] needs.
	MetadataLen = 16 << 10
	// maxSchema and maxSidecar are the maximum sizes of a JSON Schema and of a sidecar.
	maxSchema  = 1 << 20
	maxSidecar = 64 << 10
)

// metadataLen returns how many bytes from the start of a file of this MIME type [ReadMetadata] needs:
// 0 for a type without titles. A JSON Schema must be complete.
func metadataLen(mime string) int {
	switch {
	case isMarkdown(mime):
		return MetadataLen
	case isJSON(mime):
		return maxSchema
	}
	return 0
}

func isMarkdown(mime string) bool { return mime == "text/markdown" || mime == "text/mdx" }

func isJSON(mime string) bool { return mime == "application/json" || strings.HasSuffix(mime, "+json") }

// ReadMetadata returns the title and description in the text of a file, or in its start. Markdown has
// them in its front matter or first heading, a JSON Schema in fields of the same names.
func ReadMetadata(mime, text string) (a Metadata) {
	switch {
	case isMarkdown(mime):
		a = markdown(text)
	case isJSON(mime):
		a = schema(mime, text)
	}
	return a.bounded()
}

// bounded shortens the texts for a list.
func (a Metadata) bounded() Metadata {
	a.Title = ShortTitle(a.Title)
	a.Description = excerpt.Ellipsis(strings.TrimSpace(excerpt.Seen(a.Description)), maxDescription)
	return a
}

// ShortTitle returns a title in one line, shortened for a list.
func ShortTitle(title string) string { return excerpt.Ellipsis(excerpt.OneLine(title), maxTitle) }

func markdown(text string) Metadata {
	front, _ := frontmatter.Find(text)
	var a Metadata
	a.Title, a.Description = settings.Titles(front)
	if a.Title == "" {
		for _, h := range excerpt.Headings(text) {
			if h.Text != "" {
				a.Title = h.Text
				break
			}
		}
	}
	return a
}

func schema(mime, text string) (a Metadata) {
	text = strings.TrimPrefix(text, "\ufeff")
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") || !strings.Contains(text, `"title"`) && !strings.Contains(text, `"description"`) {
		return a
	}
	var fields map[string]json.RawMessage
	if mime != "application/schema+json" && !schemaWords().MatchString(text) || json.Unmarshal([]byte(text), &fields) != nil {
		return a
	}
	// A value that is not a string is ignored.
	_ = json.Unmarshal(fields["title"], &a.Title)
	_ = json.Unmarshal(fields["description"], &a.Description)
	return a
}

// schemaWords is in a JSON Schema: its dialect, or keywords that other documents do not use in the same way.
var schemaWords = lazyregexp.New(`json-schema\.org/|"(?:\$defs|definitions|properties|patternProperties|allOf|anyOf|oneOf|enum)"\s{0,9}:|` +
	`"type"\s{0,9}:\s{0,9}"(?:object|array|string|number|integer|boolean|null)"`)

// sidecarSuffix follows the whole name of the file that a sidecar describes.
const sidecarSuffix = ".meta.json"

// A contentInfo is what the server reads from the bytes of a file and of its sidecar. It is read on the
// first request and kept while the file stays the same.
type contentInfo struct {
	mime     string // for lists, if neither the template nor the name has it
	origin   media.Origin
	about    Metadata
	problems problems.List
	racy     bool // read so soon after a change that a later one may keep the time
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
	old = cmp.Or(old, new(Catalog))
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
		head = head[:len(head)-1]
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
	i, ok := search(d.sidecars, name+sidecarSuffix)
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
		return Metadata{}, nil // removed in the meantime
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
	i, ok := search(before, name)
	if !ok || !s.opts.describes(before[i].template) {
		return "", false
	}
	d.sidecars = append(d.sidecars, f)
	return name, true
}

// remember copies the information in files that have not changed.
func (d *Dir) remember(was *Dir) {
	if was == nil || was.infos.Load() == nil && was.digests.Load() == nil || !slices.Equal(d.sources, was.sources) {
		return
	}
	j := 0
	for i := range d.files {
		for j < len(was.files) && was.files[j].name < d.files[i].name {
			j++
		}
		if j == len(was.files) {
			break
		}
		if f := was.digests.known(j); f != nil && d.files[i] == was.files[j] && !d.fresh[d.files[i].name] {
			d.digests.at(i, len(d.files)).Store(f)
		}
		if f := was.infos.known(j); f != nil && !f.racy && sameFile(d, i, was, j) && !d.isFresh(i) {
			d.infos.at(i, len(d.files)).Store(f)
		}
	}
}

// slots hold what was read from the files of a folder, by index; nil before the first request.
type slots[T any] struct {
	atomic.Pointer[[]atomic.Pointer[T]]
}

// at returns the slot of one of n files.
func (s *slots[T]) at(i, n int) *atomic.Pointer[T] {
	if s.Load() == nil {
		fresh := make([]atomic.Pointer[T], n)
		s.CompareAndSwap(nil, &fresh)
	}
	return &(*s.Load())[i]
}

// known returns what was read from a file, or nil.
func (s *slots[T]) known(i int) *T {
	if all := s.Load(); all != nil {
		return (*all)[i].Load()
	}
	return nil
}

// markFresh records that the bytes of a file may have changed.
func (d *Dir) markFresh(name string) {
	if d.fresh == nil {
		d.fresh = make(map[string]bool)
	}
	d.fresh[name] = true
}

// isFresh reports whether the bytes of a file, or of its sidecar, may have changed.
func (d *Dir) isFresh(i int) bool {
	name := d.files[i].name
	return len(d.fresh) > 0 && (d.fresh[name] || d.fresh[name+sidecarSuffix])
}

// sameFile reports whether two files, and their sidecars, have the same names, sizes and times.
func sameFile(d *Dir, i int, was *Dir, j int) bool {
	if d.files[i] != was.files[j] {
		return false
	}
	a, b := d.sidecar(d.files[i].name), was.sidecar(was.files[j].name)
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// aboutChanged reports whether the information in a file differs from the information in the last list. budget
// is the number of files that may still be read to find out; when it is used up, aboutChanged
// returns true.
func (c *Catalog) aboutChanged(r, was Resource, budget *int) bool {
	listed := was.dir.infos.known(was.index)
	if sameFile(r.dir, r.index, was.dir, was.index) && (listed == nil || !listed.racy && !r.dir.isFresh(r.index)) {
		return false
	}
	_, named := media.ByName(r.Name())
	if sniffed := !named && c.declared(r) == ""; !sniffed && !c.describes(r.dir, r.file) {
		return false
	}
	if listed == nil && !c.describes(r.dir, r.file) {
		return false
	}
	if *budget--; listed == nil || *budget < 0 {
		return true
	}
	now := c.contentInfo(r)
	return now.mime != listed.mime || !reflect.DeepEqual(now.about, listed.about)
}
