package server

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/current"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A caller whose answers are never written does not block another caller of any server of the process:
// neither its reads nor its lists nor its tools.
func TestCallersDoNotBlockEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := files("x/h/a=" + strings.Repeat("a", 5<<20))
		catalog, err := loader.Scan(t.Context(), tree, loader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		memory := contents.NewMemory()
		servers := make([]*Server, 2)
		for i := range servers {
			current := current.New[loader.Catalog]()
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
			if err != nil {
				t.Fatal(err)
			}
			res.Release()
			for i, request := range [][2]string{
				{"resources/read", `{"uri":"x://h/a"}`}, {"resources/list", `{}`}, {"tools/call", `{"name":"read_resource","arguments":{"uri":"x://h/a"}}`},
			} {
				res, err := call(t.Context(), s, fmt.Sprintf("quick %d", i), request[0], request[1])
				if err != nil {
					t.Fatal(err)
				}
				res.Release()
			}
		}
		cancel()
		synctest.Wait()
		for len(results) > 0 {
			(<-results).Release()
		}
		if u := memory.Usage(); u != (contents.Usage{}) {
			t.Errorf("in use at the end: %+v", u)
		}
	})
}
