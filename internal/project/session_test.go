package project

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/stdio"
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

// To soak-test the server: go test ./internal/project -race -run RandomSessions -sessions 20 -messages 5000
var (
	sessions = flag.Int("sessions", 3, "the number of sessions of TestRandomSessions")
	messages = flag.Int("messages", 150, "the number of messages in each session")
	seed     = flag.Uint64("seed", rand.Uint64(), "the random seed of TestRandomSessions")
)

const stateless = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// talk sends n random messages.
func (c *caller) talk(tree *churn, r *rand.Rand, n int) {
	next := 0
	one := func() string {
		next++
		call := &asked{}
		c.mu.Lock()
		c.calls[next] = call
		c.mu.Unlock()
		f := tree.files[min(r.IntN(len(tree.files)), r.IntN(len(tree.files)))] // large files are slow, so they are chosen less often
		method, params := "ping", "{}"
		switch kind := r.IntN(20); {
		case kind < 10:
			method, params = "resources/read", `{"uri":"`+f.uri()+`"}`
			if kind < 4 {
				params = `{"uri":"` + f.uri() + `",` + stateless + `}`
			}
			call.file, call.after = f, f.completed.Load()
		case kind == 10:
			method = "resources/list"
		case kind == 11:
			method, params = "resources/read", `{"uri":"s://h/missing"}`
		case kind == 12:
			method, params = "resources/subscribe", `{"uri":"`+f.uri()+`"}`
		case kind == 13:
			method, params = "resources/unsubscribe", `{"uri":"`+f.uri()+`"}`
		case kind == 15:
			method, params = "tools/list", "{}"
		case kind == 16:
			method, params = "no/method", "[1]"
		case kind == 17:
			method = "prompts/list"
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, next, method, params)
	}
	for range n {
		switch kind := r.IntN(20); {
		case kind < 12:
			c.send(one())
		case kind < 18 && next > 0:
			id := max(1, next-r.IntN(10))
			c.mu.Lock()
			c.calls[id].cancelled = true
			c.mu.Unlock()
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
		case kind == 18:
			c.send([]string{"{", "[]", `{"jsonrpc":"1.0"}`, "\xff", `{"jsonrpc":"2.0","result":1}`}[r.IntN(5)])
		default:
			time.Sleep(time.Duration(r.IntN(2000)) * time.Microsecond)
		}
	}
}

// ask makes one call and waits for its answer.
func (c *caller) ask(id int, method, params string) {
	c.t.Helper()
	c.mu.Lock()
	c.calls[id] = &asked{}
	c.mu.Unlock()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	c.wait(method, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.calls[id].answers > 0
	})
}

// Sessions make random calls and cancellations while the tree changes all the time. Each
// call is answered once, with bytes that its file had between call and answer, and afterwards nothing
// of the session is left.
func TestRandomSessions(t *testing.T) {
	if must.RaceEnabled {
		*messages = min(*messages, 80)
	}
	t.Logf("-seed %d", *seed)
	tree := newChurn(t)
	memory := contents.NewMemory()
	live := follow(t, tree.dir, LiveOptions{Memory: memory})
	must.Get(live.catalog.Load(t.Context()))(t)
	var work sync.WaitGroup
	for i := range *sessions {
		random := func(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(*seed+uint64(i), stream)) }
		inR, inW, err := os.Pipe()
		must.Do(t, err)
		outR, outW, err := os.Pipe()
		must.Do(t, err)
		ended := make(chan error, 1)
		go func() {
			ended <- (&stdio.Transport{In: inR, Out: outW, Handler: live.Server()}).Run(context.Background())
		}()
		c := &caller{t: t, in: inW, out: bufio.NewReaderSize(outR, 1<<20), calls: make(map[int]*asked), updated: make(map[string]int), events: make(chan struct{}, 1)}
		read := make(chan struct{})
		go func() {
			defer close(read)
			c.read(random(1))
		}()
		c.ask(0, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)

		ctx, stop := context.WithCancel(t.Context())
		work.Go(func() { tree.run(ctx, t, random(2)) })
		c.talk(tree, random(3), *messages)
		// Else the input ends before the answers arrive. The server then gives up on open calls after a time that is short for the race detector.
		if i%3 != 2 || must.RaceEnabled {
			c.wait("answers", func() bool { return len(c.owed()) == 0 })
		}
		stop()
		work.Wait()
		if i%3 == 0 {
			c.followed(tree)
		}
		inW.Close()
		if err := <-ended; err != nil {
			t.Errorf("session %d ends with %v", i, err)
		}
		<-read
		if ids := c.owed(); len(ids) > 0 {
			t.Errorf("session %d has no answers for %v", i, ids)
		}
		outR.Close()
		for deadline := must.LastMoment(t); ; time.Sleep(time.Millisecond) {
			left := goroutinesOf("internal/mcp/stdio.", "internal/mcp/server.", "internal/library/contents.", "internal/protocol/notify.")
			if left == "" && memory.Usage().Bytes == 0 && live.server.Subscriptions() == 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("session %d leaves %+v, %d subscriptions and\n%s", i, memory.Usage(), live.server.Subscriptions(), left)
			}
		}
	}
}

// followed changes each file once more and waits for the notifications.
func (c *caller) followed(tree *churn) {
	c.t.Helper()
	for i, f := range tree.files {
		if f.constant {
			continue
		}
		c.ask(1_000_000+i, "resources/subscribe", `{"uri":"`+f.uri()+`"}`)
	}
	c.mu.Lock()
	before := maps.Clone(c.updated)
	c.mu.Unlock()
	for _, f := range tree.files {
		if f.constant {
			continue
		}
		must.Do(c.t, f.change(tree.dir))
	}
	c.wait("an update of each file", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return !slices.ContainsFunc(tree.files, func(f *churned) bool { return !f.constant && c.updated[f.uri()] <= before[f.uri()] })
	})
}

// goroutinesOf returns the stacks of the goroutines that are in one of these packages. The project
// has other goroutines, which start and end at any time.
func goroutinesOf(packages ...string) string {
	all := make([]byte, 4<<20)
	all = all[:runtime.Stack(all, true)]
	var found []string
	for stack := range strings.SplitSeq(string(all), "\n\n") {
		if slices.ContainsFunc(packages, func(name string) bool { return strings.Contains(stack, name) }) {
			found = append(found, stack)
		}
	}
	return strings.Join(found, "\n\n")
}
