package crawl

import (
	"encoding/base64"
	"encoding/binary"
	"net/url"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

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
