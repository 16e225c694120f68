package capability

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// A census has the counts of one pass over all files.
type census struct {
	resourceBytes, documentBytes int64
	byTemplate                   []share          // by entry of the templates
	byScheme                     map[string]share // files that no template matches
	newest                       []dated          // newest first
}

// A share counts some of the files.
type share struct {
	files int
	bytes int64
}

func (s share) plus(size int64) share { return share{s.files + 1, s.bytes + size} }

// A dated is a file with the time of its last change.
type dated struct {
	time  time.Time
	entry func() string
}

// maxNewest is how many of the newest files the summary lists.
const maxNewest = 10

func (x *index) takeCensus() *census {
	c := &census{byTemplate: make([]share, len(x.Files.Templates().Entries())), byScheme: make(map[string]share)}
	var buffer []byte
	mounted := false // documents are also resources
	for r := range x.Files.All() {
		size := r.Size()
		c.resourceBytes += size
		if t, ok := r.Template(); ok {
			c.byTemplate[t] = c.byTemplate[t].plus(size)
		} else {
			buffer = r.AppendURI(buffer[:0])
			scheme, _, _ := bytes.Cut(buffer, []byte(":"))
			c.byScheme[string(scheme)] = c.byScheme[string(scheme)].plus(size)
		}
		mounted = mounted || r.Mounted() && !r.Exact()
		if t := r.ModTime(); c.recent(t) {
			c.addNewest(dated{t, func() string { return x.resourceEntry(r) }})
		}
	}
	for _, d := range x.Library.Documents() {
		c.documentBytes += d.Size
		if !mounted && c.recent(d.ModTime) {
			c.addNewest(dated{d.ModTime, func() string { return documentEntry(d) }})
		}
	}
	return c
}

// recent reports whether a file with this time is among the newest so far.
func (c *census) recent(t time.Time) bool {
	n := len(c.newest)
	return n < maxNewest || t.After(c.newest[n-1].time)
}

// addNewest adds a file to the newest, after others with the same time.
func (c *census) addNewest(d dated) {
	i, _ := slices.BinarySearchFunc(c.newest, d, func(a, b dated) int {
		if b.time.After(a.time) {
			return 1
		}
		return -1
	})
	c.newest = slices.Insert(c.newest, i, d)
	c.newest = c.newest[:min(len(c.newest), maxNewest)]
}

// schemes returns the schemes of files without a template, by decreasing number of files.
func (c *census) schemes() []string {
	return slices.SortedFunc(maps.Keys(c.byScheme), func(a, b string) int {
		return cmp.Or(-cmp.Compare(c.byScheme[a].files, c.byScheme[b].files), strings.Compare(a, b))
	})
}
