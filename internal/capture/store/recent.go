package store

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
)

// The file .recent names the folders of captures in the order in which they were made, a line each.
// A process that is asked for a key that it does not know reads this file, and not the folder of all
// captures. Nothing depends on the file: a scan finds what it does not name.
const (
	recentFile = ".recent"
	// recentSize is the size in bytes at which only the second half is kept. That half has 390 names
	// or more: more than are made before the next scan.
	recentSize = 128 << 10
)

// announce names a folder that was made. If the file loses its first half at the same moment, the
// name may be lost.
func (e *files) announce(folder string) error {
	f, err := e.folder.Append(recentFile)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString("\n" + folder + "\n"); err != nil { // a kill may have cut the line before
		return err
	}
	if info, err := f.Stat(); err != nil || info.Size() <= recentSize {
		return err
	}
	names, err := e.recent()
	if err != nil {
		return err
	}
	return e.folder.ReplaceSoon(recentFile, names[len(names)/2:])
}

func (e *files) recent() ([]byte, error) {
	names, _, err := e.readFile(recentFile, 2*recentSize, func(n int) []byte { return make([]byte, n) })
	return names, err
}

func (e *files) find(key string) found {
	if !validKey(key) {
		return found{}
	}
	names, err := e.recent()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		e.logger.Debug("what other processes captured cannot be read", "error", fserr.Reason(err))
	}
	newest := ""
	for line := range strings.Lines(string(names)) {
		if version, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), key+"."); ok && validVersion(version) {
			newest = max(newest, version)
		}
	}
	if newest == "" {
		return found{}
	}
	return e.loadOne(key, newest)
}
