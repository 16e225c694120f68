package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// watched is a tree that tells of every file of it that is opened, which may hold it up or fail it.
type watched struct {
	fstest.MapFS
	mu     sync.Mutex
	opened map[string]int
	open   func(name string, times int) error
}

func (w *watched) Open(name string) (fs.File, error) {
	if f, ok := w.MapFS[name]; ok && !f.Mode.IsDir() {
		w.mu.Lock()
		if w.opened == nil {
			w.opened = map[string]int{}
		}
		w.opened[name]++
		n := w.opened[name]
		w.mu.Unlock()
		if w.open != nil {
			if err := w.open(name, n); err != nil {
				return nil, err
			}
		}
	}
	return w.MapFS.Open(name)
}

// whole is how many bytes the reads of these tests may have to be held: a few chunks.
const whole = 2*chunkSize + 1000

// large are limits that long files fit in.
var large = Limits{ReadBytes: 64 << 20, FrameBytes: 256 << 20, PageItems: 10}

func startLarge(t *testing.T, fsys fs.FS) *fixture {
	t.Helper()
	return startWith(t, protocol.Handshake, fsys, "[]", func(s *Server) {
		s.SetLimits(large)
		s.whole = whole
		s.prompts.Publish(nil)
	})
}

// Files of more bytes than are held come out whole, wherever their characters fall in the chunks.
func TestLongFiles(t *testing.T) {
	tree := fstest.MapFS{}
	want := map[string][]byte{}
	add := func(name string, data []byte) {
		tree["resources/x/h/"+name] = &fstest.MapFile{Data: data}
		want["x://h/"+name] = data
	}
	for shift := range 4 {
		text := strings.Repeat("-", shift) + strings.Repeat("€𝄞\"\n", (whole+chunkSize)/9)
		add(fmt.Sprintf("text-%d.txt", shift), []byte(text))
		add(fmt.Sprintf("blob-%d.bin", shift), append(bytes.Repeat([]byte{0, 0xff, 0xfe}, whole/3+1), make([]byte, shift)...))
	}
	add("cut.txt", []byte(strings.Repeat("a", whole+1)+"\xe2\x82"))                   // ends inside a character: a blob
	add("late.txt", []byte(strings.Repeat("a", whole+1)+"\x00"))                      // NUL at the end: a blob
	add("even.txt", []byte(strings.Repeat("a", whole/chunkSize*chunkSize+chunkSize))) // ends with a chunk
	f := startLarge(t, tree)
	for uri, data := range want {
		contents := f.must("resources/read", map[string]any{"uri": uri})["contents"].([]any)[0].(map[string]any)
		if text, ok := contents["text"].(string); ok {
			if text != string(data) || strings.HasPrefix(uri, "x://h/blob") || uri == "x://h/cut.txt" || uri == "x://h/late.txt" {
				t.Errorf("%s differs as a text", uri)
			}
			continue
		}
		if blob, err := base64.StdEncoding.DecodeString(contents["blob"].(string)); err != nil || !bytes.Equal(blob, data) {
			t.Errorf("%s differs as a blob", uri)
		}
	}
}

func TestLongFolderAndLimits(t *testing.T) {
	half := strings.Repeat("a", whole/2+1)
	f := startLarge(t, files("x/h/a="+half, "x/h/b="+half+"\x00"))
	contents := f.must("resources/read", map[string]any{"uri": "x://h"})["contents"].([]any)
	if len(contents) != 2 || contents[0].(map[string]any)["text"] != half {
		t.Error("a folder of more than is held differs")
	}
	small := large
	small.FrameBytes = whole + whole/10
	f.server.SetLimits(small)
	if err := f.fails(jsonrpc.CodeInternalError, "resources/read", map[string]any{"uri": "x://h"}); !strings.Contains(err.Message, "limits.maxFrameBytes") {
		t.Error(err)
	}
	small.ReadBytes = whole
	f.server.SetLimits(small)
	if err := f.fails(jsonrpc.CodeInternalError, "resources/read", map[string]any{"uri": "x://h"}); !strings.Contains(err.Message, "limits.maxReadBytes") {
		t.Error(err)
	}
}

// A long file that becomes another between its two readings ends the connection; no frame has a part of each.
func TestLongFileChanges(t *testing.T) {
	old, new := strings.Repeat("a", 2*whole), strings.Repeat("b", 2*whole)
	for name, next := range map[string]string{"other": new, "shorter": new[1:], "longer": new + "b", "cut": old[1:], "empty": ""} {
		t.Run(name, func(t *testing.T) {
			tree := &watched{MapFS: files("x/h/a=" + old)}
			tree.open = func(_ string, times int) error {
				if times == 2 {
					tree.MapFS["resources/x/h/a"] = &fstest.MapFile{Data: []byte(next)}
				}
				return nil
			}
			f := startLarge(t, tree)
			id, _ := jsonrpc.MakeID(77.0)
			f.send(&jsonrpc.Request{ID: id, Method: "resources/read", Params: json.RawMessage(`{"uri":"x://h/a"}`)})
			for {
				m, err := f.conn.Read(t.Context())
				if err != nil {
					return // as it is to be
				}
				res, ok := m.(*jsonrpc.Response)
				switch {
				case !ok || res.ID != id:
				case res.Error != nil: // the session was so young that the SDK had the request
					return
				default:
					t.Fatalf("an answer of %d bytes", len(res.Result))
				}
			}
		})
	}
}

// What is appended to a long file while it is sent is of no concern.
func TestLongFileGrows(t *testing.T) {
	old := strings.Repeat("a\n", 2*whole)
	tree := &watched{MapFS: files("x/h/a=" + old)}
	tree.open = func(_ string, times int) error {
		if times == 2 {
			tree.MapFS["resources/x/h/a"] = &fstest.MapFile{Data: []byte(old + "more\n")}
		}
		return nil
	}
	f := startLarge(t, tree)
	if got := f.must("resources/read", map[string]any{"uri": "x://h/a"})["contents"].([]any)[0].(map[string]any)["text"]; got != old {
		t.Error("the answer is not the file as it was")
	}
}

// The second reading may hang as well: the session ends, and nobody waits for it.
func TestLongFileHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := &watched{MapFS: files("x/h/a=" + strings.Repeat("a", 2*whole))}
		release := make(chan struct{})
		tree.open = func(_ string, times int) error {
			if times == 2 {
				<-release
			}
			return nil
		}
		f := startLarge(t, tree)
		synctest.Wait()
		id, _ := jsonrpc.MakeID(77.0)
		began := time.Now()
		f.send(&jsonrpc.Request{ID: id, Method: "resources/read", Params: json.RawMessage(`{"uri":"x://h/a"}`)})
		for {
			m, err := f.conn.Read(t.Context())
			if err != nil {
				break
			}
			if res, ok := m.(*jsonrpc.Response); ok && res.ID == id {
				t.Error("there is an answer")
			}
		}
		if took := time.Since(began); took != readTimeout {
			t.Errorf("the session ends after %v", took)
		}
		close(release)
		f.conn.Close()
	})
}

// A file that has grown since the catalog was made takes what it is from the budget.
func TestReadOfWhatHasGrown(t *testing.T) {
	tree := files("x/h/a=1", "x/many/a=1", "x/many/b=2", "x/many/c=3")
	f := startLarge(t, tree)
	grown := strings.Repeat("g", whole/2)
	for _, name := range []string{"h/a", "many/a", "many/b"} {
		tree["resources/x/"+name] = &fstest.MapFile{Data: []byte(grown)}
	}
	if got := f.must("resources/read", map[string]any{"uri": "x://h/a"})["contents"].([]any)[0].(map[string]any)["text"]; got != grown {
		t.Error("the file differs")
	}
	if got := f.must("resources/read", map[string]any{"uri": "x://many"})["contents"].([]any); len(got) != 3 || got[1].(map[string]any)["text"] != grown || got[2].(map[string]any)["text"] != "3" {
		t.Error("the folder differs")
	}
	tree["resources/x/h/a"] = &fstest.MapFile{Data: make([]byte, large.ReadBytes+1)}
	if err := f.fails(jsonrpc.CodeInternalError, "resources/read", map[string]any{"uri": "x://h/a"}); !strings.Contains(err.Message, "limits.maxReadBytes") {
		t.Error(err)
	}
	if !f.server.memory.bytes.TryAcquire(memoryBudget) {
		t.Error("some of the budget was not given back")
	}
}

// A read that is cancelled keeps its share until the disk answers, and is none that hangs.
func TestCancelledRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := &watched{MapFS: files("x/h/slow=1", "x/h/quick=2")}
		tree.open = func(name string, _ int) error {
			if strings.HasSuffix(name, "slow") {
				time.Sleep(time.Second)
			}
			return nil
		}
		f := start(t, protocol.Handshake, tree, "[]")
		for i := range 2 * maxHanging {
			ctx, cancel := context.WithCancel(t.Context())
			go cancel()
			catalog, _ := f.current.Load(t.Context())
			r, _ := catalog.Lookup("x://h/slow")
			if _, err := f.server.read(ctx, catalog, "x://h/slow", []loader.Resource{r}, 1000); err == nil {
				t.Errorf("read %d is not cancelled", i)
			}
		}
		if n := f.server.hanging.Load(); n != 0 {
			t.Errorf("%d reads hang", n)
		}
		if f.server.memory.bytes.TryAcquire(memoryBudget) {
			t.Error("reads that still run have given back their share")
		}
		f.must("resources/read", map[string]any{"uri": "x://h/quick"})
		time.Sleep(2 * time.Second)
		if !f.server.memory.bytes.TryAcquire(memoryBudget) {
			t.Error("some of the budget was not given back")
		}
		f.conn.Close()
	})
}

// Reads hold no more than the budget together, however many are asked for, until the client has taken what was read.
func TestReadBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, size = 8, 5 << 20
		tree := &watched{MapFS: fstest.MapFS{}}
		for i := range n {
			tree.MapFS[fmt.Sprintf("resources/x/h/%d", i)] = &fstest.MapFile{Data: bytes.Repeat([]byte{byte('a' + i)}, size)}
		}
		f := startLarge(t, tree)
		for i := range n {
			id, _ := jsonrpc.MakeID(float64(1000 + i))
			f.send(&jsonrpc.Request{ID: id, Method: "resources/read", Params: json.RawMessage(fmt.Sprintf(`{"uri":"x://h/%d"}`, i))})
		}
		synctest.Wait()
		tree.mu.Lock()
		opened := len(tree.opened)
		tree.mu.Unlock()
		if most := memoryBudget/size + 1; opened > most || opened < 2 { // the client's end has one
			t.Errorf("%d files were read for a client that does not read, want %d at the most", opened, most)
		}
		for seen := 0; seen < n; {
			m, err := f.conn.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			res, ok := m.(*jsonrpc.Response)
			if !ok {
				continue
			}
			seen++
			var result struct{ Contents []struct{ URI, Text string } }
			if err := json.Unmarshal(res.Result, &result); err != nil {
				t.Fatal(err)
			}
			c := result.Contents[0]
			var i int
			if _, err := fmt.Sscanf(c.URI, "x://h/%d", &i); err != nil || c.Text != strings.Repeat(string(rune('a'+i)), size) {
				t.Errorf("%s differs", c.URI)
			}
		}
		synctest.Wait()
		if !f.server.memory.bytes.TryAcquire(memoryBudget) {
			t.Error("some of the budget was not given back")
		}
		f.conn.Close()
	})
}

// A read that hangs ends after a while and leaves the others their budget; when too many hang, reads are refused.
func TestReadThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		tree := &watched{MapFS: files("x/h/dead="+strings.Repeat("a", 1000), "x/h/alive=1")}
		tree.open = func(name string, _ int) error {
			if strings.HasSuffix(name, "dead") {
				<-release
			}
			return nil
		}
		f := start(t, protocol.Handshake, tree, "[]")
		began := time.Now()
		err := f.fails(jsonrpc.CodeInternalError, "resources/read", map[string]any{"uri": "x://h/dead"})
		if took := time.Since(began); took != readTimeout || !strings.Contains(err.Message, "30s") {
			t.Errorf("it ends after %v with %q", took, err.Message)
		}
		f.must("resources/read", map[string]any{"uri": "x://h/alive"})
		synctest.Wait()
		if !f.server.memory.bytes.TryAcquire(memoryBudget) {
			t.Error("its budget was not given back")
		}
		f.server.memory.bytes.Release(memoryBudget)
		f.server.hanging.Store(maxHanging)
		if err := f.fails(jsonrpc.CodeInternalError, "resources/read", map[string]any{"uri": "x://h/alive"}); !strings.Contains(err.Message, "network drive") {
			t.Error(err)
		}
		f.server.hanging.Store(1)
		close(release)
		synctest.Wait()
		if n := f.server.hanging.Load(); n != 0 {
			t.Errorf("%d reads still hang", n)
		}
		f.conn.Close()
	})
}

// A list that has to look into a file that hangs ends after a while, or when it is cancelled.
func TestListThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		tree := &watched{MapFS: files("x/h/noextension=text")}
		tree.open = func(string, int) error {
			<-release
			return nil
		}
		f := start(t, protocol.Handshake, tree, "[]")
		began := time.Now()
		err := f.fails(jsonrpc.CodeInternalError, "resources/list", nil)
		if took := time.Since(began); took != readTimeout || !strings.Contains(err.Message, "30s") {
			t.Errorf("it ends after %v with %q", took, err.Message)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		if _, err := f.server.listResources(ctx, request{&protocol.Call{}, protocol.Handshake}); err != context.Canceled {
			t.Errorf("a cancelled list: %v", err)
		}
		close(release)
		synctest.Wait()
		f.must("resources/list", nil)
		f.conn.Close()
	})
}
