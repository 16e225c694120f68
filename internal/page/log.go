package page

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

const (
	maxEntries = 200 // entries of a viewer
	maxViewers = 256 // viewers whose calls are kept; a new one replaces the one who looked longest ago
	maxSubject = 300 // bytes
)

// An Entry is a call of a viewer, made by the web UI or by a client.
type Entry struct {
	Number  uint64
	Time    time.Time
	Site    string // "": unknown
	Method  string
	Subject string // a URI, or the name of a tool or prompt
	Outcome string
	Bytes   int64
	Took    time.Duration
	Page    bool // the web UI made the call
}

// A Log keeps the last calls of each viewer. It keeps nothing of callers who have not opened the
// web UI.
type Log struct {
	mu      sync.Mutex
	viewers map[string]*viewer // by the key of the caller; guarded by mu
}

// A viewer is a caller who has opened the web UI. The mutex of the log guards all fields.
type viewer struct {
	entries []Entry
	last    uint64
	seen    time.Time
	more    chan struct{} // closed when there is another entry
}

// NewLog returns an empty log.
func NewLog() *Log { return &Log{viewers: make(map[string]*viewer)} }

// watch begins to keep the calls of a caller.
func (l *Log) watch(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.viewers[key]
	if v == nil {
		if len(l.viewers) >= maxViewers {
			oldest := slices.MinFunc(slices.Collect(maps.Keys(l.viewers)), func(a, b string) int { return l.viewers[a].seen.Compare(l.viewers[b].seen) })
			close(l.viewers[oldest].more)
			delete(l.viewers, oldest)
		}
		v = &viewer{more: make(chan struct{})}
		l.viewers[key] = v
	}
	v.seen = time.Now()
}

// Add adds a call of a caller.
func (l *Log) Add(key string, e Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.viewers[key]
	if v == nil {
		return
	}
	v.last++
	e.Number = v.last
	e.Method, e.Subject, e.Outcome = excerpt.Cut(e.Method, maxSubject), excerpt.Cut(e.Subject, maxSubject), excerpt.Cut(e.Outcome, maxSubject)
	if len(v.entries) == maxEntries {
		v.entries = slices.Delete(v.entries, 0, 1)
	}
	v.entries = append(v.entries, e)
	close(v.more)
	v.more = make(chan struct{})
}

// Since returns the calls of a caller after a number, and a channel that is closed when there are
// more.
func (l *Log) Since(key string, number uint64) (entries []Entry, last uint64, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.viewers[key]
	if v == nil {
		return nil, number, nil
	}
	for _, e := range v.entries {
		if e.Number > number {
			entries = append(entries, e)
		}
	}
	return entries, v.last, v.more
}

// MarshalJSON returns an entry in the form for the script.
func (e Entry) MarshalJSON() ([]byte, error) {
	size := "" // a page has no size
	if e.Bytes > 0 {
		size = sizeText(e.Bytes)
	}
	return json.Marshal(map[string]any{
		"time": e.Clock(), "method": e.Method, "subject": e.Subject, "outcome": e.Outcome, "bytes": size, "took": tookText(e.Took), "by": e.By(),
	})
}

// Clock returns the time of day in UTC.
func (e Entry) Clock() string { return e.Time.UTC().Format("15:04:05") }

// By returns who made the call.
func (e Entry) By() string {
	if e.Page {
		return "the web UI"
	}
	return "a client"
}

type logPage struct {
	frame
	Entries []Entry
}

func (q *request) showLog() {
	entries, _, _ := q.log.Since(q.caller.Key, 0)
	slices.Reverse(entries)
	q.show("log", logPage{q.frame("Log", "log"), entries})
}
