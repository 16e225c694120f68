package folder

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
)

// load indexes the captured pages and reads the state file. It returns the pages of this site by URL, the bytes of
// the state file, and the crawl that it describes.
func (s *Site) load(captured []Target) (old map[string]*url.URL, state []byte, earlier *crawl.EarlierCrawl, err error) {
	old = make(map[string]*url.URL)
	for _, t := range captured {
		s.files[crawl.Key(t.URL)] = t.File
		if t.Site == s.start {
			old[t.URL.String()] = t.URL
		}
	}
	if state, err = s.read(); err != nil {
		return nil, nil, nil, err
	}
	earlier = &crawl.EarlierCrawl{Ended: true}
	if len(state) > 0 {
		// A state file that cannot be read is useless, and is replaced.
		if read, err := crawl.ReadEarlier(bytes.NewReader(state), s.options.Crawl); err == nil {
			earlier = read
			s.readAnchors(state)
		}
	}
	s.aliases = earlier.Aliases
	return old, state, earlier, nil
}

// begin reads the folder and the state file, and opens the state file for writing.
func (s *Site) begin(ctx context.Context) (*os.File, error) {
	if s.capturer.Folder == nil {
		return nil, nil
	}
	captured, err := Captured(ctx, s.capturer.Folder)
	if err != nil {
		return nil, err
	}
	old, state, earlier, err := s.load(captured)
	if err != nil {
		return nil, err
	}
	write := !s.capturer.Options.DryRun
	if earlier.Same && !earlier.Ended && len(state) > 0 {
		if !write {
			return nil, s.crawl.Resume(bytes.NewReader(state))
		}
		file, err := s.open()
		if err == nil {
			err = s.crawl.Resume(bytes.NewReader(state))
		}
		return file, err
	}
	var beginning bytes.Buffer
	s.log.Use(&beginning)
	for _, u := range old {
		s.crawl.Seed(u, earlier.Pages[u.String()])
	}
	if !write {
		s.log.Use(nil)
		return nil, nil
	}
	for page, anchors := range s.anchors {
		if old[page] != nil {
			s.log.Note(note{Page: page, Anchors: anchors})
		}
	}
	if err := s.capturer.Folder.Replace(s.state, beginning.Bytes()); err != nil {
		return nil, &WriteError{Name: s.state, Err: err}
	}
	return s.open()
}

func (s *Site) open() (*os.File, error) {
	file, err := s.capturer.Folder.Append(s.state)
	if err != nil {
		return nil, &WriteError{Name: s.state, Err: err}
	}
	s.log.Use(file)
	return file, nil
}

// read returns the bytes of the state file, nil if it does not exist.
func (s *Site) read() ([]byte, error) {
	file, err := s.capturer.Folder.Open(s.state)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxState))
	return data, err
}

// A note is a line of the state file that does not belong to the journal of the crawl.
type note struct {
	Page    string `json:"page"`
	Anchors string `json:"anchors"`
}

func (s *Site) readAnchors(state []byte) {
	lines := bufio.NewScanner(bytes.NewReader(state))
	lines.Buffer(nil, 8*maxPageAnchors)
	for lines.Scan() {
		if !bytes.HasPrefix(lines.Bytes(), []byte(`{"page"`)) {
			continue
		}
		var n note
		if json.Unmarshal(lines.Bytes(), &n) == nil && n.Page != "" {
			s.setAnchors(n.Page, n.Anchors)
		}
	}
}

// setAnchors sets the anchors of a page, and reports whether they changed. The caller holds s.mu, or is the only
// goroutine.
func (s *Site) setAnchors(page, anchors string) bool {
	was, known := s.anchors[page]
	if known && was == anchors || len(anchors) > maxPageAnchors || s.bytes+len(anchors)-len(was) > maxAnchors {
		return false
	}
	s.bytes += len(anchors) - len(was)
	s.anchors[page] = anchors
	return true
}
