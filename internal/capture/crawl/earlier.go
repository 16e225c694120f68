package crawl

import "io"

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
	Digest [16]byte // of its content; zero: it is not known
	links  pastLinks
}

// ReadPast reads the journal of an earlier crawl, of the options that it should have.
func ReadPast(journal io.Reader, o Options) (*Past, error) {
	l := newLedger(o)
	l.links = make(map[int32]string)
	err := l.replay(journal)
	if err != nil && err != errOtherCrawl {
		return nil, err
	}
	p := &Past{Ended: l.ended, Same: err == nil, Pages: make(map[string]PastPage), Aliases: make(map[string]string)}
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
			page := PastPage{Digest: digests[to]}
			if text := l.links[to]; p.Same || text == unsettled { // else there may be more, of another scope
				page.links = pastLinks{l.links[to], nodes}
			}
			p.Pages[n.url] = page
		default:
			p.Aliases[n.url] = nodes[to].url
		}
	}
	return p, nil
}
