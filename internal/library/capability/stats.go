package capability

import (
	"encoding/json"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
)

// The statistics of capability-index://stats.
type stats struct {
	Project map[string]string `json:"project"`
	Ready   bool              `json:"ready"` // the project has been read and indexed
	Counts  map[Type]int      `json:"counts"`
	Bytes   map[string]int64  `json:"bytes"`
	Search  map[string]int    `json:"search"`
	// Cache says how often clients have read a document that was made before (hits), how often documents were made
	// (misses), and when the project last changed. nil: the statistics depend only on the project.
	Cache map[string]int64 `json:"cache,omitempty"`
}

// figures returns the statistics that depend only on the project.
func (x *index) figures() stats {
	s := stats{
		Project: map[string]string{"name": line(x.Name, maxTitle), "version": line(x.Version, maxTitle)},
		Ready:   x.ready(),
		Counts:  make(map[Type]int),
		Bytes:   map[string]int64{"documents": x.census().documentBytes, "resources": x.census().resourceBytes},
	}
	for _, t := range types {
		s.Counts[t] = x.count(t)
	}
	var f docs.Figures
	if x.Indexed {
		f = x.Library.Figures()
	}
	s.Search = map[string]int{"documents": f.Documents, "passages": f.Passages, "words": f.Words, "stems": f.Terms}
	return s
}

// encode returns the statistics as indented JSON.
func (s stats) encode() ([]byte, error) {
	data, err := json.MarshalIndent(s, "", "  ")
	return append(data, '\n'), err
}

// Lasting returns statistics without the figures about a running server.
func Lasting(statistics []byte) ([]byte, error) {
	var s stats
	if err := json.Unmarshal(statistics, &s); err != nil {
		return nil, err
	}
	s.Cache = nil
	return s.encode()
}
