package loader

import (
	"context"
	"crypto/sha256"
	"hash/maphash"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

// SkillFile is the name of the file that makes a folder a skill.
const SkillFile = "SKILL.md"

// isSkillFile reports whether a file of the folder makes it a skill.
func (d *Dir) isSkillFile(f *file) bool {
	return d.skill && f.name == SkillFile && d.sources[f.source].skills
}

// IsSkill reports whether the resource is the SKILL.md of a mount of skills.
func (r Resource) IsSkill() bool { return r.dir.isSkillFile(r.file) }

// Exact reports whether clients always get the exact bytes of the file. They do for each file under
// the scheme of a skills mount.
func (r Resource) Exact() bool { return r.dir.skills }

// Folder returns the folder of the resource.
func (r Resource) Folder() Folder { return Folder{r.catalog, r.dir} }

// All yields the resources in the folder and below it, in canonical order.
func (f Folder) All() iter.Seq[Resource] { return f.catalog.below(f.dir) }

// Skills yields the SKILL.md of each skill whose URI follows the canonical URI after, in canonical
// order. It visits only folders of skills.
func (c *Catalog) Skills(after string) iter.Seq[Resource] {
	return func(yield func(Resource) bool) {
		following := c.After(after)
		if after == "" {
			following = c.below(&Dir{dirs: slices.DeleteFunc(slices.Clone(c.root.dirs), func(d *Dir) bool { return !d.skills })})
		}
		for r := range following {
			if !r.Exact() || r.IsSkill() && !yield(r) {
				return
			}
		}
	}
}

// A Digest identifies the bytes of a file.
type Digest struct {
	SHA256 [sha256.Size]byte
	Size   int64
}

// A dated is the digest of a file with this modification time. It is kept only if a later change
// will alter the time.
type dated struct {
	Digest
	modTime time.Time
}

// Digest returns the digest of the bytes that a file has now. It reads the file unless the digest
// for the file's current size and time is known; cached reports that the file was not read. The
// limit, and waiting for a file that has just changed, are as for [Catalog.Content].
func (c *Catalog) Digest(ctx context.Context, r Resource, limit int64) (d Digest, cached bool, err error) {
	slot := r.dir.digests.at(r.index, len(r.dir.files))
	var now dated
	var read bool
	err = settled(ctx, func(attempts *Attempts) (err error) {
		now, read, err = c.digest(ctx, r, limit, slot.Load(), attempts)
		return err
	})
	if err != nil {
		return Digest{}, false, err
	}
	if read && !walk.Recent(now.modTime) {
		slot.Store(&now)
	}
	return now.Digest, !read, nil
}

// digest returns the known digest if the file still has the same size and time; otherwise it reads
// the file once.
func (c *Catalog) digest(ctx context.Context, r Resource, limit int64, known *dated, attempts *Attempts) (d dated, read bool, err error) {
	f, info, err := c.open(r.dir.sources[r.file.source], r.Name(), r.file.link)
	if err != nil {
		return d, false, err
	}
	defer f.Close()
	if known != nil && known.Size == info.Size() && known.modTime.Equal(info.ModTime()) {
		return *known, false, nil
	}
	accept, err := c.Look(r, f, info, attempts)
	if err != nil {
		return d, false, err
	}
	sum := sha256.New()
	buf := make([]byte, 64<<10)
	for {
		n, err := f.Read(buf)
		_, _ = sum.Write(buf[:n]) // never fails
		if d.Size += int64(n); d.Size > limit {
			return d, false, &TooLargeError{max(d.Size, info.Size()), limit}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return d, false, err
		}
		if ctx.Err() != nil {
			return d, false, context.Cause(ctx)
		}
	}
	sum.Sum(d.SHA256[:0])
	after, err := f.Stat()
	if err != nil {
		return d, false, err
	}
	if err := accept(d.Size, after, func() uint64 { return maphash.Bytes(seed, d.SHA256[:]) }); err != nil {
		return d, false, err
	}
	d.modTime = after.ModTime()
	return d, true, nil
}
