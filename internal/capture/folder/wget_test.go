//go:build unix

package folder

import (
	"context"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/capturetest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A rawKeeper writes pages without conversion.
type rawKeeper struct {
	dir  string
	made sync.Map // folders
}

func (k *rawKeeper) Open(u *url.URL) (crawl.Visit, error) { return rawVisit{k, u}, nil }

type rawVisit struct {
	k *rawKeeper
	u *url.URL
}

func (v rawVisit) Known() (webclient.Validators, time.Time) {
	return webclient.Validators{}, time.Time{}
}

func (v rawVisit) Keep(_ context.Context, p *crawl.Page) error {
	name := filepath.Join(v.k.dir, filepath.FromSlash(PageName(v.u)))
	if _, made := v.k.made.Load(filepath.Dir(name)); !made {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		v.k.made.Store(filepath.Dir(name), true)
	}
	return os.WriteFile(name, p.Response.Body, 0o600)
}

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

// TestComparedToWget compares the processor time of three ways to mirror a site of CRAWL_WGET pages: wget, a crawl
// without conversion, and a crawl that writes Markdown.
func TestComparedToWget(t *testing.T) {
	pages := size("CRAWL_WGET", 0)
	wget, err := exec.LookPath("wget")
	if pages == 0 || err != nil {
		t.Skip("needs wget, and a number of pages in CRAWL_WGET")
	}
	site := must.Get(capturetest.NewSite(os.DirFS("../../../docs"), pages))(t)
	site.Plain = true
	server := must.Serve(t, site)
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
	crawls := func(dir string) error {
		u, err := url.Parse(start)
		if err != nil {
			return err
		}
		c, err := crawl.New(capturetest.Client(false), crawl.Options{Start: u, Limit: 100_000, Keeper: &rawKeeper{dir: dir}})
		if err != nil {
			return err
		}
		return c.Run(t.Context())
	}
	mirrors := func(dir string) error {
		_, err := captureSite(t.Context(), start, dir, nil)
		return err
	}
	var most uint64
	stop := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.Sys-m.HeapReleased)
		}
	})
	raw, converted := math.Inf(1), math.Inf(1)
	for range wgetRounds {
		wget := timed("wget", wgets).Seconds()
		raw = min(raw, timed("a crawl", crawls).Seconds()/wget)
		converted = min(converted, timed("a mirror", mirrors).Seconds()/wget)
	}
	close(stop)
	watching.Wait()
	t.Logf("a crawl takes %.2f times as long as wget, a mirror %.2f times; site and mirror have %d MiB", raw, converted, most>>20)
	if raw > 1.5 || converted > 6 || most > 150<<20 {
		t.Error("a crawl may take 1.5 times as long, a mirror 6 times, with 150 MiB")
	}
}
