package authoring

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// writeSetup puts a server into the file of a client. If that is not possible, it prints the
// snippet and its file, as without --write, and fails.
func (a *app) writeSetup(setup clients.Setup, c connection) error {
	f, err := openClientFile(setup)
	var text []byte
	if err == nil {
		if text, err = setup.Put(f.text); err != nil && setup.File != "" {
			err = fmt.Errorf("%s: %w", command.Printable(f.path), err)
		}
	}
	if err != nil && c.json {
		return fmt.Errorf("nothing is written: %w", err)
	} else if err != nil {
		// before the snippet, which is long
		a.Say("nothing is written: %s", fserr.Words(err))
		if err := a.show(setup, c); err != nil {
			return err
		}
		return command.ErrFound
	}
	for _, note := range setup.Notes {
		a.Say("warning: %s", note)
	}
	result := edited{Client: setup.Client, Scope: setup.Scope, Entry: setup.Entry, Change: "added", After: setup.After}
	if f.there && bytes.Equal(text, f.text) {
		result.Change = "none"
	}
	if err := a.replace(f, text, result, c); err != nil || c.json {
		return err
	}
	if setup.After != "" {
		fmt.Fprintln(a.Streams.Err, setup.After)
	}
	return nil
}

// removeSetup removes a server from the file of a client.
func (a *app) removeSetup(setup clients.Setup, c connection) error {
	if setup.File == "" {
		return fmt.Errorf("%s has no file that contains the server: remove it in %s", setup.Title, setup.Dialog)
	}
	f, err := openClientFile(setup)
	if err != nil {
		return fmt.Errorf("nothing is removed: %w", err)
	}
	text, ok, err := setup.Take(f.text)
	if err != nil {
		return fmt.Errorf("nothing is removed: %s: %w; delete the entry %s there yourself", command.Printable(f.path), err, strconv.Quote(setup.Entry))
	}
	if !ok {
		return fmt.Errorf("nothing is removed: %s has no server %s; --name and --scope choose another one", command.Printable(f.path), strconv.Quote(setup.Entry))
	}
	return a.replace(f, text, edited{Client: setup.Client, Scope: setup.Scope, Entry: setup.Entry, Change: "removed"}, c)
}

// replace writes the new text of a file if it differs from the old one, and reports the result.
func (a *app) replace(f *clientFile, text []byte, result edited, c connection) error {
	line := fmt.Sprintf("%s has %s already, %s; nothing is written", f.shown(), strconv.Quote(result.Entry), scopes[result.Scope])
	if result.Change != "none" {
		backup, err := f.replace(text)
		if err != nil {
			return err
		}
		line = fmt.Sprintf("%s: %s %s, %s", f.shown(), result.Change, strconv.Quote(result.Entry), scopes[result.Scope])
		if backup != "" {
			line += "; the old file is " + command.Printable(backup)
			result.Backup = uri.Display(backup)
		}
	}
	if c.json {
		result.File = uri.Display(f.path)
		return a.PrintValue(result)
	}
	_, err := fmt.Fprintln(a.Streams.Out, line)
	return err
}

// A clientFile is the configuration of a client as it was read.
type clientFile struct {
	path  string // for messages
	real  string // with links resolved, so that a link stays a link
	there bool
	mode  fs.FileMode
	text  []byte
}

// openClientFile reads the file of a setup; a missing file is empty.
func openClientFile(setup clients.Setup) (*clientFile, error) {
	if setup.File == "" {
		return &clientFile{}, nil // Setup.Put refuses it later, with the reason
	}
	home, _ := os.UserHomeDir()
	path, err := setup.Locate(home, os.Getenv)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && filepath.Base(path) == "opencode.json" {
		if _, err := os.Lstat(path + "c"); err == nil {
			path += "c" // opencode reads both names, and the user has this one
		}
	}
	f := &clientFile{path: path, real: path, mode: 0o600}
	if setup.InFolder {
		f.mode = 0o644 // other users of the folder need it
		if err := inside(path); err != nil {
			return nil, err
		}
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if f.real, err = filepath.EvalSymlinks(path); err != nil {
		return nil, fmt.Errorf("%s: is a link that leads nowhere: remove it, or make the file that it leads to", command.Printable(path))
	}
	info, err := os.Stat(f.real)
	if err != nil {
		return nil, project.PathError(command.Printable(path), err)
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is not a regular file", command.Printable(path))
	case info.Mode().Perm()&0o222 == 0:
		return nil, fmt.Errorf("%s: is read-only: allow writing to it first", command.Printable(path))
	case rootfs.Foreign(info): // the new file would not belong to that user
		return nil, fmt.Errorf("%s: belongs to another user: edit it as that user", command.Printable(path))
	}
	f.there, f.mode = true, info.Mode().Perm()
	if f.text, err = f.read(); err != nil {
		return nil, project.PathError(command.Printable(path), err)
	}
	return f, nil
}

// inside returns an error if a relative path leads out of the current folder: the links of a clone must not choose a file to edit.
func inside(path string) error {
	here, err := os.OpenRoot(".")
	if err != nil {
		return project.PathError(".", err)
	}
	defer here.Close()
	if _, err := here.Stat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: a link in it leads out of this folder, or cannot be followed: remove the link, or edit that file yourself", command.Printable(path))
	}
	return nil
}

// shown returns the path for a message, with the real path if it is another one.
func (f *clientFile) shown() string {
	if f.real == f.path {
		return command.Printable(f.path)
	}
	return command.Printable(f.path) + " (" + command.Printable(f.real) + ")"
}

// read reads at most enough to detect a file that is too large.
func (f *clientFile) read() ([]byte, error) {
	file, err := os.Open(f.real)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, clients.MaxFile+1))
}

// replace copies the old file, writes the new text to a file in the same folder and renames that file.
// It returns the name of the copy. If the file has changed since it was read, because a running client
// wrote it, replace does not change it.
func (f *clientFile) replace(text []byte) (backup string, err error) {
	dir := filepath.Dir(f.real)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	fresh, err := os.CreateTemp(dir, "."+filepath.Base(f.real)+".*")
	if err != nil {
		return "", err
	}
	defer os.Remove(fresh.Name()) // after a success the file has another name
	if err := fill(fresh, text, f.mode); err != nil {
		return "", err
	}
	if f.there {
		if backup, err = f.copy(); err != nil {
			return "", err
		}
	}
	if now, err := f.read(); errors.Is(err, fs.ErrNotExist) == f.there || !bytes.Equal(now, f.text) {
		if f.there {
			os.Remove(backup)
		}
		return "", fmt.Errorf("%s: another program has just changed it, so nothing is written: try again", command.Printable(f.path))
	}
	return backup, os.Rename(fresh.Name(), f.real)
}

// copy writes the old text to a file with a new name, so that older copies stay.
func (f *clientFile) copy() (string, error) {
	for i := 0; ; i++ {
		name := f.real + ".bak"
		if i > 0 {
			name = fmt.Sprintf("%s.%d.bak", f.real, i)
		}
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		} else if err != nil {
			return "", err
		}
		if err := fill(file, f.text, f.mode); err != nil {
			os.Remove(name)
			return "", err
		}
		return name, nil
	}
}

// fill writes a new file, syncs it to the disk and closes it.
func fill(file *os.File, text []byte, mode fs.FileMode) error {
	_, err := file.Write(text)
	if err == nil {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
