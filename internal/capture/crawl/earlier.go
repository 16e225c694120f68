package crawl

import (
	"encoding/base64"
	"encoding/binary"
	"io"
	"net/url"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// An EarlierCrawl is the content of the journal of an earlier crawl.
type EarlierCrawl struct {
	Ended bool
	Same  bool // it had the same options as the new crawl
	// Pages are the pages that it kept, by URL.
	Pages map[string]EarlierPage
	// Aliases are the URLs of pages, by the URLs that they replace.
	Aliases map[string]string
}

// An EarlierPage is a page that an earlier crawl kept.
type EarlierPage struct {
	Digest [16]byte // of its content; zero: unknown
	links  encodedLinks
}

// ReadEarlier reads the journal of an earlier crawl. o are the options of the new one.
func ReadEarlier(journal io.Reader, o Options) (*EarlierCrawl, error) {
	l := newLedger(o)
	l.links = make(map[int32]string)
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
			page := EarlierPage{Digest: digests[to]}
			if text := l.links[to]; p.Same || text == unsettled { // otherwise it may have more links in the new scope
				page.links = encodedLinks{l.links[to], nodes}
			}
			p.Pages[n.url] = page
		default:
			p.Aliases[n.url] = nodes[to].url
		}
	}
	return p, nil
}

// encodedLinks are the links of a page as its crawl's journal has them. The zero value means unknown.
type encodedLinks struct {
	text  string // base64 of varints: the number of links, then the differences between node numbers
	nodes []node // of the journal
}

// unsettled is the text for a page whose canonical URL was not a page. It may be one now, so the page must be fetched
// in full.
const unsettled = "-"

// needsPage reports whether the page must be fetched in full; followed says whether its links are followed.
func (p encodedLinks) needsPage(followed bool) bool {
	return p.text == unsettled || followed && p.text == ""
}

// linksTo encodes links to nodes, in their order.
func linksTo(numbers []int32) string {
	b := binary.AppendUvarint(nil, uint64(len(numbers)))
	last := int32(0)
	for _, n := range numbers {
		b = binary.AppendVarint(b, int64(n-last))
		last = n
	}
	return base64.RawStdEncoding.EncodeToString(b)
}

// leads returns the links of a page that has not changed; nil if they are unknown.
func (p encodedLinks) leads() *webpage.Leads {
	if p.text == "" || p.text == unsettled {
		return nil
	}
	leads := new(webpage.Leads)
	b, err := base64.RawStdEncoding.DecodeString(p.text)
	if err != nil {
		return leads
	}
	_, size := binary.Uvarint(b)
	last := int64(0)
	for b = b[max(size, 0):]; len(b) > 0; {
		difference, size := binary.Varint(b)
		if size <= 0 {
			break
		}
		b = b[size:]
		if last += difference; last < 0 || last >= int64(len(p.nodes)) {
			break
		}
		if u, err := url.Parse(p.nodes[last].url); err == nil {
			leads.Links = append(leads.Links, webpage.Lead{URL: u})
		}
	}
	return leads
}
