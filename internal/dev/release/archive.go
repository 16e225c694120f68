package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/licences"
)

// changed is the modification time of each file in an archive: the earliest time of zip archives.
var changed = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// enclosed are the files of the repository that each archive has besides program and licences.
var enclosed = []string{"README.md"}

// archives makes an archive for download for each platform.
func archives(r *release) ([]bundle.File, error) {
	var all []bundle.File
	for _, t := range targets {
		name := fmt.Sprintf("mcp-docs-server-%s-%s", r.version, t.platform)
		server := r.binaries[t.platform]
		server.Name = "mcp-docs-server"
		if t.system == "windows" {
			server.Name += ".exe"
		}
		files := append(licences.Files(), server)
		for _, file := range enclosed {
			f, err := diskFile(file, file, bundle.ModePlain)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
		bundle.Sort(files)
		archive, extension := tarball, ".tar.gz"
		if t.system == "windows" {
			archive, extension = zipped, ".zip"
		}
		data, err := archive(name, files)
		if err != nil {
			return nil, err
		}
		all = append(all, bundle.Bytes(name+extension, bundle.ModePlain, data))
	}
	return all, nil
}

// tarball returns files in a folder, as a compressed tar archive.
func tarball(folder string, files []bundle.File) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := errors.Join(bundle.WriteTar(z, folder, changed, files), z.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// zipped returns files in a folder, as a zip archive.
func zipped(folder string, files []bundle.File) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: path.Join(folder, f.Name), Method: zip.Deflate, Modified: changed}
		h.SetMode(fs.FileMode(f.Mode))
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if err := f.Copy(w); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
