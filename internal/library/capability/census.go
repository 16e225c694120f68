package capability

import (
	"slices"
	"time"
)

// A census has the sizes and the newest files of one pass over all files.
type census struct {
	resourceBytes, documentBytes int64
	newest                       []dated // newest first; none if all files have the same time, as in an npm package
	oldest                       time.Time
}

// A dated is a file with the time of its last change.
type dated struct {
	time  time.Time
	entry func() string
}

// maxNewest is how many of the newest files the summary lists.
const maxNewest = 10

func (x *index) takeCensus() *census {
	c := &census{}
	mounted := false // documents are also resources
	for r := range x.Files.All() {
		c.resourceBytes += r.Size()
		mounted = mounted || r.Mounted() && !r.Exact()
		c.add(r.ModTime(), func() string { return x.resourceEntry(r) })
	}
	for _, d := range x.Library.Documents() {
		if c.documentBytes += d.Size; !mounted {
			c.add(d.ModTime, func() string { return documentEntry(d) })
		}
	}
	if len(c.newest) > 0 && c.newest[0].time.Equal(c.oldest) {
		c.newest = nil
	}
	return c
}

// add adds a file to the newest, after others with the same time.
func (c *census) add(t time.Time, entry func() string) {
	if len(c.newest) == 0 || t.Before(c.oldest) {
		c.oldest = t
	}
	if n := len(c.newest); n == maxNewest && !t.After(c.newest[n-1].time) {
		return
	}
	c.newest = append(c.newest, dated{t, entry})
	slices.SortStableFunc(c.newest, func(a, b dated) int { return b.time.Compare(a.time) })
	c.newest = c.newest[:min(len(c.newest), maxNewest)]
}
