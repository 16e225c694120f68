package crawl

import (
	"encoding/json"
	"io"
	"sync"
)

// A Log is the file of a journal. Its keeper may write lines of its own between those of the crawl. The zero value
// writes nothing.
type Log struct {
	mu    sync.Mutex // guards all fields below
	to    io.Writer
	later []byte // lines that are written with the next ones
}

// Use sets the writer for all further lines; nil: they are dropped.
func (l *Log) Use(to io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to != nil && len(l.later) > 0 {
		_, _ = l.to.Write(l.later) // as good as possible: see Later
	}
	l.to, l.later = to, nil
}

// Write writes complete lines.
func (l *Log) Write(lines []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to == nil {
		return len(lines), nil
	}
	if len(l.later) == 0 {
		return l.to.Write(lines)
	}
	all := append(l.later, lines...)
	l.later = nil
	if _, err := l.to.Write(all); err != nil {
		return 0, err
	}
	return len(lines), nil
}

// Later writes a value as a line of JSON, together with the next lines. If the program is killed before, the line is lost.
func (l *Log) Later(v any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if line, err := json.Marshal(v); err == nil && l.to != nil {
		l.later = append(append(l.later, line...), '\n')
	}
}

// Note writes a value as a line of JSON. It ignores an error: the next line of the crawl has the same error, which
// ends the crawl.
func (l *Log) Note(v any) {
	if line, err := json.Marshal(v); err == nil {
		_, _ = l.Write(append(line, '\n'))
	}
}
