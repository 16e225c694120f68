// Command pagemarkdown converts pages to Markdown for test/capture-quality. Each line of standard input
// is an object with a URL and a file, and each line of standard output has the Markdown of that page.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pdfium"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pdftext"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
)

type request struct{ URL, File string }

type response struct {
	Markdown string   `json:"markdown"`
	Pages    []string `json:"pages,omitempty"` // of a PDF
	Notes    []string `json:"notes,omitempty"`
	Error    string   `json:"error,omitempty"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pagemarkdown:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	requests, responses := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var r request
		if err := requests.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := responses.Encode(convert(r)); err != nil {
			return err
		}
	}
}

// engine returns PDFium. It keeps the compiled code in a folder for temporary files.
var engine = sync.OnceValues(func() (*pdfium.Engine, error) {
	e, _, err := pdfium.New(filepath.Join(os.TempDir(), "pagemarkdown"))
	return e, err
})

func convert(r request) response {
	u, err := url.Parse(r.URL)
	if err != nil {
		return response{Error: err.Error()}
	}
	body, err := os.ReadFile(r.File)
	if err != nil {
		return response{Error: err.Error()}
	}
	if strings.HasSuffix(r.File, ".pdf") {
		e, err := engine()
		if err != nil {
			return response{Error: err.Error()}
		}
		pages, notes, err := pdftext.Read(e, body)
		if err != nil {
			return response{Error: err.Error()}
		}
		return response{Pages: pages, Notes: notes}
	}
	page, err := webpage.Choice{}.Read(webpage.Source{URL: u, ContentType: "text/html", Body: body})
	if err != nil {
		return response{Error: err.Error()}
	}
	return response{Markdown: page.Markdown(nil), Notes: page.Notes}
}
