package project

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A churn is a tree of files that change all the time. The text of a file has its version.
type churn struct {
	dir   string
	files []*churned
}

type churned struct {
	name      string // in resources/s/h
	size      int
	inPlace   bool         // it is overwritten and keeps its size; else it is replaced
	constant  bool         // it does not change
	begun     atomic.Int64 // the last version whose write has begun
	completed atomic.Int64 // the last version whose write has ended

	mu sync.Mutex // held while the file changes
}

func (f *churned) uri() string { return "s://h/" + f.name }

// bytes returns a version of the file.
func (f *churned) bytes(version int64) []byte {
	size := f.size
	if !f.inPlace && !f.constant {
		size += int(version%7) * 100
	}
	line := fmt.Sprintf("%012d \"%s\" \x01 é €\n", version, f.name)
	b := bytes.Repeat([]byte(line), size/len(line)+1)[:size]
	if strings.HasSuffix(f.name, ".bin") {
		return append(b, 0, 0xff)
	}
	return bytes.ToValidUTF8(b, []byte("?"))
}

// change makes another version of the file.
func (f *churned) change(dir string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	version := f.begun.Add(1)
	path := filepath.Join(dir, "resources", "s", "h", f.name)
	if !f.inPlace {
		aside := filepath.Join(dir, "aside-"+f.name)
		if err := os.WriteFile(aside, f.bytes(version), 0o600); err != nil {
			return err
		}
		if err := os.Rename(aside, path); err != nil {
			return err
		}
		f.completed.Store(version)
		return nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(f.bytes(version))
	f.completed.Store(version)
	if e := file.Close(); err == nil {
		err = e
	}
	return err
}

func newChurn(t *testing.T) *churn {
	c := &churn{dir: given.Folder(t, `mcp-docs-server.json={"name":"n","package":"n","version":"1.0.0","limits":{"maxFrameBytes":33554432}}`, "resources/s/h/", "docs/a.md=# A\n\nWords.\n", "prompts/p.md=Read it.\n")}
	for i, size := range []int{50, 900, 7_000, 70_000, 300_000, 1_500_000} {
		for _, suffix := range []string{".txt", ".bin"} {
			// On systems where a read does not wait for a write (see docs/design.md), files are only replaced.
			c.files = append(c.files, &churned{name: strconv.Itoa(i) + suffix, size: size, inPlace: i%2 == 1 && runtime.GOOS == "linux"})
		}
	}
	for _, name := range []string{"long.txt", "long.bin"} { // large enough that the server reads them while it writes the answer
		c.files = append(c.files, &churned{name: name, size: 10<<20 + 12_345, constant: true})
	}
	for _, f := range c.files {
		must.Write(t, filepath.Join(c.dir, "resources", "s", "h", f.name), string(f.bytes(0)))
	}
	return c
}

// run changes files until ctx ends.
func (c *churn) run(ctx context.Context, t *testing.T, r *rand.Rand) {
	for ctx.Err() == nil {
		f := c.files[r.IntN(len(c.files))]
		if f.constant {
			continue
		}
		if err := f.change(c.dir); err != nil {
			t.Error(err)
			return
		}
		if extra := filepath.Join(c.dir, "resources", "s", "h", "extra"); r.IntN(2) == 0 {
			_ = os.WriteFile(extra, []byte("e"), 0o600)
		} else {
			_ = os.Remove(extra)
		}
		time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond) // else the server would do nothing but read the tree
	}
}
