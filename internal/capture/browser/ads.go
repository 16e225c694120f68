package browser

import (
	_ "embed"
	"strings"
	"sync"
)

// The list has hosts that serve only advertisements, measure visitors, or open pop-ups for these purposes.
//
//go:embed ads.txt
var adList string

var adHosts = sync.OnceValue(func() map[string]bool {
	hosts := make(map[string]bool)
	for line := range strings.Lines(adList) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			hosts[line] = true
		}
	}
	return hosts
})

// adEntry returns the entry of the list for a host or a parent domain of it, or "".
func adEntry(host string) string {
	hosts := adHosts()
	for {
		if hosts[host] {
			return host
		}
		_, rest, ok := strings.Cut(host, ".")
		if !ok {
			return ""
		}
		host = rest
	}
}

// blocker returns a function that reports whether a host is blocked on a page: if it is in the list, unless the page
// has the same entry.
func blocker(page string) func(host string) bool {
	pageEntry := adEntry(page)
	return func(host string) bool {
		entry := adEntry(host)
		return entry != "" && entry != pageEntry
	}
}
