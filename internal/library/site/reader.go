package site

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// maxRead is the number of bytes of a configuration, an include or a head that is read.
const maxRead = 1 << 20

// A reader reads configuration files of a project.
type reader struct {
	fsys fs.FS
	// listed has the documents in roots and their folders, where they are known: documents are those with these extensions.
	listed            map[string]bool
	roots, extensions []string
}

// knows reports whether listed says if a file or folder is there.
func (r *reader) knows(name string) bool {
	return slices.ContainsFunc(r.roots, func(root string) bool { return within(root, name) })
}

// text returns the text of a file of at most 1 MiB, or "".
func (r *reader) text(file string) string {
	data, err := readBounded(r.fsys, file)
	if err != nil {
		return ""
	}
	return string(data)
}

// config returns the settings in a configuration file. A file that cannot be read has none.
func (r *reader) config(file string) values { return settings.Parse(file, r.text(file)) }

func readBounded(fsys fs.FS, file string) ([]byte, error) {
	f, err := fsys.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxRead {
		return nil, fs.ErrInvalid
	}
	b := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err = b.ReadFrom(io.LimitReader(f, maxRead+1)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// has reports whether there is a file or folder of this name.
func (r *reader) has(file string) bool {
	if slices.Contains(r.extensions, path.Ext(file)) && r.knows(file) {
		return r.listed[file]
	}
	_, err := fs.Stat(r.fsys, file)
	return err == nil
}

// isDir reports whether there is a folder of this name.
func (r *reader) isDir(name string) bool {
	if r.knows(name) {
		return r.listed[name] && !slices.Contains(r.extensions, path.Ext(name))
	}
	info, err := fs.Stat(r.fsys, name)
	return err == nil && info.IsDir()
}

// folders returns the names of the folders in dir, in order.
func (r *reader) folders(dir string) []string { return r.names(dir, true) }

// list returns the names of the files in dir, in order.
func (r *reader) list(dir string) []string { return r.names(dir, false) }

func (r *reader) names(dir string, folders bool) (names []string) {
	entries, err := fs.ReadDir(r.fsys, dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() == folders && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names) // a file system of a folder does not
	return names
}

// script returns a file as a program in JavaScript or TypeScript, followed by the objects and lists that it imports from
// other files of the project.
func (r *reader) script(file string) script {
	js := settings.NewScript(r.text(file))
	for _, imported := range js.Imports() {
		from := clean(path.Dir(file), imported.From)
		for _, ext := range []string{"", ".ts", ".js", ".mts", ".mjs", "/index.ts", "/index.js"} {
			if text := r.text(from + ext); from != "" && text != "" {
				if block := settings.NewScript(text).Block(imported.Name); block != "" {
					js += "\nconst " + script(imported.Name) + " = {" + block + "}"
				}
				break
			}
		}
	}
	return js
}

type (
	values = settings.Values
	script = settings.Script
)
