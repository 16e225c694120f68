package serving

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/streamable"
)

// openSessions sets the keys of sessions, and connects to the store, which is nil without one.
func (a *app) openSessions(ctx context.Context, cmd *cobra.Command, o *serving, options *httpserver.Options) (db *database.DB, closeAll func(), err error) {
	if options.SessionKeys, err = o.http.keys(cmd, options.Logger); err != nil {
		return nil, nil, err
	}
	made := options.SessionKeys == nil
	if made {
		options.SessionKeys = streamable.NewKeys(o.http.sessionTime)
	}
	if db, err = a.openStore(ctx, cmd, o, options, !made); err != nil {
		return nil, nil, err
	} else if db != nil {
		return db, db.Close, nil
	}
	state, err := a.keepSessions(options, made, o.http.sessionTime)
	return nil, func() {
		if err == nil {
			state.Close()
		}
	}, nil
}

// keepSessions reads the key of sessions if none is configured, and which sessions their clients have ended, from a folder that
// survives a restart. The server does not need the folder.
func (a *app) keepSessions(options *httpserver.Options, made bool, lifetime time.Duration) (*rootfs.FS, error) {
	state, err := openState()
	if made {
		key := ""
		if err == nil {
			key, err = localKey(state)
		}
		if err != nil {
			a.Say("sessions end with this process, because their key cannot be kept: %v; to keep them over restarts, set %s", err, sessionVariable)
		} else if keys, err := streamable.ParseKeys(key, lifetime); err != nil {
			a.Say("sessions end with this process, because the file with their key %v; to keep them over restarts, remove the file or set %s", err, sessionVariable)
		} else {
			options.SessionKeys = keys
		}
		options.SessionKeys.Local = true
	}
	if err == nil {
		err = options.SessionKeys.KeepEnded(state)
	}
	return state, err
}

// sessionVariable holds the keys of sessions. It has no option, because other users can see a command line.
const sessionVariable = "MCP_DOCS_SESSION_KEY"

// keys returns the configured keys that seal the ids of sessions, or nil if there are none.
func (o *httpOptions) keys(cmd *cobra.Command, logger *slog.Logger) (*streamable.Keys, error) {
	value, from, given, err := command.Secret(cmd, sessionVariable, "session-key-file", "the key of sessions", logger)
	if err != nil || !given {
		return nil, err
	}
	keys, err := streamable.ParseKeys(value, o.sessionTime)
	if err != nil {
		return nil, command.Misuse("%s %v", from, err)
	}
	return keys, nil
}

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
