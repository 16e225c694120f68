package project

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// An asked is one call of the client.
type asked struct {
	file      *churned // the file that the call reads, or nil
	after     int64    // the version of the file before the call
	cancelled bool
	answers   int
}

// A caller is a client that checks its answers.
type caller struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader

	mu      sync.Mutex
	calls   map[int]*asked
	updated map[string]int // updates by URI
	events  chan struct{}  // has room for one value: a message has arrived
}

// send writes one line for these calls.
func (c *caller) send(line string) bool {
	_, err := io.WriteString(c.in, line+"\n")
	return err == nil
}

// read reads answers until the output ends.
func (c *caller) read(slow *rand.Rand) {
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			if len(line) > 0 {
				c.t.Errorf("the output ends in a line of %d bytes", len(line))
			}
			return
		}
		if slow.IntN(20) == 0 {
			time.Sleep(time.Duration(slow.IntN(3000)) * time.Microsecond) // so that pipes fill up at times
		}
		c.mu.Lock()
		c.take(line)
		c.mu.Unlock()
		select {
		case c.events <- struct{}{}:
		default:
		}
	}
}

type answer struct {
	ID     json.RawMessage
	Method string
	Params struct {
		URI string
	}
	Result struct {
		Contents []struct{ URI, Text, Blob string }
	}
	Error *struct {
		Code    int
		Message string
	}
}

// take checks one line: an answer or a notification.
func (c *caller) take(line []byte) {
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		c.t.Errorf("%v: %.200s", err, line)
		return
	}
	if a.Method == "notifications/resources/updated" {
		c.updated[a.Params.URI]++
	}
	if a.Method != "" || string(a.ID) == "null" {
		return
	}
	id, err := strconv.Atoi(string(a.ID))
	call := c.calls[id]
	if err != nil || call == nil {
		c.t.Errorf("an answer to %s, which is not the id of a call", a.ID)
		return
	}
	if call.answers++; call.answers > 1 {
		c.t.Errorf("%d is answered %d times", id, call.answers)
	}
	if call.file == nil {
		return
	}
	if a.Error != nil || len(a.Result.Contents) != 1 {
		if !call.cancelled { // a call that was cancelled too late may be answered with that error
			c.t.Errorf("%s cannot be read: %+v", call.file.name, a.Error)
		}
		return
	}
	got := []byte(a.Result.Contents[0].Text)
	if blob := a.Result.Contents[0].Blob; blob != "" {
		if got, err = base64.StdEncoding.DecodeString(blob); err != nil {
			c.t.Error(err)
		}
	}
	version, err := strconv.ParseInt(string(got[:min(12, len(got))]), 10, 64)
	switch latest := call.file.begun.Load(); {
	case err != nil, !bytes.Equal(got, call.file.bytes(version)):
		c.t.Errorf("%s was read with bytes that it never had: version %d, %d bytes, %.40q", call.file.name, version, len(got), got)
	case version < call.after || version > latest:
		c.t.Errorf("%s was read in version %d; it was %d before the call and is %d", call.file.name, version, call.after, latest)
	}
}

// owed returns the calls that are not answered yet and must be.
func (c *caller) owed() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ids []int
	for id, call := range c.calls {
		if call.answers == 0 && !call.cancelled {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// wait waits until something has happened.
func (c *caller) wait(what string, happened func() bool) {
	c.t.Helper()
	deadline := time.After(time.Until(must.LastMoment(c.t)))
	for !happened() {
		select {
		case <-c.events:
		case <-deadline:
			c.t.Fatalf("gave up waiting for %s", what)
		}
	}
}
