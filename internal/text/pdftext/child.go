package pdftext

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/ledongthuc/pdf"
)

// maxPages is how many pages are read.
const maxPages = 5000

// Main reads a PDF and writes its text, as the child of [Text]. It bounds the process, so call it
// in one that does nothing else.
func Main(in io.Reader, out io.Writer) error {
	limitProcess()
	debug.SetMemoryLimit(MaxMemory * 3 / 4)
	go watchMemory(MaxMemory)
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	if err := write(w, data); err != nil {
		return err
	}
	return w.Flush()
}

// watchMemory ends the process when it uses too much memory. The limit of the system, where there
// is one, holds for what is allocated at once.
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

func write(w *bufio.Writer, data []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it is broken: %v", r)
		}
	}()
	r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	n := r.NumPage()
	if n > maxPages {
		return fmt.Errorf("it has %d pages, and at most %d are read", n, maxPages)
	}
	if n == 0 {
		return fmt.Errorf("it has no pages")
	}
	for i := 1; i <= n; i++ {
		if _, err := w.WriteString(pageText(r.Page(i)) + "\f"); err != nil {
			return err
		}
	}
	return nil
}
