package auth

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// Files with secrets that an operator names, such as tokens and keys: [ReadFile] waits for no pipe, reads no device, and does not
// look into the file. A [FileGroup] is files that are followed.

// MaxFile is the maximum size of a file, in bytes.
const MaxFile = 1 << 20

// ReadFile returns the contents of a file. The error begins with its name. logger gets a warning if every user of the
// computer can read or change the file.
func ReadFile(name string, logger *slog.Logger) ([]byte, error) {
	text, mode, err := read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %s", name, fserr.Reason(err))
	}
	if mode.Perm()&0o006 != 0 && runtime.GOOS != "windows" {
		logger.Warn("every user of this computer can read or change this file, which has secrets: remove that right with chmod o-rw", "file", name)
	}
	return text, nil
}

func read(name string) ([]byte, fs.FileMode, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|rootfs.Nonblock, 0)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, rootfs.ErrIrregular
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if len(text) > MaxFile {
		err = fmt.Errorf("has more than %d MiB, which is too much for a secret", MaxFile>>20)
	}
	return text, info.Mode(), err
}
