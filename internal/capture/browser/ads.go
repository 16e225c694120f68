package browser

import (
	_ "embed"
	"strings"
	"sync"
)

// The list names hosts whose only use in a page is advertisements, the measuring of visitors, or
// pop-ups of that kind.
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

// adEntry returns the entry of the list that a host is, or is below, or "".
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

// blocker reports which hosts are left out of a page: those in the list, unless the page is of such
// a host itself.
func blocker(page string) func(host string) bool {
	own := adEntry(page)
	return func(host string) bool {
		entry := adEntry(host)
		return entry != "" && entry != own
	}
}
