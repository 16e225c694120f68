package store

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
)

// The file .recent names the newest folders of captures, oldest first, a line each. To look for a key
// that it does not know, a process reads this file instead of the folder of all captures. The file is
// only a shortcut: a scan finds all captures.
const (
	recentFile = ".recent"
	// recentSize is the size in bytes at which the first half is dropped. The second half has at least
	// 390 names: more than are written before the next scan.
	recentSize = 128 << 10
)

// announce adds a new folder to .recent. The name may be lost if another process drops the first half
// at the same moment.
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

// find returns the newest version of a key that another process put lately, without a scan.
func (e *files) find(key string) found {
	if !validKey(key) {
		return found{}
	}
	names, err := e.recent()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		e.logger.Debug("the list of recent captures cannot be read", "error", fserr.Reason(err))
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
