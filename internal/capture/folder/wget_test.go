//go:build unix

package folder

import (
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl/testsite"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// processor returns the processor time of this process and its children.
func processor() (sum time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

// wgetRounds is how often wget and the crawl are compared. The least ratio counts: other work on the machine adds time, and a round is
// short enough that both have about the same share of it.
const wgetRounds = 3

// TestComparedToWget compares the processor time of two ways to mirror a site of CRAWL_WGET pages: wget, and a crawl that writes Markdown.
func TestComparedToWget(t *testing.T) {
	pages := size("CRAWL_WGET", 0)
	wget, err := exec.LookPath("wget")
	if pages == 0 || err != nil {
		t.Skip("needs wget, and a number of pages in CRAWL_WGET")
	}
	site := must.Get(testsite.New(os.DirFS("../../../docs"), pages))(t)
	site.Plain = true
	server := httptest.NewServer(site)
	defer server.Close()
	start := server.URL + "/docs/"
	count := func(dir string) (n int) {
		_ = filepath.WalkDir(dir, func(name string, d os.DirEntry, _ error) error {
			if d.Type().IsRegular() && !strings.HasPrefix(d.Name(), ".") && d.Name() != "robots.txt" && !strings.HasPrefix(d.Name(), "robots.txt") {
				n++
			}
			return nil
		})
		return n
	}
	timed := func(label string, do func(dir string) error) (cpu time.Duration) {
		dir := t.TempDir()
		defer os.RemoveAll(dir)
		begin, before := time.Now(), processor()
		if err := do(dir); err != nil {
			t.Fatalf("%s: %v", label, err)
		}
		took := time.Since(begin)
		cpu = processor() - before
		if n := count(dir); n < pages || n > pages+10 {
			t.Errorf("%s has %d of %d pages", label, n, pages)
		}
		t.Logf("%s: %d pages in %v, with %v of processor time, including the site", label, pages, took.Round(time.Millisecond), cpu.Round(time.Millisecond))
		return cpu
	}
	wgets := func(dir string) error {
		cmd := exec.Command(wget, "--mirror", "--no-parent", "--quiet", start)
		cmd.Dir = dir
		return cmd.Run()
	}
	mirrors := func(dir string) error {
		_, err := captureSite(t.Context(), start, dir, nil)
		return err
	}
	ratio := math.Inf(1)
	for range wgetRounds {
		wget := timed("wget", wgets).Seconds()
		ratio = min(ratio, timed("a mirror", mirrors).Seconds()/wget)
	}
	t.Logf("a mirror takes %.2f times as long as wget", ratio)
	if ratio > 6 {
		t.Error("a mirror may take 6 times as long")
	}
}
