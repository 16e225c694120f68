package loader

import (
	"reflect"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/about"
	"github.com/mcp-docs-server/mcp-docs-server/internal/media"
)

// remember takes over what was known of files that have not changed since.
func (d *Dir) remember(was *Dir) {
	if was == nil || was.facts.Load() == nil || !slices.Equal(d.sources, was.sources) {
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
		if f := old[j].Load(); f != nil && !f.hasty && sameFile(d, i, was, j) && !d.isFresh(i) {
			kept[i].Store(f)
			some = true
		}
	}
	if some {
		d.facts.Store(&kept)
	}
}

// anew notes that a file may have other bytes than before.
func (d *Dir) anew(name string) {
	if d.fresh == nil {
		d.fresh = make(map[string]bool)
	}
	d.fresh[name] = true
}

// isFresh reports whether a file, or its sidecar, may have other bytes than before.
func (d *Dir) isFresh(i int) bool {
	name := d.files[i].name
	return len(d.fresh) > 0 && (d.fresh[name] || d.fresh[name+about.SidecarSuffix])
}

// sameFile reports whether two files, and their sidecars, are the same as far as their folders tell.
func sameFile(d *Dir, i int, was *Dir, j int) bool {
	if d.files[i] != was.files[j] {
		return false
	}
	a, b := d.sidecar(d.files[i].name), was.sidecar(was.files[j].name)
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// aboutChanged reports whether what the bytes of a file say of it is other than what was listed. budget is how many
// files may still be read to find out: when it is spent, the answer is yes.
func (c *Catalog) aboutChanged(r, was Resource, budget *int) bool {
	listed := was.dir.known(was.index)
	if sameFile(r.dir, r.index, was.dir, was.index) && (listed == nil || !listed.hasty && !r.dir.isFresh(r.index)) {
		return false
	}
	_, named := media.ByName(r.Name())
	if sniffed := !named && c.declared(r) == ""; !sniffed && !c.describes(r.file()) {
		return false
	}
	if listed == nil && !c.describes(r.file()) {
		return false // nobody has seen its type
	}
	if *budget--; listed == nil || *budget < 0 {
		return true
	}
	now := c.fact(r)
	return now.mime != listed.mime || !reflect.DeepEqual(now.about, listed.about)
}
