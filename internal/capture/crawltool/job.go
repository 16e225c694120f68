package crawltool

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
)

// States of jobs, in the words of the tool.
const (
	running   = "scraping"
	completed = "completed"
	failed    = "failed"
	cancelled = "cancelled"
)

// saved is job.json.
type saved struct {
	ID        string          `json:"id"`
	Owner     string          `json:"owner,omitempty"`
	Shared    bool            `json:"shared,omitempty"`
	Arguments json.RawMessage `json:"arguments"`         // of the call, without headers and actions
	Partial   bool            `json:"headers,omitempty"` // they have headers or actions, which may be secret
	Created   time.Time       `json:"created"`
	Ended     time.Time       `json:"ended,omitzero"`
	State     string          `json:"state"`
	Why       string          `json:"why,omitempty"`
	Firecrawl *remote         `json:"firecrawl,omitempty"` // the service crawls
}

// A result is a page of a job.
type result struct {
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
	Key   string `json:"key"`
	// Digest is that of its content, if Firecrawl crawled it: the journal of a crawl has its own.
	Digest string `json:"digest,omitempty"`
}

// A fault is a URL that is not captured.
type fault struct {
	URL   string `json:"url"`
	Error string `json:"error"`
}

// A note is a line of the journal that is not of the crawl.
type note struct {
	Page  *result `json:"page,omitempty"`
	Fault *fault  `json:"fault,omitempty"`
	Count *count  `json:"count,omitempty"`
	Over  bool    `json:"over,omitempty"` // the faults so far do not count
}

// isNote reports whether a line of the journal is a note.
func isNote(line []byte) bool {
	for _, name := range []string{"page", "fault", "count", "over"} {
		if bytes.HasPrefix(line, []byte(`{"`+name+`":`)) {
			return true
		}
	}
	return false
}

// A job is one crawl.
type job struct {
	id     string
	m      *Manager
	query  *query
	owned  bool // it runs in this process
	cancel context.CancelFunc
	ended  chan struct{} // is closed when it runs here no more
	pin    pin
	log    crawl.Log // the journal

	mu      sync.Mutex // guards all fields below, and is taken behind that of the crawl
	saved   saved
	crawl   *crawl.Crawl
	results []result
	at      map[string]int // places in results, by URL
	faults  []fault
	more    int // faults beyond maxErrors
	waiting int // URLs, where another process crawls
	count   count
	paid    map[string]bool   // pages that Firecrawl fetched, and that are not kept yet
	digests map[string]string // URLs of pages that Firecrawl crawled, by their contents
	refused error             // of a page whose site wants no program
	bytes   int64             // that Firecrawl sent to this process
	past    []byte            // the journal of an earlier process
	changed chan struct{}     // is closed at the next change
}

func (m *Manager) job(s saved, q *query) *job {
	return &job{
		id: s.ID, m: m, query: q, saved: s,
		at: make(map[string]int), changed: make(chan struct{}), ended: make(chan struct{}),
		paid: make(map[string]bool), digests: make(map[string]string),
	}
}

func (j *job) state() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.saved.State
}

// expires returns when a job is forgotten; zero: never.
func (j *job) expires() time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	ttl := j.m.options.Store.Settings().TTL
	if ttl == 0 || j.saved.State == running {
		return time.Time{}
	}
	return j.saved.Ended.Add(ttl)
}

func (j *job) expired() bool {
	at := j.expires()
	return !at.IsZero() && j.m.options.Now().After(at)
}

// notify wakes up who waits. j.mu is held.
func (j *job) notify() {
	close(j.changed)
	j.changed = make(chan struct{})
}

// save writes job.json. j.mu is held.
func (j *job) save() error {
	if j.m.options.Files == nil {
		return nil
	}
	data, err := json.Marshal(j.saved)
	if err != nil {
		return err
	}
	return j.m.options.Files.Replace(j.id+"/job.json", append(data, '\n'))
}

// finish ends a job.
func (j *job) finish(state, why string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.saved.State != running {
		return
	}
	j.saved.State, j.saved.Why, j.saved.Ended = state, why, j.m.options.Now().UTC()
	if err := j.save(); err != nil {
		j.m.options.Logger.Warn("the end of a crawl cannot be saved", "job", j.id, "error", err)
	}
	j.notify()
}

// peek reads what job.json says of a job.
func (m *Manager) peek(id string) (*job, error) {
	if !validID(id) {
		return nil, errors.New("is no job")
	}
	data, err := m.read(id+"/job.json", 1<<20)
	if err != nil {
		return nil, err
	}
	var s saved
	if err := json.Unmarshal(data, &s); err != nil || s.ID != id {
		return nil, errors.New("job.json is damaged")
	}
	q, err := parse(s.Arguments)
	if err != nil {
		return nil, err
	}
	if q.command != start {
		return nil, errors.New("job.json is damaged: its arguments start no crawl")
	}
	return m.job(s, q), nil
}

// load reads a job of the disk.
func (m *Manager) load(id string) (*job, error) {
	j, err := m.peek(id)
	if err != nil {
		return nil, err
	}
	if j.past, err = m.read(id+"/journal.jsonl", 512<<20); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(j.past))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var n note
		line := lines.Bytes()
		switch {
		case bytes.HasPrefix(line, []byte(`{"u":`)): // a URL that was found
			j.waiting++
		case bytes.HasPrefix(line, []byte(`{"n":`)) && bytes.Contains(line, []byte(`"s":`)): // what became of one
			j.waiting--
		case isNote(line) && json.Unmarshal(line, &n) == nil:
			j.take(n)
		}
	}
	return j, nil
}

func (m *Manager) read(name string, most int64) ([]byte, error) {
	f, err := m.options.Files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// take takes a note over. j.mu is held, or nobody else has the job.
func (j *job) take(n note) {
	switch {
	case n.Over:
		j.faults, j.more = nil, 0
	case n.Count != nil:
		j.count = *n.Count
	case n.Page != nil:
		if n.Page.Digest != "" {
			j.digests[n.Page.Digest] = n.Page.URL
		}
		if at, known := j.at[n.Page.URL]; known {
			j.results[at] = *n.Page
			return
		}
		j.at[n.Page.URL] = len(j.results)
		j.results = append(j.results, *n.Page)
	case n.Fault != nil && len(j.faults) < maxErrors:
		j.faults = append(j.faults, *n.Fault)
	case n.Fault != nil:
		j.more++
	}
}

// record takes a note over, and writes it into the journal.
func (j *job) record(n note) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.take(n)
	j.log.Note(n)
	j.notify()
}

// newFault returns a fault that fits into a line of the journal, whoever says the texts.
func newFault(url, text string) *fault { return &fault{fmt.Sprintf("%.4096s", url), line(text)} }

// line is a text on one line that is not long, with nothing in it that a terminal obeys.
func line(s string) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	return fmt.Sprintf("%.500s", strings.Join(words, " "))
}
