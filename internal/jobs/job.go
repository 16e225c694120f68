package jobs

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/outbound"
	"github.com/mcp-docs-server/mcp-docs-server/internal/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/webpage"
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
	Arguments json.RawMessage `json:"arguments"` // of the call, without headers
	Headers   bool            `json:"headers,omitempty"`
	Created   time.Time       `json:"created"`
	Ended     time.Time       `json:"ended,omitzero"`
	State     string          `json:"state"`
	Why       string          `json:"why,omitempty"`
}

// A result is a page of a job.
type result struct {
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
	Key   string `json:"key"`
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
}

// A job is one crawl.
type job struct {
	id     string
	m      *Manager
	query  *query
	owned  bool // it runs in this process
	cancel context.CancelFunc

	mu      sync.Mutex // guards all fields below, and is taken behind that of the crawl
	saved   saved
	crawl   *crawl.Crawl
	results []result
	at      map[string]int // places in results, by URL
	faults  []fault
	more    int // faults beyond maxErrors
	journal io.Writer
	past    []byte        // the journal of an earlier process
	changed chan struct{} // is closed at the next change
}

func (m *Manager) job(s saved, q *query) *job {
	return &job{id: s.ID, m: m, query: q, saved: s, at: make(map[string]int), changed: make(chan struct{})}
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

// load reads a job of the disk.
func (m *Manager) load(id string) (*job, error) {
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
	j := m.job(s, q)
	if j.past, err = m.read(id+"/journal.jsonl", 512<<20); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(j.past))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var n note
		if line := lines.Bytes(); (bytes.HasPrefix(line, []byte(`{"page"`)) || bytes.HasPrefix(line, []byte(`{"fault"`))) && json.Unmarshal(line, &n) == nil {
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
	case n.Page != nil:
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
	line, err := json.Marshal(n)
	if err != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.take(n)
	if j.journal != nil {
		_, _ = j.journal.Write(append(line, '\n')) // the crawl ends if it cannot write
	}
	j.notify()
}

// A writer is the journal of the crawl.
type writer struct{ j *job }

func (w writer) Write(p []byte) (int, error) {
	w.j.mu.Lock()
	defer w.j.mu.Unlock()
	if w.j.journal == nil {
		return len(p), nil
	}
	return w.j.journal.Write(p)
}

// run crawls, and says how the job ended, unless the process ends.
func (j *job) run(ctx context.Context) {
	defer j.m.options.Store.Pin(j.id)()
	err := j.work(ctx)
	left := j.stats().Left
	switch {
	case j.m.ctx.Err() != nil && j.state() == running && j.m.options.Files != nil: // another process goes on
	case j.m.ctx.Err() != nil:
		j.finish(failed, "the server ended")
	case errors.Is(err, errCancelled), ctx.Err() != nil:
		j.finish(cancelled, "")
	case err != nil:
		j.finish(failed, err.Error())
	default:
		j.finish(completed, left)
	}
}

// stats returns those of the crawl, which calls its job while it holds its lock: so nobody who has
// that of the job may ask it.
func (j *job) stats() crawl.Stats {
	j.mu.Lock()
	c := j.crawl
	j.mu.Unlock()
	if c == nil {
		return crawl.Stats{}
	}
	return c.Stats()
}

func (j *job) work(ctx context.Context) error {
	var journal *os.File
	if files := j.m.options.Files; files != nil {
		var err error
		if journal, err = files.Append(j.id + "/journal.jsonl"); err != nil {
			return err
		}
		defer journal.Close()
	}
	o := j.query.crawl
	o.Caller, o.Patient = j.saved.Owner, true
	o.Header, o.Bytes, o.Time, o.Keeper, o.Done = j.query.headers, maxBytes, maxTime, j, j.done
	if journal != nil {
		o.Journal = writer{j}
	}
	c, err := crawl.New(j.m.options.Site, o)
	if err != nil {
		return err
	}
	j.mu.Lock()
	j.crawl = c
	if journal != nil {
		j.journal = journal
	}
	past := j.past
	j.past = nil
	j.mu.Unlock()
	if len(past) > 0 {
		if err := c.Resume(bytes.NewReader(past)); err != nil {
			return fmt.Errorf("its journal: %w", err)
		}
	}
	return c.Run(ctx)
}

// done records a URL that is not captured.
func (j *job) done(r crawl.Result) {
	if r.Err != nil && (r.State == crawl.Failed || r.State == crawl.Forbidden || r.State == crawl.Gone) {
		j.record(note{Fault: &fault{r.URL, line(r.Err.Error())}})
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.notify()
}

func line(s string) string {
	return fmt.Sprintf("%.500s", strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " "))
}

// errCancelled reports that another process cancelled the job.
var errCancelled = errors.New("the crawl was cancelled")

// Open begins to capture a page.
func (j *job) Open(u *url.URL) (crawl.Visit, error) { return &visit{j, u}, nil }

type visit struct {
	j *job
	u *url.URL
}

func (v *visit) Known() (outbound.Validators, time.Time) { return outbound.Validators{}, time.Time{} }

// Keep puts a page into the store.
func (v *visit) Keep(ctx context.Context, p *crawl.Page) error {
	j, o := v.j, v.j.m.options
	if o.Files != nil {
		if f, err := o.Files.Open(j.id + "/cancel"); err == nil {
			f.Close()
			return &crawl.Fatal{Err: errCancelled}
		}
	}
	if j.saved.Shared && noStore(p.Response.Header) {
		return fmt.Errorf("%s: its server says that it must not be kept (Cache-Control: no-store), and others use this server too", p.URL)
	}
	source := webpage.Source{URL: p.Response.URL, ContentType: p.Response.ContentType, Body: p.Response.Body}
	page, err := j.query.choice.Read(ctx, source)
	if err != nil {
		return fmt.Errorf("%s: %w", p.URL, err)
	}
	switch page.Kind {
	case webpage.PDF:
		pages, err := o.PDF(ctx, p.Response.Body)
		if err != nil {
			return fmt.Errorf("%s: %w", p.URL, err)
		}
		page = webpage.FromPDF(p.Response.URL, pages)
	case webpage.Bytes:
		return fmt.Errorf("%w: %s", crawl.ErrNoPage, page.MIME)
	}
	text := page.Markdown(nil)
	sum := sha256.Sum256([]byte(page.Title + "\n" + text))
	if !p.Claim([16]byte(sum[:16])) {
		return crawl.ErrElsewhere
	}
	request := store.Request{URL: v.u, Owner: j.saved.Owner, Options: map[string]string{"crawl": j.id}}
	meta := store.Meta{
		Key: request.Key(), Owner: j.saved.Owner, URL: v.u.String(), TTL: o.Store.Settings().TTL, Source: "native", Title: page.Title, Job: j.id,
		ETag: p.Response.Validators.ETag, LastModified: p.Response.Validators.LastModified, Options: request.Options,
		Parts: map[store.Tier]store.Part{store.Cleaned: {MIME: "text/markdown"}},
	}
	contents := store.Contents{store.Cleaned: []byte(text)}
	if j.query.raw {
		meta.Parts[store.Raw] = store.Part{MIME: page.MIME}
		contents[store.Raw] = p.Response.Body
	}
	kept, err := o.Store.Put(ctx, meta, contents)
	if errors.Is(err, store.ErrTooLarge) {
		return &crawl.Fatal{Err: fmt.Errorf("%s %w", v.u, err)}
	}
	if err != nil {
		return err
	}
	j.record(note{Page: &result{v.u.String(), page.Title, kept.Meta.Key}})
	return nil
}

func noStore(h http.Header) bool {
	for _, value := range h.Values("Cache-Control") {
		for directive := range strings.SplitSeq(value, ",") {
			if name, _, _ := strings.Cut(strings.TrimSpace(directive), "="); strings.EqualFold(name, "no-store") {
				return true
			}
		}
	}
	return false
}
