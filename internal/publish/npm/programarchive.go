package npm

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/licences"
)

// Limits in bytes, because an archive may not come from a release.
const (
	maxProgram  = 200 << 20 // size of a program and of an archive
	maxUnpacked = 2 * maxProgram
)

// readArchive reads the program of a platform and its licences from an archive of a release.
func readArchive(dir fs.FS, name string, p Platform) (bundle.File, []bundle.File, error) {
	f, err := dir.Open(name)
	if err != nil {
		return bundle.File{}, nil, err
	}
	defer f.Close()
	read := untar
	if strings.HasSuffix(name, ".zip") {
		read = unzip
	}
	file, texts, err := extract(read, f, "", p.binary())
	if err != nil {
		return bundle.File{}, nil, fmt.Errorf("%s: %w", name, err)
	}
	return file, texts, nil
}

// ReadProgram reads the program of a platform and its licences from the tarball of its package.
func ReadProgram(p Platform, tarball io.Reader) (bundle.File, []bundle.File, error) {
	file, texts, err := extract(untar, tarball, "package", "package/bin/"+p.binary())
	if err != nil {
		return bundle.File{}, nil, fmt.Errorf("the package %s: %w", p.Package(), err)
	}
	return file, texts, nil
}

// extract reads a program and the licences from a folder of the archive.
func extract(read func(io.Reader, func(string) bool) (map[string][]byte, error), archive io.Reader, folder, program string) (bundle.File, []bundle.File, error) {
	wanted := []string{program}
	for _, f := range licences.Files() {
		wanted = append(wanted, path.Join(folder, f.Name))
	}
	found, err := read(archive, func(name string) bool { return slices.Contains(wanted, name) })
	if err != nil {
		return bundle.File{}, nil, err
	}
	data, ok := found[program]
	if !ok {
		return bundle.File{}, nil, fmt.Errorf("it does not contain %s", program)
	}
	var texts []bundle.File
	for _, name := range wanted[1:] {
		if text, ok := found[name]; ok {
			texts = append(texts, bundle.Bytes(path.Base(name), bundle.ModePlain, text))
		}
	}
	return bundle.Bytes(program, bundle.ModeExecutable, data), texts, nil
}

// untar returns the regular files of a compressed tar archive that are wanted.
func untar(r io.Reader, wanted func(string) bool) (map[string][]byte, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	found := make(map[string][]byte)
	for archive := tar.NewReader(io.LimitReader(z, maxUnpacked)); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, err
		}
		if h.Typeflag == tar.TypeReg && wanted(h.Name) {
			if found[h.Name], err = readAll(h.Name, archive); err != nil {
				return nil, err
			}
		}
	}
}

// unzip is untar for zip archives.
func unzip(r io.Reader, wanted func(string) bool) (map[string][]byte, error) {
	data, err := readAll("the archive", r)
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	found := make(map[string][]byte)
	for _, f := range archive.File {
		if !f.Mode().IsRegular() || !wanted(f.Name) {
			continue
		}
		contents, err := f.Open()
		if err != nil {
			return nil, err
		}
		found[f.Name], err = readAll(f.Name, contents)
		contents.Close()
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func readAll(name string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxProgram+1))
	if err == nil && len(data) > maxProgram {
		err = fmt.Errorf("%s has more than %d MiB", name, maxProgram>>20)
	}
	return data, err
}
