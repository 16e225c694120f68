package mirror

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
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/folder"
)

// load reads what is there: the pages of the site, by their URLs, the state file, and what that
// says.
func (m *Mirror) load(there []folder.Target) (old map[string]*url.URL, state []byte, past *crawl.Past, err error) {
	old = make(map[string]*url.URL)
	for _, t := range there {
		m.there[crawl.Key(t.URL)] = t.File
		if t.Site == m.site {
			old[t.URL.String()] = t.URL
		}
	}
	if state, err = m.read(); err != nil {
		return nil, nil, nil, err
	}
	past = &crawl.Past{Ended: true}
	if len(state) > 0 {
		// A state file that cannot be read is of no use, and is replaced.
		if p, err := crawl.ReadPast(bytes.NewReader(state), m.cleanOptions()); err == nil {
			past = p
			m.readAnchors(state)
		}
	}
	m.aliases = past.Aliases
	return old, state, past, nil
}

// begin reads what is there, and opens the state file.
func (m *Mirror) begin(ctx context.Context) (*os.File, error) {
	if m.folder == nil {
		return nil, nil
	}
	there, err := folder.Captured(ctx, m.folder)
	if err != nil {
		return nil, err
	}
	old, state, past, err := m.load(there)
	if err != nil {
		return nil, err
	}
	write := !m.options.Capture.DryRun
	if past.Same && !past.Ended && len(state) > 0 {
		m.resumed = true
		if !write {
			return nil, m.crawl.Resume(bytes.NewReader(state))
		}
		file, err := m.open()
		if err == nil {
			err = m.crawl.Resume(bytes.NewReader(state))
		}
		return file, err
	}
	var beginning bytes.Buffer
	m.journal = &beginning
	for _, u := range old {
		m.crawl.Seed(u, past.Pages[u.String()])
	}
	if !write {
		return nil, nil
	}
	for page, anchors := range m.anchors {
		if old[page] != nil {
			m.record(note{Page: page, Anchors: anchors})
		}
	}
	if err := m.folder.Replace(m.state, beginning.Bytes()); err != nil {
		return nil, &folder.WriteError{Name: m.state, Err: err}
	}
	return m.open()
}

// cleanOptions are those that the journal is compared with.
func (m *Mirror) cleanOptions() crawl.Options {
	o := m.options.Crawl
	if start, err := crawl.Clean(o.Start, false); err == nil {
		o.Start = start
	}
	return o
}

func (m *Mirror) open() (*os.File, error) {
	file, err := m.folder.Append(m.state)
	if err != nil {
		return nil, &folder.WriteError{Name: m.state, Err: err}
	}
	m.mu.Lock()
	m.journal = file
	m.mu.Unlock()
	return file, nil
}

// read returns the state file, nil if there is none.
func (m *Mirror) read() ([]byte, error) {
	file, err := m.folder.Open(m.state)
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

// A writer appends to the journal.
type writer struct{ m *Mirror }

func (w writer) Write(p []byte) (int, error) {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	if w.m.journal == nil {
		return len(p), nil
	}
	return w.m.journal.Write(p)
}

// A note is a line of the state file that is not of the crawl.
type note struct {
	Page    string `json:"page"`
	Anchors string `json:"anchors"`
}

func (m *Mirror) record(n note) {
	if line, err := json.Marshal(n); err == nil {
		_, _ = writer{m}.Write(append(line, '\n'))
	}
}

func (m *Mirror) readAnchors(state []byte) {
	lines := bufio.NewScanner(bytes.NewReader(state))
	lines.Buffer(nil, 8*maxPageAnchors)
	for lines.Scan() {
		if !bytes.HasPrefix(lines.Bytes(), []byte(`{"page"`)) {
			continue
		}
		var n note
		if json.Unmarshal(lines.Bytes(), &n) == nil && n.Page != "" {
			m.setAnchors(n.Page, n.Anchors)
		}
	}
}

// setAnchors sets the anchors of a page, and reports whether they are other ones. m.mu is held, or
// nothing else runs.
func (m *Mirror) setAnchors(page, anchors string) bool {
	was, known := m.anchors[page]
	if known && was == anchors || len(anchors) > maxPageAnchors || m.bytes+len(anchors)-len(was) > maxAnchors {
		return false
	}
	m.bytes += len(anchors) - len(was)
	m.anchors[page] = anchors
	return true
}
