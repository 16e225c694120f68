package loader

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxLinks is how many links one path may go through, as on most systems (ELOOP).
const maxLinks = 40

var (
	errEscapes    = errors.New("is a link that leads out of the project folder")
	errHiddenLink = errors.New("is a link to something hidden")
	errLinkLoop   = errors.New("is a link that leads back to itself")
	errBroken     = errors.New("is a link to something that is not there")
	errUnreadable = errors.New("is a link that this file system cannot read")
	errBecameLink = errors.New("has become a link")
	errProject    = errors.New("is a link to the project folder itself")
	errAncestor   = errors.New("is a link to a folder that it lies in")
)

// Resolve returns the path below the project folder that a name stands for, by the rules for links of this package. What is
// not there is [fs.ErrNotExist], but for a link that leads to nothing.
func Resolve(fsys fs.FS, name string) (string, error) {
	real, err := resolve(fsys, name)
	if errors.Is(err, errBroken) && !isLink(fsys, name) {
		return "", fs.ErrNotExist
	}
	return real, err
}

// resolve returns the path below the project folder that name stands for once all links on it are followed. A link may
// not lead out of the project folder, not even to come back in, and not through anything hidden.
func resolve(fsys fs.FS, name string) (string, error) {
	links, ok := fsys.(fs.ReadLinkFS)
	if !ok {
		return name, nil // see classify: what such a file system calls a link is not followed
	}
	var done []string
	todo := strings.Split(name, "/")
	for followed := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(done) == 0 {
				return "", errEscapes
			}
			done = done[:len(done)-1]
			continue
		}
		at := strings.Join(append(done, part), "/")
		info, err := links.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return "", errBroken
		} else if err != nil {
			return "", err
		}
		if followed > 0 && Hidden(part) {
			return "", errHiddenLink
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = append(done, part)
			continue
		}
		if followed++; followed > maxLinks {
			return "", errLinkLoop
		}
		target, err := links.ReadLink(at)
		if err != nil {
			return "", err
		}
		if path.IsAbs(target) || strings.Contains(target, ":") && !fs.ValidPath(target) {
			return "", errEscapes
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	if len(done) == 0 {
		return ".", nil
	}
	return strings.Join(done, "/"), nil
}

// Holds reports whether dir is path or a folder above it.
func Holds(dir, path string) bool {
	below, ok := strings.CutPrefix(path, dir)
	return dir == "." || ok && (below == "" || below[0] == '/')
}

// anyBelow reports whether one of the folders is dir or lies in it.
func anyBelow(dir string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return Holds(dir, f) })
}
