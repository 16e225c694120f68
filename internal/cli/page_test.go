//go:build linux

package cli

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// pageProject makes a project with a hidden file and a broken link.
func pageProject(t *testing.T) string {
	return makeProject(t, goodConfig, "docs/index.md=[gone](none.md)", "docs/.draft.md=x")
}

// --open opens the address of the web UI in the browser.
func TestOpen(t *testing.T) {
	bin := t.TempDir()
	opened := filepath.Join(bin, "opened")
	if err := syscall.Mkfifo(opened, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\nprintf %s \"$*\" > '"+opened+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	for addr, host := range map[string]string{"127.0.0.1:0": "127.0.0.1", "0.0.0.0:0": "localhost"} {
		base, _ := startHTTP(t, "--http="+addr, "--no-auth", "--open", pageProject(t))
		got, err := os.ReadFile(opened) // waits for the browser
		if err != nil || string(got) != base+"/" || !strings.HasPrefix(base, "http://"+host+":") {
			t.Errorf("on %s, the browser was started with %q, %v; the endpoint is at %s", addr, got, err, base)
		}
	}
}

// Without a browser, the server asks the user to open the web UI.
func TestOpenWithoutBrowser(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	base, printed := startHTTP(t, "--http=127.0.0.1:0", "--open", pageProject(t))
	for !strings.Contains(printed.String(), "no browser can be opened: open "+base+"/ yourself") {
		if t.Context().Err() != nil {
			t.Fatal(printed)
		}
		runtime.Gosched() // it is printed soon after the address
	}
}

// Metrics are shown without a key only if no other computer can reach the server.
func TestLocalServer(t *testing.T) {
	look := func(base, path string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "text/html")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	base, _ := startHTTP(t, "--http=127.0.0.1:0", pageProject(t))
	if status, _ := look(base, "/metrics"); status != http.StatusOK {
		t.Errorf("/metrics: %d", status)
	}
	for _, option := range []string{"--trusted-proxy=10.0.0.1", "--allow-host=docs.example.com", "--allow-origin=https://app.example.com"} {
		base, _ = startHTTP(t, option, "--http=127.0.0.1:0", pageProject(t))
		for path, want := range map[string]int{"/docs/.draft": 404, "/metrics": 404, "/metrics/json": 404, "/docs/": 200} {
			if status, body := look(base, path); status != want {
				t.Errorf("%s with %s: %d\n%s", path, option, status, body)
			}
		}
	}
}
