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

// States of jobs, as the tool reports them.
const (
	running   = "scraping"
	completed = "completed"
	failed    = "failed"
	cancelled = "cancelled"
)

// saved is the content of job.json.
type saved struct {
	ID             string          `json:"id"`
	Owner          string          `json:"owner,omitempty"`
	Shared         bool            `json:"shared,omitempty"`
	Arguments      json.RawMessage `json:"arguments"`         // of the call, without headers, actions, prompt and wait
	SecretsOmitted bool            `json:"headers,omitempty"` // the call had headers or actions, which may be secret
	Created        time.Time       `json:"created"`
	Ended          time.Time       `json:"ended,omitzero"`
	State          string          `json:"state"`
	Why            string          `json:"why,omitempty"`
	Firecrawl      *remote         `json:"firecrawl,omitempty"` // nil: this program crawls
}

// A result is a captured page of a job.
type result struct {
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
	Key   string `json:"key"`
	// Digest of its content, if Firecrawl crawled it: otherwise the journal of the crawl has the digest.
	Digest string `json:"digest,omitempty"`
}

// A fault is a URL that was not captured.
type fault struct {
	URL   string `json:"url"`
	Error string `json:"error"`
}

// A note is a line of the journal that the crawl did not write.
type note struct {
	Page         *result `json:"page,omitempty"`
	Fault        *fault  `json:"fault,omitempty"`
	Count        *count  `json:"count,omitempty"`
	ForgetFaults bool    `json:"over,omitempty"` // the faults so far do not count
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
	owned  bool // this process runs it
	cancel context.CancelFunc
	ended  chan struct{} // closed when this process no longer runs it
	pin    pin
	log    crawl.Log // writes the journal

	mu          sync.Mutex // guards all fields below; locked after the lock of the crawl
	saved       saved
	crawl       *crawl.Crawl
	results     []result
	resultIndex map[string]int // indexes in results, by URL
	faults      []fault
	moreFaults  int // number of faults beyond maxErrors
	waiting     int // URLs that wait, if another process crawls
	count       count
	paid        map[string]bool   // pages that Firecrawl fetched and that are not stored yet
	digests     map[string]string // URLs of pages from Firecrawl, by digest
	refused     error             // last error of a page that refuses programs
	bytes       int64             // received from Firecrawl by this process
	journal     []byte            // written by an earlier process; nil: none
	changed     chan struct{}     // closed at the next change
}

func (m *Manager) job(s saved, q *query) *job {
	return &job{
		id: s.ID, m: m, query: q, saved: s,
		resultIndex: make(map[string]int), changed: make(chan struct{}), ended: make(chan struct{}),
		paid: make(map[string]bool), digests: make(map[string]string),
	}
}

func (j *job) state() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.saved.State
}

// expires returns when a job expires; zero: never.
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
	end := j.expires()
	return !end.IsZero() && j.m.options.Now().After(end)
}

// notify wakes all that wait for a change. The caller holds j.mu.
func (j *job) notify() {
	close(j.changed)
	j.changed = make(chan struct{})
}

// save writes job.json. The caller holds j.mu.
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

// finish records the end of a job.
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

// peek reads job.json without the journal.
func (m *Manager) peek(id string) (*job, error) {
	if !validID(id) {
		return nil, errors.New("is not a job")
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
		return nil, errors.New("job.json is damaged: its arguments do not start a crawl")
	}
	return m.job(s, q), nil
}

// load reads a job from disk.
func (m *Manager) load(id string) (*job, error) {
	j, err := m.peek(id)
	if err != nil {
		return nil, err
	}
	if j.journal, err = m.read(id+"/journal.jsonl", 512<<20); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(j.journal))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var n note
		line := lines.Bytes()
		switch {
		case bytes.HasPrefix(line, []byte(`{"u":`)): // a URL that was found
			j.waiting++
		case bytes.HasPrefix(line, []byte(`{"n":`)) && bytes.Contains(line, []byte(`"s":`)): // the outcome of a URL
			j.waiting--
		case isNote(line) && json.Unmarshal(line, &n) == nil:
			j.apply(n)
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

// apply updates the job by a note. The caller holds j.mu, or is the only one with the job.
func (j *job) apply(n note) {
	switch {
	case n.ForgetFaults:
		j.faults, j.moreFaults = nil, 0
	case n.Count != nil:
		j.count = *n.Count
	case n.Page != nil:
		if n.Page.Digest != "" {
			j.digests[n.Page.Digest] = n.Page.URL
		}
		if index, known := j.resultIndex[n.Page.URL]; known {
			j.results[index] = *n.Page
			return
		}
		j.resultIndex[n.Page.URL] = len(j.results)
		j.results = append(j.results, *n.Page)
	case n.Fault != nil && len(j.faults) < maxErrors:
		j.faults = append(j.faults, *n.Fault)
	case n.Fault != nil:
		j.moreFaults++
	}
}

// record applies a note, and writes it to the journal.
func (j *job) record(n note) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.apply(n)
	j.log.Note(n)
	j.notify()
}

// newFault returns a fault that fits into a line of the journal, however long the texts are.
func newFault(url, text string) *fault { return &fault{fmt.Sprintf("%.4096s", url), line(text)} }

// line returns a text cut to one short line, without control characters for terminals.
func line(s string) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	return fmt.Sprintf("%.500s", strings.Join(words, " "))
}
