package project

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/capturetest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/pdftest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

func TestMain(m *testing.M) { capturetest.Run(m) }

// pdfOf returns a PDF file with a line on each page.
func pdfOf(pages ...string) string {
	for i, text := range pages {
		pages[i] = "BT /F1 12 Tf 72 700 Td (" + text + ") Tj ET"
	}
	return string(pdftest.New(pages...))
}

// pdfOptions returns options with a folder, and the number of child processes that were started.
func pdfOptions(t *testing.T, cache string) (PDFOptions, *atomic.Int32) {
	var started atomic.Int32
	c := conversion.New(func(ctx context.Context) *exec.Cmd { started.Add(1); return capturetest.Child(ctx) })
	c.Cache = pdftest.CompiledFolder()
	t.Cleanup(c.Close)
	return PDFOptions{Converter: c, Cache: cache}, &started
}

// foundAt returns the place of the first hit of a query, or "" if there is none.
func foundAt(t *testing.T, l *Live, query string) string {
	t.Helper()
	library, err := l.Library(t.Context())
	must.Do(t, err)
	hits, _, err := library.Search(t.Context(), query, 1)
	must.Do(t, err)
	if len(hits) == 0 {
		return ""
	}
	return hits[0].Path + docs.PageMark(hits[0].Path, hits[0].Heading)
}

// until waits until a query finds a place.
func until(t *testing.T, l *Live, query, want string) {
	t.Helper()
	must.Until(t, query+" in "+want, func() bool { return foundAt(t, l, query) == want })
}

// TestPDFs follows PDF files next to documents: they are found by their text and read by their pages, changes are seen, and nothing is
// converted again after a restart.
func TestPDFs(t *testing.T) {
	dir, cache := given.Folder(t, `mcp-docs-server.json={"docsExclude": ["docs/private.pdf"]}`, "docs/index.md=# Index\n\nSee [the manual](manual.pdf).\n",
		"docs/manual.pdf="+pdfOf("The aardvark digs.", "The quokka smiles.", "{! index.md !}", "\\147hp_q7Zt2mXw9Lk4Vb8Rn3Hc6Jd1Ps5Fy0GaTeUo"),
		"docs/private.pdf="+pdfOf("The private wombat."), "docs/broken.pdf=%PDF-1.4\nnothing", "docs/other.pdf=# No PDF file\n", "docs/letter.docx=PK"), t.TempDir()
	write := given.In(t, dir).Write
	o, started := pdfOptions(t, cache)
	var warnings atomic.Value
	warnings.Store("")
	report := func(e Event) {
		if n, ok := e.(Notices); ok {
			for _, n := range n.Notices {
				warnings.Store(warnings.Load().(string) + n.Path + ": " + n.Reason + "\n")
			}
		}
	}
	l := follow(t, dir, LiveOptions{PDFs: o, Report: report, Poll: 20 * time.Millisecond})
	until(t, l, "quokka", "docs/manual.pdf#page=2")
	until(t, l, "aardvark", "docs/manual.pdf#page=1")
	if got := foundAt(t, l, "wombat"); got != "" {
		t.Errorf("the file of docsExclude is found: %s", got)
	}
	library, _ := l.Library(t.Context())
	if got, want := library.Served(), "1 Markdown and 3 PDF files are served (1 main, 3 other, 0 last); 1 is not: 1 by docsExclude (list --hidden shows them); other files next to them: 1, which can be read where a document links to them; files whose text is not read: 1 Word"; got != want {
		t.Errorf("served: %s, want %s", got, want)
	}
	texts := must.Get(library.Answer(t.Context(), docs.Request{Paths: []string{"docs/manual.pdf#page=2", "docs/broken.pdf", "docs/manual.pdf"}}))(t)
	if !strings.Contains(texts[0], "section: Page 2") || !strings.Contains(texts[0], "The quokka smiles.") || strings.Contains(texts[0], "aardvark") {
		t.Errorf("the page: %s", texts[0])
	}
	if !strings.Contains(texts[1], "This PDF file has no text here: ") {
		t.Errorf("the broken file: %s", texts[1])
	}
	if !strings.Contains(texts[2], "aardvark") || !strings.Contains(texts[2], "## Page 3\n\n{! index.md !}\n") || strings.Contains(texts[2], "q7Zt") || !strings.Contains(texts[2], "[removed: ") {
		t.Errorf("the file: %s", texts[2])
	}
	kept := must.Get(filepath.Glob(filepath.Join(cache, "*")))(t)
	removed := 0
	for _, file := range kept {
		if data, _ := os.ReadFile(file); strings.Contains(string(data), "quokka") {
			removed++
			must.Do(t, os.Remove(file)) // as another program may
		}
	}
	if removed != 1 {
		t.Errorf("%d entries of the cache have the text", removed)
	}
	if again := must.Get(library.Answer(t.Context(), docs.Request{Paths: []string{"docs/manual.pdf#page=2"}}))(t); again[0] != texts[0] {
		t.Errorf("after its text was removed from the cache: %s", again[0])
	}
	if answer, err := library.Answer(t.Context(), docs.Request{Query: "quokka"}); err != nil || !strings.Contains(answer[0], "1. docs/manual.pdf#page=2, line ") {
		t.Errorf("the search: %v, %v", answer, err)
	}
	<-l.pdfs.settled
	for _, want := range []string{"docs/broken.pdf: has no text: ", "docs/other.pdf: has no text: it is not a PDF file"} {
		if got := warnings.Load().(string); strings.Count(got, want) != 1 {
			t.Errorf("the warnings %q, want %q", got, want)
		}
	}
	write("docs/added.pdf", pdfOf("The numbat eats."))
	until(t, l, "numbat", "docs/added.pdf#page=1")
	write("docs/added.pdf", pdfOf("The bilby hops, and hops."))
	until(t, l, "bilby", "docs/added.pdf#page=1")
	if got := foundAt(t, l, "numbat"); got != "" {
		t.Errorf("the old text is found in %s", got)
	}
	must.Do(t, os.Remove(filepath.Join(dir, "docs/added.pdf")))
	until(t, l, "bilby", "")
	if started.Load() == 0 {
		t.Error("no child was started")
	}

	o, started = pdfOptions(t, cache)
	again := follow(t, dir, LiveOptions{PDFs: o, NoWatch: true})
	until(t, again, "quokka", "docs/manual.pdf#page=2")
	<-again.pdfs.settled
	if n := started.Load(); n != 0 {
		t.Errorf("%d children after a restart", n)
	}
	for _, cache := range []string{"", "/dev/null/none"} { // texts are in memory
		o, _ = pdfOptions(t, cache)
		replica := func(ctx context.Context, _ func(loader.Changes)) { <-ctx.Done() }
		until(t, follow(t, dir, LiveOptions{PDFs: o, Follow: replica}), "quokka", "docs/manual.pdf#page=2")
	}
}

// TestPDFsOfCommands checks that a command that does not follow the folder has the text of a file that it reads, and of all files when it searches.
func TestPDFsOfCommands(t *testing.T) {
	dir := given.Folder(t, "a.pdf="+pdfOf("The aardvark digs."), "C# and b.pdf="+pdfOf("The bilby hops."))
	o, started := pdfOptions(t, t.TempDir())
	o.Asked = true
	l := follow(t, dir, LiveOptions{PDFs: o, NoWatch: true})
	library, err := l.Library(t.Context())
	if err != nil || library.Len() != 2 {
		t.Fatal(err)
	}
	if text, _, err := library.Text(t.Context(), "a.pdf"); err != nil || text != "# a.pdf\n\n## Page 1\n\nThe aardvark digs.\n" {
		t.Errorf("%q, %v", text, err)
	}
	if started.Load() != 1 || library.Unread() != 2 {
		t.Errorf("%d children, %d files without text", started.Load(), library.Unread())
	}
	must.Do(t, l.Indexed(t.Context()))
	for query, want := range map[string]string{"aardvark": "a.pdf#page=1", "bilby": "C# and b.pdf#page=1"} {
		if got := foundAt(t, l, query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
		if texts, err := library.Answer(t.Context(), docs.Request{Paths: []string{want}}); err != nil || !strings.Contains(texts[0], query) {
			t.Errorf("%s: %v, %v", want, texts, err)
		}
	}
}
