package npm

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/mcp-docs-server/mcp-docs-server/internal/bundle"
)

func opener(dir fs.FS, name string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return dir.Open(name) }
}

// maxProgram bounds the size in bytes of a program that is taken out of a package.
const maxProgram = 200 << 20

// ReadProgram takes the program of a platform out of the tarball of its package.
func ReadProgram(p Platform, tarball io.Reader) (bundle.File, error) {
	z, err := gzip.NewReader(tarball)
	if err != nil {
		return bundle.File{}, err
	}
	wanted := "package/bin/" + p.binary()
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return bundle.File{}, fmt.Errorf("there is no %s in the package %s", wanted, p.Package())
		} else if err != nil {
			return bundle.File{}, err
		}
		if h.Name != wanted || h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(io.LimitReader(archive, maxProgram+1))
		if err == nil && len(data) > maxProgram {
			err = fmt.Errorf("%s has more than %d MiB", wanted, maxProgram>>20)
		}
		return bundle.Bytes(wanted, bundle.ModeExecutable, data), err
	}
}
