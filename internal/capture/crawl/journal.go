package crawl

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
)

// A record is a line of a journal. A line that is not whole, at the end, is left out.
type record struct {
	// Of the first line.
	Version int    `json:"v,omitempty"`
	Options string `json:"options,omitempty"`
	// Base is where the scope begins, after redirects of the start.
	Base string `json:"base,omitempty"`
	// Lists says that llms.txt and sitemaps have been read.
	Lists bool `json:"lists,omitempty"`
	// Ended says that the crawl ended.
	Ended bool `json:"ended,omitempty"`
	// Limited is the limit at which it ended, if there were more pages.
	Limited int `json:"limited,omitempty"`
	// Of a URL that was found. Its number is how many were found before.
	URL    string `json:"u,omitempty"`
	Parent int32  `json:"p,omitempty"` // one more than its number
	Place  int32  `json:"i,omitempty"` // among the links of that
	Depth  uint16 `json:"d,omitempty"`
	Hops   uint8  `json:"h,omitempty"`
	First  bool   `json:"first,omitempty"`
	Old    bool   `json:"old,omitempty"`
	// Of a URL of which something became known.
	Number  *int32 `json:"n,omitempty"`
	State   string `json:"s,omitempty"`
	Alias   int32  `json:"a,omitempty"` // one more than its number
	Digest  string `json:"g,omitempty"` // of its content; without State, of what an earlier crawl kept
	Bytes   int64  `json:"b,omitempty"`
	Renamed string `json:"to,omitempty"` // the URL that is asked instead, for the same page
	Links   string `json:"k,omitempty"`  // see [pastLinks]
	// Nearer says that Parent, Place and Depth are of a shorter way to it.
	Nearer bool   `json:"near,omitempty"`
	Error  string `json:"e,omitempty"`
}

const journalVersion = 1

// maxRecord is the size of the largest line of a journal, those of others included.
const maxRecord = 1 << 20

// foundRecord is that of a URL that was found.
func (l *ledger) foundRecord(index int32) record {
	n := &l.frontier.nodes[index]
	r := record{URL: n.url, Parent: n.parent + 1, Depth: n.depth, Hops: n.hops, First: n.first, Old: n.old}
	if l.frontier.levels != nil {
		r.Place = n.place
	}
	return r
}

// wayRecord is that of a shorter way to a URL.
func (l *ledger) wayRecord(index int32) record {
	n := &l.frontier.nodes[index]
	return record{Number: &index, Nearer: true, Parent: n.parent + 1, Place: n.place, Depth: n.depth}
}

// log writes records, all of them or, if the program is killed, a beginning.
func (l *ledger) log(records ...record) {
	if l.options.Journal == nil || l.stopped != nil {
		return
	}
	var b bytes.Buffer
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			continue // a record can always be encoded
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	if _, err := l.options.Journal.Write(b.Bytes()); err != nil {
		l.stop(fmt.Errorf("what was captured cannot be recorded: %w", err))
	}
}

// errOtherCrawl reports that a journal is of a crawl with other options.
var errOtherCrawl = errors.New("the journal is of a crawl with other options")

// replay reads a journal. It goes on behind a line with other options, for [ReadPast].
func (l *ledger) replay(journal io.Reader) error {
	lines := bufio.NewScanner(journal)
	lines.Buffer(nil, maxRecord)
	f := l.frontier
	var other error
	for first := true; lines.Scan(); first = false {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			if first {
				return fmt.Errorf("is no journal of a crawl: %w", err)
			}
			continue // it was being written when the program was killed
		}
		switch {
		case first:
			if r.Version != journalVersion {
				return fmt.Errorf("is a journal of version %d; this program writes version %d", r.Version, journalVersion)
			}
			if r.Options != l.options.digest() {
				other = errOtherCrawl
			}
		case r.Base != "":
			u, err := url.Parse(r.Base)
			if err != nil {
				return err
			}
			l.boundary = l.options.Scope.from(u)
		case r.Lists:
			l.listed = true
		case r.Ended:
			l.ended = r.Limited == 0 || l.options.Limit <= r.Limited
			continue
		case r.URL != "":
			u, err := url.Parse(r.URL)
			if err != nil || u.Host == "" {
				return fmt.Errorf("is no journal of a crawl: %q is no URL", r.URL)
			}
			if _, known := f.byKey[key(u)]; known || len(f.nodes) >= maxFrontier {
				return fmt.Errorf("is no journal of a crawl: %q is there twice", r.URL)
			}
			f.byKey[key(u)] = int32(len(f.nodes))
			l.claimOld(int32(len(f.nodes)), r.Digest)
			f.nodes = append(f.nodes, node{
				url: u.String(), parent: r.Parent - 1, place: r.Place, alias: -1, depth: r.Depth, hops: r.Hops, first: r.First, old: r.Old, state: Waiting,
			})
			l.remember(r.Old)
		case r.Number != nil && *r.Number >= 0 && int(*r.Number) < len(f.nodes):
			l.replayState(*r.Number, r)
		}
		l.ended = false
	}
	if err := lines.Err(); err != nil {
		return err
	}
	for i := range f.nodes {
		if n := &f.nodes[i]; n.parent >= int32(len(f.nodes)) || n.alias >= int32(len(f.nodes)) {
			return errors.New("is no journal of a crawl: it refers to what is not there")
		}
	}
	f.restore()
	return other
}

// claimOld claims a content for a page that had it.
func (l *ledger) claimOld(index int32, digest string) {
	if d, err := hex.DecodeString(digest); err == nil && len(d) == 16 {
		l.digests[[16]byte(d)] = index
	}
}

func (l *ledger) replayState(index int32, r record) {
	n := &l.frontier.nodes[index]
	if r.Nearer {
		n.parent, n.place, n.depth = r.Parent-1, r.Place, r.Depth
		return
	}
	if r.State == "" && r.Renamed == "" { // an earlier crawl kept it
		l.claimOld(index, r.Digest)
		return
	}
	if len(r.State) != 1 && r.Renamed == "" {
		return
	}
	if to, err := url.Parse(r.Renamed); r.Renamed != "" && err == nil {
		n.url, n.hops = to.String(), r.Hops
		return
	}
	if l.links != nil && r.Links != "" {
		l.links[index] = r.Links
	}
	if index == 0 {
		l.places = pastLinks{text: r.Links}.len()
	}
	n.state, n.alias = State(r.State[0]), r.Alias-1
	l.stats.Bytes += r.Bytes
	if n.state == Waiting {
		n.stubborn = true
		return
	}
	switch n.state {
	case Kept:
		l.stats.Pages++
		l.claimOld(index, r.Digest)
	case Canonical:
		l.stood = append(l.stood, index)
	case Failed:
		l.stats.Failed++
	}
}
