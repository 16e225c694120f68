package browser

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// startRemote starts a browser with remote debugging as a user would, without some of the usual flags, and returns
// its URL.
func startRemote(t *testing.T, without ...string) string {
	t.Helper()
	needsBrowser(t)
	path, err := find()
	if err != nil {
		t.Fatal(err)
	}
	f, err := newFolderIn(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.remove)
	args := slices.DeleteFunc(slices.Clone(flags), func(s string) bool {
		return slices.ContainsFunc(without, func(w string) bool { return strings.Contains(s, w) })
	})
	args = append(args, "--headless", "--user-data-dir="+f.path, "--remote-debugging-port=0")
	if isRoot() {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.Command(path, append(args, "about:blank")...)
	cmd.Env = environment(f.path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		gone(t, f.path)
	})
	for deadline := time.Now().Add(startTime); ; time.Sleep(20 * time.Millisecond) {
		if data, err := os.ReadFile(filepath.Join(f.path, "DevToolsActivePort")); err == nil {
			if port, _, ok := strings.Cut(string(data), "\n"); ok {
				return "http://127.0.0.1:" + port
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("the browser does not start")
		}
	}
}

func TestABrowserThatRunsAlready(t *testing.T) {
	browserURL := startRemote(t, "--proxy", "--host-resolver", "quic")
	u := serve(t, map[string]string{"/": "<p>text"})
	o := testOptions("127.0.0.1:*")
	o.URL = browserURL
	b := New(o)
	defer b.Close()
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	a, err := renderBy(t, b, u)
	if err != nil || !strings.Contains(string(a.Body), "<p>text") {
		t.Fatal(err)
	}
	b.Close()
	// The browser still runs, but is refused if its pages bypass the proxy.
	for bypass, want := range map[string]string{"127.0.0.1;[::1];localhost": errReached.Error(), "*": "does not load pages by way of the proxy"} {
		e := newEngine(b.options)
		e.bypass = bypass
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		err := e.connect(ctx)
		if err == nil {
			err = e.probe(ctx)
		}
		cancel()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("with %s bypassing the proxy: %v", bypass, err)
		}
		if e.conn != nil {
			e.conn.end(errClosed)
		}
	}
}

func TestABrowserThatGetsPastTheProxyIsRefused(t *testing.T) {
	if addrs, err := net.InterfaceAddrs(); err != nil || !slices.ContainsFunc(addrs, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.IsGlobalUnicast()
	}) {
		t.Skip("there is no network, without which WebRTC sends nothing")
	}
	o := testOptions("127.0.0.1:*")
	o.URL = startRemote(t, "webrtc") // by UDP
	b := New(o)
	defer b.Close()
	asked := false
	u := handle(t, func(http.ResponseWriter, *http.Request) { asked = true })
	if _, err := renderBy(t, b, u); !errors.Is(err, errReached) || asked {
		t.Errorf("%v; the page was requested: %v", err, asked)
	}
}

func TestOtherServersAreNotBrowsers(t *testing.T) {
	answer := "{}"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(answer)) }))
	defer server.Close()
	u := serve(t, map[string]string{"/": ""})
	for _, c := range []struct{ url, answer, want string }{
		{server.URL, "{}", "is not a browser with remote debugging"},
		{server.URL, `{"webSocketDebuggerUrl": "ws://192.0.2.1/devtools"}`, "no browser answers"}, // the configured host is used
		{strings.Replace(server.URL, "http", "ws", 1), "", "no browser answers"},
		{"http://127.0.0.1:1", "", "no browser answers at http://127.0.0.1:1"},
	} {
		answer = c.answer
		o := testOptions("127.0.0.1:*")
		o.URL = c.url
		b := New(o)
		if _, err := renderBy(t, b, u); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.url, err)
		}
		b.Close()
	}
	for _, bad := range []string{"ftp://localhost", "localhost:9222", "", "http://"} {
		if _, err := parseURL(bad); err == nil {
			t.Errorf("%q is accepted as the URL of a browser", bad)
		}
	}
}
