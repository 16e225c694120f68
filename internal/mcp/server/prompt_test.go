package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A countedFS counts the resources that are opened.
type countedFS struct {
	fstest.MapFS
	opened  int
	opening func()
}

func (c *countedFS) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, "resources/x/h/") {
		c.opened++
		c.opening()
	}
	return c.MapFS.Open(name)
}

// manyLinks is a project with a prompt whose text names n resources of some bytes.
func manyLinks(n, bytes int) *countedFS {
	return &countedFS{fstest.MapFS{
		"prompts/many.md":     &fstest.MapFile{Data: []byte(strings.Repeat("[it](x://h/a.txt)\n", n))},
		"resources/x/h/a.txt": &fstest.MapFile{Data: []byte(strings.Repeat("a", bytes))},
	}, 0, func() {}}
}

func TestPromptsHaveBounds(t *testing.T) {
	for _, test := range []struct{ links, bytes, want int }{
		{maxEmbedded + 10, 1, maxEmbedded}, // by their number
		{100, 10_000, 9},                   // by the bytes of the answer
		{100, 100_001, 0},                  // each is too large by itself
	} {
		tree := manyLinks(test.links, test.bytes)
		f := withDocs(t, protocol.Handshake, tree)
		f.server.SetLimits(Limits{ReadBytes: 1 << 20, FrameBytes: 100_000, PageItems: 10})
		tree.opened = 0
		res := must.Get(json.Marshal(f.must("prompts/get", map[string]any{"name": "many"})))(t)
		n, lines := strings.Count(string(res), `"resource":{`), strings.Count(string(res), "[it](x://h/a.txt)")
		if n != test.want || n+lines != test.links || tree.opened > n+10 {
			t.Errorf("%d links to %d bytes are %d resources and %d lines, with %d reads", test.links, test.bytes, n, lines, tree.opened)
		}
	}
}

// Resources that turn out not to fit are not read repeatedly.
func TestPromptsDoNotReadAgain(t *testing.T) {
	tree := manyLinks(100, 20_000)
	tree.MapFS["resources/x/h/a.txt"].Data = []byte(strings.Repeat("\x01", 20_000)) // six bytes each in JSON
	f := withDocs(t, protocol.Handshake, tree)
	f.server.SetLimits(Limits{ReadBytes: 1 << 20, FrameBytes: 100_000, PageItems: 10})
	tree.opened = 0
	f.must("prompts/get", map[string]any{"name": "many"})
	if tree.opened > 5 {
		t.Errorf("%d reads of 20,000 bytes for an answer of 100,000", tree.opened)
	}
}

func TestPromptIsCancelled(t *testing.T) {
	tree := manyLinks(100, 1)
	f := withDocs(t, protocol.Handshake, tree)
	ctx, cancel := context.WithCancel(t.Context())
	tree.opened, tree.opening = 0, cancel
	_, err := f.server.getPrompt(ctx, request{Call: &protocol.Call{}}, &promptParams{Name: "many"})
	if !errors.Is(err, context.Canceled) || tree.opened > 1 {
		t.Errorf("%v after %d reads", fmt.Sprint(err), tree.opened)
	}
}

// A caller whose answers are never written does not block another caller of any server of the process:
// neither its reads nor its lists nor its tools.
func TestCallersDoNotBlockEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := given.Resources("x/h/a=" + strings.Repeat("a", 5<<20))
		catalog := must.Get(loader.Scan(t.Context(), tree, loader.Options{}))(t)
		memory := contents.NewMemory()
		servers := make([]*Server, 2)
		for i := range servers {
			current := latest.New[loader.Catalog]()
			current.Publish(catalog)
			servers[i] = New(Options{Name: "n", Version: "1", Catalog: current, Memory: memory, Limits: Limits{ReadBytes: 64 << 20, FrameBytes: 64 << 20, PageItems: 10},
				Features: Features{ResourceTools: true}, Logger: slog.New(slog.DiscardHandler)})
		}
		call := func(ctx context.Context, s *Server, caller, method, params string) (protocol.Result, error) {
			return s.Answer(ctx, &protocol.Call{ID: []byte("1"), Method: method, Params: []byte(params), Version: protocol.LastHandshake, Caller: caller, Shared: true})
		}
		ctx, cancel := context.WithCancel(t.Context())
		results := make(chan protocol.Result, 1000)
		for i := range 200 {
			go func() {
				if res, err := call(ctx, servers[i%2], "slow", "resources/read", `{"uri":"x://h/a"}`); err == nil {
					results <- res
				}
			}()
		}
		synctest.Wait()
		held := memory.Usage().Bytes
		if len(results) == 0 || held > 12<<20 {
			t.Errorf("%d answers hold %d bytes", len(results), held)
		}
		for _, s := range servers {
			res, err := call(t.Context(), s, "slow", "ping", `{}`) // ping is always answered
			must.Do(t, err)
			res.Release()
			for i, request := range [][2]string{
				{"resources/read", `{"uri":"x://h/a"}`}, {"resources/list", `{}`}, {"tools/call", `{"name":"read_resource","arguments":{"uri":"x://h/a"}}`},
			} {
				res := must.Get(call(t.Context(), s, fmt.Sprintf("quick %d", i), request[0], request[1]))(t)
				res.Release()
			}
		}
		cancel()
		synctest.Wait()
		for len(results) > 0 {
			(<-results).Release()
		}
		must.Equal(t, contents.Usage{}, memory.Usage(), "in use at the end")
	})
}
