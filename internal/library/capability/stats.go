package capability

import (
	"encoding/json"
	"time"
)

// The statistics of capability-index://stats.
type stats struct {
	Project statsProject `json:"project"`
	Ready   bool         `json:"ready"` // the project has been read and indexed
	Counts  map[Type]int `json:"counts"`
	Bytes   statsBytes   `json:"bytes"`
	Search  statsSearch  `json:"search"`
	Cache   *statsCache  `json:"cache,omitempty"`
}

type statsProject struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type statsBytes struct {
	Documents int64 `json:"documents"`
	Resources int64 `json:"resources"`
}

type statsSearch struct {
	Documents int `json:"documents"`
	Passages  int `json:"passages"`
	Words     int `json:"words"`
	Stems     int `json:"stems"`
}

// statsCache says how often clients have read documents.
type statsCache struct {
	Hits       int64   `json:"hits"`       // reads of a document that was made before
	Misses     int64   `json:"misses"`     // reads for which a document was made
	AgeSeconds float64 `json:"ageSeconds"` // of the documents: since the project last changed
}

// figures returns the statistics that depend only on the project.
func (x *index) figures() stats {
	s := stats{
		Project: statsProject{line(x.Name, maxTitle), line(x.Version, maxTitle)},
		Ready:   x.ready(),
		Counts:  make(map[Type]int),
		Bytes:   statsBytes{x.census().documentBytes, x.census().resourceBytes},
	}
	for _, t := range types {
		s.Counts[t] = x.count(t)
	}
	if x.Indexed {
		f := x.Library.Figures()
		s.Search = statsSearch{f.Documents, f.Passages, f.Words, f.Terms}
	}
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

// age returns a duration in seconds, with one decimal digit.
func age(d time.Duration) float64 {
	return float64(d.Round(100*time.Millisecond).Milliseconds()) / 1000
}
