// Command pdfcompare compares the text that package pdftext finds in PDF files with the text that
// pdftotext (poppler-utils) finds:
//
//	go run ./internal/dev/pdfcompare /usr/share/doc/*/*.pdf*
//
// Files may be compressed with gzip, as Debian does. It prints a row for each file: the pages, the words
// that pdftotext finds, the share of these words that pdftext finds (recall), the share of the words of
// pdftext that pdftotext finds (precision), the seconds of both, and the notes.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/pdftext"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: pdfcompare FILE…")
		os.Exit(2)
	}
	fmt.Println("| file | pages | words | recall | precision | seconds | pdftotext | notes |\n|---|---|---|---|---|---|---|---|")
	files, recalls, precisions := 0, 0.0, 0.0
	for _, name := range os.Args[1:] {
		recall, precision, err := compare(name)
		if err != nil {
			fmt.Printf("| %s | | | | | | | %v |\n", filepath.Base(name), err)
			continue
		}
		files++
		recalls += recall
		precisions += precision
	}
	fmt.Printf("| mean of %d | | | %.3f | %.3f | | | |\n", files, recalls/float64(files), precisions/float64(files))
}

// compare prints the row of a file.
func compare(name string) (recall, precision float64, err error) {
	data, err := read(name)
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	cmd := exec.Command("pdftotext", "-enc", "UTF-8", "-", "-")
	cmd.Stdin = bytes.NewReader(data)
	theirs, err := cmd.Output()
	if err != nil {
		return 0, 0, fmt.Errorf("pdftotext: %w", err)
	}
	middle := time.Now()
	pages, notes, err := pdftext.Read(data)
	if err != nil {
		return 0, 0, err
	}
	end := time.Now()
	want, got := words(string(theirs)), words(strings.Join(pages, "\n"))
	common, wanted, found := 0, 0, 0
	for word, n := range want {
		wanted += n
		common += min(n, got[word])
	}
	for _, n := range got {
		found += n
	}
	recall, precision = 1, 1
	if wanted > 0 {
		recall = float64(common) / float64(wanted)
	}
	if found > 0 {
		precision = float64(common) / float64(found)
	}
	fmt.Printf("| %s | %d | %d | %.3f | %.3f | %.1f | %.1f | %s |\n", filepath.Base(name), len(pages), wanted, recall, precision,
		end.Sub(middle).Seconds(), middle.Sub(start).Seconds(), strings.Join(notes, " "))
	return recall, precision, nil
}

// read returns a file, decompressed.
func read(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil || !strings.HasSuffix(name, ".gz") {
		return data, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// words counts the words of a text: runs of letters and digits. Ligatures are letters.
func words(text string) map[string]int {
	list := make(map[string]int)
	for word := range strings.FieldsFuncSeq(norm.NFKC.String(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		list[word]++
	}
	return list
}
