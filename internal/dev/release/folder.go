package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// A folder is the folder of a release.
type folder struct{ dir string }

// newFolder makes a folder, or uses an empty one.
func newFolder(dir string) (*folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("-output is %q, which is not empty; name another folder or empty it", dir)
	}
	return &folder{dir}, nil
}

// path returns the path of a file, and makes its folder.
func (d *folder) path(name string) (string, error) {
	file := filepath.Join(d.dir, filepath.FromSlash(name))
	return file, os.MkdirAll(filepath.Dir(file), 0o755)
}

// file returns a file of the folder.
func (d *folder) file(name string, mode int64) (bundle.File, error) {
	return diskFile(name, filepath.Join(d.dir, filepath.FromSlash(name)), mode)
}

func diskFile(name, file string, mode int64) (bundle.File, error) {
	info, err := os.Stat(file)
	if err != nil {
		return bundle.File{}, err
	}
	return bundle.File{Name: name, Mode: mode, Size: info.Size(), Open: func() (io.ReadCloser, error) { return os.Open(file) }}, nil
}

// write writes files.
func (d *folder) write(files []bundle.File) error {
	for _, f := range files {
		fmt.Println(f.Name)
		file, err := d.path(f.Name)
		if err != nil {
			return err
		}
		w, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fs.FileMode(f.Mode))
		if err != nil {
			return err
		}
		if err := errors.Join(f.Copy(w), w.Close()); err != nil {
			return err
		}
	}
	return nil
}

// sumsFile lists the SHA-256 sums of the files in its folder, in the format of sha256sum.
const sumsFile = "SHA256SUMS"

// sum writes [sumsFile].
func (d *folder) sum() error {
	entries, err := os.ReadDir(d.dir) // sorted
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		f, err := d.file(e.Name(), bundle.ModePlain)
		if err != nil {
			return err
		}
		h := sha256.New()
		if err := f.Copy(h); err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", h.Sum(nil), e.Name())
	}
	return d.write([]bundle.File{bundle.Bytes(sumsFile, bundle.ModePlain, []byte(lines.String()))})
}
