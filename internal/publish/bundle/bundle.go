// Package bundle describes what a release consists of: a [File] has a name, a mode and contents, and an
// [Info] says what the release is called. It writes files into a folder, all or none.
package bundle

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Modes of files. There are only two, so that a release does not depend on the machine that packs
// it.
const (
	ModePlain      = 0o644
	ModeExecutable = 0o755
)

// A File is one file of a bundle.
type File struct {
	Name string // slash-separated, relative, without . and ..
	Mode int64  // ModePlain or ModeExecutable
	Size int64  // bytes
	// ModTime is the time of the last change, or zero. Archives do not have it.
	ModTime time.Time
	// Open returns the contents, which have Size bytes.
	Open func() (io.ReadCloser, error)
	// Sum is the SHA-256 of the contents that were checked; "" allows any contents.
	Sum string
}

// Bytes returns a plain file with contents in memory.
func Bytes(name string, data []byte) File {
	return File{Name: name, Mode: ModePlain, Size: int64(len(data)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
}

// Script is Bytes for a program.
func Script(name string, data []byte) File {
	f := Bytes(name, data)
	f.Mode = ModeExecutable
	return f
}

// Sort sorts files by name, byte by byte. The files named in first come before all others.
func Sort(files []File, first ...string) {
	rank := func(f File) int {
		if i := slices.Index(first, f.Name); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortFunc(files, func(a, b File) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.Name, b.Name))
	})
}

// Total returns the size of all files together, in bytes.
func Total(files []File) (total int64) {
	for _, f := range files {
		total += f.Size
	}
	return total
}

// Copy writes the contents to w. The error reports a file that does not have Size bytes.
func (f File) Copy(w io.Writer) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), io.LimitReader(r, f.Size+1))
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	if n != f.Size || f.Sum != "" && f.Sum != string(sum.Sum(nil)) {
		return fmt.Errorf("%s: changed while it was packed; try again", f.Name)
	}
	return nil
}

// Attended returns a copy of the file whose Open and Read fail once ctx has ended. read, if not
// nil, is called with the number of bytes of each part that is read. Work on such a file can be
// interrupted: it is read in parts of at most a few hundred kilobytes.
func (f File) Attended(ctx context.Context, read func(n int)) File {
	open := f.Open
	f.Open = func() (io.ReadCloser, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := open()
		if err != nil {
			return nil, err
		}
		return &attended{r, ctx, read}, nil
	}
	return f
}

type attended struct {
	io.ReadCloser
	ctx  context.Context
	read func(n int)
}

func (a *attended) Read(b []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := a.ReadCloser.Read(b)
	if a.read != nil {
		a.read(n)
	}
	return n, err
}

// WriteFolder writes all files into a folder, or none. The folder must be empty or not exist. If
// it is a link to a folder, the link stays. A name that the disk refuses, or treats as equal to the
// name of another file, is an error.
func WriteFolder(dir string, files []File) error {
	dir = filepath.Clean(dir)
	if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return fmt.Errorf("%s: is a link whose target does not exist: remove it, or name another folder", dir)
		}
		dir = real
	}
	if names, err := os.ReadDir(dir); err == nil && len(names) > 0 {
		return fmt.Errorf("%s: is not empty, and its files would be mixed with the files of the package: name another folder, or empty it", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	// The folder has a temporary name until it is complete.
	made, err := os.MkdirTemp(parent, ".publish-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	if err := writeAll(made, files); err != nil {
		return err
	}
	if err := os.Chmod(made, 0o755); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(made, dir)
}

func writeAll(dir string, files []File) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		if err := root.MkdirAll(path.Dir(f.Name), 0o755); err != nil {
			return err
		}
		out, err := root.OpenFile(f.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, os.FileMode(f.Mode))
		if err != nil {
			return err
		}
		if err := errors.Join(f.Copy(out), out.Close()); err != nil {
			return err
		}
		if f.ModTime.IsZero() {
			continue
		}
		if err := root.Chtimes(f.Name, f.ModTime, f.ModTime); err != nil {
			return err
		}
	}
	return nil
}

// The licence of the program, and the licences of everything that is linked into it. Most of them must be distributed with a program, so
// every artifact with a program contains them, and the program prints them. go generate writes the texts from the sources of the
// modules. They name the versions of modules, but not the version of Go, so that a new Go release does not change them.

// Names of the files in every artifact.
const (
	OwnFile        = "LICENSE"
	ThirdPartyFile = "THIRD-PARTY-LICENSES"
)

var (
	//go:embed licences/LICENSE
	program string
	//go:embed licences/THIRD-PARTY-LICENSES
	thirdParty string
)

// Licences returns all licences as one text.
func Licences() string { return program + "\n" + thirdParty }

// LicenceFiles returns the two files, in the order of their names.
func LicenceFiles() []File {
	return []File{
		Bytes(OwnFile, []byte(program)),
		Bytes(ThirdPartyFile, []byte(thirdParty)),
	}
}

// LicenceHeading begins the line above each text. The name of the component, a colon and the name of the
// file follow.
const LicenceHeading = "==== "
