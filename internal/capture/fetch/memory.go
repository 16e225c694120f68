package fetch

import (
	"net/url"
	"strings"
	"sync"
)

// maxLearned is how many hosts are remembered.
const maxLearned = 1000

// A memory says which strategy succeeded for a host where earlier ones failed. It is safe for concurrent use.
type memory struct {
	mu      sync.Mutex // guards all fields below
	learned map[string]string
}

// hostOf returns the host of a URL with its port.
func hostOf(u *url.URL) string { return strings.ToLower(u.Host) }

// strategy returns the name of the strategy to try first for a URL, or "".
func (m *memory) strategy(u *url.URL) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.learned[hostOf(u)]
}

// learn records that a strategy succeeded for a URL. "" forgets the host: its sites need the default strategy again.
func (m *memory) learn(u *url.URL, strategy string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if strategy == "" {
		delete(m.learned, hostOf(u))
		return
	}
	m.learned[hostOf(u)] = strategy
	for host := range m.learned {
		if len(m.learned) <= maxLearned {
			break
		}
		delete(m.learned, host)
	}
}
