package oci

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// A blob is a file of the layout, named after its digest.
type blob struct {
	mediaType string
	digest    string // SHA-256 in hexadecimal
	diffID    string // of a layer: the digest of the uncompressed data
	size      int64  // bytes
	write     func(w io.Writer) error
}

func blobOfBytes(mediaType string, data []byte) *blob {
	sum := sha256.Sum256(data)
	return &blob{mediaType: mediaType, digest: hex.EncodeToString(sum[:]), size: int64(len(data)), write: func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(data))
		return err
	}}
}

// errChanged reports that a layer has changed since its digest was computed.
var errChanged = errors.New("the project changed while it was packed; try again")

// writeTo writes the blob as a file of an archive.
func (b *blob) writeTo(t *tar.Writer, name string) error {
	if err := t.WriteHeader(header(name, 0o644, b.size)); err != nil {
		return err
	}
	sum := sha256.New()
	err := b.write(io.MultiWriter(t, sum))
	if errors.Is(err, tar.ErrWriteTooLong) || err == nil && hex.EncodeToString(sum.Sum(nil)) != b.digest {
		return errChanged
	}
	return err
}

// whiteout begins the names of entries that delete a file of a lower layer (OCI image
// specification, "Whiteouts").
const whiteout = ".wh."

// projectLayer is the layer of the project. It always contains the project folder.
func (img Image) projectLayer() (*blob, error) {
	files := slices.Clone(img.Project)
	for i := range files {
		files[i].Name = path.Join(projectDir, files[i].Name)
	}
	folders := bundle.AllFolders(files)
	if len(folders) == 0 {
		folders = []string{projectDir}
	}
	return layerOf(files, folders)
}

// layerOf returns a layer of files and their folders, with its digests.
func layerOf(files []bundle.File, folders []string) (*blob, error) {
	bundle.Sort(files)
	b := &blob{mediaType: typeLayer, write: func(w io.Writer) error {
		_, err := writeLayer(w, folders, files)
		return err
	}}
	var c bundle.Counter
	sum := sha256.New()
	diffID, err := writeLayer(io.MultiWriter(sum, &c), folders, files)
	if err != nil {
		return nil, err
	}
	b.digest, b.diffID, b.size = hex.EncodeToString(sum.Sum(nil)), diffID, int64(c)
	return b, nil
}

// writeLayer writes folders and files as a compressed archive, and returns the digest of the
// uncompressed archive.
func writeLayer(w io.Writer, folders []string, files []bundle.File) (diffID string, err error) {
	z := gzip.NewWriter(w)
	sum := sha256.New()
	t := tar.NewWriter(io.MultiWriter(z, sum))
	for _, folder := range folders {
		if err := t.WriteHeader(header(folder+"/", 0o755, 0)); err != nil {
			return "", fmt.Errorf("%s: %w", folder, err)
		}
	}
	for _, f := range files {
		if err := t.WriteHeader(header(f.Name, f.Mode, f.Size)); err != nil {
			return "", fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := f.Copy(t); err != nil {
			return "", err
		}
	}
	if err := errors.Join(t.Close(), z.Close()); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// header returns the header of a file, or of a folder if the name ends in a slash. Names that are
// long or not ASCII get PAX records with their exact bytes.
func header(name string, mode, size int64) *tar.Header {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: size, ModTime: epoch}
	if name[len(name)-1] == '/' {
		h.Typeflag = tar.TypeDir
	}
	return h
}
