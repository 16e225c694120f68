package crawl

import "io"

// An EarlierCrawl is the content of the journal of an earlier crawl.
type EarlierCrawl struct {
	Ended bool
	Same  bool // it had the same options as the new crawl
	// Known are the URLs that it found, in their order.
	Known []Known
	// Aliases are the URLs of pages, by the URLs that they replace.
	Aliases map[string]string
}

// ReadEarlier reads the journal of an earlier crawl. o are the options of the new one.
func ReadEarlier(journal io.Reader, o Options) (*EarlierCrawl, error) {
	l := newLedger(o)
	err := l.replay(journal)
	if err != nil && err != errOtherCrawl {
		return nil, err
	}
	e := &EarlierCrawl{Ended: l.ended, Same: err == nil, Aliases: make(map[string]string)}
	digests := make(map[int32][16]byte)
	for digest, index := range l.digests {
		digests[index] = digest
	}
	nodes := l.frontier.nodes
	for i, n := range nodes {
		k := Known{URL: n.url, Kept: n.state == Kept, Whole: !e.Same, digest: digests[int32(i)]}
		if e.Same { // otherwise links may lead to it in another way
			k.Depth = n.depth
		}
		if n.parent >= 0 {
			k.from = nodes[n.parent].url
		}
		e.Known = append(e.Known, k)
		if to := l.frontier.resolve(int32(i)); to >= 0 && int(to) != i && (nodes[to].state == Kept || nodes[to].old) {
			e.Aliases[n.url] = nodes[to].url
		}
	}
	return e, nil
}
