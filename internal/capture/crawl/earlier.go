package crawl

import "io"

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
