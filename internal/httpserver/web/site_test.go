package web

import (
	"log/slog"
	"net"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/streamable"
	answers "github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// site returns a project with a single file, x://h/name, whose text is its name.
func site(t *testing.T, name string) Site {
	t.Helper()
	return siteOf(t, name, name)
}

// siteOf returns a project whose file has this text.
func siteOf(t *testing.T, name, text string) Site {
	t.Helper()
	catalog := latest.New[loader.Catalog]()
	srv := answers.New(answers.Options{
		Name: name, Version: "1.2.3", Catalog: catalog, Logger: slog.New(slog.DiscardHandler),
		Limits: answers.Limits{ReadBytes: 64 << 20, FrameBytes: 64 << 20, PageItems: 100},
	})
	srv.SetPrompts(nil)
	c := must.Get(loader.Scan(t.Context(), fstest.MapFS{"resources/x/h/name": {Data: []byte(text)}}, loader.Options{}))(t)
	catalog.Publish(c)
	return Site{Name: name, Server: srv, Ready: func() bool { return true }}
}

func options(sites ...Site) Options {
	return Options{
		Addr: "127.0.0.1:0", Sites: sites, Limits: streamable.DefaultLimits, SessionKeys: streamable.NewKeys(time.Hour), Version: "1.2.3", Logger: slog.New(slog.DiscardHandler),
	}
}

// A memory is a listener without a network, so that time can be simulated.
type memory struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func listenInMemory() *memory {
	return &memory{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error {
	m.once.Do(func() { close(m.closed) })
	return nil
}

func (m *memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3060} }

func (m *memory) dial() net.Conn {
	client, server := net.Pipe()
	m.conns <- server
	return client
}

// serveInMemory serves until the test ends. A leaked goroutine would keep a bubble of synctest from ending.
func serveInMemory(t *testing.T, o Options) (*server, *memory) {
	t.Helper()
	s := must.Get(newServer(o, "127.0.0.1:3060"))(t)
	m := listenInMemory()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.http.Serve(m)
	}()
	t.Cleanup(func() {
		s.http.Close()
		<-ended
	})
	return s, m
}
