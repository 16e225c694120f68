package crawltool

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
)

// States of jobs, as the tool reports them.
const (
	running   = "scraping"
	completed = "completed"
	failed    = "failed"
	cancelled = "cancelled"
)

// saved is what [Jobs] keep of a job besides its journal, as JSON.
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
	owned  atomic.Bool // this process runs it
	cancel context.CancelCauseFunc
	ended  chan struct{} // closed when this process no longer runs it
	pin    pin
	log    crawl.Log // writes the journal

	lease   Lease // set before the job runs; nil: this process does not run it, or it is not saved
	resumes bool  // the crawl continues from the journal; set before the job runs

	reading sync.Mutex // guards offset
	offset  int64      // of the first line of the journal that is not applied

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

// save saves the job. The caller holds j.mu.
func (j *job) save() error {
	if j.lease == nil {
		return nil
	}
	return j.lease.Save(context.Background(), j.saved) // also while the process ends
}

// release gives the lease back.
func (j *job) release() {
	if j.lease != nil {
		j.lease.Release()
	}
}

// finish records the end of a job. If another process has taken the job, it changes nothing.
func (j *job) finish(state, why string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.saved.State != running {
		return nil
	}
	before := j.saved
	j.saved.State, j.saved.Why, j.saved.Ended = state, why, j.m.options.Now().UTC()
	err := j.save()
	if elsewhere(err) {
		j.saved = before
		return err
	}
	if err != nil {
		j.m.options.Logger.Warn("the end of a crawl cannot be saved", "job", j.id, "error", err)
	}
	j.notify()
	return nil
}

// elsewhere reports whether an error means that this process cannot go on with a job: another one has taken it, or takes
// it unless the store can be reached from here again.
func elsewhere(err error) bool {
	return errors.Is(err, database.ErrLost) || errors.Is(err, database.ErrUnreachable)
}

var errDamaged = errors.New("job.json is damaged")

// restore returns a job that was saved, without its journal.
func (m *Manager) restore(s saved) (*job, error) {
	q, err := parse(s.Arguments)
	if err != nil || q.command != start {
		return nil, fmt.Errorf("%w: its arguments do not start a crawl", errDamaged)
	}
	return m.job(s, q), nil
}

// peek reads a job that was saved, without its journal.
func (m *Manager) peek(ctx context.Context, id string) (*job, error) {
	if !validID(id) {
		return nil, fs.ErrNotExist
	}
	e, err := m.options.Jobs.Read(ctx, id)
	if err != nil {
		return nil, err
	}
	return m.restore(e.saved)
}

// load reads a job that was saved.
func (m *Manager) load(ctx context.Context, id string) (*job, error) {
	j, err := m.peek(ctx, id)
	if err != nil {
		return nil, err
	}
	return j, j.replay(ctx)
}

// refresh updates a job that another process runs.
func (j *job) refresh(ctx context.Context) error {
	e, err := j.m.options.Jobs.Read(ctx, j.id) // before the journal, which is complete if the job has ended
	if err != nil {
		return err
	}
	if err := j.replay(ctx); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.saved.State == running {
		j.saved.State, j.saved.Why, j.saved.Ended, j.saved.Firecrawl = e.State, e.Why, e.Ended, e.Firecrawl
	}
	j.notify()
	return nil
}

// replay applies the lines that were added to the journal since the last call.
func (j *job) replay(ctx context.Context) error {
	j.reading.Lock()
	defer j.reading.Unlock()
	journal, err := j.m.options.Jobs.Journal(ctx, j.id, j.offset)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer journal.Close()
	lines := bufio.NewScanner(journal)
	lines.Buffer(nil, 1<<20)
	lines.Split(wholeLines)
	for lines.Scan() {
		j.offset += int64(len(lines.Bytes())) + 1
		j.applyLine(lines.Bytes())
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil // the crawl reports it when it continues
	}
	return lines.Err()
}

// wholeLines is like [bufio.ScanLines], but leaves out a last line that is not complete yet.
func wholeLines(data []byte, _ bool) (advance int, line []byte, err error) {
	end := bytes.IndexByte(data, '\n')
	if end < 0 {
		return 0, nil, nil
	}
	return end + 1, data[:end], nil
}

// applyLine updates the job by a line of the journal.
func (j *job) applyLine(line []byte) {
	var n note
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case bytes.HasPrefix(line, []byte(`{"u":`)): // a URL that was found
		j.waiting++
	case bytes.HasPrefix(line, []byte(`{"n":`)) && bytes.Contains(line, []byte(`"s":`)): // the outcome of a URL
		j.waiting--
	case isNote(line) && json.Unmarshal(line, &n) == nil:
		j.apply(n)
	}
}

// apply updates the job by a note. The caller holds j.mu.
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

// recordPage applies the note of a page that was kept, and writes it to the journal together with the outcome, which the
// crawl writes next. If the process is killed before, the crawl finds the page in the store; see [visit.Recover].
func (j *job) recordPage(r *result) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := note{Page: r}
	j.apply(n)
	j.log.Later(n)
	j.notify()
}

// newFault returns a fault that fits into a line of the journal, however long the texts are.
func newFault(url, text string) *fault { return &fault{fmt.Sprintf("%.4096s", url), line(text)} }

// line returns a text cut to one short line, without control characters for terminals.
func line(s string) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	return fmt.Sprintf("%.500s", strings.Join(words, " "))
}
