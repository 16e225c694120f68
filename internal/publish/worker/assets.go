package worker

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// assets holds files by their paths, which contain their digests.
type assets struct {
	byPath map[string]bundle.File
}

// add adds an asset that is kept in memory, and returns its path.
func (a *assets) add(data []byte) string {
	sum := sha256.Sum256(data)
	data = bytes.Clone(data)
	return a.file(sum, int64(len(data)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
}

// file adds an asset that is read when it is written, and returns its path.
func (a *assets) file(sum [sha256.Size]byte, size int64, open func() (io.ReadCloser, error)) string {
	path := assetPath(sum)
	if a.byPath == nil {
		a.byPath = make(map[string]bundle.File)
	}
	if _, known := a.byPath[path]; !known {
		a.byPath[path] = bundle.File{Name: path, Mode: bundle.ModePlain, Size: size, Sum: string(sum[:]), Open: open}
	}
	return path
}

// files returns all assets, sorted by path.
func (a *assets) files() []bundle.File {
	files := slices.Collect(maps.Values(a.byPath))
	bundle.Sort(files)
	return files
}

// assetPath returns the path of the asset with this digest.
func assetPath(sum [sha256.Size]byte) string { return "b/" + hex.EncodeToString(sum[:]) }
