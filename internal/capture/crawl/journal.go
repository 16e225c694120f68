package crawl

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
)

// A record is a line of a journal. An incomplete line is skipped. URLs are numbered in the order in which they were
// found.
type record struct {
	// In the first line.
	Version int    `json:"v,omitempty"`
	Options string `json:"options,omitempty"`
	// Base is the URL at which the scope starts, if the start URL redirects.
	Base string `json:"base,omitempty"`
	// Lists says that llms.txt and the sitemaps have been read.
	Lists bool `json:"lists,omitempty"`
	// Ended says that the crawl ended.
	Ended bool `json:"ended,omitempty"`
	// Limited is the limit at which the crawl ended although URLs were left.
	Limited int `json:"limited,omitempty"`
	// For a URL that was found.
	URL    string `json:"u,omitempty"`
	Parent int32  `json:"p,omitempty"` // plus one
	Depth  uint16 `json:"d,omitempty"`
	Hops   uint8  `json:"h,omitempty"`
	First  bool   `json:"first,omitempty"`
	Old    bool   `json:"old,omitempty"`
	// For a URL with a number.
	Number *int32 `json:"n,omitempty"`
	State  string `json:"s,omitempty"`
	Alias  int32  `json:"a,omitempty"` // plus one
	// without State: of the content that an earlier crawl kept
	Digest  string  `json:"g,omitempty"`
	Bytes   int64   `json:"b,omitempty"`
	Renamed string  `json:"to,omitempty"` // another spelling, to be requested instead
	Links   []int32 `json:"k,omitzero"`   // missing: unknown, or to be looked at again
	Error   string  `json:"e,omitempty"`
	// see [Page.Note]; without State: of an earlier crawl
	Note *string `json:"note,omitempty"`
}

const journalVersion = 2

// maxRecord is the maximum length of a line.
const maxRecord = 16 << 20

// foundRecord returns the record for a new URL.
func (l *ledger) foundRecord(index int32) record {
	n := &l.frontier.nodes[index]
	return record{URL: n.url, Parent: n.parent + 1, Depth: n.depth, Hops: n.hops, First: n.first, Old: n.old}
}

// log writes a record.
func (l *ledger) log(r record) {
	if l.options.Journal == nil || l.stopped != nil {
		return
	}
	line, _ := json.Marshal(r) // texts and numbers cannot fail
	if _, err := l.options.Journal.Write(append(line, '\n')); err != nil {
		l.stop(fmt.Errorf("the journal of the crawl cannot be written: %w", err))
	}
}

// errOtherCrawl reports that a journal belongs to a crawl with other options.
var errOtherCrawl = errors.New("the journal belongs to a crawl with other options")

// replay reads a journal. If its options differ, it reads the rest and returns errOtherCrawl, for [ReadEarlier].
func (l *ledger) replay(journal io.Reader) error {
	lines := bufio.NewScanner(journal)
	lines.Buffer(nil, maxRecord)
	f := l.frontier
	var other error
	for first := true; lines.Scan(); first = false {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			if first {
				return fmt.Errorf("is not the journal of a crawl: %w", err)
			}
			continue // the program was killed while it wrote this line
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
			if l.ended = r.Limited == 0 || l.options.Limit <= r.Limited; l.ended && r.Limited > 0 {
				l.leaveAtLimit()
			}
			continue
		case r.URL != "":
			if err := l.replayURL(r); err != nil {
				return err
			}
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
			return errors.New("is not the journal of a crawl: it refers to unknown URLs")
		}
	}
	for i := range f.nodes {
		if f.nodes[i].state == Waiting {
			f.push(int32(i))
		}
	}
	return other
}

func (l *ledger) replayURL(r record) error {
	f := l.frontier
	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" {
		return fmt.Errorf("is not the journal of a crawl: %q is not a URL", r.URL)
	}
	if _, known := f.byKey[Key(u)]; known || len(f.nodes) >= maxFrontier {
		return fmt.Errorf("is not the journal of a crawl: %q occurs twice", r.URL)
	}
	f.byKey[Key(u)] = int32(len(f.nodes))
	f.nodes = append(f.nodes, node{
		url: u.String(), parent: r.Parent - 1, alias: -1, depth: r.Depth, hops: r.Hops, first: r.First, old: r.Old, state: Waiting,
	})
	l.remember(r.Old)
	return nil
}

// claimOld records the content that a page had in an earlier crawl.
func (l *ledger) claimOld(index int32, digest string) {
	if d, err := hex.DecodeString(digest); err == nil && len(d) == 16 {
		l.digests[[16]byte(d)] = index
	}
}

func (l *ledger) replayState(index int32, r record) {
	n := &l.frontier.nodes[index]
	if r.Note != nil && l.notes != nil {
		l.notes[index] = r.Note
	}
	if r.State == "" && r.Renamed == "" {
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
	if l.links != nil {
		l.links[index] = r.Links
	}
	n.state, n.alias = State(r.State[0]), r.Alias-1
	l.stats.Bytes += r.Bytes
	if n.state == Kept {
		l.stats.Pages++
		l.claimOld(index, r.Digest)
	}
}

// An EarlierCrawl is the content of the journal of an earlier crawl.
type EarlierCrawl struct {
	Ended bool
	Same  bool // as the new crawl
	// Pages are the pages that it kept, by URL.
	Pages map[string]EarlierPage
	// Aliases are the URLs of pages, by the URLs that they replace.
	Aliases map[string]string
}

// An EarlierPage is a page that an earlier crawl kept.
type EarlierPage struct {
	Digest [16]byte // zero: unknown
	Depth  uint16
	Note   *string
	links  earlierLinks
}

// ReadEarlier reads the journal of an earlier crawl. o are the options of the new one.
func ReadEarlier(journal io.Reader, o Options) (*EarlierCrawl, error) {
	l := newLedger(o)
	l.links, l.notes = make(map[int32][]int32), make(map[int32]*string)
	err := l.replay(journal)
	if err != nil && err != errOtherCrawl {
		return nil, err
	}
	p := &EarlierCrawl{Ended: l.ended, Same: err == nil, Pages: make(map[string]EarlierPage), Aliases: make(map[string]string)}
	digests := make(map[int32][16]byte)
	for digest, index := range l.digests {
		digests[index] = digest
	}
	nodes := l.frontier.nodes
	for i, n := range nodes {
		to := l.frontier.resolve(int32(i))
		switch {
		case to < 0 || nodes[to].state != Kept && !nodes[to].old:
		case int(to) == i:
			page := EarlierPage{Digest: digests[to], Depth: n.depth, Note: l.notes[to]}
			if p.Same { // otherwise it may have more links in the new scope
				page.links = earlierLinks{l.links[to], nodes}
			}
			p.Pages[n.url] = page
		default:
			p.Aliases[n.url] = nodes[to].url
		}
	}
	return p, nil
}

// earlierLinks are the links of a page as its crawl's journal has them.
type earlierLinks struct {
	numbers []int32
	nodes   []node
}

// leads returns the links of a page that has not changed; nil if they are unknown.
func (p earlierLinks) leads() *webpage.Leads {
	if p.numbers == nil {
		return nil
	}
	leads := new(webpage.Leads)
	for _, n := range p.numbers {
		if n < 0 || int(n) >= len(p.nodes) {
			continue
		}
		if u, err := url.Parse(p.nodes[n].url); err == nil {
			leads.Links = append(leads.Links, webpage.Lead{URL: u})
		}
	}
	return leads
}
