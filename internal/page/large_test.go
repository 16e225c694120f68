package page

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
)

// A file is sent as a whole and in ranges.
func TestRawOfLargeFiles(t *testing.T) {
	data := make([]byte, 3_012_345)
	for i := range data {
		data[i] = byte(i) ^ byte(i>>8) ^ byte(i>>16)
	}
	web := servePage(t, "", hosts.Options{}, Options{Sites: []Site{newProject(t, "test", fstest.MapFS{
		"resources/x/h/large.bin": {Data: data, ModTime: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
	})}})
	address := web.URL + "/raw/x/h/large.bin"
	resp, body := get(t, address)
	tag := resp.Header.Get("ETag")
	if resp.StatusCode != 200 || resp.ContentLength != int64(len(data)) || sha256.Sum256([]byte(body)) != sha256.Sum256(data) || !strings.HasPrefix(tag, `"`) ||
		resp.Header.Get("Accept-Ranges") != "bytes" || resp.Header.Get("Content-Disposition") != "attachment; filename=large.bin" {
		t.Fatalf("the file: %d, %d bytes, %v", resp.StatusCode, len(body), resp.Header)
	}
	end := len(data)
	for _, test := range []struct {
		header []string
		status int
		from   int
		to     int // after the last byte
	}{
		{[]string{"Range", "bytes=0-9"}, 206, 0, 10},
		{[]string{"Range", "bytes=262139-262149"}, 206, 262_139, 262_150},
		{[]string{"Range", "bytes=-7"}, 206, end - 7, end},
		{[]string{"Range", "bytes=5-6", "If-Range", tag}, 206, 5, 7},
		{[]string{"Range", "bytes=5-6", "If-Range", `"another"`}, 200, 0, end},
		{[]string{"Range", fmt.Sprintf("bytes=%d-", end)}, 416, 0, 0},
		{[]string{"If-None-Match", tag}, 304, 0, 0},
		{[]string{"If-Match", `"another"`}, 412, 0, 0},
	} {
		resp, body := get(t, address, test.header...)
		if resp.StatusCode != test.status || test.status < 300 && body != string(data[test.from:test.to]) {
			t.Errorf("%v: %d, %d bytes, want %d, %d", test.header, resp.StatusCode, len(body), test.status, test.to-test.from)
		}
	}
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodHead, address, nil)
	if resp, body := do(t, r); resp.StatusCode != 200 || resp.ContentLength != int64(len(data)) || body != "" || resp.Header.Get("ETag") != tag {
		t.Errorf("HEAD: %d, %d bytes of %d", resp.StatusCode, len(body), resp.ContentLength)
	}
}

// If a file changes while it is sent, the connection ends, so that no client takes parts of two
// versions for one file.
func TestRawOfFileThatChanges(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "resources/x/h/large.bin")
	must.Write(t, file, "")
	if err := os.Truncate(file, 60<<20); err != nil { // more than buffers hold
		t.Fatal(err)
	}
	for _, folder := range []string{"docs", "prompts"} {
		must.Do(t, os.Mkdir(filepath.Join(dir, folder), 0o700))
	}
	files, err := rootfs.Open(dir)
	must.Do(t, err)
	t.Cleanup(func() { files.Close() })
	web := servePage(t, "", hosts.Options{}, Options{Sites: []Site{newProject(t, "test", files)}})
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/raw/x/h/large.bin", nil)
	resp := must.Get(http.DefaultClient.Do(r))(t)
	defer resp.Body.Close()
	must.Get(io.CopyN(io.Discard, resp.Body, 1<<20))(t)
	must.Do(t, os.Truncate(file, 1<<20))
	rest, err := io.ReadAll(resp.Body)
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(bytes.Trim(rest, "\x00")) > 0 {
		t.Errorf("%d bytes more, of which %q are not of the file, %v", len(rest), bytes.Trim(rest, "\x00"), err)
	}
}

// /llms-full.txt has the documents that fit, and counts the others.
func TestLLMSFullIsBounded(t *testing.T) {
	page := func(name string, n int) *fstest.MapFile {
		return &fstest.MapFile{Data: append([]byte("# "+name+"\n"), bytes.Repeat([]byte("text "), n/5)...)}
	}
	web := servePage(t, "", hosts.Options{}, Options{Sites: []Site{newProject(t, "test", fstest.MapFS{
		"docs/a.md": page("first", 7<<20), "docs/b.md": page("second", 7<<20), "docs/c.md": page("third", 7<<20), "docs/d.md": page("fourth", 1000), "docs/e.md": page("fifth", 9<<20),
	})}})
	resp, body := get(t, web.URL+"/llms-full.txt")
	if resp.StatusCode != 200 || len(body) > maxFull+10_000 || len(body) < 14<<20 {
		t.Errorf("%d, %d bytes", resp.StatusCode, len(body))
	}
	for name, there := range map[string]bool{"first": true, "second": true, "third": false, "fourth": true, "fifth": false} {
		if strings.Contains(body, "# "+name+"\n") != there {
			t.Errorf("the %s document is there: %v", name, !there)
		}
	}
	if last := body[len(body)-300:]; !strings.Contains(last, "2 documents are left out") || !strings.Contains(last, "at most 16 MiB. "+web.URL+"/llms.txt names them") {
		t.Errorf("it ends with %q", last)
	}
}

// The pages of a folder together list each of its folders and files once, and each page is small.
func TestPagesOfFolders(t *testing.T) {
	files := fstest.MapFS{}
	const n = 400
	long := strings.Repeat("long-", 30)
	for i := range n {
		for _, folder := range []string{"docs", "resources/x/h"} {
			files[fmt.Sprintf("%s/%s%03d.md", folder, long, i*7%n)] = &fstest.MapFile{Data: []byte("---\ndescription: " + long + long + "\n---\n# " + long)}
			files[fmt.Sprintf("%s/dir-%s%03d/a b.md", folder, long, i*7%n)] = &fstest.MapFile{Data: []byte("# A")}
		}
	}
	web := servePage(t, "", hosts.Options{}, Options{Sites: []Site{newProject(t, "test", files)}})
	for _, folder := range []string{"/docs/", "/r/x/h/"} {
		if seen := allPages(t, web.URL, folder); len(seen) != 2*n {
			t.Errorf("%s: %d of %d", folder, len(seen), 2*n)
		}
	}
}

var (
	nextPage = regexp.MustCompile(`<a class="button" href="(\?[^"]+)">Next page`)
	listed   = regexp.MustCompile(`<li><a href="([^"]+)">(?:<svg|<span class="name">)`)
)

// allPages returns the entries that the pages of a folder list. Pages are small and share no entry.
func allPages(t *testing.T, base, folder string) map[string]bool {
	t.Helper()
	seen := make(map[string]bool)
	query := ""
	for pages := 0; ; pages++ {
		_, body := get(t, base+folder+query)
		if len(body) > 150_000 || pages > 50 {
			t.Fatalf("%s%s: %d bytes, page %d", folder, query, len(body), pages)
		}
		_, main, _ := strings.Cut(body, `<main id="main"`)
		for _, found := range listed.FindAllStringSubmatch(main, -1) {
			if seen[found[1]] {
				t.Errorf("%s: %s is listed twice", folder, found[1])
			}
			seen[found[1]] = true
		}
		found := nextPage.FindStringSubmatch(body)
		if found == nil {
			return seen
		}
		query = html.UnescapeString(found[1])
	}
}
