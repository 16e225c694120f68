package main

import (
	"context"
	"io/fs"
	"mime"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// naiveCommand makes this program the naive server.
const naiveCommand = "serve-naively"

// serveNaively serves a project over standard input and output.
func serveNaively(dir string) error {
	server, err := naiveServer(dir)
	if err != nil {
		return err
	}
	return server.Run(context.Background(), &mcp.StdioTransport{})
}

// naiveServer serves a project as the SDK suggests: it walks the folder, adds each file as a resource,
// and reads it in the handler.
func naiveServer(dir string) (*mcp.Server, error) {
	server := mcp.NewServer(&mcp.Implementation{Name: "naive", Version: "1"}, nil)
	root := filepath.Join(dir, "resources")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		below, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		scheme, rest, _ := strings.Cut(filepath.ToSlash(below), "/")
		info, err := d.Info()
		if err != nil {
			return err
		}
		host, rest, _ := strings.Cut(rest, "/")
		uri := (&url.URL{Scheme: scheme, Host: host, Path: "/" + rest}).String()
		server.AddResource(&mcp.Resource{
			URI: uri, Name: d.Name(), Size: info.Size(), MIMEType: mime.TypeByExtension(filepath.Ext(path)),
			Annotations: &mcp.Annotations{LastModified: info.ModTime().UTC().Format("2006-01-02T15:04:05Z")},
		}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			contents := &mcp.ResourceContents{URI: uri}
			if utf8.Valid(data) {
				contents.Text = string(data)
			} else {
				contents.Blob = data
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
		})
		return nil
	})
	server.AddPrompt(&mcp.Prompt{Name: "embed"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		data, err := os.ReadFile(filepath.Join(root, "bench/read/large.md"))
		if err != nil {
			return nil, err
		}
		file := &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "bench://read/large.md", Text: string(data)}}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: file}}}, nil
	})
	return server, err
}
