package npm

import (
	"compress/gzip"
	"errors"
	"io"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// changed is the time that npm gives every file of a package.
var changed = time.Date(1985, time.October, 26, 8, 15, 0, 0, time.UTC)

// WriteTarball writes the package to w.
func (p *Package) WriteTarball(w io.Writer) error {
	files, err := p.All()
	if err != nil {
		return err
	}
	z := gzip.NewWriter(w)
	return errors.Join(bundle.WriteTar(z, "package", changed, files), z.Close())
}
