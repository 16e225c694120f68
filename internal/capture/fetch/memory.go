package fetch

import (
	"cmp"
	"encoding/json"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// learnedAge is how long it is remembered what worked for a site. Then the usual order is tried
	// again: sites change, and the usual order is cheaper.
	learnedAge = 7 * 24 * time.Hour
	// maxLearned is how many places are remembered.
	maxLearned = 1000
	// maxDepth is how many folders of a path count.
	maxDepth = 30
)

// A Memory says which strategy worked where: by prefixes of URLs that end at a slash, such as
// example.com/blog/ or example.com:8080/. The longest counts. It is safe for concurrent use.
type Memory struct {
	now func() time.Time

	mu      sync.Mutex // guards all below
	learned map[string]lesson
	changed func() // or nil
}

// A lesson is what is known of a prefix.
type lesson struct {
	Strategy string    `json:"strategy"`
	Since    time.Time `json:"since"`
}

// NewMemory returns a memory that is empty.
func NewMemory() *Memory { return &Memory{now: time.Now, learned: make(map[string]lesson)} }

// OnChange has a function called after each change. It must not wait.
func (m *Memory) OnChange(changed func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed = changed
}

// Strategy returns the name of the strategy that worked near a URL, or "".
func (m *Memory) Strategy(u *url.URL) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, l, ok := m.find(u); ok {
		return l.Strategy
	}
	return ""
}

// find returns what is known of the longest prefix of a URL. The lock is held.
func (m *Memory) find(u *url.URL) (prefix string, l lesson, ok bool) {
	if len(m.learned) == 0 {
		return "", lesson{}, false
	}
	for _, prefix := range prefixes(u) {
		l, ok := m.learned[prefix]
		if ok && m.now().Sub(l.Since) > learnedAge {
			delete(m.learned, prefix)
			ok = false
		}
		if ok {
			return prefix, l, true
		}
	}
	return "", lesson{}, false
}

// Learn notes that a strategy worked for a URL where those before it do not.
func (m *Memory) Learn(u *url.URL, strategy string) { m.note(u, strategy, true, "") }

// note notes that a strategy worked for a URL: learn says that it is not the one that is usually
// asked first, which has failed. learned is the one that was known to work, which has failed too if
// it is another.
func (m *Memory) note(u *url.URL, strategy string, learn bool, learned string) {
	if !learn && (learned == "" || learned == strategy) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if prefix, l, ok := m.find(u); ok && l.Strategy != strategy {
		delete(m.learned, prefix)
	}
	if learn {
		if _, _, ok := m.find(u); !ok {
			m.learned[prefixes(u)[0]] = lesson{strategy, m.now()}
			m.trim()
		}
	}
	if m.changed != nil {
		m.changed()
	}
}

// trim forgets the oldest until the bound holds. The lock is held.
func (m *Memory) trim() {
	for len(m.learned) > maxLearned {
		oldest := ""
		for prefix, l := range m.learned {
			if oldest == "" || cmp.Or(l.Since.Compare(m.learned[oldest].Since), strings.Compare(prefix, oldest)) < 0 {
				oldest = prefix
			}
		}
		delete(m.learned, oldest)
	}
}

// prefixes returns the places that a URL is in, the narrowest first.
func prefixes(u *url.URL) []string {
	host := strings.ToLower(u.Hostname())
	if port := u.Port(); port != "" && !(u.Scheme == "https" && port == "443") && !(u.Scheme == "http" && port == "80") {
		host = net.JoinHostPort(host, port)
	}
	var list []string
	path := u.EscapedPath()
	for depth, i := 0, 0; depth < maxDepth && i < len(path); i++ {
		if path[i] == '/' {
			list = append(list, host+path[:i+1])
			depth++
		}
	}
	if len(list) == 0 {
		list = append(list, host+"/")
	}
	slices.Reverse(list)
	return list
}

// MarshalJSON returns all that is remembered.
func (m *Memory) MarshalJSON() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return json.Marshal(m.learned)
}

// UnmarshalJSON replaces what is remembered. What is too old, or names no strategy, is left out.
func (m *Memory) UnmarshalJSON(data []byte) error {
	var read map[string]lesson
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	m.learned = make(map[string]lesson)
	for prefix, l := range read {
		known := l.Strategy == NativeName || l.Strategy == BrowserName || l.Strategy == FirecrawlName
		if known && strings.Contains(prefix, "/") && !l.Since.After(now) && now.Sub(l.Since) <= learnedAge {
			m.learned[prefix] = l
		}
	}
	m.trim()
	return nil
}
