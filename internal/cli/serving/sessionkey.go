package serving

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// keyFile is the name of the file with the key that seals the ids of sessions on this computer.
const keyFile = "session-key"

// localKey returns the key that seals the ids of sessions on this computer, so that they survive a restart. The first server
// makes it.
func localKey(folder *rootfs.FS) (string, error) {
	key, err := readKey(folder)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	dir := folder.Path()
	fresh, err := os.CreateTemp(dir, "."+keyFile+"-") // for this user only
	if err != nil {
		return "", err
	}
	defer os.Remove(fresh.Name())
	_, err = fresh.WriteString(rand.Text() + rand.Text() + "\n")
	if err := errors.Join(err, fresh.Sync(), fresh.Close()); err != nil {
		return "", err
	}
	// Another server may be faster: then its key counts.
	if err := os.Link(fresh.Name(), filepath.Join(dir, keyFile)); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return readKey(folder)
}

// readKey reads the key from a file that only this user can read or change.
func readKey(folder *rootfs.FS) (string, error) {
	file, info, err := folder.OpenPlain(keyFile)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if !info.Mode().IsRegular() || rootfs.Foreign(info) || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", errors.New("others can read or change the file " + keyFile)
	}
	data, err := io.ReadAll(io.LimitReader(file, 1<<10))
	return string(data), err
}

// openState opens the folder for what must survive a restart.
func openState() (*rootfs.FS, error) {
	dir, err := stateFolder()
	if err != nil {
		return nil, err
	}
	folder, _, err := rootfs.Make(dir)
	return folder, err
}

// stateFolder returns the folder of this program for what must survive a restart: the state folder of the service, or of the user.
func stateFolder() (string, error) {
	if dirs := filepath.SplitList(os.Getenv("STATE_DIRECTORY")); len(dirs) > 0 && filepath.IsAbs(dirs[0]) {
		return dirs[0], nil
	}
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		if dir = filepath.Join(home, ".local", "state"); runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
			if dir, err = os.UserConfigDir(); err != nil {
				return "", err
			}
		}
	}
	return filepath.Join(dir, "mcp-docs-server"), nil
}
