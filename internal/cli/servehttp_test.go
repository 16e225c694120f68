package cli

import (
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// startHTTP serves over HTTP until the test ends. It returns the URL of the first endpoint without
// its path, and what the server prints.
func startHTTP(t *testing.T, args ...string) (base string, printed *syncBuffer) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	printed = &syncBuffer{}
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, append([]string{"serve"}, args...), Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.MultiWriter(printed, in)})
		in.Close()
	}()
	first := make(chan string, 1)
	go func() { first <- firstURL(out) }()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("serve ended with code %d: %s", code, printed)
		}
	})
	if base = <-first; base == "" {
		t.Fatalf("serve did not begin: %s", printed)
	}
	return base, printed
}

// firstURL returns the first printed URL without its path. It discards the text after it.
func firstURL(from io.Reader) string {
	var text strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		text.Write(buf[:n])
		if _, rest, found := strings.Cut(text.String(), "serving over HTTP at "); found {
			if base, _, found := strings.Cut(rest, "/mcp"); found {
				go io.Copy(io.Discard, from)
				return base
			}
		}
		if err != nil {
			return ""
		}
	}
}

// Each project has a path with the name of its package.
func TestHTTPSeveralProjects(t *testing.T) {
	base, _ := startHTTP(t, "--http=127.0.0.1:0", given.Folder(t, `mcp-docs-server.json={"package": "@acme/one"}`), given.Folder(t, `mcp-docs-server.json={"package": "@acme/other"}`))
	for path, want := range map[string]int{"/mcp": 405, "/acme-one/mcp": 405, "/acme-other/mcp": 405, "/acme-third/mcp": 404} {
		response := must.Get(http.Get(base + path))(t)
		if response.Body.Close(); response.StatusCode != want {
			t.Errorf("GET %s: %s, want %d", path, response.Status, want)
		}
	}
}

// When the server has ended, the log has a line for each answered request.
func TestHTTPLogIsComplete(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		var printed *syncBuffer
		t.Run(format, func(t *testing.T) {
			var base string
			base, printed = startHTTP(t, "--http=127.0.0.1:0", "--audit=-", "--log-format="+format, given.Folder(t, goodConfig))
			for range 50 {
				answerOf(t, base, "server/discover", map[string]any{})
			}
		}) // this ends the server
		if lines := strings.Count(printed.String(), "path=/mcp") + strings.Count(printed.String(), `"path":"/mcp"`); lines != 50 {
			t.Errorf("%s: %d lines of 50 requests", format, lines)
		}
	}
}

// If an address is in use, the error says how to run both servers.
func TestHTTPAddressInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the error has another number there")
	}
	taken := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	try(t, "serve", "--http="+taken.Addr().String(), "--no-watch", given.Folder(t, goodConfig)).ends(1).
		complains("; stop the program that listens there, or give another port, such as --http=127.0.0.1:0")
}

// The lowest and the highest rate hold for real requests.
func TestRatesOverHTTP(t *testing.T) {
	for rate, most := range map[string]int{"0.001": 1, "1e6": 20} {
		base, _ := startHTTP(t, "--http=127.0.0.1:0", "--rate="+rate, given.Folder(t, goodConfig))
		served := 0
		for range 20 {
			resp := must.Get(http.Get(base + "/llms.txt"))(t)
			if resp.Body.Close(); resp.StatusCode == http.StatusOK {
				served++
			} else if wait, err := strconv.Atoi(resp.Header.Get("Retry-After")); resp.StatusCode != http.StatusTooManyRequests || err != nil || wait < 1 || wait > 1000 {
				t.Errorf("--rate=%s: %d, Retry-After %q", rate, resp.StatusCode, resp.Header.Get("Retry-After"))
			}
		}
		if served != most {
			t.Errorf("--rate=%s: %d of 20 requests are answered, want %d", rate, served, most)
		}
	}
}
