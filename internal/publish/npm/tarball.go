package npm

import (
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
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
	files, err := p.All()
	if err != nil {
		return Summary{}, err
	}
	short, long := sha1.New(), sha512.New()
	var packed bundle.Counter
	z := gzip.NewWriter(io.MultiWriter(w, short, long, &packed))
	if err := errors.Join(bundle.WriteTar(z, "package", changed, files), z.Close()); err != nil {
		return Summary{}, err
	}
	return Summary{
		Files: len(files), Unpacked: bundle.Total(files), Packed: int64(packed),
		Shasum:    hex.EncodeToString(short.Sum(nil)),
		Integrity: "sha512-" + base64.StdEncoding.EncodeToString(long.Sum(nil)),
	}, nil
}
