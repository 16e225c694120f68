package browser

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// asServer is the environment variable with which the test program renders a page and then waits.
const asServer = "MCP_DOCS_TEST_BROWSER_OF"

// beServer renders a page, prints the folder of the browser, and waits.
func beServer(page string) {
	u, err := url.Parse(page)
	if err != nil {
		panic(err)
	}
	b := New(testOptions("127.0.0.1:*"))
	if _, err := b.Fetch(context.Background(), &fetch.Request{URL: u}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.engine.process.folder.path)
	io.Copy(io.Discard, os.Stdin)
}

// processes returns the number of processes with a folder in their command line, 0 if the system does not say.
func processes(folder string) (n int) {
	entries, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, entry := range entries {
		data, err := os.ReadFile(entry)
		status, _ := os.ReadFile(filepath.Join(filepath.Dir(entry), "status"))
		if err == nil && bytes.Contains(data, []byte(folder)) && !bytes.Contains(status, []byte("State:\tZ")) {
			n++
		}
	}
	return n
}

// gone waits until no process has a folder in its command line.
func gone(t *testing.T, folder string) {
	t.Helper()
	must.Until(t, "no process is left", func() bool { return processes(folder) == 0 })
}

// folderOf returns the folder of the running browser, or "".
func folderOf(b *Browser) string {
	b.mu.Lock()
	e := b.engine
	b.mu.Unlock()
	if e == nil {
		return ""
	}
	if <-e.ready; e.process == nil {
		return ""
	}
	return e.process.folder.path
}

func TestABrowserEndsWhenItIsIdleAndIsReplacedAfterACrash(t *testing.T) {
	needsBrowser(t)
	u := serve(t, map[string]string{"/": "text"})
	b := New(testOptions("127.0.0.1:*"))
	must.Get(renderBy(t, b, u))(t)
	first := folderOf(b)
	// A browser that crashes is replaced.
	b.engine.process.cmd.Process.Kill()
	<-b.engine.ctx.Done()
	must.Get(renderBy(t, b, u))(t)
	second := folderOf(b)
	if n := processes(second); runtime.GOOS == "linux" && n == 0 || second == first {
		t.Errorf("there are %d processes in %s after a page", n, second)
	}
	b.mu.Lock()
	b.engine.idle.Reset(0)
	b.mu.Unlock()
	gone(t, second)
	b.Close()
	for _, folder := range []string{first, second} {
		gone(t, folder)
		if _, err := os.Stat(folder); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", folder, err)
		}
	}
	if _, err := renderBy(t, b, u); err != errClosed {
		t.Errorf("after the end: %v", err)
	}
}

func TestCloseEndsAPageThatIsRendered(t *testing.T) {
	needsBrowser(t)
	asked, release := make(chan bool, 1), make(chan bool)
	u := handle(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- true
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	b := New(testOptions("127.0.0.1:*"))
	failed := make(chan error, 1)
	go func() {
		_, err := renderBy(t, b, u)
		failed <- err
	}()
	select {
	case <-asked:
	case err := <-failed:
		t.Fatal(err)
	}
	folder := folderOf(b)
	b.Close()
	if err := <-failed; err == nil {
		t.Error("a page was rendered without a browser")
	}
	gone(t, folder)
}

func TestNothingIsLeftOfAServerThatIsKilled(t *testing.T) {
	needsBrowser(t)
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no /proc")
	}
	u := serve(t, map[string]string{"/": "text"})
	temp, err := os.MkdirTemp("", "mcp") // a short path, see environment
	must.Do(t, err)
	defer os.RemoveAll(temp)
	program := must.Get(os.Executable())(t)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), asServer+"="+u.String(), "TMPDIR="+temp)
	in := must.Get(cmd.StdinPipe())(t)
	defer in.Close()
	out := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	folder := strings.TrimSpace(line)
	if err != nil || !filepath.IsAbs(folder) {
		t.Fatalf("%q, %v", line, err)
	}
	sweep(temp)
	if _, err := os.Stat(folder); err != nil {
		t.Errorf("the folder of a browser that runs was removed: %v", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	gone(t, folder)
	sweep(temp)
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 && runtime.GOOS == "linux" {
		t.Errorf("%v is left, %v", left, err)
	}
}

func TestOnlyFoldersWithoutOwnersAreSwept(t *testing.T) {
	parent := t.TempDir()
	owned := must.Get(newFolderIn(parent))(t)
	defer owned.remove()
	ended := filepath.Join(parent, folderPrefix+"ended")
	old, fresh, linked, other := filepath.Join(parent, folderPrefix+"old"), filepath.Join(parent, folderPrefix+"fresh"), filepath.Join(parent, folderPrefix+"linked"), filepath.Join(parent, "other")
	for _, dir := range []string{ended, old, fresh, other} {
		must.Do(t, os.Mkdir(dir, 0o700))
	}
	long := time.Now().Add(-time.Hour)
	os.Chtimes(old, long, long)
	os.WriteFile(filepath.Join(ended, lockName), nil, 0o600)
	os.WriteFile(filepath.Join(other, lockName), nil, 0o600)
	links := os.Symlink(other, linked) == nil
	sweep(parent)
	for path, want := range map[string]bool{owned.path: true, ended: false, old: false, fresh: true, other: true, filepath.Join(other, lockName): true, linked: links} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Many pages leave no more behind than one page: five of them, or as many as the environment variable says.
func TestManyPagesLeaveNothing(t *testing.T) {
	needsBrowser(t)
	u := serve(t, map[string]string{"/": "<p>text<script>const keep = new Array(1e6).fill(Math.random())</script>"})
	pages, _ := strconv.Atoi(os.Getenv("MCP_DOCS_TEST_PAGES"))
	pages = cmp.Or(pages, 5)
	b := shared()
	var all sync.WaitGroup
	left := make(chan bool, pages)
	for range pages {
		left <- true
	}
	close(left)
	must.Get(renderBy(t, b, u))(t)
	n := processes(folderOf(b))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range DefaultMaxPages {
		all.Go(func() {
			for range left {
				if _, err := renderBy(t, b, u); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	runtime.GC()
	runtime.ReadMemStats(&after)
	must.Until(t, "only some processes of closed pages remain, for the next page", func() bool { return processes(folderOf(b)) <= n+4 })
	if after.HeapAlloc > before.HeapAlloc+8<<20 {
		t.Errorf("%d KB are kept for pages that are closed", (after.HeapAlloc-before.HeapAlloc)>>10)
	}
	e := must.Get(b.enter(t.Context()))(t)
	defer b.leave(e)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.conn.mu.Lock()
	defer e.conn.mu.Unlock()
	if len(e.pages) != 0 || len(e.conn.sessions) != 1 || len(e.conn.calls) != 0 {
		t.Errorf("%d pages, %d sessions and %d calls are left", len(e.pages), len(e.conn.sessions), len(e.conn.calls))
	}
}

func TestABrowserThatDoesNotStartSaysWhy(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	u := serve(t, map[string]string{"/": "text"})
	path := filepath.Join(t.TempDir(), "chromium")
	for script, want := range map[string]string{
		"#!/bin/sh\necho 'No usable sandbox!' >&2; exit 1": "--browser-no-sandbox", "#!/bin/sh\necho 'a library is missing' >&2; exit 127": "a library is missing",
		"#!/bin/sh\nexit 3": "exit status 3", "#!/none/such": "chromium",
	} {
		must.Do(t, os.WriteFile(path, []byte(script), 0o755))
		o := testOptions("127.0.0.1:*")
		o.Path = path
		b := New(o)
		if _, err := renderBy(t, b, u); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", script, err)
		}
		b.Close()
	}
	if isRoot() {
		if _, _, err := start(Options{Path: path}); err != errRoot {
			t.Errorf("as root: %v", err)
		}
	}
}

func TestWhereBrowsersAre(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"ProgramFiles": `C:\Program Files`, "HOME": "/Users/a"}[name]
	}
	for system, want := range map[string]string{
		"linux": "google-chrome", "windows": `C:\Program Files\Microsoft\Edge\Application\msedge.exe`, "darwin": "/Users/a/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	} {
		if list := candidates(system, env); !slices.Contains(list, want) {
			t.Errorf("%s: %q", system, list)
		}
	}
}

func TestAnApplicationOfMacOSIsNamedByItsFolder(t *testing.T) {
	app := filepath.Join(t.TempDir(), "Google Chrome.app")
	inside := filepath.Join(app, "Contents", "MacOS", "Google Chrome")
	if runtime.GOOS == "windows" {
		t.Skip("programs end in .exe there")
	}
	must.Do(t, os.MkdirAll(filepath.Dir(inside), 0o755))
	must.Do(t, os.WriteFile(inside, nil, 0o755))
	for _, path := range []string{app, app + "/", inside} {
		must.Equal(t, inside, must.Get(locate(path, true))(t), path)
	}
	if _, err := locate(filepath.Join(app, "none.app"), true); err == nil {
		t.Error("a missing application was found")
	}
}

func TestABrowserGetsNoKeys(t *testing.T) {
	t.Setenv("FIRECRAWL_API_KEY", "secret")
	t.Setenv("HTTPS_PROXY", "http://proxy.example")
	if env := strings.Join(environment("/home"), "\n"); strings.Contains(env, "secret") || strings.Contains(env, "proxy") || !strings.Contains(env, "HOME=/home\n") || !strings.Contains(env, "\nPATH=") {
		t.Error(env)
	}
}

// peak measures the memory of a browser until stop is called, which returns the maximum.
func peak(t *testing.T, b *Browser) (stop func() int64) {
	done, stopped := make(chan struct{}), make(chan struct{})
	var most atomic.Int64
	go func() {
		defer close(stopped)
		var c census
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
			b.mu.Lock()
			e := b.engine
			b.mu.Unlock()
			if e == nil {
				continue
			}
			if <-e.ready; e.process == nil {
				continue
			}
			var sum int64
			for _, u := range c.members(e.process.cmd.Process.Pid) {
				sum += u.bytes
			}
			most.Store(max(most.Load(), sum))
		}
	}()
	return func() int64 {
		close(done)
		<-stopped
		return most.Load()
	}
}

// A page that uses too much memory is ended, in whatever way it does so. Other pages continue, and the browser
// renders the next one.
func TestMemoryIsBounded(t *testing.T) {
	needsBrowser(t)
	if runtime.GOOS == "windows" {
		t.Skip("the job of the browser bounds its memory there")
	}
	u := handle(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/script":
			fmt.Fprint(w, `<p>text<script>const all = []; setInterval(() => all.push(new Uint8Array(20e6).fill(1)), 10)</script>`)
		case "/frame":
			fmt.Fprintf(w, `<p>text<iframe src="http://localhost:%s/script"></iframe>`, r.URL.Query().Get("port"))
		default:
			fmt.Fprint(w, `<p id="a">a page<script>setTimeout(() => { document.getElementById('a').textContent = 'another page' }, 6000)</script>`)
		}
	})
	b := New(testOptions("127.0.0.1:*", "localhost:*"))
	defer b.Close()
	must.Get(renderBy(t, b, u))(t)
	first := folderOf(b)
	for _, path := range []string{"/script", "/frame?port=" + u.Port()} {
		stop := peak(t, b)
		other := make(chan error, 1)
		go func() {
			_, err := renderBy(t, b, u, func(r *fetch.Request) { r.WaitFor = 5 * time.Second })
			other <- err
		}()
		begin := time.Now()
		_, err := renderBy(t, b, urlAt(u, path), func(r *fetch.Request) { r.WaitFor = 30 * time.Second })
		if !errors.Is(err, webclient.ErrExhausted) {
			t.Errorf("%s: %v", path, err)
		}
		if err := <-other; err != nil {
			t.Errorf("%s: another page: %v", path, err)
		}
		took, most := time.Since(begin).Round(time.Millisecond), stop()
		if t.Logf("%s: ended after %v, at most %d MiB", path, took, most>>20); most > usualMemory*5/4 {
			t.Errorf("%s: ended at %d MiB", path, most>>20)
		}
	}
	if _, err := renderBy(t, b, u); err != nil || folderOf(b) != first {
		t.Errorf("another browser runs, %v", err)
	}
}
