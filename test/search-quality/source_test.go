package quality

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// A Source is a project whose Markdown is in a Go module or an npm package.
type Source struct {
	Name    string
	Tuned   bool   // the ranking was tuned on it, so its figures prove nothing
	Module  string // path@version
	Package string // name@version
	Sum     string // the sum of the module, as in go.sum, or the integrity of the package
	Dir     string // of the documents
	Root    string // the part of links that begin with a slash that precedes the path in Dir
}

// Sources reads collection.json.
func Sources() ([]Source, error) {
	data, err := os.ReadFile("collection.json")
	if err != nil {
		return nil, err
	}
	var sources []Source
	return sources, json.Unmarshal(data, &sources)
}

// Fetch returns the folder of the documents: the folder of the module in Go's cache, or a folder in temp.
func (s Source) Fetch(temp string) (string, error) {
	if s.Module != "" {
		return s.module()
	}
	return s.pack(temp)
}

func (s Source) module() (string, error) {
	c := exec.Command("go", "mod", "download", "-json", s.Module)
	c.Stderr = os.Stderr
	out, err := c.Output()
	var m struct{ Dir, Sum, Error string }
	if jsonErr := json.Unmarshal(out, &m); jsonErr != nil || err != nil {
		return "", fmt.Errorf("go mod download %s: %v %s", s.Module, err, m.Error)
	}
	if m.Sum != s.Sum {
		return "", fmt.Errorf("%s has the sum %s, not %s", s.Module, m.Sum, s.Sum)
	}
	return filepath.Join(m.Dir, filepath.FromSlash(s.Dir)), nil
}

func (s Source) pack(temp string) (string, error) {
	c := exec.Command("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", temp, s.Package)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("npm pack %s: %w", s.Package, err)
	}
	data, err := os.ReadFile(filepath.Join(temp, filepath.Base(strings.TrimSpace(string(out)))))
	if err != nil {
		return "", err
	}
	sum := sha512.Sum512(data)
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); got != s.Sum {
		return "", fmt.Errorf("%s has the integrity %s, not %s", s.Package, got, s.Sum)
	}
	dir := filepath.Join(temp, s.Name)
	return dir, unpack(string(data), "package/"+s.Dir+"/", dir)
}

// unpack writes the files of an archive whose names begin with prefix.
func unpack(archive, prefix, dir string) error {
	packed, err := gzip.NewReader(strings.NewReader(archive))
	if err != nil {
		return err
	}
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		name, ok := strings.CutPrefix(h.Name, prefix)
		if !ok || h.Typeflag != tar.TypeReg || !fs.ValidPath(name) {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return err
		}
	}
}

// isMarkdown reports whether a file is a document.
func isMarkdown(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".md" || ext == ".mdx"
}
