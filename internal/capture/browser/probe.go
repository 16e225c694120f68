package browser

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pause"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

const (
	probeHost = "probe.mcp-docs-server.invalid"
	// probeTime is how long the page of the probe may take for all attempts.
	probeTime = 15 * time.Second
)

//go:embed probe.html
var probePage string

// errReached reports that a browser reaches loopback without the proxy.
var errReached = errors.New("reaches addresses past the proxy of this server: start it with --proxy-bypass-list=\"<-loopback>\" --force-webrtc-ip-handling-policy=disable_non_proxied_udp --disable-quic, or leave --browser-url out")

// probe returns an error if a page of the browser reaches a server on loopback without the proxy. The proxy itself
// serves the page, so a browser that does not use the proxy never gets it.
func (e *engine) probe(ctx context.Context) error {
	var reached atomic.Bool
	var ends []func() error
	defer func() {
		for _, end := range ends {
			end()
		}
	}()
	ports := map[string]int{"TCP4": 0, "TCP6": 0, "UDP4": 0}
	for name, address := range map[string]string{"TCP4": "127.0.0.1:0", "TCP6": "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			continue // this computer has no such address
		}
		ends = append(ends, l.Close)
		ports[name] = l.Addr().(*net.TCPAddr).Port
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				reached.Store(true)
				e.options.Logger.Debug("the browser reaches loopback past the proxy", "address", address)
				conn.Close()
			}
		}()
	}
	udp, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err == nil {
		ends = append(ends, udp.Close)
		ports["UDP4"] = udp.LocalAddr().(*net.UDPAddr).Port
		go func() {
			if _, _, err := udp.ReadFrom(make([]byte, 1)); err == nil {
				e.options.Logger.Debug("the browser reaches loopback past the proxy", "address", "UDP")
				reached.Store(true)
			}
		}()
	}
	text := probePage
	for name, port := range ports {
		text = strings.ReplaceAll(text, name, fmt.Sprint(port))
	}
	served := false
	page, err := e.openWith(ctx, &fetch.Request{URL: &url.URL{Scheme: "http", Host: probeHost, Path: "/"}}, webclient.ProxyOptions{
		LocalHost: probeHost,
		Blocked:   func(string) bool { return true }, // even if a rule allows loopback
		Local: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte(text))
		}),
	})
	if err != nil {
		return err
	}
	defer page.close()
	page.mu.Lock()
	page.isProbe = true
	page.mu.Unlock()
	navigated, err := cdp.Call(ctx, page.session, cdppage.Navigate, cdppage.NavigateParams{URL: page.request.URL.String()})
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(probeTime); navigated.ErrorText == "" && !served && time.Now().Before(deadline) && !reached.Load(); {
		var title string
		if err := evaluate(ctx, page.session, page.main(), `() => document.title`, &title); err != nil {
			return err
		}
		if served = title == "tried"; !served {
			if err := pause.For(ctx, 50*time.Millisecond); err != nil {
				return err
			}
		}
	}
	switch {
	case reached.Load():
		return fmt.Errorf("the browser at %s %w", e.place(), errReached)
	case !served:
		return fmt.Errorf("the browser at %s does not load pages by way of the proxy of this server, which listens on 127.0.0.1: it must run on this computer", e.place())
	}
	return nil
}

// place returns the URL of the browser, for a message.
func (e *engine) place() string {
	if u, err := url.Parse(e.options.URL); err == nil {
		u.RawQuery = ""
		return u.Redacted()
	}
	return "--browser-url"
}
