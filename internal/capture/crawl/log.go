package crawl

import (
	"encoding/json"
	"io"
	"sync"
)

// A Log is the file of a journal, into which its keeper writes lines of its own, between those of the crawl. The
// zero value writes nothing.
type Log struct {
	mu sync.Mutex // guards to
	to io.Writer
}

// Use says where lines go from now on; nil: nowhere.
func (l *Log) Use(to io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.to = to
}

// Write writes whole lines.
func (l *Log) Write(lines []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to == nil {
		return len(lines), nil
	}
	return l.to.Write(lines)
}

// Note writes a value as a line of JSON. An error is that of the next line of the crawl too, which it ends.
func (l *Log) Note(v any) {
	if line, err := json.Marshal(v); err == nil {
		_, _ = l.Write(append(line, '\n'))
	}
}
