package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// PDFOptions say how the texts of PDF files are made. The zero value: they have none, and are found by their names.
type PDFOptions struct {
	Converter *conversion.Converter
	Cache     string // folder that keeps the texts between starts; "": they are in memory
	Asked     bool   // texts are made for [Live.Indexed] and for reads only
}

const (
	maxPDFTime = time.Minute // for a file
	// for all files that nobody asked for, in the life of a project
	maxPDFWork  = 10 * time.Minute
	maxPDFWait  = 20 * time.Second // for a file that a client asks for
	maxPDFBytes = 64 << 20         // of a file
	// bytes of all texts, so that their index stays below 100 MB
	maxPDFText = 128 << 20
)

// pdfs makes and keeps the texts of the PDF files of a project, one at a time. A text, or why there is none, is kept by the path of
// the file, its size and time, and the version of the reader.
type pdfs struct {
	PDFOptions
	place  string
	notice func([]loader.Warning)
	wanted func()        // begins the work, with PDFOptions.Asked
	begun  chan struct{} // closed by wanted
	// closed when all files have a text or a reason for the first time
	settled chan struct{}
	asked   chan struct{} // has one value while no text is made that a client asked for

	fresh atomic.Bool  // the documents are read because of new texts
	spent atomic.Int64 // processor time in nanoseconds

	mu    sync.Mutex
	cache *dependencies.Cache // nil until it is needed; guarded by mu
	known map[string]pdfText  // by key; guarded by mu
	texts int                 // bytes of known; guarded by mu
}

// A pdfText is what is known of the text of a file.
type pdfText struct {
	missing string // why it has none; "": it has one
	size    int    // in bytes
}

func newPDFs(p *Project, o PDFOptions, notice func([]loader.Warning)) *pdfs {
	if o.Converter == nil {
		return nil
	}
	s := &pdfs{PDFOptions: o, place: p.Place(), notice: notice, begun: make(chan struct{}), settled: make(chan struct{}), asked: make(chan struct{}, 1), known: make(map[string]pdfText)}
	if abs, err := filepath.Abs(s.place); err == nil && p.Folder != nil {
		s.place = abs
	}
	s.wanted = sync.OnceFunc(func() { close(s.begun) })
	s.asked <- struct{}{}
	return s
}

func (s *pdfs) open() *dependencies.Cache {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cache == nil && s.Cache != "" {
		s.cache, _ = dependencies.OpenCache(s.Cache)
	}
	s.cache = cmp.Or(s.cache, dependencies.MemoryCache())
	return s.cache
}

func (s *pdfs) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cache.Close()
}

func (s *pdfs) key(f docs.PDF) string {
	return fmt.Sprintf("pdf %s\x00%s\x00%s\x00%d\x00%d", conversion.PDFVersion, s.place, f.Name, f.Size, f.ModTime)
}

// reason returns why a file has no text; "" if it has one.
func (s *pdfs) reason(f docs.PDF) (reason string, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, known := s.known[s.key(f)]
	return text.missing, known
}

// forget removes what is known of files that are not served any more, or of one whose text the cache has lost.
func (s *pdfs) forget(gone func(key string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, text := range s.known {
		if gone(key) {
			s.texts -= text.size
			delete(s.known, key)
		}
	}
}

// Has implements [docs.PDFs].
func (s *pdfs) Has(f docs.PDF) bool {
	reason, known := s.reason(f)
	return known && reason == ""
}

// Failed implements [docs.PDFs].
func (s *pdfs) Failed(f docs.PDF) bool {
	reason, _ := s.reason(f)
	return reason != ""
}

// Text implements [docs.PDFs].
func (s *pdfs) Text(f docs.PDF) (string, bool) {
	if !s.Has(f) {
		return "", false
	}
	data, _ := s.open().Get(s.key(f))
	text, ok := strings.CutPrefix(string(data), "+")
	if !ok { // another program has removed it: it is made again
		s.forget(func(key string) bool { return key == s.key(f) })
	}
	return text, ok
}

// Make implements [docs.PDFs].
func (s *pdfs) Make(ctx context.Context, f docs.PDF) error {
	within, cancel := context.WithTimeout(ctx, maxPDFWait)
	defer cancel()
	var err error
	if _, ok := s.Text(f); !ok {
		err = contents.Waiting(ctx, func() error { return s.make(within, f, fairqueue.Ask{Caller: "a reader of documents"}) })
	}
	if reason, _ := s.reason(f); reason != "" {
		return docs.RequestError("This PDF file has no text here: " + reason + ".")
	} else if err != nil && ctx.Err() == nil {
		return docs.RequestError("The text of this PDF file is being made. Ask again in some seconds.")
	}
	return ctx.Err()
}

// make makes the text of a file, or finds out why there is none. The error says why neither is known now.
func (s *pdfs) make(ctx context.Context, f docs.PDF, ask fairqueue.Ask) error {
	if !ask.Background { // only one goroutine makes texts in the background
		if err := latest.Wait(ctx, s.asked); err != nil {
			return err
		}
		defer func() { s.asked <- struct{}{} }()
	}
	if _, known := s.reason(f); known {
		return nil
	}
	key := s.key(f)
	kept, ok := s.open().Get(key)
	if ok = ok && len(kept) > 0 && (kept[0] == '+' || kept[0] == '-'); !ok {
		if ask.Background && s.spent.Load() >= int64(maxPDFWork) {
			return errLater
		}
		began := time.Now()
		text, spent, err := s.convert(ctx, f, ask)
		if err != nil && (ctx.Err() != nil || errors.Is(err, errLater)) {
			return err
		}
		kept = []byte("+" + text)
		if err != nil {
			kept = []byte("-" + err.Error())
		}
		_, unreadable := errors.AsType[conversion.Unreadable](err)
		// Another error may be of a computer that was busy, or starts no programs.
		if err == nil || unreadable || spent > time.Since(began)/2 {
			s.open().Put(key, kept)
		}
		if _, ok = s.open().Get(key); !ok && err == nil {
			kept = []byte("-there is no room for it: name a folder with --cache-dir")
		}
	}
	if text, first := s.remember(key, kept); first && text.missing != "" {
		s.notice([]loader.Warning{{Path: f.Name, Reason: "has no text: " + text.missing}})
	}
	return nil
}

// remember records what is kept of a file, and returns false if it was made twice at the same time.
func (s *pdfs) remember(key string, kept []byte) (text pdfText, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text, known := s.known[key]; known {
		return text, false
	}
	text = pdfText{size: len(kept)}
	if reason, failed := strings.CutPrefix(string(kept), "-"); failed {
		text = pdfText{missing: reason}
	} else if s.texts+text.size > maxPDFText {
		text = pdfText{missing: fmt.Sprintf("the texts of the PDF files before it have %d MiB", maxPDFText>>20)}
	}
	s.texts += text.size
	s.known[key] = text
	return text, true
}

var errLater = errors.New("the file is not read now")

// convert returns the text of a file. The error is why it has none, [errLater], or the one of ctx.
func (s *pdfs) convert(ctx context.Context, f docs.PDF, ask fairqueue.Ask) (text string, spent time.Duration, err error) {
	opened, err := f.Open()
	if err != nil {
		return "", 0, errors.New(fserr.Reason(err))
	}
	defer opened.Close()
	if f.Size > maxPDFBytes {
		return "", 0, fmt.Errorf("the file has more than %d MiB", maxPDFBytes>>20)
	}
	data, err := io.ReadAll(io.LimitReader(opened, f.Size+1))
	if info, failed := opened.Stat(); err != nil || failed != nil || info.Size() != f.Size || info.ModTime().UnixNano() != f.ModTime || int64(len(data)) != f.Size {
		return "", 0, errLater // it changes, and will be found again
	}
	if !strings.HasPrefix(string(data[:min(len(data), 5)]), "%PDF-") {
		return "", 0, errors.New("it is not a PDF file")
	}
	page, err := s.Converter.Read(ctx, conversion.Input{
		Ask: ask, Time: maxPDFTime, Spent: &spent, Source: webpage.Source{URL: &url.URL{Scheme: "file", Path: "/" + f.Name}, ContentType: "application/pdf", Body: data},
	})
	s.spent.Add(int64(spent))
	if _, full := errors.AsType[fairqueue.FullError](err); full {
		return "", spent, errLater
	} else if err != nil {
		return "", spent, err
	} else if page.Text == "" {
		return "", spent, conversion.Unreadable(strings.TrimSuffix(strings.Join(append(page.Notes, "it has no text"), " "), "."))
	}
	title, text, _ := strings.Cut(page.Markdown(nil), "\n")
	for _, note := range page.Notes {
		title += "\n\n" + note
	}
	return title + "\n" + text, spent, nil
}

// followPDFs makes the texts of PDF files, after everything else is indexed, and has the documents read again with them, until ctx ends.
func (l *Live) followPDFs(ctx context.Context) {
	s := l.pdfs
	defer s.close()
	if s.Asked && latest.Wait(ctx, s.begun) != nil {
		return
	}
	settle := sync.OnceFunc(func() { close(s.settled) })
	pause := 2 * time.Second // between two readings of the documents
	for reported := false; ; {
		changed := l.documents.Changed()
		library, err := l.documents.Load(ctx)
		if err != nil {
			return
		}
		files := library.PDFs()
		if len(files) > 0 && library.IndexBeside(ctx, l.yield()) != nil {
			return
		}
		served := make(map[string]bool, len(files))
		for _, f := range files {
			served[s.key(f)] = true
		}
		s.forget(func(key string) bool { return !served[key] })
		last, waiting, unmade := time.Now(), false, 0
		refresh := func() {
			s.fresh.Store(true)
			l.docsFolder.notify(loader.Changes{Dirs: []string{"."}})
		}
		for _, f := range files {
			if s.make(ctx, f, fairqueue.Ask{Caller: "documents", Background: true}) != nil {
				unmade++
			}
			if waiting = waiting || s.Has(f) && !f.Indexed; waiting && time.Since(last) > pause {
				refresh()
				last, pause = time.Now(), min(2*pause, time.Minute)
			}
		}
		if ctx.Err() != nil {
			return
		}
		if unmade > 0 && !reported && s.spent.Load() >= int64(maxPDFWork) {
			reported = true
			l.warnings([]loader.Warning{{Path: ".", Reason: fmt.Sprintf("has PDF files whose text takes more than %d minutes: %d have none yet, and are found by their names; the next start goes on", maxPDFWork/time.Minute, unmade)}})
		}
		if waiting {
			refresh()
		} else {
			settle()
		}
		if latest.Wait(ctx, changed) != nil {
			return
		}
	}
}
