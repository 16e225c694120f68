package npm

import (
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"io"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// changed is the time that npm gives every file of a package.
var changed = time.Date(1985, time.October, 26, 8, 15, 0, 0, time.UTC)

// A Summary describes a tarball, as npm does when it publishes one.
type Summary struct {
	Files     int
	Unpacked  int64  // bytes of the files
	Packed    int64  // bytes of the tarball
	Shasum    string // SHA-1 of the tarball, in hexadecimal
	Integrity string // its SHA-512 (W3C, "Subresource Integrity")
}

// WriteTarball writes the package to w.
func (p *Package) WriteTarball(w io.Writer) (Summary, error) {
	var s Summary
	files, err := p.All()
	if err != nil {
		return s, err
	}
	for _, f := range files {
		s.Files++
		s.Unpacked += f.Size
	}
	short, long := sha1.New(), sha512.New()
	counted := &counter{w: io.MultiWriter(w, short, long)}
	z := gzip.NewWriter(counted)
	if err := bundle.WriteTar(z, "package", changed, files); err != nil {
		return s, err
	}
	if err := z.Close(); err != nil {
		return s, err
	}
	s.Packed = counted.n
	s.Shasum = hex.EncodeToString(short.Sum(nil))
	s.Integrity = "sha512-" + base64.StdEncoding.EncodeToString(long.Sum(nil))
	return s, nil
}

// A counter counts written bytes.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
