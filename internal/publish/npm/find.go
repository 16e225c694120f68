package npm

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/licences"
)

// Programs holds the programs for some platforms, and the licences to distribute with them.
type Programs struct {
	Files    map[Platform]bundle.File
	Licences []bundle.File // as [licences.Files]
}

// add adds a program and the licences that were found with it.
func (p *Programs) add(platform Platform, program bundle.File, texts []bundle.File) {
	p.Files[platform] = program
	if p.Licences == nil && len(texts) == len(licences.Files()) {
		p.Licences = texts
	}
}

// FindPrograms finds the programs of platforms in a folder: programs, or archives of a release. These are the names
// for linux-x64; for Windows they have .exe, and .zip instead of .tar.gz:
//
//	mcp-docs-server-linux-x64                 also in bin/
//	mcp-docs-server-1.2.3-linux-x64.tar.gz
//
// The first match counts. version, if not empty, is the only version that an archive may have; otherwise archives of
// several versions are an error. The licences come from the folder of the first program that has them, or else from
// the running program. The error names every platform without a program.
func FindPrograms(dir fs.FS, platforms []Platform, version string) (Programs, error) {
	found := Programs{Files: make(map[Platform]bundle.File)}
	var errs []error
	for _, p := range platforms {
		program, texts, err := findProgram(dir, p, version)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		found.add(p, program, texts)
	}
	if found.Licences == nil {
		found.Licences = licences.Files()
	}
	return found, errors.Join(errs...)
}

func findProgram(dir fs.FS, p Platform, version string) (bundle.File, []bundle.File, error) {
	for _, name := range []string{p.program(), "bin/" + p.program()} {
		if f, ok := fileOf(dir, name); ok {
			return f, licencesOf(dir, name), nil
		}
	}
	extension := ".tar.gz"
	if p.OS == "win32" {
		extension = ".zip"
	}
	archives, err := fs.Glob(dir, "mcp-docs-server-"+cmp.Or(version, "*")+"-"+p.String()+extension)
	switch {
	case err != nil:
		return bundle.File{}, nil, err
	case len(archives) > 1:
		return bundle.File{}, nil, fmt.Errorf("there are several programs for %s, %s and %s; name one version with --cli-version", p, archives[0], archives[1])
	case len(archives) == 1:
		return readArchive(dir, archives[0], p)
	}
	return bundle.File{}, nil, fmt.Errorf("there is no program for %s: neither %s nor mcp-docs-server-%s-%s%s", p, p.program(), cmp.Or(version, "<version>"), p, extension)
}

// fileOf returns a program in a folder.
func fileOf(dir fs.FS, name string) (bundle.File, bool) {
	info, err := fs.Stat(dir, name)
	if err != nil || !info.Mode().IsRegular() {
		return bundle.File{}, false
	}
	return bundle.File{Name: name, Mode: bundle.ModeExecutable, Size: info.Size(), Open: func() (io.ReadCloser, error) { return dir.Open(name) }}, true
}

// licencesOf returns the licences in the folder of a program; if that folder is bin, also those in
// its parent folder count.
func licencesOf(dir fs.FS, program string) []bundle.File {
	folders := []string{path.Dir(program)}
	if path.Base(folders[0]) == "bin" {
		folders = append(folders, path.Dir(folders[0]))
	}
	for _, folder := range folders {
		var files []bundle.File
		for _, file := range licences.Files() {
			if f, ok := fileOf(dir, path.Join(folder, file.Name)); ok {
				f.Name, f.Mode = file.Name, bundle.ModePlain
				files = append(files, f)
			}
		}
		if len(files) == len(licences.Files()) {
			return files
		}
	}
	return nil
}
