package npm

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/executable"
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

// A candidate is a file or archive that may contain a program.
type candidate struct {
	name    string // of the program, or of the archive that holds it
	version string // in the name, or ""
	folder  string // the folder in the archive; "" if the program is not in an archive
}

// FindPrograms finds the programs of platforms in a folder with files of a release, downloaded or
// built, packed or not. These are the names for linux-x64; for Windows they have .exe, and .zip
// instead of .tar.gz:
//
//	mcp-docs-server-linux-x64                        also in bin/
//	cli-linux-x64/bin/mcp-docs-server                also in @mcp-docs-server/
//	mcp-docs-server                                  if it is for the platform
//	mcp-docs-server-1.2.3-linux-x64/mcp-docs-server
//	mcp-docs-server-1.2.3-linux-x64.tar.gz
//	mcp-docs-server-cli-linux-x64-1.2.3.tgz          also in npm/
//
// The first match counts. version, if not empty, is the only version that a name may have;
// otherwise names with several versions are an error. The licences come from the folder of the first
// program that has them, or else from the running program. The error names every platform without a
// program.
func FindPrograms(dir fs.FS, platforms []Platform, version string) (Programs, error) {
	found := Programs{Files: make(map[Platform]bundle.File)}
	released := releases(dir)
	var errs []error
	for _, p := range platforms {
		program, texts, err := findProgram(dir, p, version, released)
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

// releases returns the files and folders whose names contain a platform and a version, in order.
func releases(dir fs.FS) map[Platform][]candidate {
	found := make(map[Platform][]candidate)
	for _, folder := range []string{".", "npm"} {
		entries, err := fs.ReadDir(dir, folder)
		if err != nil {
			continue // no such folder
		}
		for _, e := range entries {
			for _, p := range Platforms {
				if c, ok := p.released(e.Name()); ok {
					if c.folder == "" {
						c.name = path.Join(c.name, p.binary())
					}
					c.name = path.Join(folder, c.name)
					found[p] = append(found[p], c)
				}
			}
		}
	}
	for _, candidates := range found { // folders first
		slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(len(a.folder), len(b.folder)) })
	}
	return found
}

// released parses the name of a file or folder of a release.
func (p Platform) released(name string) (candidate, bool) {
	extension := ".tar.gz"
	if p.OS == "win32" {
		extension = ".zip"
	}
	for _, form := range []struct{ before, after, folder string }{
		{"mcp-docs-server-", "-" + p.String(), ""},
		{"mcp-docs-server-", "-" + p.String() + extension, strings.TrimSuffix(name, extension)},
		{"mcp-docs-server-cli-" + p.String() + "-", ".tgz", "package"},
	} {
		rest, begins := strings.CutPrefix(name, form.before)
		version, ends := strings.CutSuffix(rest, form.after)
		if begins && ends && CheckVersion(version) == nil {
			return candidate{name, version, form.folder}, true
		}
	}
	return candidate{}, false
}

func findProgram(dir fs.FS, p Platform, version string, released map[Platform][]candidate) (bundle.File, []bundle.File, error) {
	alone := p.program()
	for _, name := range []string{alone, "bin/" + alone, "cli-" + p.String() + "/bin/" + p.binary(), p.Package() + "/bin/" + p.binary()} {
		if f, ok := fileOf(dir, name); ok {
			return f, licencesOf(dir, name), nil
		}
	}
	if f, ok := fileOf(dir, p.binary()); ok && executable.Expect(p.String(), f) == nil {
		return f, licencesOf(dir, f.Name), nil
	}
	candidates := slices.DeleteFunc(slices.Clone(released[p]), func(c candidate) bool { return version != "" && c.version != version })
	for _, c := range candidates {
		if c.version != candidates[0].version {
			return bundle.File{}, nil, fmt.Errorf("there are several programs for %s, %s and %s; name one version with --cli-version", p, candidates[0].name, c.name)
		}
	}
	for _, c := range candidates {
		if c.folder != "" {
			return readArchive(dir, c, p)
		}
		if f, ok := fileOf(dir, c.name); ok {
			return f, licencesOf(dir, c.name), nil
		}
	}
	wanted := cmp.Or(version, "<version>")
	return bundle.File{}, nil, fmt.Errorf("there is no program for %s: neither %s nor mcp-docs-server-%s-%s, unpacked or as an archive, nor the npm package", p, alone, wanted, p)
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
