package loader

import (
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
)

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
		return false // no list has shown its type
	}
	if *budget--; listed == nil || *budget < 0 {
		return true
	}
	now := c.contentInfo(r)
	return now.mime != listed.mime || !reflect.DeepEqual(now.about, listed.about)
}
