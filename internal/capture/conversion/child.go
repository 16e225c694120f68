package conversion

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/pdftext"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

const (
	maxMemory = 496 << 20 // bytes that the child may use
	maxCPU    = 20        // seconds of processor time that it may take
)

// A request is the first line that the child reads, as JSON. The body follows.
type request struct {
	URL         string
	ContentType string
	Size        int // bytes of the body
	Whole       bool
	KeepHTML    bool
	Include     []string
	Exclude     []string
}

func requestOf(c webpage.Choice, s webpage.Source) request {
	text := func(list []*webpage.Selector) (texts []string) {
		for _, selector := range list {
			texts = append(texts, selector.String())
		}
		return texts
	}
	return request{s.URL.String(), s.ContentType, len(s.Body), c.Whole, c.KeepHTML, text(c.Include), text(c.Exclude)}
}

// choice returns which parts of the page are kept.
func (r *request) choice() (webpage.Choice, error) {
	var errs []error
	parse := func(texts []string) (list []*webpage.Selector) {
		for _, text := range texts {
			selector, err := webpage.ParseSelector(text)
			errs = append(errs, err)
			list = append(list, selector)
		}
		return list
	}
	c := webpage.Choice{Whole: r.Whole, KeepHTML: r.KeepHTML, Include: parse(r.Include), Exclude: parse(r.Exclude)}
	return c, errors.Join(errs...)
}

// Main is the child of [Converter.Read]: it reads a request and writes the page as JSON. It bounds the memory and the
// time of the process, which must do nothing else.
func Main(in io.Reader, out io.Writer) error {
	limitProcess()
	debug.SetMemoryLimit(maxMemory * 3 / 4)
	go watchMemory(maxMemory)
	buffered := bufio.NewReader(in)
	line, err := buffered.ReadBytes('\n')
	if err != nil {
		return err
	}
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	body := make([]byte, r.Size)
	if _, err := io.ReadFull(buffered, body); err != nil {
		return err
	}
	go func() { // the parent keeps it open until it ends
		_, _ = buffered.ReadByte()
		os.Exit(1)
	}()
	page, err := r.read(body)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(page); err != nil {
		return err
	}
	return w.Flush()
}

func (r *request) read(body []byte) (*webpage.Page, error) {
	choice, err := r.choice()
	if err != nil {
		return nil, err
	}
	location, err := url.Parse(r.URL)
	if err != nil {
		return nil, err
	}
	page, err := choice.ReadLarge(context.Background(), webpage.Source{URL: location, ContentType: r.ContentType, Body: body})
	if err != nil || page.Kind != webpage.PDF {
		return page, err
	}
	pages, notes, err := pdftext.Read(body)
	if err != nil {
		return nil, fmt.Errorf("the PDF cannot be read: %w", err)
	}
	page = webpage.FromPDF(location, pages)
	page.Notes = notes
	return page, nil
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
