package web

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	answers "github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/current"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// What does a read of 4 KB cost from the request of net/http to the bytes of its answer, compared with a
// handler that only writes these bytes?
func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "resources/x/h"), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "resources/x/h/a.md"), []byte(strings.Repeat("four kilobytes\n\n", 256)), 0o600); err != nil {
		b.Fatal(err)
	}
	tree, err := rootfs.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { tree.Close() })
	c, err := loader.Scan(b.Context(), tree, loader.Options{})
	if err != nil {
		b.Fatal(err)
	}
	catalog := current.New[loader.Catalog]()
	catalog.Publish(c)
	srv := answers.New(answers.Options{
		Name: "n", Version: "1", Catalog: catalog, Logger: slog.New(slog.DiscardHandler),
		Limits: answers.Limits{ReadBytes: 1 << 20, FrameBytes: 1 << 20, PageItems: 1000},
	})
	srv.SetPrompts(nil)
	s, err := newServer(options(Site{Name: "n", Server: srv, Ready: func() bool { return true }}), "127.0.0.1:3060")
	if err != nil {
		b.Fatal(err)
	}
	post := func(body string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:3060/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		return r
	}
	begun := httptest.NewRecorder()
	s.http.Handler.ServeHTTP(begun, post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
	const message = `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x://h/a.md"}}`
	r := post("")
	r.Header.Set("Mcp-Session-Id", begun.Header().Get("Mcp-Session-Id"))
	r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	r.ContentLength = int64(len(message))
	body := strings.NewReader(message)
	r.Body = io.NopCloser(body)
	run := func(b *testing.B, h http.Handler) {
		b.ReportAllocs()
		for b.Loop() {
			body.Reset(message)
			w := discard{header: http.Header{}}
			h.ServeHTTP(&w, r)
			if w.written < 4<<10 {
				b.Fatalf("%d bytes", w.written)
			}
		}
	}
	b.Run("server", func(b *testing.B) { run(b, s.http.Handler) })
	b.Run("bytes", func(b *testing.B) {
		answer := bytes.Repeat([]byte("a"), 4<<10)
		run(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err != nil {
				b.Fatal(err)
			}
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
			_, _ = w.Write(answer)
		}))
	})
}

// A discard is a response writer that discards the answer.
type discard struct {
	header  http.Header
	written int
}

func (d *discard) Header() http.Header { return d.header }

func (d *discard) WriteHeader(int) {}

func (d *discard) Write(p []byte) (int, error) {
	d.written += len(p)
	return len(p), nil
}

func (d *discard) SetReadDeadline(time.Time) error { return nil }

func (d *discard) SetWriteDeadline(time.Time) error { return nil }
