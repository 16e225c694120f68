package browser

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

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
