package jobs

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/firecrawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/fserr"
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
	journal io.Writer
	past    []byte        // the journal of an earlier process
	changed chan struct{} // is closed at the next change
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
	defer close(j.ended)
	j.pin.hold(j)
	defer j.pin.release()
	watching, stop := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { j.watch(watching) })
	err := j.work(ctx)
	stop()
	watch.Wait()
	left := j.stats().Left
	if errors.Is(err, errTime) || errors.Is(err, errBytes) {
		left, err = err.Error(), nil
	}
	switch {
	case j.m.ctx.Err() != nil && j.state() == running && j.m.options.Files != nil: // another process goes on
		return
	case j.m.ctx.Err() != nil:
		j.finish(failed, "the server ended")
	case errors.Is(err, errCancelled), ctx.Err() != nil:
		j.finish(cancelled, "")
	case err != nil:
		j.finish(failed, fserr.Reason(err))
	default:
		j.finish(completed, left)
	}
	if err := j.leave(); err != nil {
		j.blame(err)
	}
}

// blame says that the crawl may go on at the service.
func (j *job) blame(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.saved.Why = strings.TrimPrefix(j.saved.Why+"; it could not be cancelled at Firecrawl, which may go on and count credits: "+line(err.Error()), "; ")
	if err := j.save(); err != nil {
		j.m.options.Logger.Warn("the end of a crawl cannot be saved", "job", j.id, "error", err)
	}
	j.notify()
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

// work crawls. A site that refuses this program from its first page on is left to Firecrawl.
func (j *job) work(ctx context.Context) error {
	if files := j.m.options.Files; files != nil {
		journal, err := files.Append(j.id + "/journal.jsonl")
		if err != nil {
			return err
		}
		defer func() {
			j.mu.Lock()
			j.journal = nil
			j.mu.Unlock()
			journal.Close()
		}()
		j.mu.Lock()
		j.journal = journal
		j.mu.Unlock()
	}
	if j.remote() == nil {
		err := j.crawlHere(ctx)
		refusal := j.refusal(err)
		if refusal == nil || ctx.Err() != nil {
			return err
		}
		if err := j.handOver(line(refusal.Error())); err != nil {
			return err
		}
	}
	j.mu.Lock()
	j.past = nil
	j.mu.Unlock()
	return j.crawlThere(ctx)
}

// refusal returns why a site is left to Firecrawl: no page could be had, and it refuses programs.
func (j *job) refusal(err error) error {
	s := j.m.options.Firecrawl
	if s == nil || s.Refuses(j.query.request()) != "" {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.results) > 0 || err != nil && !firecrawl.Refuses(err) {
		return nil
	}
	return j.refused
}

// crawlHere asks the site itself.
func (j *job) crawlHere(ctx context.Context) error {
	o := j.query.crawl
	o.Caller, o.Patient = j.saved.Owner, true
	o.Header, o.Bytes, o.Time, o.Keeper, o.Done = j.query.headers, maxBytes, maxTime, j, j.done
	if j.m.options.Files != nil {
		o.Journal = writer{j}
	}
	var site crawl.Site = j.m.options.Client
	if s := j.m.options.Firecrawl; s != nil {
		both := &firecrawl.Site{Client: j.m.options.Client, Strategy: s, Spent: j.spent}
		if len(j.results) > 0 {
			both.Answered()
		}
		site = both
	}
	c, err := crawl.New(site, o)
	if err != nil {
		return err
	}
	j.mu.Lock()
	j.crawl = c
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

// spent counts what a page cost.
func (j *job) spent(page *url.URL, credits float64) {
	j.mu.Lock()
	j.paid[page.String()] = true
	now := j.count
	j.mu.Unlock()
	now.Credits += credits
	j.record(note{Count: &now})
}

// done records a URL that is not captured.
func (j *job) done(r crawl.Result) {
	if firecrawl.Refuses(r.Err) {
		j.mu.Lock()
		j.refused = r.Err
		j.mu.Unlock()
	}
	if r.Err != nil && (r.State == crawl.Failed || r.State == crawl.Forbidden || r.State == crawl.Gone) {
		j.record(note{Fault: newFault(r.URL, r.Err.Error())})
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.notify()
}

// newFault returns a fault that fits into a line of the journal, whoever says the texts.
func newFault(url, text string) *fault { return &fault{fmt.Sprintf("%.4096s", url), line(text)} }

// line is a text on one line that is not long, with nothing in it that a terminal obeys.
func line(s string) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	return fmt.Sprintf("%.500s", strings.Join(words, " "))
}

// errCancelled reports that another process cancelled the job.
var errCancelled = errors.New("the crawl was cancelled")

// Open begins to capture a page.
func (j *job) Open(u *url.URL) (crawl.Visit, error) { return &visit{j: j, u: u}, nil }

type visit struct {
	j     *job
	u     *url.URL
	there bool // Firecrawl crawled it
}

func (v *visit) Known() (outbound.Validators, time.Time) { return outbound.Validators{}, time.Time{} }

// Keep puts a page into the store.
func (v *visit) Keep(ctx context.Context, p *crawl.Page) error {
	j, o := v.j, v.j.m.options
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
		Key: request.Key(), Owner: j.saved.Owner, URL: v.u.String(), TTL: o.Store.Settings().TTL, Source: v.source(), Title: page.Title, Job: j.id,
		ETag: p.Response.Validators.ETag, LastModified: p.Response.Validators.LastModified, Options: request.Options,
		Parts: map[store.Tier]store.Part{store.Cleaned: {MIME: "text/markdown"}},
	}
	contents := store.Contents{store.Cleaned: []byte(text)}
	if j.query.raw {
		meta.Parts[store.Raw] = store.Part{MIME: page.MIME}
		contents[store.Raw] = p.Response.Body
	}
	kept, err := o.Store.Put(ctx, meta, contents)
	if errors.Is(err, store.ErrTooLarge) || fserr.Full(err) { // nor is there room for the next
		return &crawl.Fatal{Err: fmt.Errorf("%s %w", v.u, err)}
	}
	if err != nil {
		return err
	}
	r := result{URL: v.u.String(), Title: page.Title, Key: kept.Meta.Key}
	if v.there {
		r.Digest = hex.EncodeToString(sum[:16])
	}
	j.record(note{Page: &r})
	return nil
}

// source returns the strategy that fetched the page.
func (v *visit) source() string {
	v.j.mu.Lock()
	defer v.j.mu.Unlock()
	if v.there || v.j.paid[v.u.String()] {
		delete(v.j.paid, v.u.String())
		return fetch.FirecrawlName
	}
	return fetch.NativeName
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
