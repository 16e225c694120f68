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
	Depth  uint16 `json:"d,omitempty"`
	Hops   uint8  `json:"h,omitempty"`
	First  bool   `json:"first,omitempty"`
	Old    bool   `json:"old,omitempty"`
	// Of a URL of which something became known.
	Number  *int32 `json:"n,omitempty"`
	State   string `json:"s,omitempty"`
	Alias   int32  `json:"a,omitempty"` // one more than its number
	Digest  string `json:"g,omitempty"`
	Like    uint64 `json:"l,omitempty"`
	Run     uint16 `json:"r,omitempty"`
	Chain   uint16 `json:"c,omitempty"`
	Bytes   int64  `json:"b,omitempty"`
	Renamed string `json:"to,omitempty"` // the URL that is asked instead, for the same page
	Error   string `json:"e,omitempty"`
}

const journalVersion = 1

// maxRecord is the size of the largest line of a journal, those of others included.
const maxRecord = 1 << 20

// log writes records, all of them or, if the program is killed, a beginning. c.mu is held.
func (c *Crawl) log(records ...record) {
	if c.options.Journal == nil || c.stopped != nil {
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
	if _, err := c.options.Journal.Write(b.Bytes()); err != nil {
		c.stop(fmt.Errorf("what was captured cannot be recorded: %w", err))
	}
}

// errOtherCrawl reports that a journal is of a crawl with other options.
var errOtherCrawl = errors.New("the journal is of a crawl with other options")

// A Past is what a journal says of an earlier crawl.
type Past struct {
	Ended bool
	Same  bool // it had the options of this one
	// Pages are the pages, by their URLs.
	Pages map[string]PastPage
	// Aliases are the URLs of pages by those for which they stand.
	Aliases map[string]string
}

// A PastPage is what is known of a page that an earlier crawl kept.
type PastPage struct {
	Depth  int      // links from the start
	Digest [16]byte // of its content; zero: it is not known
}

// ReadPast reads the journal of an earlier crawl, of the options that it should have.
func ReadPast(journal io.Reader, o Options) (*Past, error) {
	c := &Crawl{options: o, frontier: newFrontier(0), traps: newTraps(), digests: make(map[[16]byte]int32)}
	err := c.replay(journal)
	if err != nil && err != errOtherCrawl {
		return nil, err
	}
	p := &Past{Ended: c.ended, Same: err == nil, Pages: make(map[string]PastPage), Aliases: make(map[string]string)}
	digests := make(map[int32][16]byte)
	for digest, index := range c.digests {
		digests[index] = digest
	}
	for i, n := range c.frontier.nodes {
		to := c.frontier.resolve(int32(i))
		switch {
		case to < 0 || c.frontier.nodes[to].state != Kept && !c.frontier.nodes[to].old:
		case int(to) == i:
			p.Pages[n.url] = PastPage{int(n.depth), digests[to]}
		default:
			p.Aliases[n.url] = c.frontier.nodes[to].url
		}
	}
	return p, nil
}

// replay reads a journal. It goes on behind a line with other options, for [ReadPast].
func (c *Crawl) replay(journal io.Reader) error {
	lines := bufio.NewScanner(journal)
	lines.Buffer(nil, maxRecord)
	f := c.frontier
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
			if r.Options != c.options.digest() {
				other = errOtherCrawl
			}
		case r.Base != "":
			u, err := url.Parse(r.Base)
			if err != nil {
				return err
			}
			c.boundary = c.options.Scope.from(u)
		case r.Lists:
			c.listed = true
		case r.Ended:
			c.ended = r.Limited == 0 || c.options.Limit <= r.Limited
			continue
		case r.URL != "":
			u, err := url.Parse(r.URL)
			if err != nil || u.Host == "" {
				return fmt.Errorf("is no journal of a crawl: %q is no URL", r.URL)
			}
			if _, known := f.byKey[key(u)]; known || len(f.nodes) >= maxFrontier {
				return fmt.Errorf("is no journal of a crawl: %q is there twice", r.URL)
			}
			sh := shapeOf(u)
			f.byKey[key(u)] = int32(len(f.nodes))
			c.claimOld(int32(len(f.nodes)), r.Digest)
			f.nodes = append(f.nodes, node{url: u.String(), shape: sh.of, parent: r.Parent - 1, alias: -1, depth: r.Depth, hops: r.Hops, first: r.First, old: r.Old, state: Waiting})
			c.remember(r.Old)
		case r.Number != nil && *r.Number >= 0 && int(*r.Number) < len(f.nodes):
			c.replayState(*r.Number, r)
		}
		c.ended = false
	}
	if err := lines.Err(); err != nil {
		return err
	}
	for i := range f.nodes {
		if n := &f.nodes[i]; n.parent >= int32(len(f.nodes)) || n.alias >= int32(len(f.nodes)) {
			return errors.New("is no journal of a crawl: it refers to what is not there")
		} else if n.state == Waiting {
			f.push(int32(i))
		}
	}
	return other
}

// remember counts a page that was kept before. All of them are asked again, whatever the limit is.
func (c *Crawl) remember(old bool) {
	if old {
		c.old++
		c.options.Limit = max(c.options.Limit, c.old)
		c.stats.Limit = c.options.Limit
	}
}

// claimOld claims a content for a page that had it.
func (c *Crawl) claimOld(index int32, digest string) {
	if d, err := hex.DecodeString(digest); err == nil && len(d) == 16 {
		c.digests[[16]byte(d)] = index
	}
}

func (c *Crawl) replayState(index int32, r record) {
	n := &c.frontier.nodes[index]
	u, err := url.Parse(n.url)
	if err != nil || len(r.State) != 1 && r.Renamed == "" {
		return
	}
	if to, err := url.Parse(r.Renamed); r.Renamed != "" && err == nil {
		n.url, n.hops = to.String(), r.Hops
		return
	}
	n.state, n.alias, n.like, n.run, n.chain = State(r.State[0]), r.Alias-1, r.Like, r.Run, r.Chain
	c.stats.Bytes += r.Bytes
	if n.state == Waiting {
		n.stubborn = true
		return
	}
	sh := shapeOf(u)
	c.traps.twin(index, sh, r.Like)
	if n.run > 0 {
		c.traps.alike[n.shape]++
	}
	switch n.state {
	case Kept:
		c.stats.Pages++
		if sh.tokenless != 0 {
			c.traps.first[sh.tokenless] = index
		}
		c.claimOld(index, r.Digest)
	case Trapped:
		c.traps.closed[n.shape] = true
	case Failed:
		c.stats.Failed++
	}
}
