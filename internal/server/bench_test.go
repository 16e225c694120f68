package server

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"testing/fstest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

func benchmarkServer(b *testing.B) (*Server, fstest.MapFS) {
	tree := fstest.MapFS{}
	for i := range 1000 {
		tree[fmt.Sprintf("resources/docs/v1/guides/part-%d/chapter %d.md", i/100, i)] = &fstest.MapFile{Data: []byte("# Chapter\n")}
	}
	catalog, err := loader.Scan(b.Context(), tree, loader.Options{})
	if err != nil {
		b.Fatal(err)
	}
	current := loader.NewCurrent()
	current.Publish(catalog)
	return New(Options{Name: "n", Version: "1", Catalog: current, Logger: slog.New(slog.DiscardHandler), Limits: Limits{ReadBytes: 1 << 20, FrameBytes: 1 << 20, PageItems: 1000}}), tree
}

// What does a page of 1,000 resources cost, up to its JSON, beside the SDK's own types?
func BenchmarkPage(b *testing.B) {
	s, _ := benchmarkServer(b)
	b.Run("Server", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			page, err := s.listResources(context.Background(), "", handshake, nil)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := json.Marshal(page); err != nil {
				b.Fatal(err)
			}
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

// What does a read cost in middleware and transport, beside the same over a server of the SDK's own resources?
func BenchmarkRead(b *testing.B) {
	s, _ := benchmarkServer(b)
	naive := mcp.NewServer(&mcp.Implementation{Name: "n", Version: "1"}, nil)
	const uri = "docs://v1/guides/part-0/chapter%200.md"
	naive.AddResource(&mcp.Resource{URI: uri, Name: "n"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, Text: "# Chapter\n"}}}, nil
	})
	for name, server := range map[string]*mcp.Server{"Server": s.mcp, "SDK": naive} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			ours, theirs := mcp.NewInMemoryTransports()
			session, err := server.Connect(b.Context(), theirs, nil)
			if err != nil {
				b.Fatal(err)
			}
			client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil)
			cs, err := client.Connect(b.Context(), ours, nil)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := cs.ReadResource(b.Context(), &mcp.ReadResourceParams{URI: uri}); err != nil {
					b.Fatal(err)
				}
			}
			cs.Close()
			_ = session.Wait()
		})
	}
}
