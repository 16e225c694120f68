package conversion

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
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
	selector := func(text string) []*webpage.Selector {
		s, err := webpage.ParseSelector(text)
		if err != nil {
			t.Fatal(err)
		}
		return []*webpage.Selector{s}
	}
	const small = `<title>T</title><body><nav><a href=n>nav</a></nav><main><h1 id=a>Head</h1><p class=x>One <a href="b?c=d#e">&lt;link&gt;</a>, é.<img src=i alt="an i"></main>`
	for _, c := range []webpage.Choice{{}, {Whole: true, KeepHTML: true, Exclude: selector("img")}, {Include: selector("main, .x")}} {
		want, err := c.Read(source(small))
		if err != nil {
			t.Fatal(err)
		}
		r := requestOf(c, source(small))
		got, err := New(program("child")).run(t.Context(), r, maxTime)
		if err != nil {
			t.Fatal(err)
		}
		if got.Markdown(nil) != want.Markdown(nil) || got.HTML() != want.HTML() || got.Title != want.Title || got.MIME != want.MIME ||
			!reflect.DeepEqual(got.References, want.References) || !reflect.DeepEqual(got.Anchors, want.Anchors) || got.Headings != want.Headings {
			t.Errorf("the child made %+v of it, want %+v", got, want)
		}
	}
}

// TestLargePages checks that a child converts large pages with the same result.
func TestLargePages(t *testing.T) {
	c := New(program("child"))
	t.Cleanup(c.Close)
	page, err := c.Read(t.Context(), Input{Source: source(largePage)})
	if err != nil {
		t.Fatal(err)
	}
	text := page.Markdown(nil)
	if !strings.HasPrefix(text, "# Long\n\nSee [b](https://docs.example.com/guide/b).\n\nTea & **milk** ") || strings.Count(text, "milk") != 1 || len(text) < 400_000 || len(page.Notes) != 0 {
		t.Errorf("%.200q, %q", text, page.Notes)
	}
	if c.pages.Held() != 0 {
		t.Error("turns are left")
	}
}

// pdf returns a PDF file, which is broken.
func pdf(body string) webpage.Source {
	return webpage.Source{URL: pageURL, ContentType: "application/pdf", Body: []byte("%PDF-1.7\n" + body)}
}

func TestPDF(t *testing.T) {
	c := New(program("child"))
	t.Cleanup(c.Close)
	if _, err := c.Read(t.Context(), Input{Source: pdf("nothing")}); err == nil || !strings.Contains(err.Error(), "the PDF cannot be read: ") {
		t.Error(err)
	}
}

// TestHangingPagesOfOneCaller checks that such pages leave a turn to other callers.
func TestHangingPagesOfOneCaller(t *testing.T) {
	c := New(program("hanging"))
	t.Cleanup(c.Close)
	hanging, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	const most = 10
	for i := range most {
		go func() {
			_, err := c.Read(hanging, Input{Ask: fairqueue.Ask{Caller: "alice"}, Source: []webpage.Source{source(largePage), pdf(largePage)}[i%2]})
			ended <- err
		}()
	}
	for c.pages.Held() == 0 || c.pdfs.Held() == 0 {
		time.Sleep(time.Millisecond)
	}
	start := time.Now()
	for range 20 {
		page, err := c.Read(t.Context(), Input{Ask: fairqueue.Ask{Caller: "bob"}, Source: source("<p>Quick.")})
		if err != nil || page.Markdown(nil) != "Quick.\n" {
			t.Fatalf("%v, %+v", err, page)
		}
		if _, err := c.Read(t.Context(), Input{Ask: fairqueue.Ask{Caller: "bob"}, Source: pdf("quick"), Time: maxTime}); err == nil || !strings.Contains(err.Error(), "cannot be read") {
			t.Fatalf("a PDF file: %v", err)
		}
	}
	if took := time.Since(start); took > maxTime {
		t.Errorf("pages of another caller took %v", took)
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
	if c.pages.Held()+c.pdfs.Held() != 0 {
		t.Error("turns are left")
	}
}

func TestTheChildIsBounded(t *testing.T) {
	for mode, want := range map[string]string{
		"endless": "more than 96 MiB", "greedy": "more than 64 MiB of memory", "hanging": "not converted within 2s", "child": "not converted within 2s",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r, most := request{URL: "https://docs.example.com/"}, 2*time.Second
			switch mode {
			case "child": // the PDF has a loop
				first, second := "%PDF-1.4\n", "1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
				text := first + second + "2 0 obj\n<< /Type /Pages /Kids [2 0 R] /Count 1 >>\nendobj\n"
				r.body = fmt.Appendf(nil, "%sxref\n0 3\n0000000000 65535 f \n%010d 00000 n \n%010d 00000 n \ntrailer\n<< /Size 3 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n",
					text, len(first), len(first+second), len(text))
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
	c := New(func(ctx context.Context) *exec.Cmd { started.Add(1); return program("hanging")(ctx) })
	t.Cleanup(c.Close)
	for range 2 {
		for i := range 5 {
			page, err := c.Read(t.Context(), Input{Source: source(fmt.Sprintf("<p>Page %d.", i))})
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
	if n := started.Load(); n > 4 {
		t.Errorf("%d processes", n)
	}
}

// TestTheChildEndsWithItsParent kills the parent of a child: nobody would read the result of the child.
func TestTheChildEndsWithItsParent(t *testing.T) {
	cmd := program("child")(t.Context())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
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
