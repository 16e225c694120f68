package project

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/stdio"
)

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
		if i%3 != 2 { // else the input ends before the answers arrive
			c.wait("answers", func() bool { return len(c.owed()) == 0 })
		} else if must.RaceEnabled { // the server gives up on open calls after a time that is too short for many
			c.wait("most answers", func() bool { return len(c.owed()) < 5 })
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
