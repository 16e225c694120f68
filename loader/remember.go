package loader

import (
	"reflect"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
)

// remember copies the facts of files that have not changed.
func (d *Dir) remember(was *Dir) {
	if was == nil || !slices.Equal(d.sources, was.sources) {
		return
	}
	d.rememberDigests(was)
	if was.facts.Load() == nil {
		return
	}
	old := *was.facts.Load()
	kept := make(facts, len(d.files))
	some := false
	j := 0
	for i := range d.files {
		for j < len(was.files) && was.files[j].name < d.files[i].name {
			j++
		}
		if j == len(was.files) {
			break
		}
		if f := old[j].Load(); f != nil && !f.racy && sameFile(d, i, was, j) && !d.isFresh(i) {
			kept[i].Store(f)
			some = true
		}
	}
	if some {
		d.facts.Store(&kept)
	}
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

// aboutChanged reports whether the facts of a file differ from the facts in the last list. budget
// is the number of files that may still be read to find out; when it is used up, aboutChanged
// returns true.
func (c *Catalog) aboutChanged(r, was Resource, budget *int) bool {
	listed := was.dir.known(was.index)
	if sameFile(r.dir, r.index, was.dir, was.index) && (listed == nil || !listed.racy && !r.dir.isFresh(r.index)) {
		return false
	}
	_, named := media.ByName(r.Name())
	if sniffed := !named && c.declared(r) == ""; !sniffed && !c.describes(r.dir, r.file()) {
		return false
	}
	if listed == nil && !c.describes(r.dir, r.file()) {
		return false // no list has shown its type
	}
	if *budget--; listed == nil || *budget < 0 {
		return true
	}
	now := c.fact(r)
	return now.mime != listed.mime || !reflect.DeepEqual(now.about, listed.about)
}
