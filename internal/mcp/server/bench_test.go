package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/stdio"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/current"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// benchmarkServer serves 1,000 files of a disk.
func benchmarkServer(b *testing.B) *Server {
	dir := b.TempDir()
	for i := range 1000 {
		name := filepath.Join(dir, fmt.Sprintf("resources/docs/v1/guides/part-%d/chapter-%d.md", i/100, i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("# Chapter\n"), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	tree, err := rootfs.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { tree.Close() })
	catalog, err := loader.Scan(b.Context(), tree, loader.Options{})
	if err != nil {
		b.Fatal(err)
	}
	catalogs := current.New[loader.Catalog]()
	catalogs.Publish(catalog)
	return New(Options{Name: "n", Version: "1", Catalog: catalogs, Logger: slog.New(slog.DiscardHandler), Limits: Limits{ReadBytes: 1 << 20, FrameBytes: 1 << 20, PageItems: 1000}})
}

// What does a page of 1,000 resources cost, including its JSON, compared with the SDK's own types?
func BenchmarkPage(b *testing.B) {
	s := benchmarkServer(b)
	b.Run("Server", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			page, err := s.Answer(context.Background(), &protocol.Call{Method: "resources/list", Version: "2025-11-25"})
			if err != nil {
				b.Fatal(err)
			}
			w := jsonwire.NewWriter(io.Discard)
			if err := page.WriteJSON(w); err != nil {
				b.Fatal(err)
			}
			page.Release()
		}
	})
	b.Run("SDK types", func(b *testing.B) {
		b.ReportAllocs()
		catalog, err := s.catalog.Load(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			page := &mcp.ListResourcesResult{}
			for r := range catalog.All() {
				page.Resources = append(page.Resources, &mcp.Resource{
					URI: r.URI(), Name: r.Name(), MIMEType: catalog.MIME(r), Size: r.Size(),
					Annotations: &mcp.Annotations{LastModified: r.ModTime().Format("2006-01-02T15:04:05.999999999Z07:00")},
				})
			}
			if _, err := json.Marshal(page); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// What does a read cost from line to line, compared with a server with the SDK's own resources
// and transport?
func BenchmarkRead(b *testing.B) {
	s := benchmarkServer(b)
	const uri = "docs://v1/guides/part-0/chapter-0.md"
	naive := mcp.NewServer(&mcp.Implementation{Name: "n", Version: "1"}, nil)
	naive.AddResource(&mcp.Resource{URI: uri, Name: "n"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, Text: "# Chapter\n"}}}, nil
	})
	b.Run("Server", func(b *testing.B) {
		benchmarkLines(b, uri, func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
			return (&stdio.Transport{In: in, Out: out, Handler: s}).Run(ctx)
		})
	})
	b.Run("SDK", func(b *testing.B) {
		benchmarkLines(b, uri, func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
			return naive.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
		})
	})
}

// benchmarkLines reads a resource repeatedly from a server at the end of two pipes.
func benchmarkLines(b *testing.B, uri string, run func(context.Context, io.ReadCloser, io.WriteCloser) error) {
	b.ReportAllocs()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(b.Context(), inR, outW) }()
	lines := bufio.NewReaderSize(outR, 1<<20)
	ask := func(line string) {
		if _, err := io.WriteString(inW, line+"\n"); err != nil {
			b.Fatal(err)
		}
		if !strings.Contains(line, `"id"`) {
			return
		}
		answer, err := lines.ReadSlice('\n')
		if err != nil || !bytes.Contains(answer, []byte(`"result"`)) {
			b.Fatalf("%s: %v", answer, err)
		}
	}
	ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	ask(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	request := `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"` + uri + `"}}`
	for b.Loop() {
		ask(request)
	}
	inW.Close()
	_, _ = io.Copy(io.Discard, outR)
	<-ended
}
