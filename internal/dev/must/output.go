package must

import (
	"strings"
	"sync"
)

// An Output collects what a program writes. Several goroutines may write and read it.
type Output struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
