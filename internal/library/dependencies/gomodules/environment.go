package gomodules

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
)

// env is the environment of the go command: the variables of the process, and the file that "go env -w" writes.
type env map[string]string

// maxEnv bounds the bytes of the file of "go env -w".
const maxEnv = 64 << 10

// environment reads the environment.
func environment() env {
	e := make(env)
	name := os.Getenv("GOENV")
	if name == "" {
		if dir, err := os.UserConfigDir(); err == nil {
			name = filepath.Join(dir, "go", "env")
		}
	}
	if name == "" || name == "off" {
		return e
	}
	files, err := rootfs.Open(filepath.Dir(name))
	if err != nil {
		return e
	}
	defer files.Close()
	data, _ := dependencies.Read(files, filepath.Base(name), maxEnv)
	for line := range bytes.Lines(data) {
		if key, value, ok := strings.Cut(strings.TrimRight(string(line), "\r\n"), "="); ok {
			e[key] = value
		}
	}
	return e
}

// get returns a variable.
func (e env) get(key string) string { return cmp.Or(os.Getenv(key), e[key]) }

// moduleCache returns the folder of the module cache, or "" if the environment names none.
func (e env) moduleCache() string {
	dir := e.get("GOMODCACHE")
	if dir == "" {
		home, _ := os.UserHomeDir()
		gopath := cmp.Or(e.get("GOPATH"), filepath.Join(home, "go"))
		dir = filepath.Join(filepath.SplitList(gopath)[0], "pkg", "mod")
	}
	if !filepath.IsAbs(dir) { // the go command refuses it too
		return ""
	}
	return dir
}
