package stdio

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkRoundTrip asks what a call costs from the client's write to the end
// of the answer, beside the SDK's own transport: with a server, and with the
// transport alone, the result being there already.
func BenchmarkRoundTrip(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"2KB", 2 << 10}, {"1MiB", 1 << 20}} {
		result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{
			Text: strings.Repeat("A line of documentation, as <prose> has it.\n", size.bytes/44),
		}}}
		for _, transport := range []struct {
			name string
			make func(in *io.PipeReader, out *io.PipeWriter) mcp.Transport
		}{
			{"stdio", func(in *io.PipeReader, out *io.PipeWriter) mcp.Transport { return &Transport{In: in, Out: out} }},
			{"sdk", func(in *io.PipeReader, out *io.PipeWriter) mcp.Transport {
				return &mcp.IOTransport{Reader: in, Writer: out}
			}},
		} {
			b.Run("server/"+size.name+"/"+transport.name, func(b *testing.B) {
				inR, inW := io.Pipe()
				outR, outW := io.Pipe()
				benchmarkServer(b, transport.make(inR, outW), result)
				benchmarkCalls(b, inW, outR, size.bytes)
			})
			b.Run("alone/"+size.name+"/"+transport.name, func(b *testing.B) {
				inR, inW := io.Pipe()
				outR, outW := io.Pipe()
				benchmarkTransport(b, transport.make(inR, outW), result)
				benchmarkCalls(b, inW, outR, size.bytes)
			})
		}
	}
}

func benchmarkServer(b *testing.B, transport mcp.Transport, result *mcp.CallToolResult) {
	server := newServer()
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method != "tools/call" {
				return next(ctx, method, req)
			}
			return result, nil
		}
	})
	session, err := server.Connect(b.Context(), transport, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := session.Wait(); err != nil {
			b.Error(err)
		}
	})
}

func benchmarkTransport(b *testing.B, transport mcp.Transport, result *mcp.CallToolResult) {
	encoded, err := jsonwire.Encode(result)
	if err != nil {
		b.Fatal(err)
	}
	c, err := transport.Connect(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer c.Close()
		for {
			msg, err := c.Read(context.Background())
			if err != nil {
				return
			}
			req := msg.(*jsonrpc.Request)
			if req.IsCall() && c.Write(context.Background(), &jsonrpc.Response{ID: req.ID, Result: encoded}) != nil {
				return
			}
		}
	}()
	b.Cleanup(func() { <-done })
}

func benchmarkCalls(b *testing.B, in *io.PipeWriter, from io.Reader, atLeast int) {
	out := bufio.NewReaderSize(from, 4<<20)
	ask := func(call string) int {
		if _, err := io.WriteString(in, call); err != nil {
			b.Fatal(err)
		}
		answer, err := out.ReadSlice('\n')
		if err != nil {
			b.Fatal(err)
		}
		return len(answer)
	}
	ask(initialize("2025-11-25"))
	if _, err := io.WriteString(in, initialized); err != nil {
		b.Fatal(err)
	}
	call := sleep("1", "0s")
	b.ReportAllocs()
	for b.Loop() {
		if n := ask(call); n < atLeast {
			b.Fatalf("an answer of %d bytes", n)
		}
	}
	b.StopTimer()
	in.Close()
}
