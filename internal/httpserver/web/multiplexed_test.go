package web

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"golang.org/x/net/http2"
)

// One HTTP/2 connection leaves room for others, and refused requests take no room.
func TestMultiplexed(t *testing.T) {
	m := newMultiplexed(8, slog.New(slog.DiscardHandler))
	reached, over := make(chan string, 8), make(chan struct{})
	s := httptest.NewUnstartedServer(m.handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		reached <- r.RemoteAddr
		<-over
	})))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	ended := make(chan error, 100)
	// begin sends requests on a connection until one is refused.
	begin := func(transport http.RoundTripper) (taken int) {
		t.Helper()
		for {
			go func() {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
				if err != nil {
					ended <- err
					return
				}
				res, err := transport.RoundTrip(r)
				if err == nil {
					_, err = io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
				ended <- err
			}()
			select {
			case <-reached:
				taken++
			case err := <-ended:
				if err == nil {
					t.Fatal("a request was answered")
				}
				return taken
			}
		}
	}
	one := s.Client().Transport.(*http.Transport)
	other := one.Clone()
	defer other.CloseIdleConnections()
	if first, second := begin(one), begin(other); first != 4 || second != 2 {
		t.Errorf("of 8, one connection had %d, another %d, want 4 and 2", first, second)
	}
	close(over)
	for range 6 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all != 0 || len(m.byConn) != 0 {
		t.Errorf("%d requests are left: %v", m.all, m.byConn)
	}
}

// A server announces how many requests an HTTP/2 connection may have, and accepts little of a body that
// no handler reads.
func TestSettingsOfHTTP2(t *testing.T) {
	o := options(site(t, "one"))
	o.CertFile, o.KeyFile = issue(t, t.TempDir(), "test")
	base, err := url.Parse(serve(t, o).urls[0])
	if err != nil {
		t.Fatal(err)
	}
	c, err := tls.Dial("tcp", base.Host, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	f := http2.NewFramer(c, c)
	if err := f.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	window := uint32(65_535) // of the connection, the default of RFC 9113
	for acked := false; !acked; {
		frame, err := f.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if acked = frame.IsAck(); acked {
				continue
			}
			if n, ok := frame.Value(http2.SettingMaxConcurrentStreams); !ok || n != 100 {
				t.Errorf("%d requests at a time", n)
			}
			if n, ok := frame.Value(http2.SettingInitialWindowSize); !ok || n != 64<<10 {
				t.Errorf("%d bytes of a body", n)
			}
		case *http2.WindowUpdateFrame:
			window += frame.Increment
		}
	}
	if window > 64<<10 {
		t.Errorf("%d bytes of all bodies", window)
	}
}
