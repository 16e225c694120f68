package browser

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// shared is the browser of most tests, since starting one takes a second.
var shared = sync.OnceValue(func() *Browser { return New(testOptions("127.0.0.1:*", "localhost:*")) })

func TestMain(m *testing.M) {
	if page := os.Getenv(asServer); page != "" {
		beServer(page)
		return
	}
	code := m.Run()
	shared().Close()
	os.Exit(code)
}

func testOptions(allow ...string) Options {
	o := webclient.Options{IgnoreRobots: true, Version: "1.2.3"}
	for _, s := range allow {
		rule, err := webclient.ParseRule(s)
		if err != nil {
			panic(err)
		}
		o.Allow = append(o.Allow, rule)
	}
	return Options{Client: webclient.New(o), NoSandbox: isRoot(), limits: limits{load: 20 * time.Second, quiet: time.Millisecond, appear: 20 * time.Second, chars: 200_000, nodes: 20_000}}
}

// needsBrowser skips a test if this computer has no browser.
func needsBrowser(t *testing.T) {
	t.Helper()
	if _, err := find(); err != nil {
		t.Skip(err)
	}
}

// pages returns the pages of a case in testdata, by path.
func pages(t *testing.T, name string) map[string]string {
	t.Helper()
	for _, c := range given.Cases(t, "pages.txt") {
		if c.Name == name {
			return c.Files
		}
	}
	t.Fatalf("there are no pages %q", name)
	return nil
}

// serve starts a server of pages by path.
func serve(t *testing.T, pages map[string]string) *url.URL {
	t.Helper()
	return handle(t, func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, body)
	})
}

func handle(t *testing.T, h http.HandlerFunc) *url.URL {
	t.Helper()
	s := must.Serve(t, h)
	return must.Get(url.Parse(s.URL + "/"))(t)
}

func render(t *testing.T, u *url.URL, change ...func(*fetch.Request)) (*fetch.Answer, error) {
	t.Helper()
	needsBrowser(t)
	return renderBy(t, shared(), u, change...)
}

func renderBy(t *testing.T, b *Browser, u *url.URL, change ...func(*fetch.Request)) (*fetch.Answer, error) {
	t.Helper()
	r := &fetch.Request{URL: u, Timeout: time.Minute, BlockAds: true}
	for _, f := range change {
		f(r)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	return b.Fetch(ctx, r)
}

func mustRender(t *testing.T, u *url.URL, change ...func(*fetch.Request)) (*fetch.Answer, string) {
	t.Helper()
	a := must.Get(render(t, u, change...))(t)
	return a, string(a.Body)
}

func TestAPageIsRendered(t *testing.T) {
	u := serve(t, pages(t, "rendered"))
	begin := time.Now()
	a, body := mustRender(t, u, func(r *fetch.Request) { r.WaitFor = time.Second })
	t.Log(time.Since(begin))
	if a.Strategy != "browser" || a.URL.String() != u.String() || a.ContentType != "text/html; charset=utf-8" || a.Title != "A page" {
		t.Errorf("%+v", a)
	}
	must.Contain(t, body, `<p id="a">made by a script</p>`, "later", `<html lang="en">`)
	if strings.Contains(body, "<script") {
		t.Errorf("the page has scripts:\n%s", body)
	}
	begin = time.Now()
	mustRender(t, u)
	t.Log(time.Since(begin))
}

// bomb returns a page with a comment of n MiB, compressed to a thousandth of its size.
func bomb(t *testing.T, n int) []byte {
	deflated := func(data []byte, end func(*flate.Writer) error) []byte {
		var b bytes.Buffer
		z, err := flate.NewWriter(&b, flate.DefaultCompression)
		if err == nil {
			_, err = z.Write(data)
		}
		if err = cmp.Or(err, end(z)); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	start, zeros := []byte("<p>text<!--"), make([]byte, 1<<20)
	sum := crc32.ChecksumIEEE(start)
	b := append([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}, deflated(start, (*flate.Writer).Flush)...) // RFC 1952
	mebibyte := deflated(zeros, (*flate.Writer).Flush)                                                   // once: to compress all of them takes minutes with the race detector
	for range n {
		b, sum = append(b, mebibyte...), crc32.Update(sum, crc32.IEEETable, zeros)
	}
	b = append(b, deflated(nil, (*flate.Writer).Close)...)
	b = binary.LittleEndian.AppendUint32(b, sum)
	return binary.LittleEndian.AppendUint32(b, uint32(len(start)+n<<20))
}

// A document that is too large when decompressed ends the page. If native refuses a page for its size, the browser
// does not try it.
func TestADocumentThatGrows(t *testing.T) {
	needsBrowser(t)
	small, large := bomb(t, 15), bomb(t, 2500)
	asked := make(map[string]int)
	u := handle(t, func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path]++
		w.Header().Set("Content-Type", "text/html")
		body := large
		switch r.URL.Path {
		case "/small":
			body = small
		case "/script":
			fmt.Fprint(w, "<p>text<script>location.href = '/large'</script>")
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(body) // the browser may have gone
	})
	b := New(testOptions("127.0.0.1:*"))
	defer b.Close()
	if _, err := renderBy(t, b, urlAt(u, "/small")); err != nil {
		t.Errorf("a document within its bounds: %v", err)
	}
	for _, path := range []string{"/large", "/script"} {
		stop := peak(t, b)
		_, err := renderBy(t, b, urlAt(u, path), func(r *fetch.Request) { r.WaitFor = 10 * time.Second })
		if !errors.Is(err, webclient.ErrExhausted) || !strings.Contains(err.Error(), fmt.Sprint(maxBody)) {
			t.Errorf("%s: %v", path, err)
		}
		if most := stop(); most > usualMemory {
			t.Errorf("%s: the browser had %d MiB", path, most>>20)
		} else {
			t.Logf("%s: the browser had %d MiB", path, most>>20)
		}
	}
	native := &fetch.Native{Client: b.options.Client}
	clear(asked)
	_, _, err := fetch.NewChain(native, b).Fetch(t.Context(), &fetch.Request{URL: urlAt(u, "/large"), Timeout: time.Minute}, nil)
	if failed, ok := errors.AsType[*fetch.Failed](err); !ok || len(failed.Attempts) != 1 || asked["/large"] != 1 {
		t.Errorf("asked %v: %v", asked, err)
	}
}
