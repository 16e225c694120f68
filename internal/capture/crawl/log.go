package crawl

import (
	"encoding/json"
	"io"
	"sync"
)

// A Log is the file of a journal. Its owner may write its own lines between the lines of the crawl. The zero value
// writes nothing.
type Log struct {
	mu sync.Mutex // guards to
	to io.Writer
}

// Use sets the writer for all further lines; nil: they are dropped.
func (l *Log) Use(to io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.to = to
}

// Write writes complete lines.
func (l *Log) Write(lines []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to == nil {
		return len(lines), nil
	}
	return l.to.Write(lines)
}

// Note writes a value as a line of JSON. It ignores an error: the next line of the crawl has the same error, which
// ends the crawl.
func (l *Log) Note(v any) {
	if line, err := json.Marshal(v); err == nil {
		_, _ = l.Write(append(line, '\n'))
	}
}
