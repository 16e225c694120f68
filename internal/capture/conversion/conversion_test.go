package conversion

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/pdftest"
)

// TestMain is also the child of the tests.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case "child":
			if err := Main(os.Stdin, os.Stdout); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		case "endless":
			for fmt.Print(`{"Error":"`); ; {
				fmt.Print(strings.Repeat("text ", 10_000))
			}
		case "hanging": // at the page that is large
			if err := Main(&hanging{Reader: os.Stdin}, os.Stdout); err != nil {
				os.Exit(1)
			}
			os.Exit(0)
		case "greedy":
			go watchMemory(64 << 20)
			all := make([][]byte, 1000)
			for i := range all {
				all[i] = bytes.Repeat([]byte{1}, 1<<20)
				time.Sleep(time.Millisecond)
			}
			fmt.Println(len(bytes.Join(all, nil)))
		}
	}
	os.Exit(m.Run())
}

// A hanging reader never has all of a page with this title.
type hanging struct{ io.Reader }

func (h *hanging) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if bytes.Contains(p[:n], []byte("<title>Long")) {
		select {}
	}
	return n, err
}

func program(mode string) func(context.Context) *exec.Cmd {
	return func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, os.Args[0], mode) }
}

var pageURL = &url.URL{Scheme: "https", Host: "docs.example.com", Path: "/guide/"}

func source(body string) webpage.Source {
	return webpage.Source{URL: pageURL, ContentType: "text/html; charset=utf-8", Body: []byte(body)}
}

// largePage looks as if it had very many tags, but a child converts it quickly, also on a computer
// that has much to do.
var largePage = "<title>Long</title><main><h1>Long</h1><p>See <a href=b>b</a>.</p><p>Tea & <b>milk</b> " + strings.Repeat("< ", 200_001) + "</main>"

// TestTheChildMakesTheSamePage compares the page that a child makes with the page that this process
// makes.
func TestTheChildMakesTheSamePage(t *testing.T) {
	const small = `<title>T</title><body><nav><a href=n>nav</a></nav><main><h1 id=a>Head</h1><p class=x>One <a href="b?c=d#e">&lt;link&gt;</a>, é.<img src=i alt="an i"></main>`
	for _, c := range []webpage.Choice{{}, {Whole: true, KeepHTML: true, Lists: true, Exclude: []string{"img"}}, {Include: []string{"main, .x"}}} {
		want := must.Get(c.Read(source(small)))(t)
		r := requestOf(c, source(small))
		got := must.Get(New(program("child")).run(t.Context(), r, maxTime))(t)
		if got.Markdown(nil) != want.Markdown(nil) || got.HTML() != want.HTML() || got.Title != want.Title || got.MIME != want.MIME ||
			!reflect.DeepEqual(got.References, want.References) || !slices.Equal(got.Links, want.Links) || !slices.Equal(got.Images, want.Images) || !reflect.DeepEqual(got.Anchors, want.Anchors) || got.Headings != want.Headings {
			t.Errorf("the child made %+v of it, want %+v", got, want)
		}
	}
}

// TestLargePages checks that a child converts large pages with the same result.
func TestLargePages(t *testing.T) {
	c := New(program("child"))
	t.Cleanup(c.Close)
	page := must.Get(c.Read(t.Context(), Input{Source: source(largePage)}))(t)
	text := page.Markdown(nil)
	if !strings.HasPrefix(text, "# Long\n\nSee [b](https://docs.example.com/guide/b).\n\nTea & **milk** ") || strings.Count(text, "milk") != 1 || len(text) < 400_000 || len(page.Notes) != 0 {
		t.Errorf("%.200q, %q", text, page.Notes)
	}
	must.Equal(t, 0, c.pages.Held(), "turns")
}

// pdf returns a PDF file, which is broken.
func pdf(body string) webpage.Source {
	return webpage.Source{URL: pageURL, ContentType: "application/pdf", Body: []byte("%PDF-1.7\n" + body)}
}

// withPDFium returns a converter whose children find compiled code, and what it logs.
func withPDFium(t *testing.T, mode string) (*Converter, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	c := New(program(mode))
	c.Cache, c.Logger = pdftest.CompiledFolder(), slog.New(slog.NewTextHandler(&log, nil))
	t.Cleanup(c.Close)
	return c, &log
}

func TestPDF(t *testing.T) {
	c, log := withPDFium(t, "child")
	source := webpage.Source{URL: pageURL, ContentType: "application/pdf", Body: pdftest.New("BT /F1 12 Tf 72 700 Td (First) Tj ET", "BT /F1 12 Tf 72 700 Td (Second) Tj ET")}
	for range 2 {
		page, err := c.Read(t.Context(), Input{Source: source})
		if err != nil || !strings.Contains(page.Markdown(nil), "First") || !strings.Contains(page.Markdown(nil), "Second") {
			t.Fatalf("%+v, %v", page, err)
		}
	}
	if _, err := c.Read(t.Context(), Input{Source: pdf("nothing")}); err == nil || !strings.Contains(err.Error(), "the PDF cannot be read: it is broken") {
		t.Error(err)
	}
	if c.Failed() != 0 || log.Len() != 0 {
		t.Errorf("%d failed: %s", c.Failed(), log)
	}
}

// TestPDFBomb reads a PDF file of 300 kB that becomes 280 MiB. The child neither needs more than 350 MB nor ends.
func TestPDFBomb(t *testing.T) {
	if must.RaceEnabled || runtime.GOOS != "linux" {
		t.Skip("the race detector needs more memory")
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	for range 280 {
		w.Write(bytes.Repeat([]byte(" "), 1<<20))
	}
	w.Close()
	body := pdftest.File("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>",
		pdftest.Stream("/Filter /FlateDecode", packed.String()))
	c, _ := withPDFium(t, "child")
	page, err := c.Read(t.Context(), Input{Source: webpage.Source{URL: pageURL, ContentType: "application/pdf", Body: body}})
	if err != nil || len(page.Notes) == 0 {
		t.Errorf("%+v, %v", page, err)
	}
	var most int64
	c.mu.Lock()
	for p := range c.idle {
		status := must.Get(os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid)))(t)
		_, peak, _ := strings.Cut(string(status), "VmHWM:")
		fmt.Sscan(peak, &most)
	}
	c.mu.Unlock()
	if t.Logf("%d kB", most); most > 350_000 {
		t.Errorf("it has needed %d kB", most)
	}
}

// TestSlowPDFs checks that one line says why PDF files are read slowly.
func TestSlowPDFs(t *testing.T) {
	if must.RaceEnabled || runtime.GOOS == "windows" {
		t.Skip("it compiles")
	}
	c, log := withPDFium(t, "child")
	c.Cache = t.TempDir()
	must.Do(t, os.Chmod(c.Cache, 0o777))
	for range 2 {
		if _, err := c.Read(t.Context(), Input{Source: pdf("nothing")}); err == nil {
			t.Error("a broken file is read")
		}
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "PDF files are read slowly: the code of PDFium is compiled for each process: ") || !strings.Contains(text, "other users can write to it") {
		t.Error(text)
	}
}

// TestAFailedChildIsReported checks the log and the count of a child that is killed, and of a call that is cancelled.
func TestAFailedChildIsReported(t *testing.T) {
	c, log := withPDFium(t, "hanging")
	if _, err := c.Read(t.Context(), Input{Source: pdf(largePage), Time: 50 * time.Millisecond}); err == nil {
		t.Error("it is converted")
	}
	if text := log.String(); c.Failed() != 1 || !strings.Contains(text, pageURL.String()) || !strings.Contains(text, "not converted within 50ms") {
		t.Errorf("%d: %s", c.Failed(), text)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Read(ctx, Input{Source: pdf(largePage)}); err == nil || c.Failed() != 1 {
		t.Errorf("%v, %d failed", err, c.Failed())
	}
}

// TestFolderOfCompiledCode checks which folder has it, and that a temporary one ends.
func TestFolderOfCompiledCode(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other variables")
	}
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	c := New(program("child"))
	must.Equal(t, filepath.Join(home, "mcp-docs-server", "pdfium"), c.folder())
	t.Setenv("XDG_CACHE_HOME", "/dev/null")
	temporary := c.folder()
	if info, err := os.Stat(temporary); err != nil || info.Mode().Perm() != 0o700 || c.folder() != temporary {
		t.Error(temporary, err)
	}
	c.Close()
	if _, err := os.Stat(temporary); err == nil {
		t.Error("it stays")
	}
	if c.Cache = "/x"; c.folder() != "/x" {
		t.Error(c.folder())
	}
}

// TestHangingPagesOfOneCaller checks that such pages leave a turn to other callers.
func TestHangingPagesOfOneCaller(t *testing.T) {
	c, _ := withPDFium(t, "hanging")
	hanging, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	const most = 10
	for i := range most {
		go func() {
			_, err := c.Read(hanging, Input{Ask: fairqueue.Ask{Caller: "alice"}, Time: time.Hour, Source: []webpage.Source{source(largePage), pdf(largePage)}[i%2]})
			ended <- err
		}()
	}
	for c.pages.Held() == 0 || c.pdfs.Held() == 0 {
		time.Sleep(time.Millisecond)
	}
	for i := range 20 {
		page, err := c.Read(t.Context(), Input{Ask: fairqueue.Ask{Caller: "bob"}, Source: source("<p>Quick."), Time: maxPDFTime})
		if err != nil || page.Markdown(nil) != "Quick.\n" {
			t.Fatalf("%v, %+v", err, page)
		}
		if i%10 > 0 { // each starts a process, which takes long with the race detector
			continue
		}
		if _, err := c.Read(t.Context(), Input{Ask: fairqueue.Ask{Caller: "bob"}, Source: pdf("quick"), Time: maxPDFTime}); err == nil || !strings.Contains(err.Error(), "cannot be read") {
			t.Fatalf("a PDF file: %v", err)
		}
	}
	short, stop := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, errors.New("no time"))
	defer stop()
	if _, err := c.Read(short, Input{Ask: fairqueue.Ask{Caller: "bob"}, Source: source(largePage)}); err == nil || err.Error() != "no time" {
		t.Errorf("a large page of another caller: %v", err)
	}
	cancel()
	for range most {
		if err := <-ended; err != context.Canceled {
			t.Error(err)
		}
	}
	must.Equal(t, 0, c.pages.Held()+c.pdfs.Held(), "turns")
}

func TestTheChildIsBounded(t *testing.T) {
	for mode, want := range map[string]string{
		"endless": "more than 96 MiB", "greedy": "more than 64 MiB of memory", "hanging": "not converted within 2s",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r, most := request{URL: "https://docs.example.com/"}, 2*time.Second
			switch mode {
			case "hanging":
				r.body = []byte(largePage)
			case "endless", "greedy":
				most = maxPDFTime
			}
			r.Size = len(r.body)
			if page, err := New(program(mode)).run(t.Context(), r, most); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, %+v, want %q", err, page, want)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(program("endless")).run(ctx, request{}, maxTime); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	none := func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, "/nonexistent/program") }
	if _, err := New(none).run(t.Context(), request{}, maxTime); err == nil || !strings.Contains(err.Error(), "no process") {
		t.Errorf("no program: %v", err)
	}
}

// TestAChildStays counts the processes that pages need. One that is not converted in time ends its process, and nothing else.
func TestAChildStays(t *testing.T) {
	var started atomic.Int32
	var slow int32
	c := New(func(ctx context.Context) *exec.Cmd { started.Add(1); return program("hanging")(ctx) })
	t.Cleanup(c.Close)
	for range 2 {
		for i := range 5 {
			began := time.Now()
			page, err := c.Read(t.Context(), Input{Source: source(fmt.Sprintf("<p>Page %d.", i))})
			if time.Since(began) > shortTime { // on a busy computer
				slow++
			}
			if err != nil || page.Markdown(nil) != fmt.Sprintf("Page %d.\n", i) {
				t.Fatalf("%v, %+v", err, page)
			}
		}
		began := time.Now()
		if page, err := c.Read(t.Context(), Input{Source: source(largePage), Time: time.Millisecond}); err == nil || !strings.Contains(err.Error(), "not converted within") || time.Since(began) > maxPDFTime/2 {
			t.Errorf("%v, %+v", err, page)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if page, err := c.Read(ctx, Input{Source: source(largePage)}); err != context.DeadlineExceeded {
			t.Errorf("%v, %+v", err, page)
		}
		cancel()
	}
	if n := started.Load(); n > 4+slow {
		t.Errorf("%d processes, %d pages took over a second", n, slow)
	}
}

// TestTheChildEndsWithItsParent kills the parent of a child: nobody would read the result of the child.
func TestTheChildEndsWithItsParent(t *testing.T) {
	cmd := program("child")(t.Context())
	in := must.Get(cmd.StdinPipe())(t)
	must.Do(t, cmd.Start())
	body := strings.Repeat("x<td>", 1_000_000) // which takes the parser seconds
	fmt.Fprintf(in, `{"URL":"https://docs.example.com/","ContentType":"text/html","Size":%d}`+"\n%s", len(body), body)
	if err := cmd.Process.Signal(syscall.Signal(0)); err != nil {
		t.Fatalf("it has ended: %v", err)
	}
	in.Close()
	if err := cmd.Wait(); err == nil {
		t.Error("it has converted the page")
	}
}
