package walk

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxLinks is the maximum number of links on one path, as on most systems (ELOOP).
const maxLinks = 40

// dataLink is the name of a link in each volume of Kubernetes.
const dataLink = "..data"

// Reasons why a link is not followed, or a folder not entered.
var (
	ErrEscapes    = errors.New("is a link that leads out of the project folder")
	ErrHiddenLink = errors.New("is a link to something hidden")
	ErrLinkLoop   = errors.New("is a link that leads back to itself")
	ErrBroken     = errors.New("is a link to something that is not there")
	ErrUnreadable = errors.New("is a link that this file system cannot read")
	ErrAncestor   = errors.New("is a link to a folder that it lies in")
	ErrTooDeep    = errors.New("lies too deep")
)

// Resolve returns the path below the project folder that a name refers to, following the rules of
// this package. The error is [fs.ErrNotExist] if the name does not exist, and [ErrBroken] for a
// link without a target.
func Resolve(fsys fs.FS, name string) (string, error) {
	plain, ok := fsys.(interface {
		OpenPlain(name string) (fs.File, fs.FileInfo, error)
	})
	if ok && fs.ValidPath(name) { // however deep the path is, one call says whether it is there, unless it has links
		switch f, _, err := plain.OpenPlain(name); {
		case err == nil:
			return name, f.Close()
		case errors.Is(err, fs.ErrNotExist):
			return "", fs.ErrNotExist
		}
	}
	real, err := Real(fsys, name)
	if errors.Is(err, ErrBroken) && !isLink(fsys, name) {
		return "", fs.ErrNotExist
	}
	return real, err
}

// Follow is [Resolve] for a link in a listing. On a file system that cannot read links, it does not
// follow any.
func Follow(fsys fs.FS, name string) (string, error) {
	if _, ok := fsys.(fs.ReadLinkFS); !ok {
		return "", ErrUnreadable
	}
	return Real(fsys, name)
}

// Real returns the path below the project folder that name refers to, with all links resolved. A
// link may not lead out of the project folder, even if it leads back in, and not through anything
// hidden, except the ..data of a volume of Kubernetes.
func Real(fsys fs.FS, name string) (string, error) { return real(fsys, name, Hidden) }

// RealHidden is [Real] for a path on which a link may lead through hidden names, such as node_modules.
func RealHidden(fsys fs.FS, name string) (string, error) {
	return real(fsys, name, func(string) bool { return false })
}

func real(fsys fs.FS, name string, hidden func(name string) bool) (string, error) {
	links, ok := fsys.(fs.ReadLinkFS)
	if !ok {
		return name, nil // see Follow: links of such a file system are not followed
	}
	if plain, ok := fsys.(interface{ Plain(name string) bool }); ok && plain.Plain(name) {
		return name, nil
	}
	var done []string
	volume := "" // a hidden path to which a volume leads
	todo := strings.Split(name, "/")
	for followed := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(done) == 0 {
				return "", ErrEscapes
			}
			done = done[:len(done)-1]
			continue
		}
		current := strings.Join(append(done, part), "/")
		info, err := links.Lstat(current)
		if errors.Is(err, fs.ErrNotExist) {
			return "", ErrBroken
		} else if err != nil {
			return "", err
		}
		if followed > 0 && hidden(part) && current != volume {
			return "", ErrHiddenLink
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = append(done, part)
			continue
		}
		if followed++; followed > maxLinks {
			return "", ErrLinkLoop
		}
		target, err := links.ReadLink(current)
		if err != nil {
			return "", err
		}
		if path.IsAbs(target) || len(target) > 1 && target[1] == ':' { // "C:" on Windows
			return "", ErrEscapes
		}
		parts := strings.Split(target, "/")
		// A volume of Kubernetes has links of its files to ..data next to them, a link to the folder with their current version.
		if volume = ""; parts[0] == dataLink || part == dataLink && len(parts) == 1 && strings.HasPrefix(target, "..") {
			volume = strings.Join(append(done, parts[0]), "/")
		}
		todo = append(parts, todo...)
	}
	if len(done) == 0 {
		return ".", nil
	}
	return strings.Join(done, "/"), nil
}

// ValidPath is [fs.ValidPath] for names of any bytes: they need not be UTF-8.
func ValidPath(name string) bool { return fs.ValidPath(strings.ToValidUTF8(name, "x")) }

// Holds reports whether dir is path or a folder above it.
func Holds(dir, path string) bool {
	below, ok := strings.CutPrefix(path, dir)
	return dir == "." || ok && (below == "" || below[0] == '/')
}

// AnyBelow reports whether one of the folders is dir or below it.
func AnyBelow(dir string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return Holds(dir, f) })
}

// isLink reports whether a name is a link, on a file system that can read links.
func isLink(fsys fs.FS, name string) bool {
	links, ok := fsys.(fs.ReadLinkFS)
	if !ok {
		return false
	}
	info, err := links.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
