package conversion

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pdfium"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pdftext"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
)

const (
	maxMemory = 496 << 20
	// maxPDFMemory is what a child aims at when it reads PDF files, besides the memory of PDFium, so that it needs at most 350 MB.
	maxPDFMemory = 64 << 20
)

// A request is a line that the child reads, as JSON. The body follows.
type request struct {
	body        []byte
	spent       *time.Duration // see [Input.Spent]
	URL         string
	ContentType string
	Size        int
	Choice      webpage.Choice
	Cache       string
}

func requestOf(c webpage.Choice, s webpage.Source) request {
	return request{body: s.Body, URL: s.URL.String(), ContentType: s.ContentType, Size: len(s.Body), Choice: c}
}

// An answer is a line that the child writes, as JSON.
type answer struct {
	Page  *webpage.Page
	Error string
	Slow  string // why PDF files are slow
}

// Main is the child of [Converter.Read]: it reads requests and writes an answer to each. It bounds the memory of the
// process, which must do nothing else.
func Main(in io.Reader, out io.Writer) error {
	limitMemory()
	debug.SetMemoryLimit(maxMemory * 3 / 4)
	go watchMemory(maxMemory)
	requests := make(chan *request)
	go func() {
		for buffered := bufio.NewReader(in); ; {
			r, err := next(buffered)
			if err != nil {
				os.Exit(1) // the parent has ended
			}
			requests <- r
		}
	}()
	w := bufio.NewWriter(out)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	var reader pdfReader
	for r := range requests {
		page, err := r.read(&reader)
		a := answer{Page: page, Slow: reader.slow}
		if err != nil {
			a.Error = err.Error()
		}
		if err := errors.Join(e.Encode(a), w.Flush()); err != nil {
			return err
		}
	}
	return nil
}

// next reads a request.
func next(in *bufio.Reader) (*request, error) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	r := new(request)
	if err := json.Unmarshal(line, r); err != nil {
		return nil, err
	}
	r.body = make([]byte, r.Size)
	_, err = io.ReadFull(in, r.body)
	return r, err
}

func (r *request) read(reader *pdfReader) (*webpage.Page, error) {
	location, err := url.Parse(r.URL)
	if err != nil {
		return nil, err
	}
	page, err := r.Choice.Read(webpage.Source{URL: location, ContentType: r.ContentType, Body: r.body})
	if err != nil || page.Kind != webpage.PDF {
		return page, err
	}
	pages, notes, err := reader.read(r)
	if err != nil {
		return page, fmt.Errorf("the PDF cannot be read: %w", err)
	}
	page = webpage.FromPDF(location, pages)
	page.Notes = notes
	return page, nil
}

// A pdfReader reads PDF files. Its engine is made for the first.
type pdfReader struct {
	engine *pdfium.Engine
	slow   string
}

func (p *pdfReader) read(r *request) (pages, notes []string, err error) {
	if p.engine == nil {
		if p.engine, p.slow, err = pdfium.New(r.Cache); err != nil {
			return nil, nil, err
		}
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(maxPDFMemory))
	return pdftext.Read(p.engine, r.body)
}

// watchMemory ends the process when it uses too much memory. A single large allocation is stopped only by the limit of
// the system, on Linux.
func watchMemory(most uint64) {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for {
		metrics.Read(sample)
		if sample[0].Value.Uint64()-sample[1].Value.Uint64() > most {
			fmt.Fprintf(os.Stderr, "it takes more than %d MiB of memory\n", most>>20)
			os.Exit(1)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
