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
	// learnedAge is how long a lesson counts. Then the default order is tried again: sites change, and that order is
	// cheaper.
	learnedAge = 7 * 24 * time.Hour
	// maxLearned is how many URL prefixes are remembered.
	maxLearned = 1000
	// maxDepth is how many folders of a path are considered.
	maxDepth = 30
)

// A Memory says which strategy succeeded where earlier ones failed, by prefixes of URLs that end with a slash, such
// as example.com/blog/ or example.com:8080/. The longest prefix counts. It is safe for concurrent use.
type Memory struct {
	now func() time.Time

	mu      sync.Mutex // guards all fields below
	learned map[string]lesson
	changed func() // or nil
}

// A lesson is the strategy to use for a prefix.
type lesson struct {
	Strategy string    `json:"strategy"`
	Since    time.Time `json:"since"`
}

// NewMemory returns an empty memory.
func NewMemory() *Memory { return &Memory{now: time.Now, learned: make(map[string]lesson)} }

// OnChange sets a function that is called after each change. It must not block.
func (m *Memory) OnChange(changed func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed = changed
}

// Strategy returns the name of the strategy to try first for a URL, or "".
func (m *Memory) Strategy(u *url.URL) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, l, ok := m.find(u); ok {
		return l.Strategy
	}
	return ""
}

// find returns the lesson of the longest known prefix of a URL. The caller holds m.mu.
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

// Learn records that a strategy succeeded for a URL for which earlier strategies fail.
func (m *Memory) Learn(u *url.URL, strategy string) { m.note(u, strategy, true, "") }

// note records that a strategy succeeded for a URL. learn says that the default strategy failed before it. learned is
// the strategy that was remembered; if it is another one, it has failed.
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

// trim forgets the oldest lessons beyond [maxLearned]. The caller holds m.mu.
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

// prefixes returns the prefixes of a URL, the longest first.
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

// MarshalJSON returns all lessons.
func (m *Memory) MarshalJSON() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return json.Marshal(m.learned)
}

// UnmarshalJSON replaces all lessons. Those that are too old or name no strategy are left out.
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
