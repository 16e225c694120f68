package streamable

import (
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

const (
	// endedFile begins the name of a file with sessions that their clients ended. The number of the week in which their ids expire
	// follows, so that no file is written again.
	endedFile = "ended-sessions-"
	// maxEnded is how many sessions are remembered that their clients ended.
	maxEnded = 100_000
)

// endings are the sessions that their clients ended: their ids stay valid until they expire.
type endings struct {
	folder *rootfs.FS // nil: they are remembered by this process only

	mu    sync.Mutex       // guards all fields below
	weeks map[string]int64 // by digest of the id: the week in which it expires
}

func weekOf(t time.Time) int64 { return t.Unix() / (7 * 24 * 60 * 60) }

// KeepEnded keeps the sessions that their clients end in a folder, so that they stay ended after a restart. Call it before the
// keys are used.
func (k *Keys) KeepEnded(folder *rootfs.FS) error {
	names, err := folder.Names(".")
	if err != nil {
		return err
	}
	k.ended.folder = folder
	for _, name := range names {
		number, ours := strings.CutPrefix(name, endedFile)
		week, err := strconv.ParseInt(number, 10, 64)
		if !ours || err != nil {
			continue
		}
		if week < weekOf(time.Now()) {
			_ = folder.Remove(name) // the next start tries again
			continue
		}
		data, err := rootfs.ReadFile(folder, name, maxEnded*int64(len(digest(""))+1))
		if err != nil && err != rootfs.ErrTooLarge {
			return err
		}
		for line := range strings.Lines(string(data)) {
			k.ended.add(strings.TrimSuffix(line, "\n"), week)
		}
	}
	return nil
}

// end records that the client of a session ended it.
func (k *Keys) end(session string, expires time.Time) {
	week := weekOf(expires)
	if !k.ended.add(session, week) || k.ended.folder == nil {
		return
	}
	file, err := k.ended.folder.Append(endedFile + strconv.FormatInt(week, 10))
	if err != nil {
		return // the session is ended until a restart
	}
	defer file.Close()
	_, _ = file.WriteString(session + "\n")
}

func (k *Keys) hasEnded(session string) bool {
	k.ended.mu.Lock()
	defer k.ended.mu.Unlock()
	_, ended := k.ended.weeks[session]
	return ended
}

// add adds a session, unless there are too many.
func (e *endings) add(session string, week int64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.weeks) >= maxEnded {
		maps.DeleteFunc(e.weeks, func(_ string, week int64) bool { return week < weekOf(time.Now()) })
	}
	if len(e.weeks) >= maxEnded {
		return false
	}
	if e.weeks == nil {
		e.weeks = make(map[string]int64)
	}
	e.weeks[session] = week
	return true
}
